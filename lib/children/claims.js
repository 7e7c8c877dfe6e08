// A claim reserves something for a live run: the machine, or a file that it is going to write. It is a file with the name of its owner in a
// folder that all competitors read. It needs no clean-up: the next process that finds the claim of a dead owner removes it, since no
// other process gets the same name.

import { unlinkSync } from 'node:fs';
import { readdir, readFile, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atExit, isLeftBehind, OWNER, ownerName } from './process-owner.js';

/** @typedef {{ pid: number, since: string }} Holder    since: ISO 8601, or empty while it only tries */
/** @typedef {{ folder: string, prefix: string, suffix: string }} ClaimPlace   prefix and suffix of the file's name */
/**
 * @typedef {object} Claim
 * @property {() => Promise<Holder[]>} others     live ones
 * @property {() => Promise<boolean>} settle      turns the try into a claim; false if its file was removed meanwhile
 * @property {() => Promise<void>} release
 */

const BEAT_MS = 10_000; // how often a claim is touched, for processes of other PID namespaces
const SILENT_MS = 120_000;
const NAME = new RegExp(`^(${OWNER})-\\d+$`);

let claimsOfThisThread = 0;

/**
 * Each competitor creates its file before it looks for others, so that at least one of two sees the other.
 * @param {ClaimPlace} place
 * @returns {Promise<Claim | null>} null if the folder was removed meanwhile
 */
async function putClaim(place) {
  claimsOfThisThread += 1;
  const number = claimsOfThisThread;
  const name = `${place.prefix}${await ownerName()}-${number}${place.suffix}`;
  const path = join(place.folder, name);
  if (!(await written(path, '', 'wx'))) return null;
  const isReleased = atExit(() => unlinkSync(path));
  /** @type {NodeJS.Timeout | undefined} */
  let beat;
  return {
    others: () => claimsBeside(place, name),
    async settle() {
      beat = setInterval(() => {
        const now = new Date();
        utimes(path, now, now).catch(() => {});
      }, BEAT_MS).unref();
      return written(path, new Date().toISOString(), 'r+');
    },
    async release() {
      clearInterval(beat);
      isReleased();
      await unlink(path).catch(() => {});
    },
  };
}

/**
 * @param {() => ClaimPlace | Promise<ClaimPlace>} findPlace   called for each try, since the folder may be removed meanwhile
 * @param {object} how
 * @param {boolean} [how.isForced]   ignores other claims
 * @param {(others: Holder[], tries: number) => Promise<void> | void} how.onTaken   pauses before the next try, or throws. Two simultaneous
 *   tries both fail; their `since` is empty. `others` is empty if the folder or the file was removed meanwhile
 * @returns {Promise<Claim>} settled
 */
export async function acquireClaim(findPlace, { isForced = false, onTaken }) {
  for (let tries = 1; ; tries += 1) {
    const place = await findPlace();
    let others = isForced ? [] : await claimsBeside(place, '');
    const claim = others.length === 0 ? await putClaim(place) : null;
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

/** @param {string} path @param {string} content @param {'wx' | 'r+'} flag @returns false if the folder or the file does not exist */
async function written(path, content, flag) {
  try {
    await writeFile(path, content, { flag, mode: 0o600 });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false;
    throw error;
  }
}

/** @param {ClaimPlace} place @param {string} ownName @returns {Promise<Holder[]>} */
async function claimsBeside({ folder, prefix, suffix }, ownName) {
  const holders = [];
  for (const name of await readdir(folder).catch(() => [])) {
    if (name === ownName || !name.startsWith(prefix) || !name.endsWith(suffix)) continue;
    const [, owner] = NAME.exec(name.slice(prefix.length, name.length - suffix.length)) ?? [];
    if (owner === undefined) continue;
    const path = join(folder, name);
    if (await isLeftBehind(owner, path, SILENT_MS)) await unlink(path).catch(() => {});
    else {
      const since = await readFile(path, 'utf8').catch(() => '');
      holders.push({ pid: Number.parseInt(owner, 10), since });
    }
  }
  return holders;
}
