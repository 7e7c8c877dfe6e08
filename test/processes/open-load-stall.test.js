// Runs in CI, alone.
// A stop of known length in open load. Two closed loops would meet it twice; here each request that is due meanwhile waits for it.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { latencyPercentiles, mergeLatencies } from '../../lib/statistics/latency.js';
import { sumBy } from '../../lib/statistics/sum.js';
import { IS_LONG } from '../conformance/long-form.js';
import { eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const RATE = 1_000;
const WINDOW_MS = IS_LONG ? 10_000 : 6_000;
const STALL_MS = WINDOW_MS / 10;
const DELAY_MS = 10; // of each response

async function launch() {
  const { end } = await launchCell({
    transport: '../fixtures/fixed-delay.js',
    cell: { workers: 2, loops: 1, ratePerSecond: RATE, settings: { delayMs: DELAY_MS } },
    timing: {
      warmupMs: 500,
      measureMs: WINDOW_MS,
    },
    deadlines: { replyMs: 5_000, lifeMs: 60_000 },
  });
  assert.equal(end.kind, 'done', JSON.stringify(end));
  return end.kind === 'done' ? end.fields : null;
}

/** @param {import('../../lib/types/launches.js').Latency} latency @returns {number} ms */
const p95Of = ({ histogram }) => decodeFromCompressedBase64(histogram).getValueAtPercentile(95) / 1e6;

/** @param {any} fields */
function timesOf({ reports }) {
  const response = mergeLatencies(reports.flatMap((/** @type {any} */ { open }) => open?.response ?? []));
  const service = mergeLatencies(reports.flatMap((/** @type {any} */ { latency }) => latency ?? []));
  return {
    count: service.count,
    responseP95Ms: p95Of(response),
    responseMaxMs: latencyPercentiles(response).max / 1_000,
    mostInFlight: sumBy(reports, (/** @type {any} */ { open }) => open?.mostInFlight ?? 0),
  };
}

it(
  'requests are sent while the master is stopped for a tenth of the window, and wait for it',
  ON_LINUX,
  async () => {
    const stalling = launch();
    const pid = await eventually(() => processesBelow(process.pid, 'controller/master.js')[0], 5_000);
    const undisturbed = launch(); // beside it, so that both meet the same noise of the machine
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS / 2));
    process.kill(pid, 'SIGSTOP');
    const stoppedMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, STALL_MS));
    process.kill(pid, 'SIGCONT');
    const stalledMs = performance.now() - stoppedMs; // a timer of a busy process comes late
    const fields = await Promise.all([stalling, undisturbed]);
    const [stalled, steady] = fields.map(timesOf);
    const { pauses } = /** @type {any} */ (fields[0]);
    const shown = JSON.stringify({ stalledMs, stalled, steady, pauses });
    // A callback in which the process is stopped looks like one that sleeps.
    const pausedMs = Math.max(pauses.stallMs, pauses.blockedMs);
    assert.ok(pausedMs > 0.9 * stalledMs && pausedMs <= stalledMs + DELAY_MS, shown);
    assert.ok(Math.abs(stalled.count - (RATE * WINDOW_MS) / 1_000) < 100, shown);
    // A request that is due t ms after the stop waits for the rest of it. So the times of the stop are evenly spread from 0 to its
    // length, and of all requests 5 % wait longer than the length less 5 % of the window.
    const expectedMs = stalledMs - 0.05 * WINDOW_MS;
    assert.ok(stalled.responseP95Ms > 0.9 * expectedMs, shown);
    // A busy machine sends the backlog later, but none waits longer than the stop.
    assert.ok(stalled.responseP95Ms < stalledMs + DELAY_MS, shown);
    assert.ok(Math.abs(stalled.responseMaxMs - stalledMs) < 0.05 * stalledMs, shown);
    assert.ok(stalled.mostInFlight > (0.9 * stalledMs * RATE) / 1_000, shown);
    assert.ok(steady.responseMaxMs < 0.5 * stalledMs, shown);
  },
);
