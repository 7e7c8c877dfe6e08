// Saves files atomically: whenever a process dies, the path holds either the old content or the complete new content. Callers decide
// which files may be overwritten.

import { existsSync } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, resolve, win32 } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOwnEntries, isOwnRegularFile, newEntryPath } from '../children/own-entries.js';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { isHeldOpen, unwritableReason } from '../format/unwritable-reason.js';

const TEMPORARY_SUFFIX = '.ipc-bench-tmp';
const HELD_FOR_MS = 2_000; // longer than virus scanners hold a file open
const RETRY_EVERY_MS = 50;
const MAX_WRITE_MS = 3_600_000; // limit for a writer whose process is not visible, for example in another container
const USUAL_MODE = 0o644;
const PRIVATE_MODE = 0o600;

/** Completion of the last write in this process, by path. @type {Map<string, Promise<void>>} */
const lastWrites = new Map();

const ODD_FILE_SYSTEM = 'its file system takes no files there: name another place';
const NOT_IN_NAMES = /[<>:"|?*]/;

/** @param {string} path @param {unknown} error   from node:fs */
function isOddFileSystem(path, error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  return code === 'ENOENT' && existsSync(dirname(resolve(path)));
}

/**
 * @param {string} path
 * @param {NodeJS.Platform} [platform]
 * @returns {string | null} why the system refuses the name, and a remedy; null if it does not
 */
export function nameFault(path, platform = process.platform) {
  const [character] = (platform === 'win32' && NOT_IN_NAMES.exec(win32.basename(path))) || [];
  return character === undefined ? null : `Windows takes no ${character} in a name: name another file`;
}

/** @param {string} path   as the user wrote it @param {unknown} error  from node:fs */
export function unwritable(path, error) {
  const why = nameFault(path) ?? (isOddFileSystem(path, error) ? ODD_FILE_SYSTEM : unwritableReason(error));
  const message = `${printable(path)} cannot be written, ${why}.`;
  return new BenchError('OUTPUT_UNWRITABLE', message, { cause: error });
}

/** @param {string} path @returns {import('../children/own-entries.js').EntryNames} */
function temporaryNames(path) {
  return { prefix: `.${basename(path)}.`, suffix: TEMPORARY_SUFFIX };
}

/** Removes the temporary files of killed writers of this path. @param {string} path */
async function removeLeftovers(path) {
  const kind = { ...temporaryNames(path), type: /** @type {const} */ ('file'), quietMs: MAX_WRITE_MS };
  for await (const { path: temporary, isLeft } of findOwnEntries(dirname(path), kind)) {
    if (isLeft) await rm(temporary, { force: true }).catch(() => {});
  }
}

/**
 * @param {string} path
 * @param {boolean} isPrivate
 * @returns {Promise<{ mode: number, gid?: number }>} mode and group of the file that will be replaced, or else the usual mode
 */
async function findMode(path, isPrivate) {
  const greatest = isPrivate ? PRIVATE_MODE : 0o777;
  const found = await lstat(path).catch(() => null);
  if (found === null || !found.isFile()) return { mode: USUAL_MODE & greatest };
  // Another user may have made a file that everybody can write to.
  const mode = isOwnRegularFile(found) ? found.mode : (found.mode & USUAL_MODE) | PRIVATE_MODE;
  return { mode: mode & greatest, gid: found.gid };
}

/** @param {import('node:fs/promises').FileHandle} handle @param {number} mode @param {number} gid */
async function setMode(handle, mode, gid) {
  const isSameGroup = (await handle.stat()).gid === gid;
  const othersAsGroup = (mode & 0o007) << 3;
  // Another group gets no more than everybody had.
  await handle.chmod(isSameGroup ? mode : mode & (0o707 | othersAsGroup));
}

/** @param {string} folder */
async function syncFolder(folder) {
  // Windows cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @typedef {{ isPrivate?: boolean }} Writing   isPrivate: only this user can read the file */

/**
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {Writing} how
 * @param {(temporary: string) => Promise<void>} finish    called when the content is on the disk
 */
async function writeTemporary(path, content, { isPrivate = false }, finish) {
  await removeLeftovers(path);
  const temporary = await newEntryPath(dirname(path), temporaryNames(path));
  const { mode, gid } = await findMode(path, isPrivate);
  // The flag x refuses to write through a link.
  const handle = await open(temporary, 'wx', gid === undefined ? mode : mode & PRIVATE_MODE);
  try {
    try {
      // Some file systems have no modes.
      if (gid !== undefined) await setMode(handle, mode, gid).catch(() => {});
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await finish(temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/**
 * Serialises the writes of one path, so that the last call determines the content.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {Writing} how
 * @param {(temporary: string, target: string) => Promise<void>} finish
 */
async function inTurn(path, content, how, finish) {
  const target = resolve(path);
  const before = lastWrites.get(target) ?? Promise.resolve();
  const work = before.then(() =>
    writeTemporary(target, content, how, (temporary) => finish(temporary, target)),
  );
  const settled = work.catch(() => {});
  lastWrites.set(target, settled);
  try {
    await work;
  } catch (error) {
    throw unwritable(path, error);
  } finally {
    if (lastWrites.get(target) === settled) lastWrites.delete(target);
  }
}

/**
 * @param {string} temporary
 * @param {string} target    another program may hold it open for a moment
 * @param {{ move?: typeof rename, platform?: NodeJS.Platform }} [how]
 */
export async function replaceFile(temporary, target, { move = rename, platform = process.platform } = {}) {
  for (const untilMs = performance.now() + HELD_FOR_MS; ; await sleep(RETRY_EVERY_MS)) {
    try {
      return await move(temporary, target);
    } catch (error) {
      if (!isHeldOpen(error, platform) || performance.now() > untilMs) throw error;
    }
  }
}

/**
 * A replaced file keeps its mode, without the bits that `isPrivate` excludes.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @param {Writing} [how]
 * @throws {BenchError} OUTPUT_UNWRITABLE; the old content stays in place, unless only the folder could not be synced
 */
export async function writeAtomically(path, content, how = {}) {
  await inTurn(path, content, how, async (temporary, target) => {
    await replaceFile(temporary, target);
    await syncFolder(dirname(target));
  });
}

/**
 * Checks whether the path can be written: writes an empty temporary file beside it and removes that file.
 * @param {string} path
 * @throws {BenchError} OUTPUT_UNWRITABLE
 */
export async function tryToWrite(path) {
  await inTurn(path, '', {}, (temporary) => rm(temporary));
}
