// Disturbances of a launch, from files of the kernel that were captured on other machines.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NoiseMonitor, noiseBetween, noiseFlags, readNoise, WorkGauge } from '../../lib/machine/noise.js';

const STAT = `cpu  190005 0 66752 659672 487 0 2238 119 0 0
cpu0 90256 10 31671 336887 73 4 578 51 0 0
cpu1 99748 0 35081 322785 414 0 1659 68 0 0
intr 12345 0 9
ctxt 4711
btime 1763716000
`;
// 100 ticks later: CPU 0 was busy for 90 of them, CPU 1 for 40, and 10 of CPU 1 went to another machine.
const STAT_LATER = `cpu  190125 10 66752 659732 487 0 2338 129 0 0
cpu0 90336 20 31671 336897 73 4 578 51 0 0
cpu1 99788 0 35081 322835 414 0 1659 78 0 0
`;
const SELF =
  '26002 (node) x) R 1 2 3 0 -1 4194304 12 0 0 0 100 50 300 150 20 0 11 0 8985371 1 1 18446744073709551615\n';
const SELF_LATER =
  '26002 (node) x) R 1 2 3 0 -1 4194304 12 0 0 0 101 50 360 170 20 0 11 0 8985371 1 1 18446744073709551615\n';
const PRESSURE = 'some avg10=0.13 avg60=21.93 avg300=35.50 total=774395844\nfull avg10=0.00 total=9\n';
const PRESSURE_LATER = 'some avg10=0.13 avg60=21.93 avg300=35.50 total=774645844\nfull avg10=0.00 total=9\n';
const GROUPS = {
  '/proc/self/cgroup': '0::/user.slice\n',
  '/proc/mounts': 'cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n',
};
const CPU_STAT = '/sys/fs/cgroup/user.slice/cpu.stat';

const BEFORE = {
  '/proc/stat': STAT,
  '/proc/self/stat': SELF,
  '/proc/pressure/cpu': PRESSURE,
  ...GROUPS,
  [CPU_STAT]: 'usage_usec 1\nnr_periods 40\nnr_throttled 3\nthrottled_usec 9\n',
};
const AFTER = {
  '/proc/stat': STAT_LATER,
  '/proc/self/stat': SELF_LATER,
  '/proc/pressure/cpu': PRESSURE_LATER,
  ...GROUPS,
  [CPU_STAT]: 'usage_usec 1\nnr_periods 50\nnr_throttled 5\nthrottled_usec 9\n',
};

/** @param {Record<string, string>} files @param {number} atMs */
const readingOf = (files, atMs) => ({ ...readNoise([], (path) => files[path] ?? null), atMs });
const from = readingOf(BEFORE, 5_000);
const to = readingOf(AFTER, 6_000);

/** @type {import('../../lib/types/launches.js').Noise} */
const QUIET = {
  othersShare: 0.01,
  stealShare: 0,
  pressureShare: 0.5,
  throttledPeriods: 0,
  spinRatio: 1.002,
  masterStallMs: 4,
};
/** @param {Partial<import('../../lib/types/launches.js').Noise>} noise */
const codesOf = (noise) =>
  noiseFlags({ noise: { ...QUIET, ...noise }, windowMs: 500 }).map(({ code }) => code);

describe('the noise of a launch', () => {
  it('counts the CPU time of other programs and other virtual machines', () => {
    // 1.3 s of two CPUs were used; the processes of the launch used 0.8 s and the runner 10 ms.
    const { othersShare, stealShare } = noiseBetween(from, to, [0, 1]);
    assert.ok(Math.abs(Number(othersShare) - 0.49 / 2) < 1e-9, String(othersShare));
    assert.equal(stealShare, 0.05);
  });

  it('counts only the CPUs of the launch', () => {
    assert.ok(Math.abs(Number(noiseBetween(from, to, [0]).othersShare) - 0.09) < 1e-9);
    assert.equal(noiseBetween(from, to, [1]).othersShare, 0, 'never below zero');
    assert.equal(noiseBetween(from, to, [1]).stealShare, 0.1);
    assert.equal(noiseBetween(from, to, null).stealShare, 0.05, 'all of them where it was not placed');
    assert.equal(noiseBetween(from, to, [7]).othersShare, null, 'a CPU that nobody counts');
  });

  it('does not count network work for the launch, however the kernel accounts it', () => {
    const idle = '0 0 0 0 0 0 0 0 0 0';
    const statOf = (/** @type {string} */ cpu0) =>
      readingOf({ ...BEFORE, '/proc/stat': `cpu  ${idle}\ncpu0 ${cpu0}\n` }, 0);
    const othersShareOf = (
      /** @type {string} */ before,
      /** @type {string} */ after,
      /** @type {number} */ ownMs,
    ) => {
      const start = statOf(before);
      return noiseBetween(start, { ...statOf(after), atMs: 1_000, ownMs: Number(start.ownMs) + ownMs }, [0])
        .othersShare;
    };
    const timedApart = othersShareOf('50 0 50 9 0 3 20 0 0 0', '100 0 70 9 0 4 45 0 0 0', 700);
    const countedInBoth = othersShareOf('50 0 50 9 0 0 20 0 0 0', '100 0 70 9 0 0 45 0 0 0', 950);
    assert.deepEqual([timedApart, countedInBoth], [0, 0]);
  });

  it('reads pressure and throttling', () => {
    const { pressureShare, throttledPeriods } = noiseBetween(from, to, [0]);
    assert.equal(pressureShare, 0.25);
    assert.equal(throttledPeriods, 2);
  });

  it('reads throttling of control groups of version 1', () => {
    const files = {
      '/proc/self/cgroup': '4:cpu,cpuacct:/docker/0f3\n',
      '/proc/mounts': 'cgroup /sys/fs/cgroup/cpu cgroup ro,cpu,cpuacct 0 0\n',
      '/sys/fs/cgroup/cpu/cpu.stat': 'nr_periods 40\nnr_throttled 17\nthrottled_time 1\n',
    };
    assert.equal(readingOf(files, 0).throttledPeriods, 17);
  });

  it('does not count others if the broker is not of the run', () => {
    const read = (/** @type {Record<string, string>} */ files) =>
      readNoise(null, (path) => files[path] ?? null);
    const noise = noiseBetween({ ...read(BEFORE), atMs: 0 }, { ...read(AFTER), atMs: 1_000 }, [0]);
    assert.equal(noise.othersShare, null);
    assert.equal(noise.stealShare, 0);
  });

  it('returns null for unknown readings', () => {
    const nothing = readingOf({}, 0);
    const noise = noiseBetween(nothing, { ...nothing, atMs: 9 }, [0]);
    assert.deepEqual(Object.values(noise), [null, null, null, null]);
    assert.deepEqual(codesOf(noise), []);
  });

  it('ignores a counter that decreases', () => {
    const moved = readingOf(
      { ...AFTER, '/proc/stat': STAT_LATER.replaceAll(/ \d+ 0 0$/gm, ' 0 0 0') },
      6_000,
    );
    assert.equal(noiseBetween(from, moved, [0, 1]).stealShare, 0);
  });
});

describe('the flags of noise', () => {
  it('does not flag a quiet launch, whatever the pressure of its own processes', () => {
    assert.deepEqual(codesOf({}), []);
    assert.deepEqual(codesOf({ pressureShare: 1 }), []);
    assert.deepEqual(noiseFlags({ windowMs: 500 }), [], 'a launch of which nothing is known');
  });

  for (const [code, least, most] of /** @type {[string, object, object][]} */ ([
    ['crowded', { othersShare: 0.051 }, { othersShare: 0.05 }],
    ['steal', { stealShare: 0.051 }, { stealShare: 0.05 }],
    ['throttled', { throttledPeriods: 1 }, { throttledPeriods: 0 }],
    ['frequency', { spinRatio: 1.11 }, { spinRatio: 1.09 }],
    ['stalled', { masterStallMs: 26 }, { masterStallMs: 25 }],
  ])) {
    it(`flags ${code} of what can change a result by more than 5 %, and not below`, () => {
      assert.deepEqual(codesOf(least), [code]);
      assert.deepEqual(codesOf(most), []);
    });
  }

  it('reports the size of a disturbance', () => {
    const noise = {
      othersShare: 0.3,
      stealShare: 0.2,
      pressureShare: null,
      throttledPeriods: 4,
      spinRatio: 1.5,
      masterStallMs: 4_000,
    };
    assert.deepEqual(noiseFlags({ noise, windowMs: 10_000 }), [
      { code: 'crowded', share: 0.3 },
      { code: 'steal', share: 0.2 },
      { code: 'throttled', throttledPeriods: 4 },
      { code: 'frequency', spinRatio: 1.5 },
      { code: 'stalled', longestMs: 4_000, share: 0.4 },
    ]);
  });
});

describe('NoiseMonitor', () => {
  /**
   * @param {import('node:test').TestContext} t
   * @param {Record<string, number>[]} turns   ms since the machine started that both CPUs were busy, and stolen, at the ends of each turn
   * @param {number[]} [gaugeMs]   what the gauge reads
   */
  function noiseOf(t, turns, gaugeMs = []) {
    let at = 0;
    const texts = turns.map(({ busy, stolen = 0 }) => `cpu0 ${busy / 10} 0 0 0 0 0 0 ${stolen / 10} 0 0\n`);
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const times = [...gaugeMs];
    const gauge = /** @type {any} */ ({ read: () => times.shift() ?? 0.5, readingsMs: [0.5, 0.25, 1] });
    const read = (/** @type {string} */ path) => {
      if (path === '/proc/stat') return texts[at];
      return path === '/proc/self/stat' ? SELF : null;
    };
    const noise = new NoiseMonitor({ gauge, pids: [], cpuSets: null, read });
    return {
      noise,
      turn(/** @type {number} */ ownMs, lengthMs = 100) {
        noise.begin();
        at += 1;
        nowMs += lengthMs;
        const seen = noise.end(ownMs);
        at += 1;
        return seen;
      },
    };
  }

  it('counts other programs within its slices, and not launches in between', (t) => {
    const { noise, turn } = noiseOf(t, [
      { busy: 0 },
      { busy: 90 },
      { busy: 5_000 },
      { busy: 5_100, stolen: 10 },
    ]);
    assert.equal(turn(80).othersShare, 0.1);
    const second = turn(60);
    assert.deepEqual([second.othersShare, second.stealShare], [0.4, 0.1]);
    const all = noise.report();
    const { othersShare, stealShare, spinRatio } = all?.noise ?? {};
    assert.deepEqual([othersShare, stealShare, spinRatio], [0.25, 0.05, 1]);
    assert.deepEqual(all?.ofSlices, { workRatio: [1, 1], takenShare: [0.1, 0.5] });
  });

  it('excludes a slice that was replaced', (t) => {
    const { noise, turn } = noiseOf(t, [{ busy: 0 }, { busy: 90 }, { busy: 90 }, { busy: 180 }]);
    turn(0);
    noise.drop();
    turn(80);
    assert.deepEqual(noise.report()?.ofSlices.takenShare, [0.1]);
    assert.equal(noise.report()?.noise.othersShare, 0.1);
  });

  it('does not add up the rounding of slices', (t) => {
    const { noise, turn } = noiseOf(t, [{ busy: 0 }, { busy: 80 }, { busy: 80 }, { busy: 180 }]);
    assert.equal(turn(90).othersShare, 0);
    assert.equal(turn(90).othersShare, 0.1);
    assert.equal(noise.report()?.noise.othersShare, 0);
  });

  it('compares the slower end of a long interval with the median of the run', (t) => {
    const { noise, turn } = noiseOf(t, [{ busy: 0 }, { busy: 90 }], [0.5, 0.75]);
    turn(0, 1_000);
    assert.equal(noise.report()?.noise.spinRatio, 1.5);
  });

  it('compares the start of a slice with the median of the run', (t) => {
    const { noise, turn } = noiseOf(t, [{ busy: 0 }, { busy: 90 }], [0.5, 0.75]);
    turn(0, 100);
    assert.equal(noise.report()?.noise.spinRatio, 1);
  });

  it('returns nothing without slices', (t) => {
    assert.equal(noiseOf(t, []).noise.report(), null);
  });
});

describe('WorkGauge', () => {
  it('chooses iterations that take a measurable time', () => {
    const gauge = new WorkGauge();
    assert.ok(gauge.iterations > 5, String(gauge.iterations));
    assert.ok(gauge.iterations < 1e6 && gauge.read() > 0.01, `${gauge.iterations} take ${gauge.read()} ms`);
  });
});
