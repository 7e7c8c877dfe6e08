// What an order brings to a host and takes back besides plain data: messages of a file, profiles, and counts of system calls. There
// they are files in a folder that ends with the order.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openScratch } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { quoted } from '../format/printable.js';
import { MIB } from '../format/units.js';
import { GREATEST_SENT_BYTES } from '../options/host-options.js';
import { sumBy } from '../statistics/sum.js';

/** @import { LaunchSpec } from '../launch/launch-spec.js' */
/** @import { MessageFile, OrderFiles } from '../types/index.js' */
/** @typedef {Awaited<ReturnType<typeof unpacked>>} Unpacked */

const GREATEST_PROFILE_BYTES = 512 * MIB;
const PROCESS_ID = /^[a-z]{1,8}\d{0,5}$/;
const PROFILE_NAME = /^([a-z]{1,8}\d{0,5})\.cpuprofile$/;
const GREATEST_PROFILES_BYTES = 32 * MIB; // packed, of one host: one of two seconds has some 100 kB

/**
 * @param {LaunchSpec} spec
 * @param {string} [traceDir]   that is to get what strace saw
 * @returns {OrderFiles}
 * @throws {BenchError} BAD_ARGUMENT: the file is gone
 */
export function packed({ cell, messageFile, profileDir }, traceDir) {
  const look = traceDir !== undefined ? 'syscalls' : profileDir !== undefined ? 'profile' : undefined;
  return {
    ...(look && { look }),
    ...(messageFile !== null &&
      messageFile.content === cell.content && { messages: packedMessages(messageFile.path) }),
  };
}

/** @param {string} path */
export function packedMessages(path) {
  try {
    return pack(readFileSync(path));
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw new BenchError('BAD_ARGUMENT', `--message-file: ${path} cannot be read any more (${code})`, {
      cause: error,
    });
  }
}

/** @param {Buffer} bytes */
const pack = (bytes) => gzipSync(bytes).toString('base64');

/** @param {string} text @param {number} greatest   bytes @returns {Buffer} */
const unpack = (text, greatest) => gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: greatest });

/** @param {OrderFiles} files @param {string} folder   that ends with the order */
export async function unpacked({ messages, look }, folder) {
  const path = join(folder, 'messages');
  const profileDir = join(folder, 'profiles');
  if (messages !== undefined) await writeFile(path, unpack(messages, GREATEST_SENT_BYTES), { mode: 0o600 });
  if (look === 'profile') await mkdir(profileDir);
  /** @param {Omit<MessageFile, 'path'>} file @returns {MessageFile | null} */
  const messageFileOf = (file) => (messages === undefined ? null : { ...file, path });
  return {
    /** For `localise`. */
    here: { messageFileOf, ...(look === 'profile' && { profileDir }) },
    /** @param {string} id   of a process @returns its folder for strace; undefined: nobody asked */
    async traceDirOf(id) {
      if (look !== 'syscalls') return undefined;
      if (!PROCESS_ID.test(id))
        throw new BenchError('HOST', `no process of the launch is named ${quoted(id)}`);
      const traceDir = join(folder, `trace-${id}`);
      await mkdir(traceDir);
      return traceDir;
    },
    /** @returns {Record<string, string>} by name of the file, packed; empty: there is none */
    profiles() {
      if (look !== 'profile') return {};
      const all = readdirSync(profileDir).map((name) => [name, pack(readFileSync(join(profileDir, name)))]);
      const bytes = sumBy(all, ([, text]) => text.length);
      if (bytes > GREATEST_PROFILES_BYTES) {
        const much = `its profiles have ${Math.ceil(bytes / MIB)} MiB when packed, and ${GREATEST_PROFILES_BYTES / MIB} can be sent`;
        throw new BenchError('HOST', `${much}: shorten --measure and --warmup`);
      }
      return Object.fromEntries(all);
    },
  };
}

/**
 * @template T
 * @param {OrderFiles} order
 * @param {(files: Unpacked) => Promise<T>} work
 * @returns what it gave: the files are gone then
 */
export async function withFiles(order, work) {
  // A full disk is nothing to who needs none.
  if (order.messages === undefined && order.look === undefined) return work(await unpacked({}, ''));
  const scratch = await openScratch();
  try {
    return await work(await unpacked(order, scratch.path));
  } finally {
    await scratch.remove();
  }
}

/**
 * @param {Record<string, string>} profiles   of a host, packed
 * @param {string} folder
 * @param {(id: string) => boolean} isThere   of its processes
 */
export async function keepProfiles(profiles, folder, isThere) {
  for (const [name, text] of Object.entries(profiles)) {
    // Whatever a host says, nothing is written elsewhere, and nothing in the name of another one.
    const [, id] = PROFILE_NAME.exec(name) ?? [];
    if (id !== undefined && isThere(id))
      await writeFile(join(folder, name), unpack(text, GREATEST_PROFILE_BYTES));
  }
}
