// The names that a user writes: of what is built in, of a package, or of a file of their own, as a path or as a file: URL. On
// Windows, and in such a URL, a colon may stand before the one that begins the settings.

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN_FILE = /^(?:[.\\/]|[a-z]:[\\/]|file:)/i;
const FILE_URL = /^file:/i;
const WITH_SETTINGS = /^((?:file:\/*|\\\\\?\\)?(?:[a-z]:(?=[\\/]))?[^=:]*):(?![\\/])(.*)$/is;

/** @param {string} name @returns {boolean} it is a file, wherever that is, and nothing that is built in or a package */
export function isOwnFile(name) {
  return OWN_FILE.test(name);
}

/** @param {string} name @returns {boolean} it names the same file in every folder */
export function isFileUrl(name) {
  return FILE_URL.test(name);
}

/** @param {string} name   of an own file @param {string} [folder]   from which a relative path is resolved */
export function resolveOwnFile(name, folder = process.cwd()) {
  try {
    return isFileUrl(name) ? fileURLToPath(name) : resolve(folder, name);
  } catch {
    return name; // a URL of no file of this host: nothing is found there
  }
}

/**
 * @param {string} text   'tcp:flush=tick', 'C:\\mine.js:size=3'
 * @returns {{ name: string, settings: string } | null} null without settings
 */
export function splitSettings(text) {
  const [, name, settings] = WITH_SETTINGS.exec(text) ?? [];
  return name === undefined ? null : { name, settings };
}
