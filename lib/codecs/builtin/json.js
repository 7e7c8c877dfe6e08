// JSON.stringify and JSON.parse: used by most programs.

import { checkedMessage } from '../message.js';

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'json',
  summary: 'JSON.stringify and JSON.parse',
  look: { fill: 'solid', dash: [] },
  produces: 'text',
  encode: (message) => JSON.stringify(message),
  decode(wire) {
    let value;
    try {
      value = JSON.parse(wire);
    } catch {
      // Without a cause: the message of a SyntaxError quotes the input.
      throw new Error('not JSON');
    }
    return checkedMessage(value?.id, value?.payload);
  },
  values: { carry: () => ({ encode: (value) => JSON.stringify(value), decode: (wire) => JSON.parse(wire) }) },
};
