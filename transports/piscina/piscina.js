// Piscina: worker threads, a queue in the main process, and idle threads that by default wait for tasks with Atomics.

import {
  concurrentSetting,
  noChannel,
  POOL_WORKER,
  poolTraits,
  queueSetting,
  submitTo,
  transferSetting,
  usualFailures,
} from '../../lib/channels/pools.js';
import { packageProblem } from '../../lib/machine/packages.js';

const TRANSFERRING_WORKER = new URL('./piscina-transfer.js', import.meta.url).href;

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'piscina',
  summary: 'pool of worker threads',
  traits: {
    ...poolTraits,
    class: 'thread-pool',
    guarantee: 'rejects the tasks of a thread that dies, and starts another',
    packages: ['piscina'],
    sources: ['https://github.com/piscinajs/piscina#class-piscina'],
  },
  look: { hue: 'blue', marker: 'triangle' },
  carries: ['value'],
  serialises: ['v8'],
  failures: () => usualFailures,
  settings: {
    atomics: {
      summary:
        'how a thread without a task waits for one; sync: blocked by Atomics.wait; async: by Atomics.waitAsync; disabled: for a message',
      default: 'sync',
      choices: ['sync', 'async', 'disabled'],
    },
    concurrent: concurrentSetting('thread'),
    maxQueue: queueSetting('maxQueue'),
    transfer: transferSetting,
  },
  whyUnavailable: (_, isGlance) => packageProblem('piscina', isGlance),
  async listen({ workers, settings }) {
    const { Piscina } = await import('piscina');
    const transfers = settings.transfer === true;
    const pool = new Piscina({
      filename: transfers ? TRANSFERRING_WORKER : POOL_WORKER,
      minThreads: workers,
      maxThreads: workers,
      atomics: /** @type {'sync' | 'async' | 'disabled'} */ (settings.atomics),
      concurrentTasksPerWorker: Number(settings.concurrent),
      ...(settings.maxQueue !== 0 && { maxQueue: Number(settings.maxQueue) }),
    });
    return {
      address: 'piscina',
      pool: { run: submitTo(pool, transfers) },
      close: () => pool.destroy(),
    };
  },
  connect: noChannel,
};
