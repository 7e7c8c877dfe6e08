// The private folder of a run, for sockets and files of brokers. It is named after its owner, so that the next run can remove the folder of
// a killed run.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { BenchError } from '../errors.js';
import { findOwnEntries } from './own-entries.js';
import { atExit, ownerName } from './process-owner.js';

/** Environment variable with the temporary folder. */
export const TEMPORARY_VARIABLE = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';
const PREFIX = 'ipcb-'; // short, because the path of a unix socket has at most 103 bytes (107 on Linux)
/** Limit for the path of the parent folder, from the 103 bytes of a socket path. */
export const MAX_PARENT_BYTES = 50;
const SHORT_PARENT = '/tmp';
const QUIET_MS = 24 * 3_600_000; // each launch changes the folder of its run
const RUN_FOLDERS = { prefix: PREFIX, type: /** @type {const} */ ('folder'), quietMs: QUIET_MS };

/**
 * @typedef {object} Scratch
 * @property {string} path
 * @property {(name: string) => Promise<string>} folderFor   creates a folder
 * @property {() => Promise<{ number: number, folder: string }>} nextLaunch   numbers a launch, and creates its folder
 * @property {() => Promise<void>} remove
 */

/**
 * @param {string} [parent]   by default the system's temporary folder, or /tmp if its path is too long for sockets
 * @returns {Promise<Scratch>}
 */
export async function openScratch(parent = shortTemporaryFolder()) {
  await removeLeftovers(parent);
  let path;
  try {
    // mkdtemp creates it with at most 0700, and never uses an existing folder.
    // Brokers and recorded programs have other current folders, so its path is absolute.
    path = await mkdtemp(resolve(parent, `${PREFIX}${await ownerName()}-`));
  } catch (error) {
    throw unusable(parent, /** @type {Error} */ (error));
  }
  const keepAtExit = atExit(() => rmSync(path, REMOVED));
  const folderFor = async (/** @type {string} */ name) => {
    const folder = join(path, name);
    await mkdir(folder, { mode: 0o700 }).catch((error) => {
      throw unusable(parent, error);
    });
    return folder;
  };
  let launches = 0;
  return {
    path,
    folderFor,
    async nextLaunch() {
      launches += 1;
      const number = launches;
      return { number, folder: await folderFor(`l${number}`) };
    },
    async remove() {
      keepAtExit();
      await removeFolder(path);
    },
  };
}

/** @param {string} folder @param {Error} cause */
function unusable(folder, cause) {
  const message = `the temporary folder ${folder} cannot be used (${cause.message}): set ${TEMPORARY_VARIABLE} to one that can be written`;
  return new BenchError('SCRATCH_UNUSABLE', message, { cause });
}

function shortTemporaryFolder() {
  const folder = resolve(tmpdir());
  const isTooLong = process.platform !== 'win32' && Buffer.byteLength(folder) > MAX_PARENT_BYTES;
  return isTooLong && existsSync(SHORT_PARENT) ? SHORT_PARENT : folder;
}

/** @param {string} parent */
async function removeLeftovers(parent) {
  for await (const { path, isLeft } of findOwnEntries(parent, RUN_FOLDERS)) {
    // A leftover that cannot be removed, such as one with files of root, does not disturb this run.
    if (isLeft) await removeFolder(path).catch(() => {});
  }
}

// On Windows, files of a process cannot be removed for a moment after it was killed.
const REMOVED = { recursive: true, force: true, maxRetries: 10, retryDelay: 20 };

/** @param {string} path   the folder need not exist */
export async function removeFolder(path) {
  await rm(path, REMOVED);
}

/**
 * Replaces Node's recursive mkdir, which never returns on file systems without mkdir, such as /proc, and reports ENOENT for read-only ones.
 * @param {string} path
 * @param {{ mode?: number }} [how]
 * @throws {NodeJS.ErrnoException} EEXIST if the path is a file
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

/** @param {string} folder @returns {string[]} sorted; empty if the folder cannot be read */
export function namesIn(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** @param {string} path */
async function isFolder(path) {
  const found = await stat(path).catch(() => null);
  return found?.isDirectory() === true;
}
