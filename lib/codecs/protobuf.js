// Protocol Buffers by protobufjs, which compiles the schema to code when it is loaded.

import { checkedMessage } from '../codec-kit/message.js';
import { whyNotLoadable } from '../machine/package-check.js';

// `optional`, as protobuf.dev recommends for all basic types: a field that is empty and one that is missing, because the
// wire was cut off, are two things.
const SCHEMA = `
  syntax = "proto3";
  message Message {
    optional uint32 id = 1;
    optional string payload = 2;
  }`;

/** @type {import('protobufjs').Type} */
let type;

/** @type {import('../types/messages.js').Codec} */
export default {
  name: 'protobuf',
  summary: 'Protocol Buffers by protobufjs, its schema compiled when it is loaded',
  look: { fill: 'counter-diagonal', dash: [12, 3, 5, 3] },
  produces: 'bytes',
  sources: [
    'https://github.com/protobufjs/protobuf.js#encode-and-decode',
    'https://protobuf.dev/programming-guides/field_presence/',
  ],
  packages: ['protobufjs'],
  whyUnavailable: (isGlance) => whyNotLoadable('protobufjs', isGlance),
  async prepare() {
    const { default: protobuf } = await import('protobufjs');
    type = protobuf.parse(SCHEMA).root.lookupType('Message');
  },
  encode: (message) => type.encode(message).finish(),
  decode(wire) {
    let value;
    try {
      value = /** @type {any} */ (type.decode(wire));
    } catch {
      // A cause would tell offsets and lengths that were read.
      throw new Error('not a message in Protocol Buffers');
    }
    return checkedMessage(value.id, value.payload);
  },
};
