// node:cluster without a socket: processes that it forks, and messages between them and the main process.

import cluster from 'node:cluster';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { noChannel, poolTraits, spreadTasks } from '../../lib/transport/pools.js';

/** @import { Worker } from 'node:cluster' */
/** @import { TaskPool } from '../../lib/types/index.js' */

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'cluster',
  summary: 'processes that node:cluster forks, and messages, each to the process with the fewest',
  traits: {
    ...poolTraits,
    class: 'process-pool',
    guarantee: 'none for the tasks of a process that dies: its program has to see to them',
    sources: ['https://nodejs.org/docs/latest-v20.x/api/cluster.html'],
  },
  carries: ['value'],
  serialises: ['json', 'v8'],
  serialisesWith: ({ serialization }) => (serialization === 'advanced' ? 'v8' : 'json'),
  settings: {
    serialization: {
      summary: 'of its messages',
      default: 'json',
      choices: ['json', 'advanced'],
      changesTheWay: true,
    },
  },
  async listen({ workers, settings }) {
    cluster.setupPrimary({
      exec: fileURLToPath(new URL('./cluster-worker.js', import.meta.url)),
      serialization: /** @type {'json' | 'advanced'} */ (settings.serialization),
    });
    const processes = Array.from({ length: workers }, () => cluster.fork());
    return {
      address: 'cluster',
      pool: spreadTasks(processes.map(callsOf)),
      async close() {
        const ends = processes.filter((worker) => !worker.isDead()).map((worker) => once(worker, 'exit'));
        for (const worker of processes) worker.process.kill();
        await Promise.all(ends);
      },
    };
  },
  connect: noChannel,
};

/** @param {Worker} worker @returns {TaskPool['run']} */
function callsOf(worker) {
  /** @type {Map<number, (result: any) => void>} */
  const open = new Map();
  worker.on('message', ({ id, result }) => {
    open.get(id)?.(result);
    open.delete(id);
  });
  return (task) =>
    new Promise((resolve) => {
      open.set(task.id, resolve);
      worker.send(task);
    });
}
