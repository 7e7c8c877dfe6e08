// Streams of a Redis as queues. The field of an entry tells a message from a note. The reader trims what it has read, now
// and then and in whole nodes, as XADD with MAXLEN ~ would: that one, though, also drops what nobody has read yet.

import { textOrBuffer } from '../../lib/codecs/buffer-view.js';
import { persistenceText, persistenceTraits } from '../../lib/transport/brokers/redis-persistence.js';
import { refusedWrite } from '../../lib/transport/brokers/redis-queue.js';
import { reachTraits } from '../../lib/transport/reach.js';

/** @import { Heard, QueueKind } from '../../lib/transport/brokers/redis-queue.js' */
/** @import { Redis } from 'ioredis' */
/** @typedef {[id: Buffer, fields: [Buffer, Buffer]]} Entry */
/** @typedef {(...args: (string | number | Buffer)[]) => Promise<any>} ReadEntries */

const MESSAGE = 'message';
const NOTE = 'note';
const NOTE_FIELD = Buffer.from(NOTE);
export const GROUP = 'readers';
const CONSUMER = 'reader';
/** Longer than a process stands still on a busy machine, and shorter than what is usual, minutes, so that a run sees it. */
export const CLAIM_AFTER_MS = 2_000;
export const CLAIM_EVERY_MS = 500;
// A node of a stream holds at most 100 entries by default: a command for each would cost more than it frees.
const TRIM_ENTRIES = 1_000;
const TRIM_BYTES = 1_048_576;

/** @param {import('../../lib/types/transports.js').EndContext} end @returns {QueueKind} */
export function streamQueues({ settings }) {
  const isGroup = settings.read === 'group';
  // Without COUNT a read gives all there is.
  const count = settings.count === 0 ? [] : ['COUNT', Number(settings.count)];
  return {
    async prepare(client, stream) {
      if (isGroup) await client.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    },
    writer(client, stream, refused) {
      const failed = refusedWrite(client, refused);
      return {
        send: (wire) => void client.xadd(stream, '*', MESSAGE, textOrBuffer(wire)).catch(failed),
        sendNote: (note) => void client.xadd(stream, '*', NOTE, note).catch(failed),
      };
    },
    read: (client, stream, heard) => (isGroup ? readAsGroup : readOn)(client, stream, count, heard),
    keysOf: (stream) => [stream],
  };
}

/**
 * @param {import('../../lib/types/transports.js').EndContext['settings']} settings
 * @returns {Partial<import('../../lib/types/transports.js').Traits>}
 */
export function streamTraits({ read, persist, net, claimAfter }) {
  const until =
    read === 'group'
      ? 'at least once, in order, kept until worked on'
      : 'in order, kept for a while after it was read; the reader itself knows how far it came';
  return {
    ...persistenceTraits(persist),
    ...reachTraits({ net }),
    guarantee: `${until}; ${persistenceText(persist)}`,
    ...(read === 'group' && { queues: 'at least once', claimsAfterMs: Number(claimAfter) }),
  };
}

/** @param {import('../../lib/types/transports.js').EndContext['settings']} settings @returns {string | undefined} */
export function streamProblem({ read, claimAfter, claimEvery }) {
  if (read === 'group' || (claimAfter === CLAIM_AFTER_MS && claimEvery === CLAIM_EVERY_MS)) return undefined;
  return 'claimAfter and claimEvery go with read=group only: nobody else tells Redis what it has worked on';
}

/**
 * @param {Redis} client
 * @param {string} stream
 * @param {(string | number)[]} count
 * @param {Heard} heard
 * @returns {Promise<never>}
 */
async function readOn(client, stream, count, heard) {
  const trimmer = makeTrimmer(client, stream);
  const read = /** @type {ReadEntries} */ (client.xreadBuffer.bind(client));
  /** @type {string | Buffer} */
  let lastId = '0';
  for (;;) {
    const args = [...count, 'BLOCK', 0, 'STREAMS', stream, lastId];
    const entries = parseEntries(await read(...args));
    if (entries.length === 0) continue;
    for (const entry of entries) tell(entry, heard);
    [lastId] = entries[entries.length - 1];
    trimmer.noteRead(entries);
  }
}

/** @type {typeof readOn} */
async function readAsGroup(client, stream, count, heard) {
  const trimmer = makeTrimmer(client, stream);
  const read = /** @type {ReadEntries} */ (client.xreadgroupBuffer.bind(client));
  const failed = refusedWrite(client, heard.refused);
  const args = ['GROUP', GROUP, CONSUMER, ...count, 'BLOCK', 0, 'STREAMS', stream, '>'];
  for (;;) {
    const entries = parseEntries(await read(...args));
    if (entries.length === 0) continue;
    for (const entry of entries) tell(entry, heard);
    // It goes out in one write with the next read, which need not wait for its reply.
    client.xack(stream, GROUP, ...entries.map(([id]) => id)).catch(failed);
    trimmer.noteRead(entries);
  }
}

/** @param {any} reply    of one stream @returns {Entry[]} */
export function parseEntries(reply) {
  return reply?.[0]?.[1] ?? [];
}

/** @param {Entry} entry @param {Heard} heard */
export function tell([, [field, value]], { onData, onNote }) {
  if (field.equals(NOTE_FIELD)) onNote(value);
  else onData(value);
}

export class Trimmer {
  /**
   * @param {(lastId: Buffer) => Promise<unknown>} trim   of what is not needed any more, now that this entry was read
   */
  constructor(trim) {
    this.trim = trim;
    this.entries = 0;
    this.bytes = 0;
  }

  /** @param {Entry[]} entries */
  noteRead(entries) {
    this.entries += entries.length;
    for (const [, [, value]] of entries) this.bytes += value.length;
    if (this.entries < TRIM_ENTRIES && this.bytes < TRIM_BYTES) return;
    this.entries = 0;
    this.bytes = 0;
    const [lastId] = entries[entries.length - 1];
    // It fails only where reading fails as well, and that tells.
    this.trim(lastId).catch(() => {});
  }
}

/** It goes out in one write with the next read. @param {Redis} client @param {string} stream @returns {Trimmer} of all before what was read */
function makeTrimmer(client, stream) {
  return new Trimmer((lastId) => client.xtrim(stream, 'MINID', '~', lastId));
}
