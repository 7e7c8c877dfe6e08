// Holds a value against the part of JSON Schema 2020-12 that schema.json uses, so that reading needs no package and
// the published schema is the only description of the file. What JSON Schema cannot say (finite, x-ascending) is here.

/** @typedef {Record<string, any>} Schema */
/** @typedef {{ path: string, what: string }} Fault */
/** @typedef {(schema: Schema, value: any, path: string, root: Schema) => Fault | null} Rule */

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
function faultOfType(schema, value, path) {
  // JSON writes 1e999, and JavaScript reads it as infinite.
  if (typeof value === 'number' && !Number.isFinite(value)) return { path, what: 'is not a finite number' };
  if (schema.type === undefined) return null;
  const types = [schema.type].flat();
  if (types.some((type) => isOfType(value, type))) return null;
  return { path, what: `should be ${types.join(' or ')}, not ${typeOf(value)}` };
}

/** @type {Rule} */
function faultOfScalar(schema, value, path) {
  const isText = typeof value === 'string';
  const isNumber = typeof value === 'number';
  const rules = [
    { isBroken: 'const' in schema && value !== schema.const, what: `should be ${schema.const}` },
    { isBroken: schema.enum?.includes(value) === false, what: `should be one of ${schema.enum?.join(', ')}` },
    { isBroken: isNumber && value < schema.minimum, what: `is less than ${schema.minimum}` },
    { isBroken: isNumber && value > schema.maximum, what: `is more than ${schema.maximum}` },
    { isBroken: isText && value.length < schema.minLength, what: 'is empty' },
    { isBroken: isText && value.length > schema.maxLength, what: `is longer than ${schema.maxLength}` },
    {
      isBroken: isText && schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value),
      what: `should look like ${schema.pattern}`,
    },
  ];
  const broken = rules.find((rule) => rule.isBroken);
  return broken === undefined ? null : { path, what: broken.what };
}

/** @type {Rule} */
function faultOfArray(schema, value, path, root) {
  if (!Array.isArray(value) || schema.items === undefined) return null;
  if (value.length < schema.minItems) return { path, what: 'is empty' };
  for (const [index, item] of value.entries()) {
    const fault = faultOf(schema.items, item, `${path}[${index}]`, root);
    if (fault !== null) return fault;
  }
  return null;
}

/** @type {Rule} */
function faultOfObject(schema, value, path, root) {
  if (typeOf(value) !== 'object') return null;
  const missing = (schema.required ?? []).find((/** @type {string} */ key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return { path, what: `lacks ${missing}` };
  const properties = schema.properties ?? {};
  for (const [key, item] of Object.entries(value)) {
    const rule = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
    if (rule === false) return { path, what: `has an unknown property ${JSON.stringify(key)}` };
    const fault = rule === undefined ? null : faultOf(rule, item, `${path}.${key}`, root);
    if (fault !== null) return fault;
  }
  return null;
}

/** @type {Rule} */
function faultOfOrder(schema, value, path) {
  /** @type {string[]} */
  const keys = schema['x-ascending'] ?? [];
  const isAscending = keys.every((key, index) => index === 0 || value[keys[index - 1]] <= value[key]);
  return isAscending ? null : { path, what: `should have ${keys.join(' <= ')}` };
}

/** @type {Rule} */
function faultOfAlternatives(schema, value, path, root) {
  if (schema.anyOf === undefined) return null;
  const faults = [];
  for (const alternative of schema.anyOf) {
    const fault = faultOf(alternative, value, path, root);
    if (fault === null) return null;
    faults.push(fault);
  }
  // The deepest fault is of the alternative that was meant, but a wrong `status` says only what it is not.
  const meant = faults.filter((fault) => fault.path !== `${path}.status`);
  return (meant.length === 0 ? faults : meant).reduce((deepest, fault) =>
    fault.path.length > deepest.path.length ? fault : deepest,
  );
}

/** @type {Rule} */
function faultOf(schema, value, path, root) {
  if (schema.$ref !== undefined) return faultOf(root.$defs[schema.$ref.split('/').at(-1)], value, path, root);
  return (
    faultOfType(schema, value, path, root) ??
    faultOfScalar(schema, value, path, root) ??
    faultOfArray(schema, value, path, root) ??
    faultOfObject(schema, value, path, root) ??
    faultOfOrder(schema, value, path, root) ??
    faultOfAlternatives(schema, value, path, root)
  );
}

/**
 * @param {Schema} schema
 * @param {unknown} value    as JSON.parse gave it
 * @returns {string | null} the first fault, in words: 'outcomes[3].cell lacks codec'
 */
export function faultIn(schema, value) {
  const fault = faultOf(schema, value, '', schema);
  return fault === null ? null : `${fault.path.replace(/^\./, '') || 'the document'} ${fault.what}`;
}
