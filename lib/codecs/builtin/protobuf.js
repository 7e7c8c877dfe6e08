// Protocol Buffers by protobufjs, which compiles the schema when it is loaded.

import { formatCount } from '../../format/numbers.js';
import { packageProblem } from '../../machine/packages.js';
import { checkedBytes, checkedMessage } from '../message.js';
import { findShapeProblem, plainTypeProblem } from '../shapes.js';

/** @import { Codec, ValueShape } from '../../types/index.js' */

// `optional`, as protobuf.dev recommends for all basic types: it distinguishes an empty field from one that is missing because the wire
// was truncated.
const SCHEMA = `
  syntax = "proto3";
  message Message {
    optional uint32 id = 1;
    optional string payload = 2;
  }
  message ByteMessage {
    optional uint32 id = 1;
    optional bytes payload = 2;
  }`;

// Loading takes O(fields²): 4 s for 4,000 fields, minutes for 20,000.
const MAX_FIELDS = 4_000;

/** @type {Readonly<Partial<Record<ValueShape['kind'], string>>>} */
const TYPES = Object.freeze({ boolean: 'bool', integer: 'int32', number: 'double', text: 'string' });

/** @type {typeof import('protobufjs')} */
let protobuf;
/** @type {import('protobufjs').Type} */
let type;
/** @type {import('protobufjs').Type} */
let typeOfBytes;

/** @type {Codec} */
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
  whyUnavailable: (isGlance) => packageProblem('protobufjs', isGlance),
  async prepare() {
    ({ default: protobuf } = await import('protobufjs'));
    const { root } = protobuf.parse(SCHEMA);
    type = root.lookupType('Message');
    typeOfBytes = root.lookupType('ByteMessage');
  },
  encode: (message) => type.encode(message).finish(),
  decode(wire) {
    const { id, payload } = read(type, wire);
    return checkedMessage(id, payload);
  },
  values: {
    skipReason: ({ shape }) =>
      findShapeProblem(shape, (part, field) => plainTypeProblem(part, field) ?? fieldCountProblem(part)),
    carry({ shape }) {
      // The root has to be a message, so a list is wrapped in a field.
      const isList = shape.kind === 'list';
      const whole = isList ? { ...OF_ITEMS, fields: [{ name: 'items', shape }] } : shape;
      const own = protobuf.parse(schemaText(whole), { keepCase: true }).root.lookupType('M0');
      return {
        encode: (value) => own.encode(isList ? { items: value } : value).finish(),
        decode: (wire) => (isList ? own.decode(wire).items : own.decode(wire)),
      };
    },
  },
  bytes: {
    encode: (message) => typeOfBytes.encode(message).finish(),
    decode(wire) {
      const { id, payload } = read(typeOfBytes, wire);
      return checkedBytes(id, payload);
    },
  },
};

/** @param {import('protobufjs').Type} type @param {Uint8Array} wire @returns {any} */
function read(type, wire) {
  try {
    return type.decode(wire);
  } catch {
    // The error has no cause, since the error of protobufjs contains offsets and lengths of the input.
    throw new Error('not a message in Protocol Buffers');
  }
}

/** @param {ValueShape} shape @returns {string | null} */
function fieldCountProblem({ fields = [] }) {
  if (fields.length <= MAX_FIELDS) return null;
  return `has ${formatCount(fields.length)} fields: protobufjs takes too long to load a schema of more than ${formatCount(MAX_FIELDS)}`;
}

/** @type {Pick<ValueShape, 'kind'>} */
const OF_ITEMS = { kind: 'object' };

/** @param {ValueShape} shape   must be an object @returns content of a .proto file */
function schemaText(shape) {
  /** @type {string[]} */
  const messages = [];
  addMessage(shape, messages);
  return `syntax = "proto3";\n${messages.join('\n')}`;
}

/**
 * Adds the definitions of an object and of its nested objects to `messages`.
 * @param {ValueShape} shape
 * @param {string[]} messages
 * @returns its name: 'M0'
 */
function addMessage({ fields = [] }, messages) {
  const index = messages.push('') - 1;
  const lines = fields.map(({ name, shape: { kind, items } }, index) => {
    const [label, one] = kind === 'list' ? ['repeated', items] : ['optional', fields[index].shape];
    const own = /** @type {ValueShape} */ (one);
    return `${label} ${TYPES[own.kind] ?? addMessage(own, messages)} ${name} = ${index + 1};`;
  });
  messages[index] = `message M${index} { ${lines.join(' ')} }`;
  return `M${index}`;
}
