// Avro by avsc: both ends know the schema, so that only values travel.

import { bufferView } from '../codec-kit/buffer-view.js';
import { checkedMessage } from '../codec-kit/message.js';
import { whyNotLoadable } from '../machine/package-check.js';

/** @type {import('avsc').Schema} */
const SCHEMA = {
  type: 'record',
  name: 'Message',
  fields: [
    { name: 'id', type: 'int' },
    { name: 'payload', type: 'string' },
  ],
};

/** @type {import('avsc').Type} */
let type;

/** @type {import('../types/messages.js').Codec} */
export default {
  name: 'avro',
  summary: 'Avro by avsc, the schema known to both ends',
  look: { fill: 'vertical', dash: [5, 7] },
  produces: 'bytes',
  sources: ['https://github.com/mtth/avsc#examples', 'https://github.com/mtth/avsc/wiki/API'],
  packages: ['avsc'],
  whyUnavailable: (isGlance) => whyNotLoadable('avsc', isGlance),
  async prepare() {
    const { default: avro } = await import('avsc');
    type = avro.Type.forSchema(SCHEMA);
  },
  encode: (message) => type.toBuffer(message),
  decode(wire) {
    let value;
    try {
      // avsc reads Buffers only; what a plain Uint8Array has not, it would take for damage.
      value = type.fromBuffer(bufferView(wire));
    } catch {
      // Not passed on as a cause: some messages of avsc quote what was read.
      throw new Error('not a message in Avro, or not as long as it says');
    }
    return checkedMessage(value.id, value.payload);
  },
};
