// synckit: one worker thread, and calls that block the caller until it has answered. It is made for code that cannot wait in another way.

import { packageProblem } from '../../lib/machine/packages.js';
import { noChannel, poolTraits } from '../../lib/transport/pools.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'synckit',
  summary: 'one worker thread, and calls that block the main process until it has answered',
  traits: {
    ...poolTraits,
    class: 'blocking',
    guarantee: 'none for the call of a thread that dies: it blocks for ever, or until its timeout',
    packages: ['synckit'],
    sources: ['https://github.com/un-ts/synckit#api'],
  },
  carries: ['value'],
  serialises: ['v8'],
  whyUnavailable: (_, isGlance) => packageProblem('synckit', isGlance),
  async listen() {
    const { createSyncFn } = await import('synckit');
    const call = createSyncFn(new URL('./synckit-worker.js', import.meta.url));
    return {
      address: 'synckit',
      // Each in a turn of the event loop of its own, as a task that is done inline.
      pool: { run: (task) => new Promise((resolve) => setImmediate(() => resolve(call(task)))) },
      async close() {}, // its thread keeps no process alive
    };
  },
  connect: noChannel,
};
