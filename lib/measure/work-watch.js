// Measures how much a process of a launch has worked since its load began, and whether its operations still get cheaper. V8 compiles code
// that has run often enough, so a process gets warm by its work, not by the time for which it waited for a CPU.

/** @import { WatchedWork, WorkGoal } from '../types/index.js' */
/**
 * Totals of a process so far.
 * @typedef {{ atMs: number, operations: number, cpuMs: number | null, waitMs: number | null }} WorkReading   cpuMs: CPU time; waitMs: time
 *   for which the process waited for a CPU; both are null if unknown
 */

/** The goal of a broker, whose code is warm from earlier launches, but whose connections and buffers are new. @type {Readonly<WorkGoal>} */
export const BROKER_GOAL = Object.freeze({
  operations: 0,
  leastCpuMs: 150,
  enoughCpuMs: 150,
  levelWithinCpuMs: 0,
  idleIsEnough: true,
});
// Share of a core that a process uses or waits for. A process with less is idle: after a few hundred operations, code has half of its
// final speed, so a longer warm-up would save 5 % of the time at most.
const IDLE_SHARE = 0.1;
const IDLE_AFTER_MS = 500; // earlier, a process that waits for the first responses looks idle
const CHEAPER_THAT_MATTERS = 0.05; // a smaller difference between the last two quarters of the work is noise

/** @param {Pick<WatchedWork, 'operations' | 'cpuMs'> & { isIdle?: boolean }} work @param {WorkGoal} goal */
export function isEnoughWork({ operations, cpuMs, isIdle = false }, goal) {
  if (isIdle && goal.idleIsEnough) return true;
  if (cpuMs === null) return operations >= goal.operations;
  return (operations >= goal.operations && cpuMs >= goal.leastCpuMs) || cpuMs >= goal.enoughCpuMs;
}

/**
 * Compares the cost of an operation in the last quarter of the CPU time with the quarter before. All threads of the process count, since
 * V8 may still compile on other threads while the speed of the main thread is constant.
 * @param {readonly WorkReading[]} readings   in order, since the load began
 * @returns true if operations no longer get cheaper, or if the CPU time is unknown
 */
export function isLevel(readings) {
  const [first, last] = [readings[0], readings[readings.length - 1]];
  if (first.cpuMs === null || last.cpuMs === null) return true;
  const workedMs = last.cpuMs - first.cpuMs;
  const [half, threeQuarters] = [0.5, 0.75].map((share) => {
    const atLeastMs = Number(first.cpuMs) + share * workedMs;
    return /** @type {WorkReading} */ (readings.find(({ cpuMs }) => Number(cpuMs) >= atLeastMs));
  });
  if (half === threeQuarters || threeQuarters === last) return false; // too few readings
  const before = cpuMsPerOperation(half, threeQuarters);
  const now = cpuMsPerOperation(threeQuarters, last);
  return !(now < (1 - CHEAPER_THAT_MATTERS) * before);
}

/** @param {WorkReading} from @param {WorkReading} to @returns CPU time per operation in ms; NaN without operations */
function cpuMsPerOperation(from, to) {
  const operations = to.operations - from.operations;
  return operations === 0 ? Number.NaN : (Number(to.cpuMs) - Number(from.cpuMs)) / operations;
}

export class WorkWatch {
  /**
   * @param {object} parts
   * @param {string} parts.name
   * @param {() => number} parts.operations         returns the operations of the process so far
   * @param {() => number | null} parts.readCpuMs   returns the CPU time of the process so far, or null if it is unknown
   * @param {() => number | null} parts.readWaitMs  returns the time for which it waited for a CPU so far, or null if it is unknown
   */
  constructor({ name, operations, readCpuMs, readWaitMs }) {
    this.name = name;
    this.operations = operations;
    this.readCpuMs = readCpuMs;
    this.readWaitMs = readWaitMs;
    this.isWarm = false;
  }

  /** @param {WorkGoal} goal @param {number} everyMs @param {() => void} [onWarm]   called once @returns {NodeJS.Timeout} */
  begin(goal, everyMs, onWarm) {
    this.from = this.reading();
    const readings = [this.from];
    this.timer = setInterval(() => {
      readings.push(this.reading());
      const work = this.soFar();
      if (!isEnoughWork(work, goal)) return;
      if (!work.isIdle && Number(work.cpuMs) < goal.levelWithinCpuMs && !isLevel(readings)) return;
      this.isWarm = true;
      clearInterval(this.timer);
      onWarm?.();
    }, everyMs);
    return this.timer;
  }

  /** @returns {WorkReading} */
  reading() {
    const [cpuMs, waitMs] = [this.readCpuMs(), this.readWaitMs()];
    return { atMs: performance.now(), operations: this.operations(), cpuMs, waitMs };
  }

  /** @returns {WatchedWork} work since `begin` */
  soFar() {
    const to = this.reading();
    const from = this.from ?? to;
    // The CPU time of a process may decrease, since it lacks the time of threads that have ended.
    const cpuMs = from.cpuMs === null || to.cpuMs === null ? null : Math.max(0, to.cpuMs - from.cpuMs);
    const elapsedMs = to.atMs - from.atMs;
    const takenMs = (cpuMs ?? Infinity) + (Number(to.waitMs) - Number(from.waitMs));
    const isIdle = elapsedMs >= IDLE_AFTER_MS && takenMs < IDLE_SHARE * elapsedMs;
    return { name: this.name, operations: to.operations - from.operations, cpuMs, ...(isIdle && { isIdle }) };
  }

  /** Stops watching. @returns {WatchedWork} work since `begin` */
  end() {
    clearInterval(this.timer);
    return this.soFar();
  }
}
