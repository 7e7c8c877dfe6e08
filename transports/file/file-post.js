// Messages as files: each is written as a draft in a folder that nobody watches and renamed into the one that the other
// end watches, so that it is there as a whole or not at all; who has read it unlinks it. The same by the asynchronous
// calls of Node, which use its pool of threads, and by the synchronous ones.

import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { access, open, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../../lib/errors.js';

/** @typedef {{ drafts: string, post: string }} Box    two folders of one file system */
/**
 * @typedef {object} Post
 * @property {(box: Box, number: number, wire: string | Uint8Array) => Promise<void>} put
 * @property {(box: Box, number: number, maxBytes: number) => Promise<Buffer | null>} take    null: not there yet
 * @property {(box: Box, number: number) => Promise<boolean>} isThere
 */

/** @type {Post} */
export const asyncPost = {
  async put({ drafts, post }, number, wire) {
    const draft = join(drafts, `${number}`);
    await writeFile(draft, wire);
    await rename(draft, join(post, `${number}`));
  },
  async take({ post }, number, maxBytes) {
    const path = join(post, `${number}`);
    const file = await open(path).catch(nullIfAbsent);
    if (file === null) return null;
    let bytes;
    try {
      const { size } = await file.stat();
      bytes = bufferFor(size, maxBytes);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(bytes, at, size - at);
        at += readSome(bytesRead);
      }
    } finally {
      await file.close();
    }
    await unlink(path);
    return bytes;
  },
  isThere: ({ post }, number) =>
    access(join(post, `${number}`)).then(
      () => true,
      () => false,
    ),
};

/** @type {Post} */
export const syncPost = {
  async put({ drafts, post }, number, wire) {
    const draft = join(drafts, `${number}`);
    writeFileSync(draft, wire);
    renameSync(draft, join(post, `${number}`));
  },
  async take({ post }, number, maxBytes) {
    const path = join(post, `${number}`);
    const fd = openOrNull(path);
    if (fd === null) return null;
    let bytes;
    try {
      const { size } = fstatSync(fd);
      bytes = bufferFor(size, maxBytes);
      for (let at = 0; at < size; ) at += readSome(readSync(fd, bytes, at, size - at, null));
    } finally {
      closeSync(fd);
    }
    unlinkSync(path);
    return bytes;
  },
  isThere: async ({ post }, number) => existsSync(join(post, `${number}`)),
};

/** @param {number} size @param {number} maxBytes */
function bufferFor(size, maxBytes) {
  if (size <= maxBytes) return Buffer.allocUnsafe(size);
  throw new BenchError('PROTOCOL', `a file has ${size} bytes where ${maxBytes} are allowed`);
}

/** @param {number} bytes   that were read, of a file that is not at its end */
function readSome(bytes) {
  if (bytes > 0) return bytes;
  throw new BenchError('PROTOCOL', 'a file was cut off while it was read');
}

/** @param {string} path */
function openOrNull(path) {
  try {
    return openSync(path, 'r');
  } catch (error) {
    return nullIfAbsent(error);
  }
}

/** @param {any} error */
function nullIfAbsent(error) {
  if (error.code === 'ENOENT') return null;
  throw error;
}
