// How much of what a Redis has accepted outlives it: what a private one is told, and whether one of the user's own does
// what a cell says of it.

import { statfs } from 'node:fs/promises';
import { BenchError } from '../../errors.js';
import { quoted } from '../../format/printable.js';

/** @typedef {string | number | boolean | undefined} Persist   undefined: the transport has no such setting */

/** @type {import('../../types/transports.js').Setting} */
export const persistSetting = Object.freeze({
  summary:
    'what a private server writes to disk; none: nothing; everysec: all, at the latest a second later; ' +
    'always: all, before it responds. A server given by URL has to do so already',
  default: 'none',
  choices: ['none', 'everysec', 'always'],
});

// TMPFS_MAGIC and RAMFS_MAGIC of include/uapi/linux/magic.h
const FILE_SYSTEMS_IN_MEMORY = [0x0102_1994, 0x8584_58f6];

/** @param {Persist} persist @returns {Partial<import('../../types/transports.js').Traits>} */
export function persistenceTraits(persist) {
  if (persist === 'always') return { durability: 'disk', isCostly: true };
  return { durability: persist === 'everysec' ? 'disk' : 'memory' };
}

/** @param {Persist} persist @returns {string} for the end of a guarantee */
export function persistenceText(persist) {
  if (persist === 'always') return 'on disk before it is accepted';
  return persist === 'everysec' ? 'on disk within a second' : 'memory only';
}

/**
 * @param {Persist} persist
 * @param {string} folder       of the server
 * @returns {Promise<Record<string, string>>} lines of redis.conf
 * @throws {BenchError} BROKER
 */
export async function persistenceConfig(persist, folder) {
  if (persist === undefined || persist === 'none') return { save: '""', appendonly: 'no' };
  // It becomes a line of redis.conf.
  if (!persistSetting.choices?.includes(String(persist)))
    throw new BenchError('BROKER', `persist=${quoted(String(persist))} is none of ${persistSetting.choices}`);
  const { type } = await statfs(folder);
  if (process.platform === 'linux' && FILE_SYSTEMS_IN_MEMORY.includes(type)) {
    throw new BenchError(
      'BROKER',
      `persist=${persist} would write to memory, since the temporary folder is not on a disk; set TMPDIR to a folder that is`,
    );
  }
  return { save: '""', appendonly: 'yes', appendfsync: String(persist) };
}

/**
 * @param {import('ioredis').Redis} client
 * @param {Persist} persist
 * @throws {BenchError} BROKER: this server does less than that
 */
export async function assertPersists(client, persist) {
  if (persist === undefined || persist === 'none') return;
  const wanted = { appendonly: 'yes', appendfsync: String(persist) };
  for (const [name, value] of Object.entries(wanted)) {
    const [, found = 'unknown'] = await client.config('GET', name).then(asPair, () => []);
    if (found === value) continue;
    throw new BenchError(
      'BROKER',
      `persist=${persist} needs a Redis with ${name} ${value}, and here it is ${found}: change the server, or leave out persist=${persist}`,
    );
  }
}

/** @param {any} reply    of CONFIG GET @returns {string[]} */
function asPair(reply) {
  return Array.isArray(reply) ? reply : Object.entries(reply).flat();
}
