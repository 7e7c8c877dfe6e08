// Describes why a write failed, and the remedy, by the error code of Node.js.

import { printable } from './printable.js';

/** @type {Readonly<Record<string, string>>} */
const WRITE_FAILURES = Object.freeze({
  ENOENT: 'its folder does not exist: create it first',
  ENOTDIR: 'its folder is a file: name another place',
  EACCES: 'permission denied: name another place, or change its owner',
  EPERM: 'not permitted: name another place, or change its owner',
  EBUSY: 'another program has it open, or it is a mount point: name another place',
  EROFS: 'the file system is read-only: name another place',
  ENOSPC: 'no space is left: free some, or name another place',
  EDQUOT: 'the disk quota is used up: free some space, or name another place',
  EFBIG: 'it would be larger than the system allows: raise ulimit -f, or name another place',
  ENAMETOOLONG: 'the name is too long: name a shorter one',
});

const HELD_OPEN = ['EPERM', 'EACCES', 'EBUSY'];

/**
 * Windows cannot replace a file that a virus scanner, an indexer or an editor has open, and reports EPERM, EACCES or EBUSY.
 * @param {unknown} error   of node:fs
 * @param {NodeJS.Platform} [platform]
 * @returns {boolean} whether a retry may succeed
 */
export function isHeldOpen(error, platform = process.platform) {
  const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
  return platform === 'win32' && HELD_OPEN.includes(code);
}

/**
 * @param {unknown} error   of node:fs
 * @param {NodeJS.Platform} [platform]
 * @returns {string} reason and remedy
 */
export function unwritableReason(error, platform = process.platform) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (isHeldOpen(error, platform))
    return 'not permitted, or another program has it open: close it there, or name another place';
  return WRITE_FAILURES[code ?? ''] ?? `${printable(message)}: name another place`;
}
