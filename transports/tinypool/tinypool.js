// Tinypool: a fork of Piscina with worker threads or child processes.

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

const TRANSFERRING_WORKER = new URL('./tinypool-transfer.js', import.meta.url).href;

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'tinypool',
  summary: 'pool of worker threads or child processes, a fork of piscina',
  traits: {
    ...poolTraits,
    class: 'thread-pool',
    guarantee: 'rejects the tasks of a worker that dies of an error, and starts another',
    packages: ['tinypool'],
    sources: ['https://github.com/tinylibs/tinypool#api'],
  },
  traitsOf: ({ runtime }) => (runtime === 'child_process' ? { class: 'process-pool' } : {}),
  look: { hue: 'rust', marker: 'triangle' },
  carries: ['value'],
  serialises: ['v8', 'json'],
  serialisesWith: ({ runtime }) => (runtime === 'child_process' ? 'json' : 'v8'),
  failures: ({ runtime }) => ({ ...usualFailures, exits: runtime === 'child_process' ? 'rejected' : 'hung' }),
  settings: {
    runtime: {
      summary: 'what its workers are',
      default: 'worker_threads',
      choices: ['worker_threads', 'child_process'],
      changesRoute: true,
    },
    atomics: {
      summary: 'a thread without a task is blocked by Atomics.wait until it gets one (useAtomics)',
      default: true,
    },
    concurrent: concurrentSetting('worker'),
    maxQueue: queueSetting('maxQueue'),
    transfer: transferSetting,
  },
  whyUnavailable: (_, isGlance) => packageProblem('tinypool', isGlance),
  async listen({ workers, settings }) {
    const { default: Tinypool } = await import('tinypool');
    const transfers = settings.transfer === true;
    const pool = new Tinypool({
      filename: transfers ? TRANSFERRING_WORKER : POOL_WORKER,
      runtime: /** @type {'worker_threads' | 'child_process'} */ (settings.runtime),
      env: /** @type {Record<string, string>} */ (process.env), // by default, a child process would have an empty environment
      minThreads: workers,
      maxThreads: workers,
      useAtomics: settings.atomics === true,
      concurrentTasksPerWorker: Number(settings.concurrent),
      ...(settings.maxQueue !== 0 && { maxQueue: Number(settings.maxQueue) }),
    });
    return {
      address: 'tinypool',
      pool: { run: submitTo(pool, transfers) },
      close: () => pool.destroy(),
    };
  },
  connect: noChannel,
};
