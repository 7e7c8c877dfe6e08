// The messages of --message-file, which are sent within a command and kept in a file on the host for the duration of the command.

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openScratch } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { MAX_SENT_BYTES } from '../options/host-options.js';

/** @import { MessageFile, SentMessages } from '../types/index.js' */
/** @typedef {(file: Omit<MessageFile, 'path'>) => MessageFile | null} LocaliseFile   null if payloads are generated */

/**
 * @param {MessageFile | null | undefined} messageFile
 * @param {string | undefined} content   content of the cell; with other content, the cell does not use the file
 * @returns {SentMessages}
 * @throws {BenchError} BAD_ARGUMENT if the file cannot be read any more
 */
export function packMessages(messageFile, content) {
  if (!messageFile || messageFile.content !== content) return {};
  const { path } = messageFile;
  try {
    return { messages: gzipSync(readFileSync(path)).toString('base64') };
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    throw new BenchError('BAD_ARGUMENT', `--message-file: ${path} cannot be read any more (${code})`, {
      cause,
    });
  }
}

/** @param {SentMessages} command @param {string} folder   exists as long as the command @returns {Promise<LocaliseFile>} */
export async function unpackMessages({ messages }, folder) {
  if (messages === undefined) return () => null;
  const path = join(folder, 'messages');
  const bytes = gunzipSync(Buffer.from(messages, 'base64'), { maxOutputLength: MAX_SENT_BYTES });
  await writeFile(path, bytes, { mode: 0o600 });
  return (file) => ({ ...file, path });
}

/**
 * @template T
 * @param {SentMessages} command
 * @param {(messageFileOf: LocaliseFile) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withMessages(command, work) {
  // Without messages, no folder is created, since the disk may be full.
  if (command.messages === undefined) return work(() => null);
  const scratch = await openScratch();
  try {
    return await work(await unpackMessages(command, scratch.path));
  } finally {
    await scratch.remove();
  }
}
