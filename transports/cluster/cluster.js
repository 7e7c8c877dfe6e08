// A pool of processes that node:cluster forks. They exchange messages with the main process and share no sockets.

import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { noChannel, poolTraits, spreadTasks, usualFailures } from '../../lib/channels/pools.js';

/** @import { Worker } from 'node:cluster' */
/** @import { TaskPool, Transport } from '../../lib/types/index.js' */

/** @type {Transport} */
export default {
  name: 'cluster',
  summary: 'processes that node:cluster forks, and messages, each to the process with the fewest open tasks',
  traits: {
    ...poolTraits,
    class: 'process-pool',
    guarantee: 'none of its own: this program rejects the tasks of a process that dies, and forks another',
    sources: ['https://nodejs.org/docs/latest-v20.x/api/cluster.html'],
  },
  look: { hue: 'rust', marker: 'triangle-down' },
  carries: ['value'],
  serialises: ['json', 'v8'],
  serialisesWith: ({ serialization }) => (serialization === 'advanced' ? 'v8' : 'json'),
  failures: () => ({ ...usualFailures, others: 'rejected', cancels: 'none', fullQueue: 'none' }),
  settings: {
    serialization: {
      summary: 'of its messages',
      default: 'json',
      choices: ['json', 'advanced'],
      changesRoute: true,
    },
  },
  async listen({ workers, settings }) {
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('./cluster-worker.js', import.meta.url)),
      serialization: /** @type {'json' | 'advanced'} */ (settings.serialization),
    });
    const members = Array.from({ length: workers }, () => new Member());
    await Promise.all(members.map(({ isReady }) => isReady));
    return {
      address: 'cluster',
      pool: spreadTasks(members.map((member) => (task) => member.run(task))),
      close: async () => void (await Promise.all(members.map((member) => member.end()))),
    };
  },
  connect: noChannel,
};

/** Owns one worker process and forks another when it ends. */
class Member {
  constructor() {
    /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
    this.open = new Map();
    this.isEnding = false;
    this.fork();
  }

  fork() {
    const worker = cluster.fork();
    this.worker = worker;
    let isUp = false;
    /** @type {Promise<void>} */
    this.isReady = new Promise((resolve, reject) => {
      worker.once('message', () => {
        isUp = true;
        resolve();
      });
      worker.once('exit', (code, signal) => reject(endError(code, signal)));
    });
    this.isReady.catch(() => {}); // each task that awaits `isReady` gets the error
    worker.on('error', () => {}); // 'exit' follows, which rejects open tasks
    worker.on('message', ({ id, result, message }) => {
      const task = this.open.get(id);
      this.open.delete(id);
      if (message === undefined) task?.resolve(result);
      else task?.reject(new Error(message));
    });
    worker.on('exit', (code, signal) => {
      for (const { reject } of this.open.values()) reject(endError(code, signal));
      this.open.clear();
      // A worker that failed to start would fail again, so it is not replaced.
      if (isUp && !this.isEnding) this.fork();
    });
  }

  /** @type {TaskPool['run']} */
  async run(task) {
    await this.isReady;
    return new Promise((resolve, reject) => {
      this.open.set(task.id, { resolve, reject });
      this.worker?.send(task);
    });
  }

  async end() {
    this.isEnding = true;
    const worker = /** @type {Worker} */ (this.worker);
    if (worker.isDead()) return;
    const ended = once(worker, 'exit');
    worker.process.kill();
    await ended;
  }
}

/** @param {number | null} code @param {string | null} signal */
function endError(code, signal) {
  return new Error(`its process ended: ${signal ?? code}`);
}
