// Describes how the objects of a file differ: missing fields and fields of several kinds, each with the line or number of a message.

import { formatCount } from '../../format/numbers.js';

/** @typedef {{ line: number, value: any }} Found */
/**
 * @typedef {{ count: number, complete: number }} SeenField   `count` objects have the field, among them all of the first `complete` objects
 */
/**
 * @typedef {{ objects: number[], kinds: Map<string, number>, fields: Map<string, SeenField> }} SeenPath   `objects` and `kinds` contain
 *   indexes of messages
 */

const WHOLE = null; // the path of a message itself, since a field may have an empty name

/**
 * @param {readonly Found[]} messages   JSON objects
 * @returns {string[]} clauses without a full stop; empty without differences
 */
export function fieldDifferences(messages) {
  /** @type {Map<string | null, SeenPath>} */
  const paths = new Map();
  messages.forEach(({ value }, index) => {
    visit(WHOLE, value, index, paths);
  });
  // The elements of a list may share a line.
  const hasLines = new Set(messages.map(({ line }) => line)).size === messages.length;
  /** @param {number} index */
  const positionText = (index) =>
    hasLines ? `on line ${messages[index].line}` : `in message ${formatCount(index + 1)}`;
  const several = [...paths]
    .filter(([, { kinds }]) => kinds.size > 1)
    .map(([path, { kinds }]) => {
      const texts = [...kinds].map(([kind, index]) => `${kind} ${positionText(index)}`);
      return `${pathText(path)} is ${texts.join(', ')}`;
    });
  const missing = [...paths].flatMap(([path, { objects, fields }]) =>
    [...fields]
      .filter(([, { count }]) => count < objects.length)
      .map(([name, { count, complete }]) => {
        const lacking = objects.length - count;
        const first = `${lacking === 1 ? '' : 'first '}${positionText(objects[complete])}`;
        const all = `${formatCount(objects.length)} ${path === WHOLE ? 'messages' : 'objects'}`;
        return `${pathText(joinPath(path, name))} is missing in ${formatCount(lacking)} of ${all}, ${first}`;
      }),
  );
  return [...several, ...missing];
}

/**
 * @param {string | null} path
 * @param {any} value
 * @param {number} index
 * @param {Map<string | null, SeenPath>} paths
 */
function visit(path, value, index, paths) {
  if (value === null) return;
  let seen = paths.get(path);
  if (seen === undefined) {
    seen = { objects: [], kinds: new Map(), fields: new Map() };
    paths.set(path, seen);
  }
  const kind = valueKind(value);
  if (!seen.kinds.has(kind)) seen.kinds.set(kind, index);
  if (kind === 'list') for (const item of value) visit(`${path}[]`, item, index, paths);
  if (kind !== 'object') return;
  const before = seen.objects.push(index) - 1;
  for (const [name, inner] of Object.entries(value)) {
    let field = seen.fields.get(name);
    if (field === undefined) {
      field = { count: 0, complete: 0 };
      seen.fields.set(name, field);
    }
    field.count += 1;
    if (field.complete === before) field.complete += 1;
    visit(joinPath(path, name), inner, index, paths);
  }
}

const PLAIN_NAME = /^[^.[\]"\\]+$/;

/**
 * @param {string | null} path
 * @param {string} name
 * @returns {string} such as 'orders[].price'; names with dots or brackets are in quotes
 */
function joinPath(path, name) {
  const part = PLAIN_NAME.test(name) ? name : JSON.stringify(name);
  return path === WHOLE ? part : `${path}.${part}`;
}

/** @param {string | null} path   not WHOLE @returns {string} in quotes, unless it contains some */
function pathText(path) {
  return String(path).includes('"') ? String(path) : JSON.stringify(path);
}

/** @param {any} value   not null @returns {string} */
function valueKind(value) {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
}
