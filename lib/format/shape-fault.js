// Checks a value against a shape of lib/types, and describes the first fault with its path: 'outcomes[3].cell lacks codec'.

import { safeParse } from 'valibot';

/** @import { BaseIssue, GenericSchema } from 'valibot' */
/** @typedef {{ key: unknown, type: string }} PathStep */
/** @typedef {BaseIssue<any>} Issue */

/**
 * @param {GenericSchema<any>} shape
 * @param {unknown} value   returned by JSON.parse, or to be passed to JSON.stringify
 * @returns {string | null} the first fault with the path to it; null if the value has the shape
 */
export function findFault(shape, value) {
  const { issues } = safeParse(shape, value, { abortEarly: true });
  if (issues === undefined) return null;
  const { issue, path } = deepest(issues[0], []);
  const parent = path.slice(0, -1);
  const key = String(path.at(-1)?.key);
  if (issue.input === undefined && path.length > 0) return `${jsonPathText(parent)} lacks ${key}`;
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return `${jsonPathText(parent)} has an unknown property ${JSON.stringify(key)}`;
  if (issue.type === 'variant' && issue.expected !== 'Object')
    return `${jsonPathText(parent)} has an unknown ${key}`;
  return `${jsonPathText(path)} ${wordsFor(issue)}`;
}

/**
 * @param {Issue} issue   for a union, it contains an issue per alternative
 * @param {readonly PathStep[]} before
 * @returns {{ issue: Issue, path: readonly PathStep[] }} the deepest issue, which belongs to the alternative that fits best
 */
function deepest(issue, before) {
  const path = [...before, ...(issue.path ?? [])];
  const inner = (issue.issues ?? []).map((each) => deepest(each, path));
  if (inner.length === 0) return { issue, path };
  return inner.reduce((first, each) => (each.path.length > first.path.length ? each : first));
}

/** @param {readonly PathStep[]} path @returns {string} 'outcomes[3].cell' */
export function pathText(path) {
  const text = path.map(({ key, type }) => (type === 'array' ? `[${key}]` : `.${key}`)).join('');
  return text.replace(/^\./, '');
}

/** @param {readonly PathStep[]} path */
function jsonPathText(path) {
  return pathText(path) || 'the document';
}

/** @param {Issue} issue @returns {string} */
function wordsFor({ type, input, expected, requirement, message }) {
  if (typeof input === 'number' && !Number.isFinite(input)) return 'is not a finite number';
  switch (type) {
    case 'integer':
      return `should be integer, not ${nameType(input)}`;
    case 'min_value':
      return `is less than ${requirement}`;
    case 'gt_value':
      return `is not more than ${requirement}`;
    case 'max_value':
      return `is more than ${requirement}`;
    case 'min_length':
      return requirement === 1 ? 'is empty' : `is shorter than ${requirement}`;
    case 'max_length':
      return `is longer than ${requirement}`;
    case 'regex':
      return `should look like ${/** @type {RegExp} */ (requirement).source}`;
    case 'check':
      return message;
    case 'literal':
      return `should be ${JSON.parse(String(expected))}`;
    case 'picklist':
      return `should be one of ${String(expected).replaceAll(/[()"]/g, '').replaceAll(' | ', ', ')}`;
    default: {
      const kind = type === 'custom' ? message : String(expected).toLowerCase();
      return `should be ${kind}, not ${nameType(input)}`;
    }
  }
}

/** @param {unknown} value @returns {string} name of its type in JSON Schema */
function nameType(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
