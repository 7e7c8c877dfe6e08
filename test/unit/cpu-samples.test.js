// The samples of the CPU time of loops without a transport.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeSpread, sampleCpuUs } from '../../lib/run/diagnostics/cpu-samples.js';

describe('samples of CPU time', () => {
  /**
   * Work on a machine where other programs use most of the CPU, or all of it.
   * @param {import('node:test').TestContext} t
   * @param {(done: number) => number} usOf   µs of CPU time of a repetition
   * @param {number} [tickUs]   resolution of CPU times
   */
  function simulated(t, usOf, tickUs = 1) {
    const spent = { us: 0, done: 0, ms: 0 };
    const read = () => Math.floor(spent.us / tickUs) * tickUs;
    t.mock.method(process, 'cpuUsage', (/** @type {any} */ since) => {
      const user = read();
      return { user: user - (since?.user ?? 0), system: 0 };
    });
    t.mock.method(performance, 'now', () => spent.ms);
    const work = (/** @type {number} */ count) => {
      for (let index = 0; index < count; index += 1) {
        spent.done += 1;
        spent.us += usOf(spent.done);
      }
      spent.ms = spent.us / 20; // the clock runs on: 50 times the CPU time
    };
    return { work, spent };
  }

  it('do not grow with the time for which other programs have the CPU', async (t) => {
    const { work } = simulated(t, () => 5);
    const samples = await sampleCpuUs(work);
    assert.deepEqual(samples, Array(samples.length).fill(5));
    assert.ok(samples.length >= 5);
    assert.equal(computeSpread(samples), 0);
  });

  it('begin when the code is warm, however long that takes on the clock', async (t) => {
    const { work } = simulated(t, (done) => (done <= 1_000 ? 90 : 5));
    assert.equal(computeSpread(await sampleCpuUs(work)), 0);
  });

  it('are ascending, so that the first one is the least disturbed', async (t) => {
    const { work } = simulated(t, (done) => (Math.floor(done / 4_000) % 3 === 0 ? 10 : 5));
    const samples = await sampleCpuUs(work);
    assert.deepEqual(
      samples,
      samples.toSorted((left, right) => left - right),
    );
    assert.ok(computeSpread(samples) > 0);
  });

  it('end where CPU times are coarse, and take long work once', async (t) => {
    const coarse = simulated(t, () => 5, 15_625);
    for (const us of await sampleCpuUs(coarse.work)) assert.ok(Number.isFinite(us));
    t.mock.restoreAll();
    const long = simulated(t, () => 400_000);
    const samples = await sampleCpuUs(long.work);
    assert.equal(long.spent.done, 1 + samples.length);
  });

  it('have the greatest spread if all are 0', () => {
    assert.equal(computeSpread([0, 0]), 1);
    assert.ok(Math.abs(computeSpread([4, 5]) - 0.2) < 1e-9);
  });
});
