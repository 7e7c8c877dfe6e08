// Runs in CI, alone.
// Launches under open load with real processes: what is planned, sent, late, and dropped, and from when the
// times are taken.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measuredLaunch } from '../../lib/run/findings/measured-launch.js';
import { latencyPercentiles } from '../../lib/statistics/latency.js';
import { COUNTED } from '../fixtures/counted.js';
import { launchCell } from '../fixtures/launch-cell.js';

const DELAY = '../fixtures/fixed-delay.js';

/**
 * @param {object} wish
 * @param {number} wish.ratePerSecond
 * @param {number} [wish.workers]
 * @param {number} [wish.loops]
 * @param {number} [wish.delayMs]
 * @param {number} [wish.measureMs]
 * @param {'fixed' | 'poisson'} [wish.arrivals]
 */
async function openLaunch({
  ratePerSecond,
  workers = 1,
  loops = 1,
  delayMs,
  measureMs = 1_000,
  arrivals = 'fixed',
}) {
  const { end, spec } = await launchCell({
    ...(delayMs === undefined ? {} : { transport: DELAY }),
    cell: { workers, loops, ratePerSecond, settings: delayMs === undefined ? {} : { delayMs } },
    timing: {
      warmupMs: 300,
      measureMs,
      open: { ratesPerSecond: [], arrivals, slo: null, isWindowChosen: true },
    },
  });
  assert.equal(end.kind, 'done', JSON.stringify(end));
  const fields = end.kind === 'done' ? end.fields : null;
  const position = { group: 0, order: 0, startedAt: '2026-01-01T00:00:00Z' };
  const launch = measuredLaunch(fields, spec, position, {
    usableCpus: 8,
    quick: false,
    isBrokerOurs: false,
    ...COUNTED,
  });
  const { open } = launch;
  assert.ok(open);
  return { launch, open, codes: launch.flags.map(({ code }) => code) };
}

describe('a sustained rate', () => {
  it('is sent evenly by all workers, with a sample in each histogram for each round trip', async () => {
    const { launch, open } = await openLaunch({
      ratePerSecond: 500,
      workers: 2,
      loops: 50,
      measureMs: 1_500,
    });
    assert.equal(open.due, 750);
    assert.ok(Math.abs(open.started - 750) < 40, `${open.started} started`);
    assert.ok(open.dropped <= 5, `${open.dropped} dropped`);
    assert.ok(launch.operations > 700);
    const counts = [launch.times.serviceTime, open.response, open.sendLag].map(({ count }) => count);
    assert.deepEqual(counts, [launch.operations, launch.operations, launch.operations]);
    assert.ok(launch.bins.filter((count) => count > 50).length <= 3, `bursts: ${launch.bins}`);
  });

  it('has response times of schedule delay and service time, each by the clock where responses arrive together', async () => {
    const { launch, open } = await openLaunch({
      ratePerSecond: 200,
      loops: 60,
      delayMs: 50,
      arrivals: 'poisson',
    });
    assert.ok(launch.times.serviceTime.minNs >= 50e6, `an answer after ${launch.times.serviceTime.minNs} ns`);
    const sum = launch.times.serviceTime.meanNs + open.sendLag.meanNs;
    assert.ok(Math.abs(open.response.meanNs - sum) < 1_000, `${open.response.meanNs} and ${sum} ns`);
    assert.ok(Math.abs(open.due - 200) < 60, `${open.due} due`);
  });
});

describe('a rate above what the loops could send one after the other', () => {
  it('is sent as planned, and sustained', async () => {
    // Closed loops with this delay would make 50 per second.
    const { launch, open, codes } = await openLaunch({ ratePerSecond: 500, delayMs: 20 });
    assert.equal(open.due, 500);
    assert.ok(open.started >= 495 && open.dropped <= 5, JSON.stringify(open));
    assert.ok(Number(open.mostInFlight) >= 10, `${open.mostInFlight} in flight`);
    const [response, service] = [open.response, launch.times.serviceTime].map(
      (latency) => latencyPercentiles(latency).p50,
    );
    assert.ok(service >= 20_000 && response - service < 10_000, `${response} and ${service} µs`);
    assert.ok(!codes.includes('generator-limited'));
  });
});
