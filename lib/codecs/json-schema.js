// JSON written by code that fast-json-stringify makes of a JSON Schema: the fields are known, and nothing is looked up
// while messages are written. Such code does not exist for reading: JSON.parse.

import { whyNotLoadable } from '../machine/package-check.js';
import json from './json.js';

/** @type {import('fast-json-stringify').Schema} */
const SCHEMA = {
  type: 'object',
  // Not `format: 'unsafe'`, which is faster since it escapes nothing: that writes no JSON of payloads with quotes.
  properties: { id: { type: 'integer' }, payload: { type: 'string' } },
  required: ['id', 'payload'],
};

/** @type {(message: import('../types/messages.js').Message) => string} */
let stringify;

/** @type {import('../types/messages.js').Codec} */
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
  whyUnavailable: (isGlance) => whyNotLoadable('fast-json-stringify', isGlance),
  async prepare() {
    const { default: build } = await import('fast-json-stringify');
    // As its documentation advises for Node 25 and later; elsewhere it changes nothing.
    stringify = build(SCHEMA, { objectMechanism: 'native' });
  },
  encode: (message) => stringify(message),
  decode: json.decode,
};
