// The private brokers of a run on the host of its master: started for the first launch that needs one, kept while launches follow
// each other, and ended with the run, which nobody need tell: then no launch follows.

import { BrokerKeeper } from '../conductor/broker-keeper.js';
import { serveHops } from '../conductor/serve-hops.js';
import { openScratch } from '../processes/scratch.js';

/** @import { LeadOrder } from '../types/index.js' */

const KEPT_MS = 2_000; // a launch follows the one before it within some ms; a broker takes up to 6 s to start

/** @typedef {{ run: string, keeper: BrokerKeeper, controller: AbortController, close: () => Promise<void> }} Kept */

export class AgentBrokers {
  /** @param {string} bindAddress   that they listen at @param {string} [folder]   that theirs are in; absent: the system's */
  constructor(bindAddress, folder) {
    this.bindAddress = bindAddress;
    this.folder = folder;
    /** @type {Kept | null} */
    this.kept = null;
    /** @type {NodeJS.Timeout | undefined} */
    this.timer = undefined;
    /** @type {Promise<unknown>} */
    this.closing = Promise.resolve();
  }

  /**
   * @param {Pick<LeadOrder, 'run'>} order
   * @param {Parameters<typeof serveHops>[1]} launch
   * @param {{ cpus: number[][], signal: AbortSignal }} place   signal: the launch is given up, and so is a start that takes seconds
   * @returns {ReturnType<typeof serveHops>}
   */
  async serve({ run }, launch, { cpus, signal }) {
    clearTimeout(this.timer);
    if (this.kept?.run !== run) await this.close();
    this.kept ??= await openKept(run, this.bindAddress, this.folder);
    const { keeper, controller } = this.kept;
    const giveUp = () => controller.abort(signal.reason);
    signal.addEventListener('abort', giveUp);
    try {
      signal.throwIfAborted();
      return await serveHops(keeper, launch, cpus);
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  /** The launch is over. @param {boolean} isGivenUp   and nobody says whether another one follows */
  async rest(isGivenUp) {
    if (isGivenUp) await this.close();
    else if (this.kept !== null) this.timer = setTimeout(() => this.close(), KEPT_MS);
  }

  async close() {
    clearTimeout(this.timer);
    const { kept } = this;
    this.kept = null;
    // Others wait for an end that has begun.
    this.closing = Promise.all([this.closing, kept?.close()]);
    await this.closing;
  }
}

/** @param {string} run @param {string} bindAddress @param {string} [folder] @returns {Promise<Kept>} */
async function openKept(run, bindAddress, folder) {
  const scratch = await openScratch(folder);
  const controller = new AbortController();
  const keeper = new BrokerKeeper(scratch.path, controller.signal, bindAddress);
  const close = async () => {
    controller.abort(new Error('its run is over'));
    await keeper.close();
    await scratch.remove();
  };
  return { run, keeper, controller, close };
}
