// A worker makes further connections, several at once; neither end keeps anything of closed ones.

import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { resolveTraits } from '../../lib/cell/traits.js';
import { heldResources, heldSince } from './held-resources.js';
import { IS_LONG } from './long-form.js';

/** @import { Launch } from './launch.js' */
/** @import { Test } from './test-launches.js' */

const AT_ONCE = 4;
const FIRST_TIMES = 3; // until everything that stays is loaded and opened
const TIMES = IS_LONG ? 8 : 4;
const REMOVED_MS = 5_000; // a library with threads of its own releases resources later than it reports
const LOOK_AGAIN_MS = 50;

/** @type {Record<string, Test>} */
export const RECONNECTING_TESTS = {
  async 'permits several connections of a worker at once, and keeps nothing of closed ones'(launches) {
    const { reconnects } = resolveTraits(launches.transport, launches.variant.settings);
    if (reconnects !== true) return 'its workers connect once';
    const { launch, impostor, silentOnes } = await launches.main();
    await Promise.allSettled([impostor, silentOnes]); // they hold resources until they are rejected
    const rejectedConnections = launch.rejectedConnections.length;
    await connectAgain(launch, FIRST_TIMES);
    const before = await heldBy(launch);
    await connectAgain(launch, TIMES);
    let left = await leftOf(launch, before);
    for (const end = Date.now() + REMOVED_MS; left.length > 0 && Date.now() < end; ) {
      await delay(LOOK_AGAIN_MS);
      left = await leftOf(launch, before);
    }
    assert.deepEqual(left, []);
    const connections = launch.guests().length * AT_ONCE * (FIRST_TIMES + TIMES);
    assert.equal(launch.further.length, connections, 'calls of onChannel');
    assert.deepEqual(
      launch.rejectedConnections.slice(rejectedConnections),
      [],
      'a worker was rejected as an unauthenticated peer',
    );
    for (const guest of launch.guests()) await launch.echo(guest, 'still here');
  },
};

/**
 * @param {Launch} launch
 * @param {number} times
 */
async function connectAgain(launch, times) {
  const how = { times, atOnce: AT_ONCE };
  await Promise.all(
    launch
      .guests()
      .map(({ workerId, remote }) => remote.ask('reconnect', { ...launch.guestDetails(workerId), ...how })),
  );
}

/** @param {Launch} launch */
async function heldBy(launch) {
  // One after the other, because this process holds a timer during each request.
  const workers = [];
  for (const { remote } of launch.guests()) workers.push(await remote.ask('held'));
  return { host: heldResources(), workers };
}

/**
 * @param {Launch} launch
 * @param {Awaited<ReturnType<typeof heldBy>>} before
 * @returns {Promise<string[]>}
 */
async function leftOf(launch, before) {
  const now = await heldBy(launch);
  const atHost = heldSince(before.host, now.host).map((what) => `the host: ${what}`);
  const atWorkers = now.workers.flatMap((held, index) =>
    heldSince(before.workers[index], held).map((what) => `w${index}: ${what}`),
  );
  const ends = launch.further.filter(({ closings }) => closings !== 1);
  const untold = ends.length === 0 ? [] : [`${ends.length} channels whose end was reported never or twice`];
  return [...untold, ...atHost, ...atWorkers];
}
