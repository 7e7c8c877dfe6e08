// The cost of processes: readings of this process by itself and from outside, and the arithmetic between two readings.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  costBetween,
  cpuMsWaited,
  endedChildren,
  extendReading,
  ownWaitMs,
  readCost,
  readOwnCost,
  readResidentBytes,
  readThreadCost,
  schedulerNsAt,
} from '../../lib/machine/process-cost.js';

const ON_LINUX = { skip: process.platform === 'linux' ? false : 'there is no /proc' };
const MIB = 1_048_576;
const NO_PID = 2 ** 22 + 1; // beyond the greatest that Linux gives

/** Keeps this thread busy, so that there is something to tell. */
function work() {
  const endMs = performance.now() + 30;
  while (performance.now() < endMs) readFileSync('/dev/null');
}

/** @param {any} reading */
function assertPlausible({ atMs, userUs, systemUs, voluntarySwitches, involuntarySwitches }) {
  assert.ok(Math.abs(performance.now() - atMs) < 1_000);
  const { user, system } = process.cpuUsage();
  assert.ok(userUs >= 0 && systemUs >= 0);
  assert.ok(userUs + systemUs > 10_000 && userUs + systemUs <= 1.2 * (user + system) + 50_000);
  assert.ok(Number.isInteger(voluntarySwitches) && Number.isInteger(involuntarySwitches));
}

describe('the cost of a process', () => {
  it('reads the same cost in the process itself and from another one', ON_LINUX, () => {
    work();
    const inside = readOwnCost();
    const outside = readCost(process.pid);
    assert.ok(outside !== null);
    for (const reading of [inside, outside]) {
      assertPlausible(reading);
      assert.ok(
        Number(reading.rssBytes) > 20 * MIB && Number(reading.rssBytes) <= Number(reading.peakRssBytes) + MIB,
      );
      assert.ok(Number(reading.peakRssBytes) < 100_000 * MIB);
    }
    const [insideUs, outsideUs] = [inside, outside].map(({ userUs, systemUs }) => userUs + systemUs);
    assert.ok(Math.abs(insideUs - outsideUs) < 0.2 * insideUs + 50_000, `${insideUs} and ${outsideUs} µs`);
    assert.ok(Number(inside.mainUs) > 10_000 && Number(inside.mainUs) <= insideUs + 20_000);
  });

  it('reads a cost that grows with work, as the time of the scheduler does', ON_LINUX, () => {
    const [from, calls] = [readOwnCost(), schedulerNsAt('/proc/self')];
    work();
    const [to, after] = [readOwnCost(), schedulerNsAt('/proc/self')];
    const { userUs, systemUs, share, mainShare } = costBetween({ name: 'x', role: 'worker' }, from, to, [1]);
    assert.ok(userUs + systemUs > 0 && share > 0);
    assert.ok(Number(mainShare) > 0 && Number(mainShare) <= 1.1);
    const ranUs = (Number(after?.ran) - Number(calls?.ran)) / 1_000;
    assert.ok(Math.abs(Number(to.mainUs) - Number(from.mainUs) - ranUs) < 20_000);
    assert.ok(Number(after?.waited) >= Number(calls?.waited));
  });

  it('reads the wait for a CPU of this thread, and of a process, in ms', (context) => {
    const waitedMs = () => Number(schedulerNsAt('/proc/self')?.waited) / 1e6;
    if (schedulerNsAt('/proc/self') === null) return context.skip('the wait for a CPU is unknown here');
    for (const read of [ownWaitMs, () => cpuMsWaited(process.pid)]) {
      const [before, waited, after] = [waitedMs(), read(), waitedMs()];
      assert.ok(waited !== null && before <= waited && waited <= after, `${before}, ${waited}, ${after} ms`);
    }
    assert.equal(cpuMsWaited(NO_PID), null);
  });

  it('reads the cost of a thread without memory, which belongs to the process', ON_LINUX, () => {
    work();
    const reading = readThreadCost();
    assertPlausible(reading);
    assert.deepEqual([reading?.peakRssBytes, reading?.rssBytes], [null, null]);
  });

  it('reads the resident memory of a process', ON_LINUX, () => {
    const bytes = Number(readResidentBytes(process.pid));
    const ownBytes = process.memoryUsage.rss();
    assert.ok(Math.abs(bytes - ownBytes) < 0.2 * ownBytes, `${bytes} and ${ownBytes}`);
  });

  it('returns null for a process that has ended', () => {
    assert.equal(readCost(NO_PID), null);
    assert.equal(readResidentBytes(NO_PID), null);
    assert.equal(schedulerNsAt(`/proc/${NO_PID}`), null);
  });

  it('includes children that have ended', ON_LINUX, () => {
    const { userUs, systemUs } = endedChildren();
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ');
    assert.deepEqual([userUs, systemUs], [Number(fields[13]) * 10_000, Number(fields[14]) * 10_000]);
  });
});

describe('costBetween', () => {
  const from = {
    atMs: 1_000,
    userUs: 500,
    systemUs: 100,
    voluntarySwitches: 1,
    involuntarySwitches: 2,
    peakRssBytes: 10,
    rssBytes: 8,
    mainUs: 400,
  };
  const to = {
    atMs: 1_002,
    userUs: 1_300,
    systemUs: 300,
    voluntarySwitches: 11,
    involuntarySwitches: 22,
    peakRssBytes: 30,
    rssBytes: 6,
    mainUs: 900,
  };

  it('returns differences of two readings, and the share of the time', () => {
    assert.deepEqual(costBetween({ name: 'w0', role: 'worker' }, from, to, [2, 3]), {
      name: 'w0',
      role: 'worker',
      userUs: 800,
      systemUs: 200,
      share: 0.5,
      mainShare: 0.25,
      voluntarySwitches: 10,
      involuntarySwitches: 20,
      peakRssBytes: 30,
      grownRssBytes: -2,
      cpus: [2, 3],
    });
  });

  it('returns the cost of several joined intervals', () => {
    const reading = (/** @type {number} */ at, further = {}) => ({
      atMs: at,
      userUs: 10 * at,
      systemUs: at,
      voluntarySwitches: at,
      involuntarySwitches: null,
      peakRssBytes: at,
      rssBytes: 100 + at,
      ...further,
    });
    const [first, second] = [
      [reading(0), reading(10)],
      [reading(100), reading(130)],
    ];
    const upTo = extendReading(extendReading(first[0], first[0], first[1]), second[0], second[1]);
    assert.ok(upTo !== null);
    const cost = costBetween({ name: 'w0', role: 'worker' }, first[0], upTo, null);
    assert.deepEqual([cost.userUs, cost.systemUs, cost.voluntarySwitches], [400, 40, 40]);
    assert.deepEqual([cost.peakRssBytes, cost.grownRssBytes, cost.involuntarySwitches], [130, 40, null]);
    assert.equal(cost.share, 440 / 40_000);

    // What one interval lacks is unknown of all, though the readings before and after have it.
    assert.equal(extendReading(first[1], null, second[1]), null);
    const gap = extendReading(first[1], reading(100, { rssBytes: null }), second[1]);
    assert.deepEqual([gap?.rssBytes, gap?.voluntarySwitches], [null, 40]);
  });

  it('returns null for unknown readings, and nothing below 0', () => {
    const unknown = { ...from, voluntarySwitches: null, rssBytes: null, mainUs: null };
    for (const [first, last] of [
      [unknown, to],
      [from, { ...to, ...unknown, atMs: to.atMs, userUs: 0, systemUs: 0 }],
    ]) {
      const cost = costBetween({ name: 'x', role: 'worker' }, first, last, null);
      assert.deepEqual([cost.voluntarySwitches, cost.grownRssBytes], [null, null]);
      assert.ok(!('mainShare' in cost));
      assert.ok(cost.userUs >= 0 && cost.systemUs >= 0);
    }
  });
});
