// Recognises and resolves names of plug-ins that are paths or file: URLs, and splits a name from its settings. Windows paths and URLs have
// a colon before the one that begins the settings. Also finds the home folder.

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN_FILE = /^(?:[.\\/]|~[\\/]|[a-z]:[\\/]|file:)/i;
const FILE_URL = /^file:/i;
const WITH_SETTINGS = /^((?:file:\/*|\\\\\?\\)?(?:[a-z]:(?=[\\/]))?[^=:]*):(?![\\/])(.*)$/is;

/** @param {string} name @returns {boolean} whether it is the path or URL of a file */
export function isOwnFile(name) {
  return OWN_FILE.test(name);
}

/** @param {string} name @returns {boolean} */
export function isFileUrl(name) {
  return FILE_URL.test(name);
}

/**
 * @returns {string | null} the user's home folder; null if HOME is not set and /etc/passwd has no entry of the user, as in many services and
 *   containers
 */
export function homeFolder() {
  try {
    return homedir();
  } catch {
    return null;
  }
}

/** @param {string} path   may begin with ~, which a shell does not expand within a list or quotes @returns {string} */
export function fromHome(path) {
  const home = homeFolder();
  return home !== null && /^~[\\/]/.test(path) ? join(home, path.slice(2)) : path;
}

/** @param {string} name @param {string} [folder]   base of a relative path */
export function resolveOwnFile(name, folder = process.cwd()) {
  try {
    return isFileUrl(name) ? fileURLToPath(name) : resolve(folder, fromHome(name));
  } catch {
    return name; // an unusable URL, such as one with a host, for which no file will be found
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
