// jest-worker: child processes, or worker threads where they are asked for.

import { packageProblem } from '../lib/machine/packages.js';
import { noChannel, POOL_WORKER_PATH, poolTraits, usualFailures } from '../lib/transport/pools.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'jest-worker',
  summary: 'pool of child processes or worker threads, as Jest has it',
  traits: {
    ...poolTraits,
    class: 'process-pool',
    guarantee: 'gives the tasks of a worker that dies to another, three times at most',
    packages: ['jest-worker'],
    sources: ['https://github.com/jestjs/jest/tree/main/packages/jest-worker#api'],
  },
  traitsOf: ({ threads }) => (threads === true ? { class: 'thread-pool' } : {}),
  look: { hue: 'ochre', marker: 'triangle' },
  carries: ['value'],
  serialises: ['v8'],
  // A task whose worker died is given to another one, three times, before it is rejected. Of threads, the one that waited behind it is then
  // posted twice, and its second result is taken for that of the next task.
  failures: ({ threads }) => {
    /** @type {'wrong' | 'done'} */
    const wrong = threads === true ? 'wrong' : 'done';
    return { ...usualFailures, others: wrong, later: wrong, cancels: 'none', fullQueue: 'none' };
  },
  settings: {
    threads: {
      summary: 'its workers are threads (enableWorkerThreads)',
      default: false,
      changesTheWay: true,
    },
  },
  whyUnavailable: (_, isGlance) => packageProblem('jest-worker', isGlance),
  async listen({ workers, settings }) {
    const { Worker } = await import('jest-worker');
    const pool = /** @type {any} */ (
      new Worker(POOL_WORKER_PATH, {
        numWorkers: workers,
        enableWorkerThreads: settings.threads === true,
        exposedMethods: ['work'],
      })
    );
    return {
      address: 'jest-worker',
      pool: { run: (task) => pool.work(task) },
      close: async () => void (await pool.end()),
    };
  },
  connect: noChannel,
};
