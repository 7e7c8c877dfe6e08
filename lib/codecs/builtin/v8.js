// The structured clone of node:v8, as worker threads and `serialization: 'advanced'` use it.

import { deserialize, serialize } from 'node:v8';
import { checkedMessage } from '../message.js';

/** @type {import('../../types/messages.js').Codec} */
export default {
  name: 'v8',
  summary: 'structured clone of node:v8',
  look: { fill: 'dots', dash: [12, 3] },
  produces: 'bytes',
  encode: (message) => serialize(message),
  decode(wire) {
    let value;
    try {
      // Not a format for rejectedConnections: it builds whatever objects the bytes ask for. Here it only ever reads what processes
      // of the same launch wrote, since transports open no channel to anybody without the launch's token.
      // It stops after the first value: what may follow stays unread.
      value = deserialize(wire);
    } catch {
      // Not passed on as a cause: the error of a malformed RegExp quotes its source.
      throw new Error('not what v8.serialize makes');
    }
    return checkedMessage(value?.id, value?.payload);
  },
  values: { carry: () => ({ encode: serialize, decode: deserialize }) },
};
