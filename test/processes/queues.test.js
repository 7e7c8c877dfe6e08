// Runs in CI.
// Queues over the built-in transports with real servers: jobs are acknowledged once, those of killed workers are done by others or lost,
// as the transport guarantees, and nothing stays behind.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settingsLabel } from '../../lib/cell/settings.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import queue from '../../scenarios/queue.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
import { inThisForm, keepServers, TRANSPORTS } from '../fixtures/house-launches.js';
import { killInLaunch } from '../fixtures/kill-in-launch.js';

/** @import { Cell, RoleReport, Transport } from '../../lib/types/index.js' */

const TIMEOUT_MS = 600_000;
const WORKERS = 2;
// One of each class. The long form has all.
const USUAL = ['threads-message', 'redis-pubsub'];
const KILLED = ['unix', 'zeromq'];
const NATIVE = ['nats', 'zeromq'];
const NATIVE_KILLED = ['zeromq']; // and a stream group of a broker below

describe('queues', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();

  /**
   * @param {Transport} transport
   * @param {Record<string, string>} asking
   * @param {Cell['settings']} [chosen]
   * @returns {Promise<{ why: string } | { operations: number, reports: RoleReport[], master: RoleReport }>} why: unavailable on this machine
   */
  async function queued(transport, asking, chosen = {}) {
    const { traits, serialises } = transport;
    const launch = await launched(transport, {
      scenario: 'queue',
      asking,
      timing: { warmupMs: 50, measureMs: traits.isCostly ? patiently(1_500) : longEnoughMs(150) },
      cell: {
        workers: WORKERS,
        loops: 4,
        settings: chosen,
        codec: serialises === undefined ? 'string' : 'json',
      },
      // As in a run, which waits for jobs that are open at the end of the window.
      deadlines: { replyMs: 10_000, finishMs: 15_000, lifeMs: 60_000 },
    });
    if ('why' in launch) return launch;
    const { end, left } = launch;
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
    const { operations, reports, rejectedConnections } = /** @type {any} */ (end).fields;
    assert.ok(operations > 0, 'something was done');
    assert.equal(rejectedConnections, 0);
    assert.deepEqual(left, []);
    const master = reports.find((/** @type {RoleReport} */ { role }) => role === 'master');
    assert.equal(master.latency.count, operations, 'each job was timed');
    assert.ok(master.values.busiest >= operations / WORKERS);
    return { operations, reports, master };
  }

  const asked = TRANSPORTS.filter(({ traits }) => traits.direction !== 'request-reply');
  for (const transport of inThisForm(asked, USUAL)) {
    it(`gets each job acknowledged once over ${transport.name}`, async (t) => {
      const found = await queued(transport, {});
      if ('why' in found) return t.skip(found.why);
      assert.equal(found.reports.length, 1 + WORKERS);
    });
  }

  const cell = /** @type {any} */ ({ workers: WORKERS });
  const mortal = asked.filter(
    ({ traits }) => queue.skipReason?.(traits, { kill: 1, way: 'credit' }, cell) === null,
  );
  for (const transport of inThisForm(mortal, KILLED)) {
    it(`offers the jobs of a killed worker to the other one over ${transport.name}`, async (t) => {
      const found = await queued(transport, { kill: '1' });
      if ('why' in found) return t.skip(found.why);
      const { values, outage } = found.master;
      assert.deepEqual(outage, { promise: 'at least once', lost: 0, doneTwice: outage?.doneTwice });
      assert.ok(values.offeredAgain > 0 && values.recoveredMs > 0, JSON.stringify(values));
      assert.deepEqual(
        found.reports.map(({ id }) => id),
        ['w0', 'master'],
        'who is dead reports nothing',
      );
    });
  }

  // One with a broker and one without. The long form has all, with every guarantee.
  /** @type {Record<string, Cell['settings'][]>} */
  const manners = {
    rabbitmq: ['none', 'confirm', 'durable'].map((guarantee) => ({ guarantee })),
    'redis-streams': [{ read: 'group' }],
  };
  const ways = TRANSPORTS.flatMap((transport) =>
    (manners[transport.name] ?? [{}]).map((chosen) => ({ transport, chosen })),
  );
  const native = ways.filter(
    ({ transport, chosen }) => resolveTraits(transport, chosen).queues !== undefined,
  );
  for (const { transport, chosen } of native.filter(
    ({ transport: { name } }) => IS_LONG || NATIVE.includes(name),
  )) {
    const { queues: promise } = resolveTraits(transport, chosen);
    const label = settingsLabel(transport.name, chosen);
    it(`sends each job to one worker through the queue of ${label}`, async (t) => {
      const found = await queued(transport, { way: 'native' }, chosen);
      if ('why' in found) return t.skip(found.why);
      assert.ok(found.master.values.busiest < found.operations, 'both had some');
    });

    if (!IS_LONG && !NATIVE_KILLED.includes(transport.name)) continue;

    it(`keeps the guarantee of ${label} for the jobs of a killed worker: ${promise}`, async (t) => {
      const found = await queued(transport, { way: 'native', kill: '1' }, chosen);
      if ('why' in found) return t.skip(found.why);
      const { outage } = found.master;
      assert.equal(outage?.promise, promise);
      assert.equal(promise === 'at most once' ? outage?.doneTwice : outage?.lost, 0);
    });
  }

  it('lets others claim the jobs of a killed worker of a stream group', async (t) => {
    const streams = /** @type {Transport} */ (TRANSPORTS.find(({ name }) => name === 'redis-streams'));
    const claimAfter = 1_500;
    let recoveredMs = 0;
    // A worker that is killed between its last acknowledgement and the next read has no job to claim.
    for (let launches = 0; launches < 4 && recoveredMs < claimAfter / 2; launches += 1) {
      const found = await queued(
        streams,
        { way: 'native', kill: '1', handle: '20000' },
        { read: 'group', claimAfter, claimEvery: 100 },
      );
      if ('why' in found) return t.skip(found.why);
      const { values, outage } = found.master;
      assert.equal(outage?.lost, 0);
      recoveredMs = values.recoveredMs;
    }
    assert.ok(recoveredMs > claimAfter / 2, `recovered after ${recoveredMs} ms`);
  });

  it('fails if a worker dies without being killed by the scenario', async () => {
    const { end, left } = await killInLaunch({ scenario: 'queue', asking: { kill: '1' } }, 'worker');
    assert.equal(end.kind === 'failed' && end.code, 'PROCESS_DIED');
    assert.deepEqual(left, []);
  });
});
