// A Channel over numbered files in two folders, one per direction. fs.watch may report several files by one event, so the channel reads
// the next numbers until a file is missing. An empty file ends the channel, since no message is empty.

import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { access, open, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { BaseChannel, CLOSE_DEADLINE_MS, WINDOW_BYTES } from '../../lib/channels/base-channel.js';
import { decodeText } from '../../lib/codecs/wire-bytes.js';
import { BenchError } from '../../lib/errors.js';

/** @import { Channel, EndContext } from '../../lib/types/index.js' */

const POLL_MS = 5; // polls for unlinked files only under backpressure and when disconnecting
const FILE_BYTES = 4_096; // block size: even a small file takes a block
const GREETING_MAX_BYTES = 1_024;
const NOTHING = Buffer.alloc(0);
/** @type {Record<string, string>} limits of inotify(7), by the error code */
const LIMITS = {
  ENOSPC: 'fs.inotify.max_user_watches',
  EMFILE: 'fs.inotify.max_user_instances (or the open files of a process: ulimit -n)',
};

/** @implements {Channel} */
export class FileChannel extends BaseChannel {
  /**
   * @param {Pick<EndContext, 'settings' | 'wireKind' | 'maxMessageBytes'>} end
   * @param {{ inbox: FileBox, outbox: FileBox }} boxes
   * @param {(channel: FileChannel, greeting: string) => boolean} onGreeting   receives the content of the first file; returns
   *                                                                    false to wait for another first file
   */
  constructor(end, { inbox, outbox }, onGreeting) {
    super(end);
    this.inbox = inbox;
    this.outbox = outbox;
    this.isSync = end.settings.sync === true;
    this.post = this.isSync ? syncPost : asyncPost;
    this.isText = end.wireKind === 'text';
    this.onGreeting = onGreeting;
    this.isGreeted = false;
    this.nextIn = 0;
    this.nextOut = 0;
    this.unwritten = 0;
    this.unreadBytes = 0;
    this.hasNews = false;
    this.isReading = false;
    /** @type {Promise<void> | undefined} */
    this.draining = undefined;
    this.watcher = watchPost(inbox.post, (name) => {
      // Ignores files that this end has just unlinked.
      if (name === null || Number(name) >= this.nextIn) this.readAll();
    });
    this.watcher.on('error', (error) => this.breakOff(error));
    this.readAll(); // reads files that were written before the watch started
  }

  /** @param {string | Uint8Array} wire */
  send(wire) {
    if (!this.isOpen || this.leaving !== undefined) return false;
    this.put(wire);
    this.unreadBytes += wire.length + FILE_BYTES;
    return this.unreadBytes < WINDOW_BYTES;
  }

  /** @param {string | Uint8Array} wire */
  async put(wire) {
    const number = this.nextOut;
    this.nextOut += 1;
    this.unwritten += 1;
    try {
      // Files may appear in any order, since the reader reads them by number.
      await this.post.put(this.outbox, number, wire);
    } catch (cause) {
      const { message } = /** @type {Error} */ (cause);
      this.breakOff(new BenchError('TRANSPORT', `a message could not be written: ${message}`, { cause }));
    }
    this.unwritten -= 1;
  }

  async drained() {
    if (this.unreadBytes < WINDOW_BYTES) return;
    // All loops share one wait: a separate wait that ends later would reset `unreadBytes` after a resumed loop has sent again.
    this.draining ??= this.allRead();
    await this.draining;
  }

  async allRead() {
    const last = this.nextOut - 1;
    while (this.isOpen && !(await this.isRead(last))) await delay(POLL_MS);
    this.unreadBytes = 0;
    this.draining = undefined;
  }

  /** @param {number} number */
  async isRead(number) {
    return this.unwritten === 0 && !(await this.post.isThere(this.outbox, number));
  }

  async readAll() {
    this.hasNews = true;
    if (this.isReading) return;
    this.isReading = true;
    try {
      while (this.hasNews && this.isOpen) {
        this.hasNews = false;
        while (this.isOpen && (await this.takeNext()));
      }
    } finally {
      this.isReading = false;
    }
  }

  /** @returns {Promise<Buffer | null>} the content of the next file; null if there is none, or after an error, which ends the channel */
  async readNext() {
    const maxBytes = this.isGreeted ? this.maxMessageBytes : GREETING_MAX_BYTES;
    try {
      return await this.post.take(this.inbox, this.nextIn, maxBytes);
    } catch (error) {
      this.breakOff(/** @type {Error} */ (error));
      return null;
    }
  }

  /** @returns {Promise<boolean>} false if there is no next file, or the channel has closed */
  async takeNext() {
    const bytes = await this.readNext();
    if (bytes === null || !this.isOpen) return false;
    if (!this.isGreeted) {
      this.isGreeted = this.onGreeting(this, bytes.toString());
      if (this.isGreeted) this.nextIn += 1;
    } else {
      this.nextIn += 1;
      if (bytes.length === 0) this.finish();
      else this.onMessage(this.isText ? decodeText(bytes) : bytes);
    }
    // Synchronous calls would block the event loop as long as there is another file.
    if (this.isSync) await nextTurn();
    return true;
  }

  /** @override */
  async leave() {
    if (!this.isOpen) return;
    const goodbye = this.nextOut;
    const endMs = performance.now() + CLOSE_DEADLINE_MS;
    await this.put(NOTHING);
    while (this.isOpen && performance.now() < endMs && !(await this.isRead(goodbye))) await delay(POLL_MS);
    this.finish();
  }

  /** @param {Error} reason */
  breakOff(reason) {
    this.finish(reason);
  }

  /** @param {Error} [reason] */
  finish(reason) {
    if (!this.isOpen) return;
    this.watcher.close();
    this.reason = reason;
    this.settle();
  }

  /** Resolves when no call of the file system is pending. */
  async settled() {
    while (this.unwritten > 0 || this.isReading) await delay(POLL_MS);
  }
}

/** @param {string} folder @param {(name: string | null) => void} onNews */
function watchPost(folder, onNews) {
  try {
    return watch(folder, (_event, name) => onNews(name));
  } catch (cause) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const limit = LIMITS[code ?? ''];
    const remedy = limit === undefined ? '' : `; end other programs that watch files, or raise ${limit}`;
    throw new BenchError('TRANSPORT', `${folder} cannot be watched: ${message}${remedy}`, { cause });
  }
}

// Messages as files: the sender writes each file in a folder of drafts and renames it into the folder that the other end watches, so that
// the other end sees only complete files. The reader unlinks each file. One implementation uses the asynchronous calls of Node, with its
// thread pool, the other the synchronous calls.

/** @typedef {{ drafts: string, post: string }} FileBox    two folders of one file system */
/**
 * @typedef {object} Post
 * @property {(box: FileBox, number: number, wire: string | Uint8Array) => Promise<void>} put
 * @property {(box: FileBox, number: number, maxBytes: number) => Promise<Buffer | null>} take    returns null if the file does not exist yet
 * @property {(box: FileBox, number: number) => Promise<boolean>} isThere
 */

/** @type {Post} */
const asyncPost = {
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
const syncPost = {
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

/** @param {number} bytes   result of a read: 0 if the file ends before its expected size */
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
