// The messages of --message-file as they travel with a command: text in it, and a file of the host for as long as the command lasts.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openScratch } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { GREATEST_SENT_BYTES } from '../options/host-options.js';

/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { MessageFile, SentMessages } from '../types/index.js' */
/** @typedef {(file: Omit<MessageFile, 'path'>) => MessageFile | null} MessageFileHere   null: payloads are made */

/**
 * @param {Pick<LaunchSpec, 'cell' | 'messageFile'>} spec
 * @returns {SentMessages}
 * @throws {BenchError} BAD_ARGUMENT: the file is gone
 */
export function packMessages({ cell, messageFile }) {
  if (messageFile === null || messageFile.content !== cell.content) return {};
  return { messages: packFile(messageFile.path) };
}

/** @param {string} path @returns {string} */
export function packFile(path) {
  try {
    return gzipSync(readFileSync(path)).toString('base64');
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new BenchError('BAD_ARGUMENT', `--message-file: ${path} cannot be read any more (${code})`, {
      cause: error,
    });
  }
}

/** @param {SentMessages} command @param {string} folder   that ends with the command @returns {Promise<MessageFileHere>} */
export async function unpackMessages({ messages }, folder) {
  if (messages === undefined) return () => null;
  const path = join(folder, 'messages');
  const bytes = gunzipSync(Buffer.from(messages, 'base64'), { maxOutputLength: GREATEST_SENT_BYTES });
  await writeFile(path, bytes, { mode: 0o600 });
  return (file) => ({ ...file, path });
}

/**
 * @template T
 * @param {SentMessages} command
 * @param {(messageFileHere: MessageFileHere) => Promise<T>} work
 * @returns {Promise<T>} its result, after the file is removed
 */
export async function withMessages(command, work) {
  // Without messages, do not create a scratch folder: the disk may be full.
  if (command.messages === undefined) return work(() => null);
  const scratch = await openScratch();
  try {
    return await work(await unpackMessages(command, scratch.path));
  } finally {
    await scratch.remove();
  }
}
