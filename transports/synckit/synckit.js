// synckit: one worker thread, and calls that block the caller until it has answered. It is made for code that cannot wait in another way.

import { packageProblem } from '../../lib/machine/packages.js';
import { inOwnTurn, noChannel, poolTraits, usualFailures } from '../../lib/transport/pools.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'synckit',
  summary: 'one worker thread, and calls that block the main process until it has answered',
  traits: {
    ...poolTraits,
    class: 'blocking',
    guarantee: 'rejects the call of a thread that dies, and all later ones',
    packages: ['synckit'],
    sources: ['https://github.com/un-ts/synckit#api'],
  },
  look: { hue: 'blue', marker: 'diamond' },
  carries: ['value'],
  serialises: ['v8'],
  failures: () => ({
    ...usualFailures,
    others: 'rejected',
    later: 'rejected',
    cancels: 'none',
    fullQueue: 'none',
  }),
  whyUnavailable: (_, isGlance) => packageProblem('synckit', isGlance),
  async listen() {
    const { createSyncFn } = await import('synckit');
    const call = createSyncFn(new URL('./synckit-worker.js', import.meta.url));
    return {
      address: 'synckit',
      pool: { run: (task) => inOwnTurn(() => call(task)) },
      async close() {}, // its thread keeps no process alive
    };
  },
  connect: noChannel,
};
