// Workers that a pool has started: threads or child processes of this process. They have no control channel, so the controller reads their
// costs and pins them by the ids of the system.

import { stat } from 'node:fs/promises';
import { movePinned, movePinnedThread } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';
import { readSystemFile } from '../../machine/kernel-text.js';
import { listThreads, readCost, readTaskCost } from '../../machine/process-cost.js';

/** @import { CostReading } from '../../machine/process-cost.js' */
/** @import { Traits } from '../../types/index.js' */

export class PoolWorkers {
  /** Notes which threads are not workers. To be called before the pool is opened. @param {Traits['class']} className */
  static async before(className) {
    const workers = new PoolWorkers(className);
    await stat('/'); // the first such call starts the threads of libuv, which are not workers
    workers.earlier = new Set(listThreads());
    return workers;
  }

  /** @param {Traits['class']} className */
  constructor(className) {
    this.areThreads = className === 'thread-pool';
    /** @type {Set<number>} */
    this.earlier = new Set();
    /** Ids of threads or processes; empty if unknown. @type {number[]} */
    this.ids = [];
    /** Ids of workers whose cost has been read at least once. @type {Set<number>} */
    this.readable = new Set();
  }

  /** Finds the ids of the workers. To be called when each worker has done a task. */
  find() {
    this.ids = this.areThreads ? listThreads().filter((id) => !this.earlier.has(id)) : listChildren();
  }

  /** @param {number[][]} cpus   CPUs of each worker */
  pin(cpus) {
    for (const [index, id] of this.ids.entries()) {
      const assigned = cpus[index % cpus.length];
      if (this.areThreads) movePinnedThread(id, assigned);
      else movePinned(id, assigned);
    }
  }

  /**
   * @returns {(CostReading | null)[]} one reading for each worker; null if unknown
   * @throws {BenchError} PROCESS_DIED if a worker has ended. If it had no task, the pool reports no failure, and may have replaced it
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

  /** @returns {number[]} */
  pids() {
    return this.areThreads ? [] : this.ids;
  }
}

/** @returns {number[]} */
function listChildren() {
  return listThreads().flatMap((thread) => {
    const text = readSystemFile(`/proc/self/task/${thread}/children`) ?? '';
    return text.trim() === '' ? [] : text.trim().split(' ').map(Number);
  });
}
