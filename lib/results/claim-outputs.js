// A run claims its output files before it waits for the lock, and releases them when all are written. Without claims, the later of two
// runs with the same --out would replace the results of the earlier one. A file that the command reads cannot be claimed.

import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireClaim } from '../children/claims.js';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { unwritable } from './atomic-file.js';

/** @import { Claim, Holder } from '../children/claims.js' */

const SUFFIX = '.ipc-bench-claim';
const RETRY_WITHIN_MS = 100; // Two runs that claim at the same time both withdraw, and retry after a random time up to this.
const TRIES = 10;

/** @param {string} name @returns {boolean} true for a file that only marks another file as claimed */
export function isClaim(name) {
  return name.endsWith(SUFFIX);
}

/**
 * @param {string} path   an output; it need not exist
 * @param {string | undefined} flag   flag with which the user can choose another path; undefined if there is none
 * @param {readonly string[]} inputs   paths of files that the command reads, also under another name or through a link
 * @throws {BenchError} OUTPUT_EXISTS
 */
export async function refuseInput(path, flag, inputs) {
  const found = await stat(path, { bigint: true }).catch(() => null);
  if (found === null) return;
  for (const input of inputs) {
    const read = await stat(input, { bigint: true }).catch(() => null);
    if (read === null || read.ino !== found.ino || read.dev !== found.dev) continue;
    const next = `name another place${flag === undefined ? '' : ` with ${flag}`}`;
    throw new BenchError('OUTPUT_EXISTS', `${printable(path)} is an input of this command: ${next}`);
  }
}

/** @template T @param {(claims: OutputClaims) => Promise<T>} work @returns {Promise<T>} */
export async function withClaims(work) {
  const claims = new OutputClaims();
  try {
    return await work(claims);
  } finally {
    await claims.release();
  }
}

export class OutputClaims {
  constructor() {
    /** Keys are paths. @type {Map<string, Claim & { flag?: string }>} */
    this.claims = new Map();
    /** @type {string[]} */
    this.inputs = [];
  }

  /** Files that the command reads cannot be claimed as outputs. @param {string[]} files */
  protect(files) {
    this.inputs.push(...files);
  }

  /**
   * @param {string} file    in an existing folder
   * @param {string} [flag]  flag with which the user can choose another path; for the message
   * @throws {BenchError} OUTPUT_EXISTS if it is an input, or another flag or another live run has claimed it, even if files may be
   *   overwritten; OUTPUT_UNWRITABLE
   */
  async add(file, flag) {
    const path = resolve(file);
    await refuseInput(path, flag, this.inputs);
    const own = this.claims.get(path);
    if (own !== undefined) {
      if (own.flag === flag) return;
      const next = `${flag ?? own.flag} needs another place`;
      throw new BenchError(
        'OUTPUT_EXISTS',
        `${printable(path)} is an output of ${own.flag ?? 'the run'} already: ${next}`,
      );
    }
    const files = { folder: dirname(path), prefix: `.${basename(path)}.`, suffix: SUFFIX };
    /** @param {Holder[]} others @param {number} tries */
    const onTaken = async (others, tries) => {
      const holder = others.find(({ since }) => since !== '');
      if (holder !== undefined || (others.length > 0 && tries >= TRIES))
        throw taken(file, flag, holder ?? others[0]);
      if (tries >= TRIES) throw Object.assign(new Error('its folder was removed'), { code: 'ENOENT' });
      await sleep(Math.random() * RETRY_WITHIN_MS);
    };
    try {
      this.claims.set(path, { ...(await acquireClaim(() => files, { onTaken })), flag });
    } catch (error) {
      throw error instanceof BenchError ? error : unwritable(path, error);
    }
  }

  async release() {
    const claims = [...this.claims.values()];
    this.claims.clear();
    await Promise.all(claims.map((claim) => claim.release()));
  }
}

/** @param {string} path @param {string | undefined} flag @param {Holder} holder */
function taken(path, flag, holder) {
  const who = ` (pid ${holder.pid}${holder.since && `, since ${holder.since}`})`;
  const next = `${flag === undefined ? '' : `name another place with ${flag}, or `}wait until it ends`;
  return new BenchError(
    'OUTPUT_EXISTS',
    `${printable(path)} belongs to another run${who}, which is still going on: ${next}`,
  );
}
