// A stop of known length in open load, which closed loops would not show.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { latencyPercentiles, mergeLatencies } from '../../lib/statistics/latency.js';
import { IS_LONG } from '../conformance/long-form.js';
import { eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const RATE = 1_000;
const WINDOW_MS = IS_LONG ? 10_000 : 6_000;
const STALL_MS = WINDOW_MS / 10;
const DELAY_MS = 10; // of each response
// The stop meets so many open requests, 1 % of all; the others wait in the schedule. The p95 of service times then tolerates 4 % of other
// disturbances.
const MOST_UNDER_WAY = 80;
const LATER_SHARE = (RATE / 1_000) * (DELAY_MS / MOST_UNDER_WAY); // of the position of a request in the schedule: how fast the backlog shrinks

async function launch() {
  const { end } = await launchCell({
    transport: '../fixtures/fixed-delay.js',
    cell: { workers: 2, loops: MOST_UNDER_WAY / 2, ratePerSecond: RATE, settings: { delayMs: DELAY_MS } },
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
    serviceP95Ms: p95Of(service),
  };
}

it(
  'a stop of the master for a tenth of the window raises response times as expected, and not service times',
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
    const [stalled, steady] = (await Promise.all([stalling, undisturbed])).map(timesOf);
    const shown = JSON.stringify({ stalledMs, stalled, steady });
    assert.ok(Math.abs(stalled.count - (RATE * WINDOW_MS) / 1_000) < 100, shown);
    // A request that is due t ms after the stop waits for the rest of it. So the times of the stop are evenly spread from 0 to its
    // length, and of all requests 5 % wait longer than the length less 5 % of the window, and less what the backlog before them took.
    const expectedMs = stalledMs - 0.05 * WINDOW_MS * (1 - LATER_SHARE);
    assert.ok(stalled.responseP95Ms > 0.9 * expectedMs, shown);
    // A busy machine sends the backlog later, but none waits longer than the stop.
    assert.ok(stalled.responseP95Ms < stalledMs, shown);
    assert.ok(Math.abs(stalled.responseMaxMs - stalledMs) < 0.05 * stalledMs, shown);
    assert.ok(stalled.serviceP95Ms < 0.5 * expectedMs, shown);
    assert.ok(steady.responseMaxMs < 0.5 * stalledMs, shown);
  },
);
