// Finds the built-in plug-ins. A plug-in is a file of its name in the folder of its kind, or a folder of its name with such a file.

import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';

/** @typedef {'transport' | 'codec' | 'scenario' | 'report' | 'runtime'} Kind */

const ROOT = new URL('../../', import.meta.url);
/** @type {Readonly<Record<Kind, string>>} */
const FOLDERS = {
  transport: 'transports/',
  codec: 'lib/codecs/builtin/',
  scenario: 'scenarios/',
  report: 'reports/',
  runtime: 'lib/runtimes/',
};

/** @param {Kind} kind */
export function builtinNames(kind) {
  return Object.keys(builtins(kind)).sort();
}

/** @param {Kind} kind @param {string} name */
export function isBuiltin(kind, name) {
  return Object.hasOwn(builtins(kind), name);
}

/** @param {Kind} kind @param {string} name */
export function builtinUrl(kind, name) {
  return builtins(kind)[name];
}

/**
 * @param {Kind} kind
 * @param {URL} [house]   root of another checkout
 * @returns {Record<string, string>} name → URL
 */
export function builtins(kind, house = ROOT) {
  const folder = new URL(FOLDERS[kind], house);
  const known = pluginsOfFolders.get(folder.href) ?? pluginsIn(folder);
  pluginsOfFolders.set(folder.href, known);
  return known;
}

/** @type {Map<string, Record<string, string>>} by the URL of the folder */
const pluginsOfFolders = new Map();

/** @param {URL} folder @returns {Record<string, string>} */
function pluginsIn(folder) {
  if (!existsSync(folder)) return {};
  const entries = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = basename(entry.name, '.js');
    if (entry.isDirectory()) return [[name, `${name}/${name}.js`]];
    return entry.name.endsWith('.js') ? [[name, entry.name]] : [];
  });
  return Object.fromEntries(entries.map(([name, path]) => [name, new URL(path, folder).href]));
}

/**
 * @param {{ url: string }} loaded
 * @returns {boolean} true if it is not built in. A run prints the names and URLs of such plug-ins before it measures
 */
export function isForeign({ url }) {
  return !Object.values(FOLDERS).some((folder) => url.startsWith(new URL(folder, ROOT).href));
}
