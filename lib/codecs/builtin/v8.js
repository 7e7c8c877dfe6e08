// The structured clone of node:v8, as worker threads and `serialization: 'advanced'` use it.

import { deserialize, serialize } from 'node:v8';
import { checkedBytes, checkedMessage } from '../message.js';

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'v8',
  summary: "structured clone of node:v8, which child_process calls serialization: 'advanced'",
  look: { fill: 'dots', dash: [12, 3] },
  produces: 'bytes',
  encode: (message) => serialize(message),
  decode(wire) {
    const value = read(wire);
    return checkedMessage(value?.id, value?.payload);
  },
  values: { carry: () => ({ encode: serialize, decode: deserialize }) },
  bytes: {
    encode: (message) => serialize(message),
    decode(wire) {
      const value = read(wire);
      return checkedBytes(value?.id, value?.payload);
    },
  },
};

/** @param {Uint8Array} wire @returns {any} */
function read(wire) {
  try {
    // v8.deserialize() is not hardened against hostile input, which may allocate without limit or crash the process. This is acceptable
    // here, since only authenticated peers of the launch can send. Bytes after the first value are ignored.
    return deserialize(wire);
  } catch {
    // The error has no cause, since the error of a malformed RegExp quotes its source.
    throw new Error('not what v8.serialize makes');
  }
}
