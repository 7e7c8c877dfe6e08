// Redis streams as queues. The field of an entry is 'message', or 'control' for a control frame (lib/channels/message-channel.js). From time to
// time, the reader trims whole nodes of entries that it has read. (XADD with MAXLEN ~ would also drop unread entries.)

import { refusedWrite } from '../../lib/channels/brokers/redis-queues.js';
import { textOrBuffer } from '../../lib/codecs/wire-bytes.js';

/** @import { QueueHandlers, QueueKind } from '../../lib/channels/brokers/redis-queues.js' */
/** @import { Redis } from 'ioredis' */
/** @import { EndContext } from '../../lib/types/index.js' */

/** @typedef {[id: Buffer, fields: [Buffer, Buffer]]} StreamEntry */
/** @typedef {(...args: (string | number | Buffer)[]) => Promise<any>} ReadEntries */

const MESSAGE = 'message';
const CONTROL = 'control';
const CONTROL_FIELD = Buffer.from(CONTROL);
const GROUP = 'readers';
const CONSUMER = 'reader';
// A stream is trimmed after this many read entries or bytes. By default, a node of a stream has at most 100 entries; trimming each node would
// cost more than it frees.
const TRIM_ENTRIES = 1_000;
const TRIM_BYTES = 1_048_576;

/** @param {EndContext} end @returns {QueueKind} */
export function streamQueues({ settings }) {
  const isGroup = settings.read === 'group';
  // Without COUNT a read returns all entries.
  const count = settings.count === 0 ? [] : ['COUNT', Number(settings.count)];
  return {
    async prepare(client, stream) {
      if (isGroup) await client.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM');
    },
    writer(client, stream, refused) {
      const failed = refusedWrite(client, refused);
      return {
        send: (wire) => void client.xadd(stream, '*', MESSAGE, textOrBuffer(wire)).catch(failed),
        sendControl: (frame) => void client.xadd(stream, '*', CONTROL, frame).catch(failed),
      };
    },
    read: (client, stream, handlers) => (isGroup ? readAsGroup : readOn)(client, stream, count, handlers),
    keysOf: (stream) => [stream],
  };
}

/**
 * @param {Redis} client
 * @param {string} stream
 * @param {(string | number)[]} count
 * @param {QueueHandlers} handlers
 * @returns {Promise<never>}
 */
async function readOn(client, stream, count, handlers) {
  const trimmer = makeTrimmer(client, stream);
  const read = /** @type {ReadEntries} */ (client.xreadBuffer.bind(client));
  /** @type {string | Buffer} */
  let lastId = '0';
  for (;;) {
    const args = [...count, 'BLOCK', 0, 'STREAMS', stream, lastId];
    const entries = parseEntries(await read(...args));
    if (entries.length === 0) continue;
    for (const entry of entries) dispatch(entry, handlers);
    [lastId] = entries[entries.length - 1];
    trimmer.noteRead(entries);
  }
}

/** @type {typeof readOn} */
async function readAsGroup(client, stream, count, handlers) {
  const trimmer = makeTrimmer(client, stream);
  const read = /** @type {ReadEntries} */ (client.xreadgroupBuffer.bind(client));
  const failed = refusedWrite(client, handlers.refused);
  const args = ['GROUP', GROUP, CONSUMER, ...count, 'BLOCK', 0, 'STREAMS', stream, '>'];
  for (;;) {
    const entries = parseEntries(await read(...args));
    if (entries.length === 0) continue;
    for (const entry of entries) dispatch(entry, handlers);
    // XACK is sent in the same tick as the next read, which does not wait for the reply of XACK.
    client.xack(stream, GROUP, ...entries.map(([id]) => id)).catch(failed);
    trimmer.noteRead(entries);
  }
}

/** @param {any} reply @returns {StreamEntry[]} */
function parseEntries(reply) {
  return reply?.[0]?.[1] ?? [];
}

/** @param {StreamEntry} entry @param {QueueHandlers} handlers */
function dispatch([, [field, value]], { onData, onControl }) {
  if (field.equals(CONTROL_FIELD)) onControl(value);
  else onData(value);
}

class Trimmer {
  /** @param {(lastId: Buffer) => Promise<unknown>} trim   `lastId` is the id of the last entry that was read */
  constructor(trim) {
    this.trim = trim;
    this.entries = 0;
    this.bytes = 0;
  }

  /** @param {StreamEntry[]} entries */
  noteRead(entries) {
    this.entries += entries.length;
    for (const [, [, value]] of entries) this.bytes += value.length;
    if (this.entries < TRIM_ENTRIES && this.bytes < TRIM_BYTES) return;
    this.entries = 0;
    this.bytes = 0;
    const [lastId] = entries[entries.length - 1];
    // A failure loses no messages; if the connection is lost, the failed read is reported.
    this.trim(lastId).catch(() => {});
  }
}

/** @param {Redis} client @param {string} stream @returns {Trimmer} sends XTRIM in the same tick as the next read */
function makeTrimmer(client, stream) {
  return new Trimmer((lastId) => client.xtrim(stream, 'MINID', '~', lastId));
}

// A stream from which a group of workers reads jobs: each entry goes to one worker, which acknowledges it after handling it. If a worker
// dies, others claim its entries. Redis does not reassign entries itself, so each worker looks for such entries from time to time.
// Source: https://redis.io/docs/latest/develop/data-types/streams/#recovering-from-permanent-failures

/**
 * @typedef {object} Terms
 * @property {string} consumer
 * @property {number} count          most entries of a consumer at once
 * @property {number} claimAfterMs   idle time at another consumer before an entry may be claimed
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
      // The group exists if another worker has created it.
      await client.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM').catch((error) => {
        if (!error.message.startsWith('BUSYGROUP')) throw error;
      });
    },
    read: (client, stream, handlers) => takeInGroup(client, stream, terms, handlers),
  };
}

/** @param {Redis} client @param {string} stream @param {Terms} terms @param {QueueHandlers} handlers @returns {Promise<never>} */
async function takeInGroup(client, stream, { consumer, count, claimAfterMs, claimEveryMs }, handlers) {
  const read = /** @type {ReadEntries} */ (client.xreadgroupBuffer.bind(client));
  const claim = /** @type {ReadEntries} */ (/** @type {any} */ (client).xautoclaimBuffer.bind(client)); // the types lack it
  const failed = refusedWrite(client, handlers.refused);
  const trimmer = new Trimmer(async (lastId) => {
    // Entries of a dead worker stay until another worker has handled them.
    const [, oldestPending] = await client.xpending(stream, GROUP);
    return client.xtrim(stream, 'MINID', '~', /** @type {string | null} */ (oldestPending) ?? lastId);
  });
  /** @param {StreamEntry[]} entries */
  const work = (entries) => {
    if (entries.length === 0) return;
    for (const entry of entries) dispatch(entry, handlers);
    client.xack(stream, GROUP, ...entries.map(([id]) => id)).catch(failed);
    trimmer.noteRead(entries);
  };
  // BLOCK ends after claimEveryMs, so that a worker without new entries also claims those of others.
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
