// The workers that a pool has started itself, as the system knows them: threads of this process, or its child processes. They say nothing
// to the controller, which reads what they cost and moves them to their places from outside.

import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { movePinned, movePinnedThread } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';
import { readSystemFile } from '../../machine/kernel-text.js';
import { readCost, readTaskCost } from '../../machine/process-cost.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { Traits } from '../../types/index.js' */

export class PoolWorkers {
  /** @param {Traits['class']} className @returns before the pool is opened */
  static async before(className) {
    const workers = new PoolWorkers(className);
    await stat('/'); // libuv starts its own threads at the first such call: they are no workers
    workers.earlier = new Set(listThreads());
    return workers;
  }

  /** @param {Traits['class']} className */
  constructor(className) {
    this.areThreads = className === 'thread-pool';
    /** @type {Set<number>} */
    this.earlier = new Set();
    /** @type {number[]} of threads or processes; none where the system does not tell */
    this.ids = [];
    /** @type {Set<number>} those whose cost was read once */
    this.readable = new Set();
  }

  /** Each of them has done a task. */
  find() {
    this.ids = this.areThreads ? listThreads().filter((id) => !this.earlier.has(id)) : listChildren();
  }

  /** @param {number[][]} cpus   of each worker */
  pin(cpus) {
    for (const [index, id] of this.ids.entries()) {
      const own = cpus[index % cpus.length];
      if (this.areThreads) movePinnedThread(id, own);
      else movePinned(id, own);
    }
  }

  /**
   * @returns {(CostReading | null)[]} null: the system does not tell
   * @throws {BenchError} PROCESS_DIED: one that had no task, so that no task was rejected; another one may have taken its place
   */
  readCosts() {
    return this.ids.map((id, index) => {
      const reading = this.areThreads ? readTaskCost(id) : readCost(id);
      if (reading !== null) this.readable.add(id);
      else if (this.readable.has(id)) {
        const what = `worker ${index} of the pool (${this.areThreads ? 'thread' : 'pid'} ${id})`;
        throw new BenchError('PROCESS_DIED', `${what} ended in the middle of the launch`);
      }
      return reading;
    });
  }

  /** @returns {number[]} of processes besides this one */
  pids() {
    return this.areThreads ? [] : this.ids;
  }
}

/** @returns {number[]} none where the system does not tell */
function listThreads() {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [];
}

/** @returns {number[]} */
function listChildren() {
  return listThreads().flatMap((thread) => {
    const text = readSystemFile(`/proc/self/task/${thread}/children`) ?? '';
    return text.trim() === '' ? [] : text.trim().split(' ').map(Number);
  });
}
