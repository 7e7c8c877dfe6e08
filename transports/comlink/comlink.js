// Comlink over worker threads: each thread exposes a function, and the main process calls it as its own. Comlink has no pool.

import { packageProblem } from '../../lib/machine/packages.js';
import {
  noChannel,
  openThreads,
  plainThreadFailures,
  poolTraits,
  transferable,
  transferSetting,
} from '../../lib/transport/pools.js';

/** @type {import('../../lib/types/transports.js').Transport} */
export default {
  name: 'comlink',
  summary: 'calls of functions of worker threads by Comlink, each of the thread with the fewest',
  traits: {
    ...poolTraits,
    class: 'thread-pool',
    guarantee: 'none for the calls of a thread that dies: they never end',
    packages: ['comlink'],
    sources: ['https://github.com/GoogleChromeLabs/comlink#node'],
  },
  look: { hue: 'pink', marker: 'triangle-down' },
  carries: ['value'],
  serialises: ['v8'],
  failures: () => plainThreadFailures,
  settings: { transfer: transferSetting },
  whyUnavailable: (_, isGlance) => packageProblem('comlink', isGlance),
  async listen({ workers, settings }) {
    const { transfer, wrap } = await import('comlink');
    // @ts-expect-error The adapter of the ES module has no types.
    const { default: nodeEndpoint } = await import('comlink/dist/esm/node-adapter.mjs');
    const transfers = settings.transfer === true;
    const module = new URL(`./comlink-${transfers ? 'transfer' : 'worker'}.js`, import.meta.url);
    return openThreads('comlink', module, workers, (thread) => {
      const call = /** @type {any} */ (wrap(nodeEndpoint(thread)));
      return transfers ? (task) => call(transfer(task, transferable(task))) : call;
    });
  },
  connect: noChannel,
};
