// Which version a program is of, as it tells itself.

import { programOutput } from '../children/child-messages.js';

const VERSION_DEADLINE_MS = 30_000; // some ms; of 100 MB from a cold disk, on a crowded machine, ten seconds were too few
const VERSION = /\d+\.\d+\.\d+[\w.+-]*/;

/** @type {Map<string, Promise<string | null>>} by path */
const versions = new Map();

/** @param {string} path @param {string} [word]   that it is asked with @returns {Promise<string | null>} null: it is no program that tells one */
export function readProgramVersion(path, word = '--version') {
  const asked = versions.get(path) ?? askedVersion(path, word);
  versions.set(path, asked);
  return asked;
}

/** @param {string} path @param {string} word */
async function askedVersion(path, word) {
  if (path === process.execPath) return process.versions.node;
  const { stdout, how } = await programOutput(path, [word], VERSION_DEADLINE_MS);
  return how === null ? (VERSION.exec(stdout)?.[0] ?? null) : null;
}

/** @param {string} version   'gcc 12.2.0' @returns {string} '12.2.0' */
export function versionNumber(version) {
  return VERSION.exec(version)?.[0] ?? version;
}

/** @param {string} version @param {string} [wanted]   '22', '22.3' */
export function isOfVersion(version, wanted) {
  const number = versionNumber(version);
  return wanted === undefined || number === wanted || number.startsWith(`${wanted}.`);
}
