// How much a process of a launch has worked since its load began. V8 compiles what has run often enough: a process gets
// warm by its work, not by the time for which it waited for its turn on a CPU.

/**
 * What makes a process warm: so many operations, and so much CPU time for them; or so much CPU time that dear operations
 * need not be as many.
 * @typedef {object} WorkGoal
 * @property {number} operations
 * @property {number} leastCpuMs
 * @property {number} enoughCpuMs
 */
/** @typedef {import('../types.js').Work} Work */

/**
 * Of a broker in every launch: its code is warm from launch to launch, its connections and buffers are new.
 * @type {Readonly<WorkGoal>}
 */
export const BROKER_GOAL = Object.freeze({ operations: 0, leastCpuMs: 150, enoughCpuMs: 150 });
/** Of a core. Who uses less waits for something else: faster code would not change its rate by as much. */
export const IDLE_SHARE = 0.05;
// Before, a process that waits for the first answers looks idle.
const IDLE_AFTER_MS = 500;

/**
 * @param {Pick<Work, 'operations' | 'cpuMs'>} work
 * @param {WorkGoal} goal
 * @returns {boolean}
 */
export function isEnoughWork({ operations, cpuMs }, goal) {
  if (cpuMs === null) return operations >= goal.operations;
  return (operations >= goal.operations && cpuMs >= goal.leastCpuMs) || cpuMs >= goal.enoughCpuMs;
}

export class WorkWatch {
  /**
   * @param {object} parts
   * @param {string} parts.name
   * @param {() => number} parts.operations         of this process so far
   * @param {() => number | null} parts.readCpuMs   its CPU time so far; null: the system does not tell
   */
  constructor({ name, operations, readCpuMs }) {
    this.name = name;
    this.operations = operations;
    this.readCpuMs = readCpuMs;
    this.readCpuMs(); // compiled before it is needed
    this.isWarm = false;
  }

  /**
   * @param {WorkGoal} goal
   * @param {number} everyMs
   * @param {() => void} [onWarm]   once
   */
  begin(goal, everyMs, onWarm) {
    this.beganMs = performance.now();
    this.operationsAtStart = this.operations();
    this.cpuMsAtStart = this.readCpuMs();
    this.timer = setInterval(() => {
      if (!this.hasReached(goal)) return;
      this.isWarm = true;
      clearInterval(this.timer);
      onWarm?.();
    }, everyMs);
  }

  /** @param {WorkGoal} goal */
  hasReached(goal) {
    const work = this.soFar();
    const elapsedMs = performance.now() - Number(this.beganMs);
    const isIdle = work.cpuMs !== null && elapsedMs >= IDLE_AFTER_MS && work.cpuMs < IDLE_SHARE * elapsedMs;
    return isIdle || isEnoughWork(work, goal);
  }

  /** @returns {Work} since it began */
  soFar() {
    const cpuMs = this.readCpuMs();
    const known = cpuMs !== null && this.cpuMsAtStart !== null && this.cpuMsAtStart !== undefined;
    return {
      name: this.name,
      operations: this.operations() - Number(this.operationsAtStart),
      cpuMs: known ? cpuMs - Number(this.cpuMsAtStart) : null,
    };
  }

  /** @returns {Work} up to now, when the window opens */
  end() {
    clearInterval(this.timer);
    return this.soFar();
  }
}
