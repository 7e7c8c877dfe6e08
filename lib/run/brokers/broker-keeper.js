// The brokers of a run: started when the first launch needs one, in its own folder and place, started anew when one has
// died, and ended with the run.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../../errors.js';

/** @import { Broker, RunningBroker } from '../../types/index.js' */
/**
 * @typedef {RunningBroker & { name: string, cpus: number[] | null, causeOfDeath: string | null, deaths: string[] }} KeptBroker
 *   deaths: why the one died whose place it took, until it is noted
 */

const FULL = ['ENOSPC', 'EDQUOT', 'EROFS']; // what is written to an open file tells no path

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
    const starting = this.start(
      broker,
      settings,
      cpus,
      known === undefined ? [] : [String(known.causeOfDeath)],
    );
    this.running.set(key, starting);
    starting.catch(() => this.running.delete(key));
    return starting;
  }

  /**
   * @param {Broker} broker
   * @param {Record<string, string | number | boolean>} settings
   * @param {number[] | null} cpus
   * @param {string[]} deaths    of those before it that are not noted yet
   */
  async start(broker, settings, cpus, deaths) {
    const scratchDir = join(this.scratchPath, `b${this.started}`);
    this.started += 1;
    const running = await startIn(broker, { ...this.place, scratchDir, settings, cpus });
    /** @type {KeptBroker} */
    const kept = { ...running, name: broker.name, cpus, causeOfDeath: null, deaths };
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

/**
 * @param {Broker} broker
 * @param {import('../../types/index.js').BrokerPlace} place   whose folder is made
 * @returns {Promise<RunningBroker>}
 */
async function startIn(broker, place) {
  try {
    await mkdir(place.scratchDir, { mode: 0o700 });
    return await broker.start(place);
  } catch (cause) {
    const { code, path, message } = /** @type {NodeJS.ErrnoException} */ (cause);
    const isOfFiles = path?.startsWith(place.scratchDir) || FULL.includes(code ?? '');
    if (cause instanceof BenchError || !isOfFiles) throw cause;
    const what = `the private ${broker.name} cannot keep its files in ${place.scratchDir} (${message})`;
    throw new BenchError('SCRATCH_UNUSABLE', `${what}: set TMPDIR to a folder that can be written`, {
      cause,
    });
  }
}
