// A claim reserves the machine or an output file for a live run. It is a file with the name of its owner in a folder that all competitors
// read. It needs no clean-up by its owner: names of owners are unique, so any process that finds the claim of a dead owner removes it.

import { constants, existsSync, unlinkSync } from 'node:fs';
import { open, readFile, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { findOwnEntries, newEntryPath } from './own-entries.js';
import { atExit } from './process-owner.js';

/** @typedef {{ pid: number, since: string }} Holder    since: ISO 8601, or empty before the claim is settled */
/** @typedef {{ folder: string, prefix: string, suffix: string }} ClaimFiles   prefix and suffix of the file name */
/**
 * @typedef {object} Claim
 * @property {() => Promise<Holder[]>} others   returns live competitors
 * @property {() => Promise<boolean>} settle   turns the attempt into a claim; returns false if its file was removed meanwhile
 * @property {() => Promise<void>} release
 */

const BEAT_MS = 10_000; // A claim is touched at this interval, since processes of other PID namespaces cannot see whether its owner lives.
const SILENT_MS = 120_000;
// Another user may replace a claim by a link or a FIFO between its check and its use.
const READ_AT_ONCE = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Competitors create their file before they search for others, so that at least one of two finds the other.
 * @param {ClaimFiles} files
 * @returns {Promise<Claim | null>} null if the folder was removed meanwhile
 */
async function putClaim(files) {
  const path = await newEntryPath(files.folder, files);
  const handle = await openNew(path);
  if (handle === null) return null;
  const keepAtExit = atExit(() => unlinkSync(path));
  /** @type {NodeJS.Timeout | undefined} */
  let beat;
  return {
    others: () => claimsBeside(files, basename(path)),
    async settle() {
      beat = setInterval(() => {
        const now = new Date();
        handle.utimes(now, now).catch(() => {});
      }, BEAT_MS).unref();
      await handle.writeFile(new Date().toISOString());
      return existsSync(path);
    },
    async release() {
      clearInterval(beat);
      keepAtExit();
      await handle.close();
      await unlink(path).catch(() => {});
    },
  };
}

/**
 * @param {() => ClaimFiles | Promise<ClaimFiles>} findFiles   called for each attempt, since the folder may be removed meanwhile
 * @param {object} how
 * @param {boolean} [how.isForced]   ignores other claims
 * @param {(others: Holder[], tries: number) => Promise<void> | void} how.onTaken   pauses before the next attempt, or throws. Of two
 *   simultaneous attempts, one or both fail, and `since` of the other one is empty. `others` is empty if the folder or
 *   the file was removed meanwhile
 * @returns {Promise<Claim>} a settled claim
 */
export async function acquireClaim(findFiles, { isForced = false, onTaken }) {
  for (let tries = 1; ; tries += 1) {
    const files = await findFiles();
    let others = isForced ? [] : await claimsBeside(files, '');
    const claim = others.length === 0 ? await putClaim(files) : null;
    if (claim !== null) {
      try {
        others = isForced ? [] : await claim.others();
        if (others.length === 0 && (await claim.settle())) return claim;
      } catch (error) {
        await claim.release();
        throw error;
      }
      await claim.release();
    }
    await onTaken(others, tries);
  }
}

/** @param {string} path @returns {Promise<import('node:fs/promises').FileHandle | null>} null if the folder does not exist */
async function openNew(path) {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/** @param {ClaimFiles} files @param {string} ownName @returns {Promise<Holder[]>} */
async function claimsBeside({ folder, prefix, suffix }, ownName) {
  const holders = [];
  const kind = { prefix, suffix, type: /** @type {const} */ ('file'), quietMs: SILENT_MS };
  for await (const { name, path, owner, isLeft } of findOwnEntries(folder, kind)) {
    if (name === ownName) continue;
    if (isLeft) await unlink(path).catch(() => {});
    else {
      const since = await readFile(path, { encoding: 'utf8', flag: READ_AT_ONCE }).catch(() => '');
      holders.push({ pid: Number.parseInt(owner, 10), since });
    }
  }
  return holders;
}
