// How the objects of a file differ: fields that some lack, or whose kind differs, each with the number of a line.

/** @typedef {{ line: number, value: any }} Found */
/** @typedef {(path: string, value: any, line: number) => void} Visit   of each object, list and plain value in a message */

const WHOLE = ''; // the path of a message itself

/** @param {readonly Found[]} messages   objects of JSON @returns {string[]} without a full stop; none: all are alike */
export function fieldDifferences(messages) {
  /** @type {Map<string, Map<string, number>>} path → kind → its first line */
  const kinds = new Map();
  /** @type {Map<string, Set<string>>} path of objects → the names of all fields there */
  const fields = new Map();
  visitAll(messages, (path, value, line) => {
    if (value === null) return;
    const kind = valueKind(value);
    if (!kinds.has(path)) kinds.set(path, new Map());
    if (!kinds.get(path)?.has(kind)) kinds.get(path)?.set(kind, line);
    if (kind !== 'object') return;
    if (!fields.has(path)) fields.set(path, new Set());
    for (const name of Object.keys(value)) fields.get(path)?.add(name);
  });
  /** @type {Map<string, { line: number, count: number }>} */
  const lacking = new Map();
  visitAll(messages, (path, value, line) => {
    if (value === null || valueKind(value) !== 'object') return;
    for (const name of fields.get(path) ?? []) {
      if (Object.hasOwn(value, name)) continue;
      const at = joinPath(path, name);
      const known = lacking.get(at) ?? { line, count: 0 };
      lacking.set(at, { line: known.line, count: known.count + 1 });
    }
  });
  const missing = [...lacking].map(([path, { line, count }]) => {
    const more = count === 1 ? '' : ` and ${count - 1} more`;
    return `${JSON.stringify(path)} is missing on line ${line}${more}`;
  });
  const several = [...kinds]
    .filter(([, own]) => own.size > 1)
    .map(([path, own]) => {
      const texts = [...own].map(([kind, line]) => `${kind} on line ${line}`);
      return `${JSON.stringify(path)} is ${texts.join(', ')}`;
    });
  return [...several, ...missing];
}

/** @param {readonly Found[]} messages @param {Visit} visit */
function visitAll(messages, visit) {
  for (const { line, value } of messages) visitIn(WHOLE, value, line, visit);
}

/** @param {string} path @param {any} value @param {number} line @param {Visit} visit */
function visitIn(path, value, line, visit) {
  visit(path, value, line);
  if (Array.isArray(value)) {
    for (const item of value) visitIn(`${path}[]`, item, line, visit);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) visitIn(joinPath(path, name), inner, line, visit);
  }
}

/** @param {string} path @param {string} name @returns {string} 'orders[].price' */
function joinPath(path, name) {
  return path === WHOLE ? name : `${path}.${name}`;
}

/** @param {any} value   not null @returns {string} */
function valueKind(value) {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
}
