// Holds a value against the part of JSON Schema 2020-12 that schema.json uses, so that reading needs no package and
// the published schema is the only description of the file. What JSON Schema cannot say (finite, x-ascending) is here.

/** @typedef {Record<string, any>} Schema */
/** @typedef {{ path: string, what: string }} Fault   path: from the value that was checked */
/** @typedef {(schema: Schema, value: any, root: Schema) => Fault | null} Rule */

/** @param {any} value @returns {string} the name that JSON Schema has for its type */
function typeOf(value) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

/** @param {any} value @param {string} type */
function isOfType(value, type) {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}

/** @type {Rule} */
function faultOfType(schema, value) {
  // JSON writes 1e999, and JavaScript reads it as infinite.
  if (typeof value === 'number' && !Number.isFinite(value)) return fault('is not a finite number');
  if (schema.type === undefined) return null;
  const isFitting = Array.isArray(schema.type)
    ? schema.type.some((/** @type {string} */ type) => isOfType(value, type))
    : isOfType(value, schema.type);
  if (isFitting) return null;
  return fault(`should be ${[schema.type].flat().join(' or ')}, not ${typeOf(value)}`);
}

/** @param {string} what @returns {Fault} of the value itself */
function fault(what) {
  return { path: '', what };
}

/** @param {string} step @param {Fault | null} found @returns {Fault | null} as seen from one level above: no path is made where there is no fault */
function under(step, found) {
  return found === null ? null : { path: step + found.path, what: found.what };
}

/** @type {Rule} */
function faultOfScalar(schema, value) {
  const what =
    whyNoChoice(schema, value) ??
    (typeof value === 'number' ? whyNoNumber(schema, value) : null) ??
    (typeof value === 'string' ? whyNoText(schema, value) : null);
  return what === null ? null : fault(what);
}

/** @param {Schema} schema @param {any} value @returns {string | null} */
function whyNoChoice(schema, value) {
  if (schema.const !== undefined && value !== schema.const) return `should be ${schema.const}`;
  return schema.enum?.includes(value) === false ? `should be one of ${schema.enum.join(', ')}` : null;
}

/** @param {Schema} schema @param {number} value @returns {string | null} */
function whyNoNumber({ minimum, exclusiveMinimum, maximum }, value) {
  if (value < minimum) return `is less than ${minimum}`;
  if (value <= exclusiveMinimum) return `is not more than ${exclusiveMinimum}`;
  return value > maximum ? `is more than ${maximum}` : null;
}

/** @param {Schema} schema @param {string} value @returns {string | null} */
function whyNoText({ minLength, maxLength, pattern }, value) {
  if (value.length < minLength) return 'is empty';
  if (value.length > maxLength) return `is longer than ${maxLength}`;
  return pattern === undefined || new RegExp(pattern, 'u').test(value) ? null : `should look like ${pattern}`;
}

/** @type {Rule} */
function faultOfArray(schema, value, root) {
  if (!Array.isArray(value) || schema.items === undefined) return null;
  if (value.length < schema.minItems) return fault('is empty');
  for (let index = 0; index < value.length; index += 1) {
    const found = faultOf(schema.items, value[index], root);
    if (found !== null) return under(`[${index}]`, found);
  }
  return null;
}

/** @type {Rule} */
function faultOfObject(schema, value, root) {
  if (typeOf(value) !== 'object') return null;
  // JSON does not write what is undefined: before it is written, such a property is absent already.
  const missing = (schema.required ?? []).find(
    (/** @type {string} */ key) => !Object.hasOwn(value, key) || value[key] === undefined,
  );
  if (missing !== undefined) return fault(`lacks ${missing}`);
  const properties = schema.properties ?? {};
  for (const key of Object.keys(value)) {
    if (value[key] === undefined) continue;
    const rule = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    if (rule === false) return fault(`has an unknown property ${JSON.stringify(key)}`);
    const found = rule === undefined ? null : faultOf(rule, value[key], root);
    if (found !== null) return under(`.${key}`, found);
  }
  return null;
}

/** @type {Rule} */
function faultOfOrder(schema, value) {
  /** @type {string[] | undefined} */
  const keys = schema['x-ascending'];
  const isAscending =
    keys?.every((key, index) => index === 0 || value[keys[index - 1]] <= value[key]) ?? true;
  return isAscending ? null : fault(`should have ${keys?.join(' <= ')}`);
}

/** @type {Rule} */
function faultOfAlternatives(schema, value, root) {
  if (schema.anyOf === undefined) return null;
  const faults = [];
  for (const alternative of schema.anyOf) {
    const found = faultOf(alternative, value, root);
    if (found === null) return null;
    faults.push(found);
  }
  // The deepest fault is of the alternative that was meant, but a wrong `status` says only what it is not.
  const meant = faults.filter(({ path }) => path !== '.status');
  return (meant.length === 0 ? faults : meant).reduce((deepest, found) =>
    found.path.length > deepest.path.length ? found : deepest,
  );
}

/** @type {Rule} */
function faultOf(schema, value, root) {
  if (schema.$ref !== undefined) {
    return faultOf(root.$defs[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)], value, root);
  }
  return (
    faultOfType(schema, value, root) ??
    faultOfScalar(schema, value, root) ??
    faultOfArray(schema, value, root) ??
    faultOfObject(schema, value, root) ??
    faultOfOrder(schema, value, root) ??
    faultOfAlternatives(schema, value, root)
  );
}

/**
 * @param {Schema} schema
 * @param {unknown} value    as JSON.parse gave it, or as JSON.stringify will take it
 * @returns {string | null} the first fault, in words: 'outcomes[3].cell lacks codec'
 */
export function faultIn(schema, value) {
  const found = faultOf(schema, value, schema);
  return found === null ? null : `${found.path.replace(/^\./, '') || 'the document'} ${found.what}`;
}
