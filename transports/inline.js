// The main process performs each task in a separate iteration of the event loop, without workers. This is the reference for all pools.

import { inOwnIteration, noChannel, poolTraits, usualFailures } from '../lib/channels/pools.js';

/** @type {import('../lib/types/transports.js').Transport} */
export default {
  name: 'inline',
  summary: 'no worker: the main process runs the tasks itself',
  traits: {
    ...poolTraits,
    class: 'inline',
    guarantee: 'a call of a function',
    sources: ['https://nodejs.org/docs/latest-v20.x/api/timers.html#setimmediatecallback-args'],
  },
  look: { hue: 'grey', marker: 'star' },
  carries: ['value'],
  serialises: ['none'],
  failures: () => ({ ...usualFailures, cancels: 'none', fullQueue: 'none' }),
  async listen() {
    const { work } = await import('../lib/channels/pool-worker.js');
    return {
      address: 'inline',
      pool: { run: (task) => inOwnIteration(() => work(task)) },
      async close() {},
    };
  },
  connect: noChannel,
};
