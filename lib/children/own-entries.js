// Names and finds files and folders of this user in a folder that other users can write to, such as /tmp. Another user can put anything
// there under any name, for example a link to a folder of this user, or a FIFO that blocks every reader. Such entries are neither used nor
// removed.

import { randomBytes } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OWNER, ownerName, readOwnerState } from './process-owner.js';

/** @import { Stats } from 'node:fs' */
/** @typedef {{ prefix: string, suffix?: string }} EntryNames   the owner and a random word are between prefix and suffix */
/**
 * @typedef {object} OwnEntry
 * @property {string} name
 * @property {string} path
 * @property {string} owner   as returned by `ownerName`
 * @property {boolean} isLeft   whether its owner is gone or, if the state of the owner is unknown, whether the entry is not used any more
 */

const OWNED = new RegExp(`^(${OWNER})-[A-Za-z0-9]+$`);
const OTHERS_WRITE = 0o022;

/** @param {Stats} found   from lstat @returns {boolean} whether it belongs to this user or to root; on Windows, always true */
function isOwn({ uid }) {
  return process.geteuid === undefined || uid === process.geteuid() || uid === 0;
}

/**
 * A file with several names is refused, since another user may have made a hard link to any file of this user.
 * @param {Stats} found   from lstat
 */
export function isOwnRegularFile(found) {
  return found.isFile() && found.nlink <= 1 && isOwn(found);
}

/** @param {Stats} found   from lstat */
function isOwnFolder(found) {
  return found.isDirectory() && isOwn(found);
}

/** @param {string} path @returns whether it is a file or folder that no other user except root can change; on Windows, whether it exists */
export async function isUnshared(path) {
  const found = await lstat(path).catch(() => null);
  if (found === null || !(isOwnRegularFile(found) || isOwnFolder(found))) return false;
  return process.geteuid === undefined || (found.mode & OTHERS_WRITE) === 0;
}

/** @param {string} folder @param {EntryNames} names @returns {Promise<string>} a new path that other users cannot predict */
export async function newEntryPath(folder, { prefix, suffix = '' }) {
  return join(folder, `${prefix}${await ownerName()}-${randomBytes(4).toString('hex')}${suffix}`);
}

/**
 * @param {string} folder   yields nothing if it cannot be read
 * @param {EntryNames & { type: 'file' | 'folder', quietMs: number }} kind   quietMs: a live owner changes the entry more often
 * @returns {AsyncGenerator<OwnEntry>}
 */
export async function* findOwnEntries(folder, { prefix, suffix = '', type, quietMs }) {
  const isWanted = type === 'file' ? isOwnRegularFile : isOwnFolder;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const [, owner] = OWNED.exec(name.slice(prefix.length, name.length - suffix.length)) ?? [];
    if (owner === undefined) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found === null || !isWanted(found)) continue;
    const state = await readOwnerState(owner);
    const isLeft = state === 'unknown' ? Date.now() - found.mtimeMs > quietMs : state === 'gone';
    yield { name, path, owner, isLeft };
  }
}
