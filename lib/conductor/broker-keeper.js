// The brokers of a run: started when the first launch needs one, in its own folder and place, started anew when one has
// died, and ended with the run.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** @import { Broker, RunningBroker } from '../types/index.js' */
/** @typedef {RunningBroker & { name: string, cpus: number[] | null, causeOfDeath: string | null }} KeptBroker */

export class BrokerKeeper {
  /**
   * @param {string} scratchPath
   * @param {AbortSignal} [signal]       whoever waits for a start waits no longer
   * @param {string} [bindAddress]       that what listens on a port binds to
   */
  constructor(scratchPath, signal, bindAddress) {
    this.scratchPath = scratchPath;
    this.place = { signal, bindAddress };
    this.started = 0;
    /** @type {Map<string, Promise<KeptBroker>>} */
    this.running = new Map();
  }

  /**
   * @param {Broker} broker
   * @param {Record<string, string | number | boolean>} settings
   * @param {number[] | null} cpus
   * @param {string} [hop]   for which it is another one; absent: the usual
   * @returns {Promise<KeptBroker>} one that lives
   */
  async get(broker, settings, cpus, hop = '') {
    const key = JSON.stringify([broker.name, settingsOfStart(broker, settings), cpus, hop]);
    const known = await this.running.get(key);
    if (known !== undefined && known.causeOfDeath === null) return known;
    const starting = this.start(broker, settings, cpus);
    this.running.set(key, starting);
    starting.catch(() => this.running.delete(key));
    return starting;
  }

  /**
   * @param {Broker} broker
   * @param {Record<string, string | number | boolean>} settings
   * @param {number[] | null} cpus
   */
  async start(broker, settings, cpus) {
    const scratchDir = join(this.scratchPath, `b${this.started}`);
    this.started += 1;
    await mkdir(scratchDir, { mode: 0o700 });
    const running = await broker.start({ ...this.place, scratchDir, settings, cpus });
    /** @type {KeptBroker} */
    const kept = { ...running, name: broker.name, cpus, causeOfDeath: null };
    running.died.then((cause) => {
      kept.causeOfDeath = cause;
    });
    return kept;
  }

  async close() {
    const brokers = await Promise.allSettled(this.running.values());
    this.running.clear();
    await Promise.all(brokers.map((broker) => broker.status === 'fulfilled' && broker.value.close()));
  }
}

/** @param {Broker} broker @param {Record<string, string | number | boolean>} settings */
function settingsOfStart({ dependsOn }, settings) {
  return dependsOn === undefined ? settings : dependsOn.map((name) => settings[name]);
}
