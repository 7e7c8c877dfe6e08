// JSON as the language has it: what most programs use, and the yardstick for the others.

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
      // Not passed on as a cause: the message of a SyntaxError quotes its input.
      throw new Error('not JSON');
    }
    return checkedMessage(value?.id, value?.payload);
  },
  values: { carry: () => ({ encode: (value) => JSON.stringify(value), decode: (wire) => JSON.parse(wire) }) },
};
