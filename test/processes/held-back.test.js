// Runs at night.
// An end that stops reading costs the other end no more memory than what is under way: two frames for each question that
// can be open, and what any process takes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchUnderLoad, processesBelow } from '../fixtures/launch-cell.js';

const ON_LINUX = process.platform === 'linux' ? false : 'reads memory from /proc';
const FRAME_BYTES = 2 ** 20;
const LOOPS = 24;
const STOPPED_MS = 5_000; // at 2,000 frames a second it is over its bound after 60 ms
const WARM_MS = 500; // of load, until buffers are as large as they get
const BOUND_BYTES = 2 * LOOPS * FRAME_BYTES + 64 * 2 ** 20; // with one worker

/**
 * @param {number} pid
 * @param {'VmRSS' | 'VmHWM'} field
 */
function memoryBytes(pid, field) {
  const [, kib] =
    new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kib) * 1_024;
}

describe('an end whose peer has stopped reading', { skip: ON_LINUX, timeout: 600_000 }, () => {
  for (const [stopped, watched, load] of [
    ['worker', 'master', 'closed'],
    ['worker', 'master', 'open'],
    ['master', 'worker', 'open'],
  ]) {
    it(`bounds the memory of the ${watched} while the ${stopped} is stopped under ${load} load`, async () => {
      const { ending, underLoad } = launchUnderLoad({
        cell: {
          workers: 1,
          loops: LOOPS,
          payloadBytes: FRAME_BYTES,
          ...(load === 'open' ? { ratePerSecond: 2_000 } : {}),
        },
        timing: {
          warmupMs: 300,
          measureMs: WARM_MS + STOPPED_MS + 500,
          ...(load === 'open' ? { open: openOptions } : {}),
        },
        deadlines: { replyMs: 15_000, finishMs: 20_000, connectMs: 10_000, lifeMs: 50_000 },
      });
      await underLoad;
      const [worker] = processesBelow(process.pid, 'worker/worker.js');
      const [master] = processesBelow(process.pid, 'controller/master.js');
      const pids = { worker, master };
      await sleep(WARM_MS);
      const baseBytes = memoryBytes(/** @type {any} */ (pids)[watched], 'VmRSS');
      const victim = /** @type {any} */ (pids)[stopped];
      process.kill(victim, 'SIGSTOP');
      await sleep(STOPPED_MS);
      const peakBytes = memoryBytes(/** @type {any} */ (pids)[watched], 'VmHWM');
      process.kill(victim, 'SIGCONT');
      const { end } = await ending;
      assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 500));
      const moreMiB = (peakBytes - baseBytes) / 2 ** 20;
      assert.ok(peakBytes < baseBytes + BOUND_BYTES, `${moreMiB} MiB more`);
    });
  }
});

/** @type {import('../../lib/types/plans.js').OpenOptions} */
const openOptions = { ratesPerSecond: [2_000], arrivals: 'fixed', slo: null };
