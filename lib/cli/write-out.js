// Text and bytes on their way out of the process, whole or with an error.

import { fstatSync, writeSync } from 'node:fs';
import { BenchError } from '../errors.js';
import { unwritableReason } from '../format/unwritable-reason.js';

/** @import { Output } from './main.js' */

const STDERR = 2;

/** Those that take nothing more: it was said once. @type {WeakSet<Output>} */
const broken = new WeakSet();

/**
 * @param {Output & { fd?: number }} stream
 * @param {string | Uint8Array} content
 * @returns {Promise<void>} once all of it is written; a reader who left, as in `| head -1`, is no failure, nor is a closed stderr
 * @throws {BenchError} OUTPUT_UNWRITABLE, once for a stream
 */
export async function writeOut(stream, content) {
  if (broken.has(stream)) return;
  try {
    if (isFile(stream)) writeWhole(Number(stream.fd), content);
    else await written(stream, content);
  } catch (error) {
    broken.add(stream);
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPIPE' || stream.fd === STDERR) return;
    const message = `stdout cannot be written, ${unwritableReason(error)}.`;
    throw new BenchError('OUTPUT_UNWRITABLE', message, { cause: error });
  }
}

/** @param {Output & { fd?: number }} stream @returns {boolean} or a device that is no terminal */
function isFile({ fd, isTTY }) {
  if (fd === undefined || isTTY) return false;
  const found = fstatSync(fd);
  return found.isFile() || found.isCharacterDevice();
}

/**
 * Of a file Node.js writes what fits on the disk, and does not tell that this was not all.
 * @param {number} fd
 * @param {string | Uint8Array} content
 */
function writeWhole(fd, content) {
  const bytes = Buffer.from(content);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}

/** @param {Output} stream @param {string | Uint8Array} content @returns {Promise<void>} */
function written(stream, content) {
  return new Promise((resolve, reject) => {
    stream.write(content, (error) => (error ? reject(error) : resolve()));
  });
}
