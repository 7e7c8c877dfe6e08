// poolifier: a fixed number of worker threads or of processes of node:cluster, each with a queue of its own.

import { fileURLToPath } from 'node:url';
import { packageProblem } from '../../lib/machine/packages.js';
import {
  noChannel,
  plainThreadFailures,
  poolTraits,
  transferable,
  transferSetting,
} from '../../lib/transport/pools.js';

const pathOf = (/** @type {string} */ module) => fileURLToPath(new URL(module, import.meta.url));

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'poolifier',
  summary: 'pool of worker threads or of processes of node:cluster',
  traits: {
    ...poolTraits,
    class: 'thread-pool',
    guarantee: 'none for the tasks of a worker that dies; it starts another',
    packages: ['poolifier'],
    sources: ['https://github.com/poolifier/poolifier/blob/master/docs/api.md'],
  },
  traitsOf: ({ type }) => (type === 'cluster' ? { class: 'process-pool' } : {}),
  look: { hue: 'violet', marker: 'triangle-down' },
  carries: ['value'],
  serialises: ['v8', 'json'],
  serialisesWith: ({ type }) => (type === 'cluster' ? 'json' : 'v8'),
  failures: ({ queue }) => ({
    ...plainThreadFailures,
    later: 'done',
    cancels: queue === true ? 'waiting' : 'uncertain',
  }),
  settings: {
    type: {
      summary: 'what its workers are: FixedThreadPool or FixedClusterPool',
      default: 'thread',
      choices: ['thread', 'cluster'],
      changesTheWay: true,
    },
    queue: {
      summary:
        'a worker gets one task after the other, and the rest waits in the main process (enableTasksQueue)',
      default: false,
      changesTheWay: true,
    },
    // Its workers have no way to transfer a result.
    transfer: {
      ...transferSetting,
      summary: 'payloads of task:data=bytes are transferred to threads, and results copied',
    },
  },
  whyUnavailable: (_, isGlance) => packageProblem('poolifier', isGlance),
  async listen({ workers, settings }) {
    const { FixedClusterPool, FixedThreadPool } = await import('poolifier');
    const options = { enableTasksQueue: settings.queue === true };
    const transfers = settings.transfer === true;
    const pool =
      settings.type === 'cluster'
        ? new FixedClusterPool(workers, pathOf('./poolifier-cluster-worker.cjs'), options)
        : new FixedThreadPool(workers, pathOf('./poolifier-thread-worker.js'), options);
    return {
      address: 'poolifier',
      pool: {
        run(task, signal) {
          const list = transfers ? transferable(task) : undefined;
          return /** @type {Promise<any>} */ (pool.execute(task, undefined, signal, list));
        },
      },
      close: () => pool.destroy(),
    };
  },
  connect: noChannel,
};
