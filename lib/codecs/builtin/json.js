// The codec that most programs use: JSON.stringify and JSON.parse.

import { checkedJsonBytes, checkedMessage } from '../message.js';

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'json',
  summary: 'JSON.stringify and JSON.parse',
  look: { fill: 'solid', dash: [] },
  produces: 'text',
  encode: (message) => JSON.stringify(message),
  decode(wire) {
    const value = parse(wire);
    return checkedMessage(value?.id, value?.payload);
  },
  values: { carry: () => ({ encode: (value) => JSON.stringify(value), decode: (wire) => JSON.parse(wire) }) },
  bytes: {
    isList: true,
    encode: (message) => JSON.stringify(message),
    decode(wire) {
      const value = parse(wire);
      return checkedJsonBytes(value?.id, value?.payload);
    },
  },
};

/** @param {string} wire @returns {any} */
function parse(wire) {
  try {
    return JSON.parse(wire);
  } catch {
    // The error has no cause, since the message of a SyntaxError quotes the input.
    throw new Error('not JSON');
  }
}
