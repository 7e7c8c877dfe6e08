// workerpool: worker threads or child processes, with a queue in the main process.

import { fileURLToPath } from 'node:url';
import {
  noChannel,
  poolTraits,
  queueSetting,
  transferable,
  transferSetting,
  usualFailures,
} from '../../lib/channels/pools.js';
import { packageProblem } from '../../lib/machine/packages.js';

/** @param {string} module */
const pathOf = (module) => fileURLToPath(new URL(module, import.meta.url));

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'workerpool',
  summary: 'pool of worker threads or child processes',
  traits: {
    ...poolTraits,
    class: 'thread-pool',
    guarantee: 'rejects the tasks of a worker that dies, and starts another',
    packages: ['workerpool'],
    sources: ['https://github.com/josdejong/workerpool#pool'],
  },
  traitsOf: ({ type }) => (type === 'process' ? { class: 'process-pool' } : {}),
  look: { hue: 'green', marker: 'square' },
  carries: ['value'],
  serialises: ['v8', 'json'],
  serialisesWith: ({ type }) => (type === 'process' ? 'json' : 'v8'),
  failures: () => usualFailures,
  settings: {
    type: {
      summary: 'what its workers are (workerType); auto: threads',
      default: 'auto',
      choices: ['auto', 'thread', 'process'],
      changesRoute: true,
    },
    maxQueue: queueSetting('maxQueueSize'),
    transfer: transferSetting,
  },
  whyUnavailable: (_, isGlance) => packageProblem('workerpool', isGlance),
  async listen({ workers, settings }) {
    const { default: workerpool } = await import('workerpool');
    const transfers = settings.transfer === true;
    const pool = workerpool.pool(pathOf(`./workerpool-${transfers ? 'transfer' : 'worker'}.js`), {
      minWorkers: workers,
      maxWorkers: workers,
      ...(settings.maxQueue !== 0 && { maxQueueSize: Number(settings.maxQueue) }),
      workerType: /** @type {'auto' | 'thread' | 'process'} */ (settings.type),
    });
    return {
      address: 'workerpool',
      pool: {
        run(task, signal) {
          const running = pool.exec('work', [task], transfers ? { transfer: transferable(task) } : undefined);
          signal?.addEventListener('abort', () => running.cancel());
          return running;
        },
      },
      close: async () => void (await pool.terminate(true)),
    };
  },
  connect: noChannel,
};
