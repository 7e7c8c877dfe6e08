// Named pipes: made by the program mkfifo, since Node has no call for it, and opened so that no open and no read blocks.

import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { findOnPath } from '../../lib/children/launcher.js';
import { BenchError } from '../../lib/errors.js';

const { O_RDONLY, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
const MAKE_DEADLINE_MS = 5_000;

/** @returns {string | undefined} reason and remedy */
export function fifoUnavailableReason() {
  if (findOnPath('mkfifo') === undefined)
    return 'the program mkfifo is not on the PATH: install coreutils (or busybox)';
}

/**
 * For this user only.
 * @param {string[]} paths
 */
export async function makeFifos(paths) {
  const mkfifo = findOnPath('mkfifo') ?? 'mkfifo';
  try {
    await promisify(execFile)(mkfifo, ['-m', '600', ...paths], { timeout: MAKE_DEADLINE_MS });
  } catch (cause) {
    const { message } = /** @type {Error} */ (cause);
    throw new BenchError('TRANSPORT', `no named pipes could be made: ${message}`, { cause });
  }
}

/** @param {string} path @returns {number} a descriptor; opening does not wait for a writer */
export function openToRead(path) {
  return openSync(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
}

/** @param {string} path @returns {number} a descriptor; throws ENXIO when nobody has it open to read */
export function openToWrite(path) {
  return openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
}

/**
 * A Socket and no fs stream, whose reads would each keep a thread of libuv's pool, and there are four.
 * @param {number} fd     closed when it is no pipe
 * @param {'read' | 'write'} way
 */
export function openStream(fd, way) {
  try {
    return new Socket({ fd, readable: way === 'read', writable: way === 'write' });
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}
