// The brokers of a run: started when the first launch needs one, in its own folder and place, started anew when one has
// died, and ended with the run.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** @typedef {import('../types.js').Broker} Broker */
/** @typedef {import('../types.js').RunningBroker} RunningBroker */
/** @typedef {RunningBroker & { name: string, cpus: number[] | null, causeOfDeath: string | null }} KeptBroker */

export class BrokerKeeper {
  /** @param {string} scratchPath */
  constructor(scratchPath) {
    this.scratchPath = scratchPath;
    this.started = 0;
    /** @type {Map<string, KeptBroker>} */
    this.running = new Map();
  }

  /**
   * @param {Broker} broker
   * @param {Record<string, string | number | boolean>} settings
   * @param {number[] | null} cpus
   * @returns {Promise<KeptBroker>} one that lives
   */
  async get(broker, settings, cpus) {
    const key = JSON.stringify([broker.name, settings, cpus]);
    const known = this.running.get(key);
    if (known !== undefined && known.causeOfDeath === null) return known;
    const scratchDir = join(this.scratchPath, `b${this.started}`);
    this.started += 1;
    await mkdir(scratchDir, { mode: 0o700 });
    const running = await broker.start({ scratchDir, settings, cpus });
    /** @type {KeptBroker} */
    const kept = { ...running, name: broker.name, cpus, causeOfDeath: null };
    running.died.then((cause) => {
      kept.causeOfDeath = cause;
    });
    this.running.set(key, kept);
    return kept;
  }

  async close() {
    await Promise.all([...this.running.values()].map((broker) => broker.close()));
    this.running.clear();
  }
}
