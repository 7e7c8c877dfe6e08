// birpc over worker threads, as Vitest uses it: calls as messages of a port. birpc has no pool.

import { packageProblem } from '../../lib/machine/packages.js';
import { noChannel, openThreads, plainThreadFailures, poolTraits } from '../../lib/transport/pools.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'birpc',
  summary: 'calls of functions of worker threads by birpc, each of the thread with the fewest',
  traits: {
    ...poolTraits,
    class: 'thread-pool',
    guarantee: 'none for the calls of a thread that dies: they end by a timeout of 60 s',
    packages: ['birpc'],
    sources: ['https://github.com/antfu-collective/birpc#readme'],
  },
  look: { hue: 'green', marker: 'diamond' },
  carries: ['value'],
  serialises: ['v8'],
  failures: () => plainThreadFailures,
  whyUnavailable: (_, isGlance) => packageProblem('birpc', isGlance),
  async listen({ workers }) {
    const { createBirpc } = await import('birpc');
    return openThreads('birpc', new URL('./birpc-worker.js', import.meta.url), workers, (thread) => {
      const post = (/** @type {any} */ message) => thread.postMessage(message);
      const rpc = /** @type {any} */ (
        createBirpc({}, { post, on: (hear) => void thread.on('message', hear) })
      );
      return (/** @type {any} */ task) => rpc.work(task);
    });
  },
  connect: noChannel,
};
