// Runs in CI.
// The scenario connect over the built-in transports that reconnect, and several connections of a worker.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inThisForm, keepServers, TRANSPORTS } from '../fixtures/house-launches.js';
import { launchCell } from '../fixtures/launch-cell.js';

const TIMEOUT_MS = 600_000;
const WORKERS = 2;
const LOOPS = 3;
const CONNECTIONS = 20; // per loop
const CLASSES = ['socket', 'brokerless', 'rpc', 'broker'];
const USUAL = ['http']; // each of them makes further connections in the conformance suite
const reconnecting = TRANSPORTS.filter(({ traits }) => traits.reconnects === true);

describe('the scenario connect', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();

  it('is offered for all transports with reconnects, and no others', () => {
    const ofClasses = TRANSPORTS.filter(({ traits }) => CLASSES.includes(traits.class));
    assert.deepEqual(reconnecting, ofClasses);
  });

  for (const transport of inThisForm(reconnecting, USUAL)) {
    it(`counts connections over ${transport.name}, and leaves nothing`, async (t) => {
      const launch = await launched(transport, {
        scenario: 'connect',
        timing: { messages: CONNECTIONS, warmupMs: 0 },
        cell: { workers: WORKERS, loops: LOOPS },
      });
      if ('why' in launch) return t.skip(launch.why);
      const { end, left } = launch;
      assert.equal(end.kind, 'done', JSON.stringify(end));
      const { operations, rejectedConnections, reports } = /** @type {any} */ (end).fields;
      // Connections that a loop began before the window opened count too.
      const beyond = operations - WORKERS * LOOPS * CONNECTIONS;
      assert.ok(beyond >= 0 && beyond <= WORKERS * LOOPS, `${operations} connections`);
      assert.equal(rejectedConnections, 0);
      for (const time of ['timeToConnect', 'timeToFirstAnswer']) {
        const counts = reports.map((/** @type {any} */ { times }) => times[time]?.count ?? 0);
        assert.equal(
          counts.reduce((/** @type {number} */ sum, /** @type {number} */ count) => sum + count),
          operations,
          time,
        );
      }
      assert.deepEqual(left, []);
    });
  }
});

describe('several connections of a worker', { timeout: TIMEOUT_MS }, () => {
  const EACH = 20;
  const cases =
    /** @type {[string, { scenario?: string, asking?: Record<string, string>, open?: object }][]} */ ([
      ['ask', {}],
      ['ask by a plan', { open: { arrivals: 'fixed', slo: null, isWindowChosen: true } }],
      ['stream', { scenario: 'stream' }],
      ['stream to the worker', { scenario: 'stream', asking: { direction: 'to-worker' } }],
    ]);
  for (const [what, { open, ...question }] of cases) {
    it(`${what}, all of them, and leave nothing`, async () => {
      const { end, left } = await launchCell({
        transport: 'unix',
        ...question,
        timing: { warmupMs: 30, measureMs: 400, ...(open && { open: /** @type {any} */ (open) }) },
        cell: {
          workers: WORKERS,
          loops: 2,
          codec: 'string',
          connections: EACH,
          ...(open && { ratePerSecond: 2_000 }),
        },
      });
      assert.equal(end.kind, 'done', JSON.stringify(end));
      const { operations, rejectedConnections, reports } = /** @type {any} */ (end).fields;
      assert.ok(operations > 0);
      assert.equal(rejectedConnections, 0);
      const made = reports.map((/** @type {any} */ { values }) => values.furtherConnections ?? 0);
      assert.deepEqual(made, [EACH / 2, EACH / 2, 0], 'the second half of them');
      const streams = reports.flatMap((/** @type {any} */ report) => Object.keys(report.streams ?? {}));
      if (question.scenario === 'stream') assert.equal(new Set(streams).size, WORKERS * EACH);
      assert.deepEqual(left, []);
    });
  }
});
