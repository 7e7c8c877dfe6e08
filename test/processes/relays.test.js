// Runs in CI.
// Relays over the built-in transports with real servers: messages are verified, the relay has its own costs and CPU, and nothing stays
// behind. A relay that dies is in fault-matrix.test.js.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { innerParts } from '../../lib/cell/settings.js';
import { resolveTraits } from '../../lib/cell/traits.js';
import { canPin } from '../../lib/children/launcher.js';
import relay from '../../scenarios/relay.js';
import { longEnoughMs } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
import { inThisForm, keepServers, TRANSPORTS } from '../fixtures/house-launches.js';
import { launchUnderLoad, launchWithKnownCosts } from '../fixtures/launch-cell.js';

const TIMEOUT_MS = 600_000;
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
// One that only responds, and one with a broker: below, unix is before another transport. The long form has all.
const USUAL = ['http', 'redis-pubsub'];
/** Deadlines for a busy machine. */
const PATIENT = { replyMs: 10_000, finishMs: 15_000, lifeMs: 60_000 };

/** Skip reasons of relays do not depend on the cell. */
const ANY_CELL = /** @type {any} */ ({});

const relaying = TRANSPORTS.filter(
  (transport) => relay.skipReason?.(resolveTraits(transport, {}), {}, ANY_CELL) === null,
);
const tested = inThisForm(relaying, USUAL);

describe('the scenario relay', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();

  for (const transport of tested) {
    // Re-encoding does not depend on the transport. A test below covers it over unix with another transport to the master.
    const usualWays = transport.name === 'http' ? ['encoded'] : ['untouched'];
    for (const way of IS_LONG && USUAL.includes(transport.name) ? ['untouched', 'encoded'] : usualWays) {
      it(`forwards requests and responses over ${transport.name}, way=${way}`, async (t) => {
        const launch = await launched(transport, {
          scenario: 'relay',
          asking: { way },
          deadlines: PATIENT,
          timing: { messages: transport.traits.isCostly ? 1 : 50 },
          cell: { codec: 'binary', payloadBytes: 1_000 },
        });
        if ('why' in launch) return t.skip(launch.why);
        const { end, left } = launch;
        assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
        const { operations, reports, rejectedConnections, warmup } = /** @type {any} */ (end).fields;
        assert.ok(operations > 0, 'something was answered');
        assert.equal(rejectedConnections, 0);
        assert.deepEqual(left, []);
        const ids = ['relay', 'w0', 'w1', 'master'];
        assert.deepEqual(
          reports.map((/** @type {any} */ { id }) => id),
          ids,
        );
        const rolesIn = (/** @type {{ role: string }[]} */ list) => list.map(({ role }) => role);
        assert.deepEqual(rolesIn(warmup.work), ['master', 'relay', 'worker', 'worker']);
      });
    }
  }

  const brokers = TRANSPORTS.filter(({ broker }) => broker !== undefined).map(({ name }) => name);
  const usualTo = ['redis-pubsub:net=tcp'];
  const longTo = ['shared-memory', 'http', 'zeromq', 'tcp:flush=tick+noDelay=false', ...brokers];
  for (const to of IS_LONG ? [...longTo, ...usualTo] : usualTo) {
    it(`reaches the master over ${to} with to=${to}`, async (t) => {
      const unix = /** @type {import('../../lib/types/transports.js').Transport} */ (
        TRANSPORTS.find(({ name }) => name === 'unix')
      );
      const asking = { to, way: 'encoded' };
      const wish = { scenario: 'relay', asking, cell: { workers: 1 }, deadlines: PATIENT };
      const launch = await launched(unix, wish);
      if ('why' in launch) return t.skip(launch.why);
      const { end, left, spec } = launch;
      assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
      const { name, written } = innerParts(to);
      assert.match(String(spec.toMaster?.transportUrl), new RegExp(`/${name}`));
      for (const [key, text] of Object.entries(written))
        assert.equal(String(spec.toMaster?.settings[key]), text);
      assert.ok(/** @type {any} */ (end).fields.operations > 0);
      assert.deepEqual(left, []);
    });
  }

  it('closes the connection to the master, not to its worker, for a message that is too long for the master', async (t) => {
    const unix = TRANSPORTS.find(({ name }) => name === 'unix');
    const cell = { workers: 1, payloadBytes: 65_500 };
    const wish = { scenario: 'relay', asking: { to: 'udp' }, cell, deadlines: PATIENT };
    const launch = await launched(
      /** @type {import('../../lib/types/transports.js').Transport} */ (unix),
      wish,
    );
    if ('why' in launch) return t.skip(launch.why);
    const { end, left } = launch;
    assert.equal(end.kind === 'failed' && end.code, 'PROTOCOL', JSON.stringify(end).slice(0, 1_000));
    assert.match(
      end.kind === 'failed' ? end.message : '',
      /^the relay during connect: its channel closed: a message of [\d,]+ bytes exceeds the greatest datagram/,
    );
    assert.deepEqual(left, []);
  });

  const whyNoCpuSets =
    canPin() && availableParallelism() > 1 ? false : 'nothing can be pinned to two CPUs here';
  it('places the relay with the workers, not with the master', { skip: whyNoCpuSets }, async () => {
    const cell = /** @type {const} */ ({ placement: 'split', workers: 1 });
    const timing = { measureMs: longEnoughMs(300) };
    const { end } = await launchWithKnownCosts({
      scenario: 'relay',
      cell,
      cpus: [0, 1],
      timing,
      deadlines: PATIENT,
    });
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
    const { costs } = /** @type {any} */ (end).fields;
    assert.ok(costs[1].userUs + costs[1].systemUs > 0, 'the relay works');
    assert.deepEqual(
      costs.map((/** @type {any} */ { name, cpus }) => [name, cpus]),
      [
        ['master', [0]],
        ['relay', [1]],
        ['w0', [1]],
      ],
    );
  });

  it('rejects unauthenticated peers, and counts them in the launch', ON_LINUX, async () => {
    const known = new Set(readdirSync(tmpdir()));
    const timing = { measureMs: longEnoughMs(300) };
    const wish = { scenario: 'relay', cell: { workers: 1 }, timing, deadlines: PATIENT };
    const { ending, underLoad } = launchUnderLoad(wish);
    await underLoad;
    const paths = readdirSync(tmpdir())
      .filter((name) => !known.has(name))
      .map((name) => join(tmpdir(), name, 'relay', 'master.sock'))
      .filter(existsSync);
    assert.equal(paths.length, 1, 'the relay listens beside the master');
    const intruder = connect(paths[0]);
    intruder.end('GET / HTTP/1.1\r\n\r\n');
    intruder.resume();
    await once(intruder, 'close');
    const { end } = await ending;
    assert.equal(
      end.kind === 'done' && end.fields.rejectedConnections,
      1,
      JSON.stringify(end).slice(0, 1_000),
    );
  });
});
