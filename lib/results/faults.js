// What is wrong with a value that is to be results, an outcome or a launch, in words. validator.cjs is compiled from
// schema.json, the published description of the file, so that reading needs no package.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** @typedef {{ instancePath: string, keyword: string, params: Record<string, any> }} SchemaError   as ajv describes it */

/** @type {Record<string, (params: Record<string, any>, value: any) => string>} by keyword of JSON Schema */
export const WORDS = {
  type: ({ type }, value) =>
    // JSON writes 1e999, and JavaScript reads it as infinite.
    typeof value === 'number' && !Number.isFinite(value)
      ? 'is not a finite number'
      : `should be ${[type].flat().join(' or ')}, not ${typeOf(value)}`,
  const: ({ allowedValue }) => `should be ${allowedValue}`,
  enum: ({ allowedValues }) => `should be one of ${allowedValues.join(', ')}`,
  minimum: ({ limit }) => `is less than ${limit}`,
  exclusiveMinimum: ({ limit }) => `is not more than ${limit}`,
  maximum: ({ limit }) => `is more than ${limit}`,
  minLength: ({ limit }) => (limit === 1 ? 'is empty' : `is shorter than ${limit}`),
  maxLength: ({ limit }) => `is longer than ${limit}`,
  pattern: ({ pattern }) => `should look like ${pattern}`,
  minItems: () => 'is empty',
  required: ({ missingProperty }) => `lacks ${missingProperty}`,
  additionalProperties: ({ additionalProperty }) =>
    `has an unknown property ${JSON.stringify(additionalProperty)}`,
  discriminator: ({ tag, tagValue }) => (tagValue === undefined ? `lacks ${tag}` : `has an unknown ${tag}`),
  'x-ascending': ({ keys }) => `should have ${keys}`,
};

/** @param {any} value @returns {string} the name that JSON Schema has for its type */
function typeOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** @param {SchemaError} error */
function depthOf({ instancePath }) {
  return instancePath.split('/').length;
}

/** @param {readonly SchemaError[]} errors   one of each alternative that was tried @returns {SchemaError} the deepest: of the alternative that was meant */
function deepest(errors) {
  const faults = errors.filter(({ keyword }) => keyword !== 'anyOf');
  return faults.reduce((first, error) => (depthOf(error) > depthOf(first) ? error : first));
}

/**
 * @param {'results' | 'outcome' | 'launch'} kind
 * @param {unknown} document    as JSON.parse gave it, or as JSON.stringify will take it
 * @returns {string | null} a fault, and where it is: 'outcomes[3].cell lacks codec'
 */
export function faultIn(kind, document) {
  // Loaded with the first document: many commands read none.
  const validate = require('./validator.cjs')[kind];
  if (validate(document)) return null;
  const { instancePath, keyword, params } = deepest(validate.errors);
  let place = '';
  /** @type {any} */
  let value = document;
  for (const part of instancePath.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    place += Array.isArray(value) ? `[${key}]` : `.${key}`;
    value = value[key];
  }
  return `${place.replace(/^\./, '') || 'the document'} ${WORDS[keyword](params, value)}`;
}
