// Streams of a Redis as queues. The field of an entry tells a message from a note. The reader trims what it has read, now
// and then and in whole nodes, as XADD with MAXLEN ~ would: that one, though, also drops what nobody has read yet.

import { textOrBuffer } from '../../lib/codecs/wire-bytes.js';
import { refusedWrite } from '../../lib/transport/brokers/redis-queues.js';

/** @import { Heard, QueueKind } from '../../lib/transport/brokers/redis-queues.js' */
/** @import { Redis } from 'ioredis' */
/** @import { EndContext } from '../../lib/types/index.js' */

/** @typedef {[id: Buffer, fields: [Buffer, Buffer]]} Entry */
/** @typedef {(...args: (string | number | Buffer)[]) => Promise<any>} ReadEntries */

const MESSAGE = 'message';
const NOTE = 'note';
const NOTE_FIELD = Buffer.from(NOTE);
const GROUP = 'readers';
const CONSUMER = 'reader';
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
function parseEntries(reply) {
  return reply?.[0]?.[1] ?? [];
}

/** @param {Entry} entry @param {Heard} heard */
function tell([, [field, value]], { onData, onNote }) {
  if (field.equals(NOTE_FIELD)) onNote(value);
  else onData(value);
}

class Trimmer {
  /** @param {(lastId: Buffer) => Promise<unknown>} trim   of what is not needed any more, now that this entry was read */
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

// A stream from which a group of workers takes jobs: each entry goes to one of them, and is acknowledged when it has been worked
// on. What a worker had taken and did not acknowledge, because it died, another one claims after a while. Redis does nothing of that by
// itself, and those who use it do it as here: each worker looks for such entries now and then.
// Source: https://redis.io/docs/latest/develop/data-types/streams/#recovering-from-permanent-failures

/**
 * @typedef {object} Terms
 * @property {string} consumer       among those of the group
 * @property {number} count          most entries that it has at once
 * @property {number} claimAfterMs   so long must an entry have been with another one
 * @property {number} claimEveryMs
 */

const FROM_FIRST = '0-0';

/** @param {EndContext & { workerId?: string }} end @returns {QueueKind} */
export function streamOfJobs(end) {
  const { settings, sharedQueue, workerId = 'master' } = end;
  const prefetch = sharedQueue?.prefetch ?? 1;
  const terms = {
    consumer: workerId,
    count: Math.min(Number(settings.count) || prefetch, prefetch),
    claimAfterMs: Number(settings.claimAfter),
    claimEveryMs: Number(settings.claimEvery),
  };
  return {
    ...streamQueues(end),
    async prepare(client, stream) {
      // The first worker makes the group, and the others find it.
      await client.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM').catch((error) => {
        if (!error.message.startsWith('BUSYGROUP')) throw error;
      });
    },
    read: (client, stream, heard) => takeInGroup(client, stream, terms, heard),
  };
}

/** @param {Redis} client @param {string} stream @param {Terms} terms @param {Heard} heard @returns {Promise<never>} */
async function takeInGroup(client, stream, { consumer, count, claimAfterMs, claimEveryMs }, heard) {
  const read = /** @type {ReadEntries} */ (client.xreadgroupBuffer.bind(client));
  const claim = /** @type {ReadEntries} */ (/** @type {any} */ (client).xautoclaimBuffer.bind(client)); // its types lack it
  const failed = refusedWrite(client, heard.refused);
  const trimmer = new Trimmer(async (lastId) => {
    // What a dead worker had taken stays until another one has worked on it.
    const [, oldestPending] = await client.xpending(stream, GROUP);
    return client.xtrim(stream, 'MINID', '~', /** @type {string | null} */ (oldestPending) ?? lastId);
  });
  const work = (/** @type {Entry[]} */ entries) => {
    if (entries.length === 0) return;
    for (const entry of entries) tell(entry, heard);
    client.xack(stream, GROUP, ...entries.map(([id]) => id)).catch(failed);
    trimmer.noteRead(entries);
  };
  // It waits no longer than until it has to look for entries that nobody works on.
  const taking = ['GROUP', GROUP, consumer, 'COUNT', count, 'BLOCK', claimEveryMs, 'STREAMS', stream, '>'];
  const claiming = [stream, GROUP, consumer, claimAfterMs, FROM_FIRST, 'COUNT', count];
  let claimAtMs = performance.now() + claimEveryMs;
  for (;;) {
    work(parseEntries(await read(...taking)));
    if (performance.now() < claimAtMs) continue;
    const [, claimed] = await claim(...claiming);
    work(claimed);
    if (claimed.length === 0) claimAtMs = performance.now() + claimEveryMs;
  }
}
