// Why something cannot be written, and what to do next, for what Node.js says of it.

import { printable } from './printable.js';

/** @type {Readonly<Record<string, string>>} */
const WRITE_FAILURES = Object.freeze({
  ENOENT: 'its folder does not exist: create it first',
  ENOTDIR: 'its folder is a file: name another place',
  EACCES: 'permission denied: name another place, or change its owner',
  EPERM: 'not permitted: name another place, or change its owner',
  EROFS: 'the file system is read-only: name another place',
  ENOSPC: 'no space is left: free some, or name another place',
  EDQUOT: 'the disk quota is used up: free some space, or name another place',
  EFBIG: 'it would be larger than the system allows: raise ulimit -f, or name another place',
  ENAMETOOLONG: 'the name is too long: name a shorter one',
});

/** @param {unknown} error   of node:fs @returns {string} why, and what to do next */
export function unwritableReason(error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  return WRITE_FAILURES[code ?? ''] ?? `${printable(message)}: name another place`;
}
