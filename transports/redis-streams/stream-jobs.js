// A stream from which a group of workers takes jobs: each entry goes to one of them, and is acknowledged when it has been worked
// on. What a worker had taken and did not acknowledge, because it died, another one claims after a while. Redis does nothing of that by
// itself, and those who use it do it as here: each worker looks for such entries now and then.
// Source: https://redis.io/docs/latest/develop/data-types/streams/#recovering-from-permanent-failures

import { refusedWrite } from '../../lib/transport/brokers/redis-queue.js';
import { GROUP, parseEntries, streamQueues, Trimmer, tell } from './stream-queue.js';

/** @import { Redis } from 'ioredis' */
/** @import { Heard, QueueKind } from '../../lib/transport/brokers/redis-queue.js' */
/** @import { EndContext } from '../../lib/types/index.js' */
/** @import { Entry, ReadEntries } from './stream-queue.js' */
/**
 * @typedef {object} Terms
 * @property {string} consumer       among those of the group
 * @property {number} count          most entries that it has at once
 * @property {number} claimAfterMs   so long must an entry have been with another one
 * @property {number} claimEveryMs
 */

const FROM_FIRST = '0-0';

/**
 * @param {EndContext & { workerId?: string }} end
 * @returns {QueueKind}
 */
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

/**
 * @param {Redis} client
 * @param {string} stream
 * @param {Terms} terms
 * @param {Heard} heard
 * @returns {Promise<never>}
 */
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
