// Measures disturbances of a launch by other programs and by the machine. The runner reads counters before and after a launch or a slice,
// never within a window.

import { statFields } from '../children/task-identity.js';
import { US_PER_MS } from '../format/units.js';
import { median } from '../statistics/rank-tests.js';
import { sumBy } from '../statistics/sum.js';
import { readSystemFile } from './kernel-text.js';
import { readThrottledPeriods } from './limits.js';
import { takenBy } from './placement.js';
import { readCost } from './process-cost.js';

/** @import { Flag, Noise, Slices } from '../types/index.js' */
/** @import { SystemFileReader } from './kernel-text.js' */
/** @typedef {Omit<Noise, 'masterStallMs'>} LaunchNoise   noise that can be measured from outside of the launch */
/** @typedef {Pick<Slices, 'workRatio' | 'takenShare'>} SliceNoise */
/**
 * Counters; null where the system does not provide them.
 * @typedef {object} NoiseReading
 * @property {number} atMs
 * @property {Map<number, CpuTimes> | null} cpuTimes   times since the machine started, by CPU
 * @property {number | null} ownMs   CPU time of this process, its ended children and its brokers; null also with a broker that the run
 *   did not start
 * @property {number | null} pressureMs   time in which a task of the machine waited for a CPU
 * @property {number | null} throttledPeriods   periods in which a control group of this process used up its CPU quota
 */

// Other programs that take this share of the CPUs can change a result by 5 %, the smallest relevant difference by default. Half of this
// share could not be measured, since the counters have ticks of 10 ms.
export const DISTURBING_SHARE = 0.05;

/**
 * @param {number[] | null} pids   ids of brokers, which outlive the launch; null if it uses a broker that the run did not start, whose CPU
 *   time cannot be distinguished from that of other programs
 * @param {SystemFileReader} [read]
 * @returns {NoiseReading}
 */
export function readNoise(pids, read = readSystemFile) {
  const familyMs = pids === null ? null : parseFamilyTime(read('/proc/self/stat'));
  const brokerUs = sumBy((pids ?? []).map(readCost), (cost) => (cost ? cost.userUs + cost.systemUs : 0));
  return {
    atMs: performance.now(),
    cpuTimes: parseCpuTimes(read('/proc/stat')),
    ownMs: familyMs === null ? null : familyMs + brokerUs / US_PER_MS,
    pressureMs: parsePressureTime(read('/proc/pressure/cpu')),
    throttledPeriods: readThrottledPeriods(read),
  };
}

/**
 * @param {NoiseReading} from
 * @param {NoiseReading} to
 * @param {number[] | null} cpus   CPUs of the launch; null for all
 */
export function noiseBetween(from, to, cpus) {
  return computeShares(takenBetween(from, to, cpus));
}

/**
 * Differences of counters. A difference is null if one of its two readings is null.
 * @typedef {object} TakenTime
 * @property {number} wallMs
 * @property {number} availableMs   time of all CPUs of the launch together
 * @property {number | null} othersMs   CPU time of other programs
 * @property {number | null} stealMs   time that the hypervisor gave to other virtual machines
 * @property {number | null} pressureMs   time in which a task of the machine waited for a CPU
 * @property {number | null} throttledPeriods   periods in which the CPU quota was used up
 */

/**
 * @param {NoiseReading} from
 * @param {NoiseReading} to
 * @param {number[] | null} cpus   null for all
 * @returns {TakenTime} othersMs may be slightly negative due to rounding
 */
function takenBetween(from, to, cpus) {
  const wallMs = to.atMs - from.atMs;
  const used = usedBetween(from.cpuTimes, to.cpuTimes, cpus);
  const ownMs = difference(from.ownMs, to.ownMs);
  return {
    wallMs,
    availableMs: wallMs * (used?.cpus ?? 1),
    othersMs: used === null || ownMs === null ? null : used.busyMs - ownMs,
    stealMs: used === null ? null : used.stealMs,
    pressureMs: difference(from.pressureMs, to.pressureMs),
    throttledPeriods: difference(from.throttledPeriods, to.throttledPeriods),
  };
}

/** @param {TakenTime} taken @returns {Omit<LaunchNoise, 'spinRatio'>} */
function computeShares({ wallMs, availableMs, othersMs, stealMs, pressureMs, throttledPeriods }) {
  return {
    othersShare: othersMs === null ? null : Math.max(0, othersMs / availableMs),
    stealShare: stealMs === null ? null : stealMs / availableMs,
    pressureShare: pressureMs === null ? null : pressureMs / wallMs,
    throttledPeriods,
  };
}

/** A slice in which other programs took a greater share of the CPUs is measured again. A tick of the counters is about 5 % of a slice. */
export const DISTURBED_SLICE_SHARE = 0.2;

/** After an interval of at least this length, the gauge is read again, since the CPU frequency may have changed within the interval. */
const LONG_INTERVAL_MS = 500;

/** Measures disturbances in the intervals of one launch: in each of its slices, or once in its whole life. */
export class NoiseMonitor {
  /**
   * @param {object} launch
   * @param {WorkGauge} launch.gauge
   * @param {number[] | null} launch.pids   see readNoise
   * @param {import('./placement.js').CpuSets | null} launch.cpuSets   null if the scheduler places the processes
   * @param {SystemFileReader} [launch.read]
   */
  constructor({ gauge, pids, cpuSets, read }) {
    this.gauge = gauge;
    this.read = () => readNoise(pids, read);
    this.cpus = cpuSets && takenBy(cpuSets);
    /** @type {{ taken: TakenTime, workMs: number }[]} */
    this.intervals = [];
    this.workMs = 0;
    /** @type {NoiseReading | undefined} */
    this.from = undefined;
  }

  begin() {
    this.workMs = this.gauge.read();
    this.from = this.read();
  }

  /** @param {number} [runningCpuMs]   CPU time of processes of the launch that still run @returns {LaunchNoise} noise of this interval */
  end(runningCpuMs = 0) {
    const to = this.read();
    const all = takenBetween(this.from ?? to, to, this.cpus);
    const taken = { ...all, othersMs: all.othersMs === null ? null : all.othersMs - runningCpuMs };
    const afterMs = all.wallMs < LONG_INTERVAL_MS ? 0 : this.gauge.read();
    const workMs = Math.max(this.workMs, afterMs);
    this.intervals.push({ taken, workMs });
    return { ...computeShares(taken), spinRatio: workMs / median(this.gauge.readingsMs) };
  }

  /** Removes the last interval, which does not count. */
  drop() {
    this.intervals.pop();
  }

  /** @returns {{ noise: LaunchNoise, ofSlices: SliceNoise } | null} null before the end of an interval */
  report() {
    const { intervals } = this;
    if (intervals.length === 0) return null;
    const usualMs = median(this.gauge.readingsMs);
    return {
      noise: {
        ...computeShares(intervals.map(({ taken }) => taken).reduce(addTime)),
        spinRatio: median(intervals.map(({ workMs }) => workMs)) / usualMs,
      },
      ofSlices: {
        workRatio: intervals.map(({ workMs }) => roundShare(workMs / usualMs)),
        takenShare: intervals.map(({ taken }) => {
          const { othersShare, stealShare } = computeShares(taken);
          return roundShare((othersShare ?? 0) + (stealShare ?? 0));
        }),
      },
    };
  }
}

/** @param {number} share */
function roundShare(share) {
  return Number(share.toFixed(3));
}

/** @param {TakenTime} one @param {TakenTime} other @returns {TakenTime} */
function addTime(one, other) {
  const sums = Object.entries(one).map(([name, value]) => {
    const more = other[/** @type {keyof TakenTime} */ (name)];
    return [name, value === null || more === null ? null : value + more];
  });
  return /** @type {any} */ (Object.fromEntries(sums));
}

/** @param {number | null} from @param {number | null} to */
function difference(from, to) {
  return from === null || to === null ? null : Math.max(0, to - from);
}

/** @param {{ noise?: Noise, windowMs: number }} launch @returns {Flag[]} */
export function noiseFlags({ noise, windowMs }) {
  if (noise === undefined) return [];
  const { othersShare, stealShare, throttledPeriods, spinRatio, masterStallMs: longestMs } = noise;
  const stalledShare = longestMs / windowMs;
  const found = [
    isDisturbing(othersShare) && { code: 'crowded', share: othersShare },
    isDisturbing(stealShare) && { code: 'steal', share: stealShare },
    throttledPeriods !== null && throttledPeriods > 0 && { code: 'throttled', throttledPeriods },
    spinRatio - 1 > SLOWER_SHARE && { code: 'frequency', spinRatio },
    isDisturbing(stalledShare) && { code: 'stalled', longestMs, share: stalledShare },
  ];
  return found.filter((flag) => flag !== false);
}

const SLOWER_SHARE = 0.1; // a small piece of work varies by about 5 % on an undisturbed machine

/** @param {number | null} share @returns {share is number} */
function isDisturbing(share) {
  return share !== null && share > DISTURBING_SHARE;
}

// CPU times counted by the kernel: per CPU, of a process with its children, and of waits for a CPU. They have ticks of 10 ms, so
// differences over less than half a second are inaccurate.

/** @typedef {{ busyMs: number, stealMs: number }} CpuTimes    since the machine started */

const MS_PER_TICK = 10; // USER_HZ is 100 on every Linux that Node runs on: man 5 proc

/** @param {string | null} text    /proc/stat */
function parseCpuTimes(text) {
  /** @type {Map<number, CpuTimes>} */
  const times = new Map();
  for (const [, cpu, fields] of (text ?? '').matchAll(/^cpu(\d+) (.+)$/gm)) {
    // A CPU that waits for a disk is idle. User and nice time include the time of guests.
    const [user, nice, system, _idle, _disk, irq, softirq, steal = 0] = fields.split(' ').map(Number);
    // A kernel that accounts interrupts separately excludes network work from the time of a process. Network work is excluded here too,
    // because loopback traffic would look like another program. Other kernels include it in both times, and count 0 for hard interrupts.
    const interrupts = irq > 0 ? 0 : softirq;
    const busyMs = (user + nice + system + interrupts) * MS_PER_TICK;
    times.set(Number(cpu), { busyMs, stealMs: steal * MS_PER_TICK });
  }
  return times.size === 0 ? null : times;
}

/** @param {string | null} text    /proc/self/stat @returns CPU time of the process and its ended children in ms; null if unknown */
function parseFamilyTime(text) {
  if (text === null) return null;
  const ticks = statFields(text).slice(11, 15); // utime, stime, cutime, cstime: fields 14 to 17 of man 5 proc
  return sumBy(ticks, Number) * MS_PER_TICK;
}

/** @param {string | null} text    /proc/pressure/cpu @returns ms since the start of the machine in which a task waited for a CPU; null if unknown */
function parsePressureTime(text) {
  const us = /^some .*\btotal=(\d+)/m.exec(text ?? '')?.[1];
  return us === undefined ? null : Number(us) / US_PER_MS;
}

/**
 * @param {Map<number, CpuTimes> | null} from
 * @param {Map<number, CpuTimes> | null} to
 * @param {number[] | null} cpus      null for all
 * @returns {(CpuTimes & { cpus: number }) | null} the sum over these CPUs, and their number; null if unknown
 */
function usedBetween(from, to, cpus) {
  if (from === null || to === null) return null;
  const used = { busyMs: 0, stealMs: 0, cpus: 0 };
  for (const [cpu, end] of to) {
    const start = from.get(cpu);
    if (start === undefined || cpus?.includes(cpu) === false) continue;
    used.busyMs += end.busyMs - start.busyMs;
    // On some kernels this counter decreases when the virtual machine migrates.
    used.stealMs += Math.max(0, end.stealMs - start.stealMs);
    used.cpus += 1;
  }
  return used.cpus === 0 ? null : used;
}

// A fixed piece of work that resembles the work of cells. It uses a codec, a system call, and memory outside of the nearest caches, so it
// is slower when the CPU frequency is reduced, when the other thread of its core is busy, and when other programs use its caches.

const PIECE_MS = 0.5; // on an undisturbed CPU
const PIECES_BEFORE_LAUNCH = 10;
const PIECES_BEFORE_SLICE = 3; // fewer, since there are many slices
const FIRST_READINGS = 5; // readings that a new gauge takes
const FIRST_ITERATIONS = 100; // iterations of the work before its speed is known
const COMPILED_AFTER = 50; // calls after which V8 has compiled the work

const MESSAGE = Object.freeze({ id: 1, payload: 'x'.repeat(1_000) });
const MEMORY = new Int32Array(2 ** 20); // 4 MiB
const STEP = 16_411; // a prime, so that no cache line is used again soon
const STEPS = 64; // memory accesses per iteration
let index = 0;

/** @param {number} iterations @returns {number} a meaningless value, which prevents the compiler from removing the work */
function work(iterations) {
  let sum = 0;
  for (let i = 0; i < iterations; i += 1) {
    sum += JSON.parse(JSON.stringify(MESSAGE)).payload.length + process.cpuUsage().user;
    for (let step = 0; step < STEPS; step += 1) {
      index = (index + STEP) % MEMORY.length;
      sum += MEMORY[index]++;
    }
  }
  return sum;
}

/** @param {number} iterations @param {number} pieces @returns ms of the median piece */
function timeWork(iterations, pieces) {
  return median(
    Array.from({ length: pieces }, () => {
      const beganMs = performance.now();
      work(iterations);
      return performance.now() - beganMs;
    }),
  );
}

/** Times a fixed piece of work again and again during a run: before each launch or each slice, and after long intervals. */
export class WorkGauge {
  /** @param {number} [pieces]   number of pieces in a reading @param {number} [iterations]   of the work in a piece */
  constructor(pieces = PIECES_BEFORE_LAUNCH, iterations = iterationsOfPiece()) {
    this.pieces = pieces;
    this.iterations = iterations;
    /** @type {number[]} */
    this.readingsMs = [];
    for (let i = 0; i < FIRST_READINGS; i += 1) this.read();
  }

  /** @returns {WorkGauge} a gauge for the moments before slices, when this process was idle and its caches are cold */
  forSlices() {
    return new WorkGauge(PIECES_BEFORE_SLICE, this.iterations);
  }

  /** @returns {number} ms of a piece, about 0.5 on an undisturbed CPU */
  read() {
    const ms = timeWork(this.iterations, this.pieces);
    this.readingsMs.push(ms);
    return ms;
  }
}

/** @returns {number} iterations of the work, once V8 has compiled it, that take PIECE_MS */
function iterationsOfPiece() {
  for (let i = 0; i < COMPILED_AFTER; i += 1) work(FIRST_ITERATIONS);
  return Math.ceil((FIRST_ITERATIONS * PIECE_MS) / timeWork(FIRST_ITERATIONS, PIECES_BEFORE_LAUNCH));
}
