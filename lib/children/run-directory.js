// The private folder of a run: sockets, broker files, nothing that anybody keeps. Its name tells whose it is, so that
// the next run can remove what a killed one left.

import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BenchError } from '../errors.js';
import { atExit, isLeftBehind, OWNER, ownerName } from './process-owner.js';

/** The variable that names the temporary folder. */
export const TEMPORARY_VARIABLE = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';
const PREFIX = 'ipcb-'; // short: a path of a unix socket has 103 bytes at most
/** What remains of these 103 bytes below the folder of a run, the folder of a launch and the name of a socket. */
export const LONGEST_PARENT_BYTES = 50;
const SHORT_PARENT = '/tmp';
const OWN_NAME = new RegExp(`^${PREFIX}(${OWNER})-[A-Za-z0-9]{6}$`);
const QUIET_MS = 24 * 3_600_000; // each launch makes a folder in that of its run, and removes it

/**
 * @param {string} [parent]   the system's temporary folder, or /tmp where its path is too long for sockets
 * @returns {Promise<{ path: string, folderFor: (name: string) => Promise<string>, remove: () => Promise<void> }>}
 */
export async function openScratch(parent = shortTemporaryFolder()) {
  await removeLeftovers(parent);
  let path;
  try {
    // mkdtemp makes it 0700 whatever the umask is, and fails rather than use what is there.
    path = await mkdtemp(join(parent, `${PREFIX}${await ownerName()}-`));
  } catch (error) {
    throw new BenchError(
      'SCRATCH_UNUSABLE',
      `the temporary folder ${parent} cannot be used (${/** @type {Error} */ (error).message}): set ${TEMPORARY_VARIABLE} to one that can be written`,
      { cause: error },
    );
  }
  const isRemoved = atExit(() => rmSync(path, REMOVED));
  return {
    path,
    async folderFor(name) {
      const folder = join(path, name);
      await mkdir(folder, { mode: 0o700 });
      return folder;
    },
    async remove() {
      isRemoved();
      await removeFolder(path);
    },
  };
}

function shortTemporaryFolder() {
  const folder = tmpdir();
  const isTooLong = process.platform !== 'win32' && Buffer.byteLength(folder) > LONGEST_PARENT_BYTES;
  return isTooLong && existsSync(SHORT_PARENT) ? SHORT_PARENT : folder;
}

/** @param {string} parent */
async function removeLeftovers(parent) {
  for (const name of await readdir(parent).catch(() => [])) {
    const [, owner] = OWN_NAME.exec(name) ?? [];
    const path = join(parent, name);
    if (owner === undefined || !(await isLeftBehind(owner, path, QUIET_MS))) continue;
    const found = await stat(path).catch(() => null);
    if (found !== null && isOwn(found)) await removeFolder(path);
  }
}

/** @param {{ uid: number }} stat @returns {boolean} this user made it; a system without user ids has temporary folders by user */
export function isOwn({ uid }) {
  return process.getuid === undefined || uid === process.getuid();
}

// On Windows the files of a process that has just been killed cannot be removed for a moment.
const REMOVED = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };

/** @param {string} path   of a folder with all that is in it, or of nothing */
export async function removeFolder(path) {
  await rm(path, REMOVED);
}

// A folder with those above it. The recursive mkdir of Node never returns where a file system takes no folders, as /proc, and
// tells of a read-only one that something is missing.

/**
 * @param {string} path
 * @param {{ mode?: number }} [how]    of each folder that is made
 * @throws {NodeJS.ErrnoException} EEXIST: a file is in its place
 */
export async function makeFolders(path, how = {}) {
  try {
    await mkdir(path, how);
  } catch (error) {
    if (await isFolder(path)) return;
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    const parent = dirname(path);
    if (code !== 'ENOENT' || parent === path || (await isFolder(parent))) throw error;
    await makeFolders(parent, how);
    await makeFolders(path, how);
  }
}

/** @param {string} path */
async function isFolder(path) {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}
