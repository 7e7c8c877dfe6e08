// JSON written by code that fast-json-stringify generates from a JSON Schema, and read by JSON.parse.

import { packageProblem } from '../../machine/packages.js';
import json from './json.js';

/** @import { Schema } from 'fast-json-stringify' */
/** @import { Codec, Message, ValueShape } from '../../types/index.js' */

/** @type {Schema} */
const SCHEMA = {
  type: 'object',
  // The payload has no `format: 'unsafe'`, which would not escape quotes.
  properties: { id: { type: 'integer' }, payload: { type: 'string' } },
  required: ['id', 'payload'],
};

// Values of other kinds are written by JSON.stringify, except objects and lists.
/** @type {Readonly<Partial<Record<ValueShape['kind'], 'boolean' | 'integer' | 'number' | 'string'>>>} */
const TYPES = Object.freeze({ boolean: 'boolean', integer: 'integer', number: 'number', text: 'string' });

/** @type {typeof import('fast-json-stringify').default} */
let build;
/** @type {(message: Message) => string} */
let stringify;

/** @type {Codec} */
export default {
  name: 'json-schema',
  summary: 'JSON written by fast-json-stringify for a known schema, read by JSON.parse',
  look: { fill: 'lattice', dash: [22, 3] },
  produces: 'text',
  sources: [
    'https://github.com/fastify/fast-json-stringify#example',
    'https://github.com/fastify/fast-json-stringify#objectmechanism',
  ],
  packages: ['fast-json-stringify'],
  whyUnavailable: (isGlance) => packageProblem('fast-json-stringify', isGlance),
  async prepare() {
    ({ default: build } = await import('fast-json-stringify'));
    stringify = writerFor(SCHEMA);
  },
  encode: (message) => stringify(message),
  decode: json.decode,
  values: {
    carry: ({ shape }) => ({ encode: writerFor(schemaFor(shape)), decode: (wire) => JSON.parse(wire) }),
  },
};

/** @param {Schema} schema @returns {(value: any) => string} */
function writerFor(schema) {
  // The documentation of the library advises this for Node 25 and later; it has no effect before.
  return build(schema, { objectMechanism: 'native' });
}

/** @param {ValueShape} shape @returns {Schema} */
function schemaFor({ kind, mayBeNull, items, fields }) {
  const nullable = mayBeNull === true;
  if (kind === 'list' && items !== undefined) return { type: 'array', items: schemaFor(items), nullable };
  if (kind !== 'object' || fields === undefined) {
    const type = TYPES[kind];
    return type === undefined ? /** @type {any} */ ({}) : { type, nullable };
  }
  return {
    type: 'object',
    nullable,
    properties: Object.fromEntries(fields.map(({ name, shape }) => [name, schemaFor(shape)])),
    required: fields.filter(({ mayBeAbsent }) => !mayBeAbsent).map(({ name }) => name),
  };
}
