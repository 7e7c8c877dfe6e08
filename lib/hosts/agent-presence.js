// Whether an agent is there, by the key that it renews every second: an order to one that is not would wait in silence.

import { BenchError } from '../errors.js';
import { Heartbeat } from '../launch/control/heartbeat.js';
import { presenceKeyOf } from './control-redis.js';

/** @import { Redis } from 'ioredis' */
/** @import { Seal } from './sealed-box.js' */

const PRESENCE_DEADLINE_MS = 4_000; // after a restart of the server an agent is back within one
const LOOK_MS = 200;
const LOOK_AGAIN_MS = 500;

/**
 * @param {Redis} client
 * @param {string} agent
 * @param {Seal} seal
 * @returns {Promise<string | null>} by which its process is known; null: the server cannot be reached
 * @throws {BenchError} HOST: it is not there, or takes no orders from this run
 */
export async function readInstance(client, agent, seal) {
  const endMs = performance.now() + PRESENCE_DEADLINE_MS;
  for (;;) {
    const text = client.status === 'ready' ? await client.get(presenceKeyOf(agent)) : null;
    if (text !== null) {
      const present = await seal.openFirst(text, `presence of ${agent}`);
      if (present !== undefined) return present.instance;
      const next = 'give the run and all its agents the same one';
      throw new BenchError('HOST', `host ${agent}: its agent holds another secret; ${next}`);
    }
    if (performance.now() > endMs) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  if (client.status !== 'ready') return null;
  const others = await agentsAt(client);
  const known = others.length === 0 ? 'there is none' : `those that are there: ${others.join(', ')}`;
  const next = `start it with npx ipc-bench agent --redis URL --name ${agent}`;
  throw new BenchError(
    'HOST',
    `host ${agent}: there is no such agent at the Redis of --agents (${known}); ${next}`,
  );
}

/**
 * Looks after agents that were given an order. One that was killed before it took it has none that could be stalled; and a link
 * that is cut says nothing by itself.
 */
export class LivenessWatch {
  /**
   * @param {Redis} client
   * @param {Seal} seal
   * @param {object} watched
   * @param {ReadonlyMap<string, { agent: string, instance?: string }>} watched.awaited   by the id of the order; instance: of the
   *   process that it was given to; absent: it was not yet
   * @param {(orderId: string) => void} watched.onGone
   * @param {() => void} watched.onSilence   of the server
   */
  constructor(client, seal, { awaited, onGone, onSilence }) {
    this.client = client;
    this.seal = seal;
    this.awaited = awaited;
    this.onGone = onGone;
    // The end of the connection is told by itself.
    this.heartbeat = new Heartbeat(() => this.look().catch(() => {}), onSilence, LOOK_AGAIN_MS);
  }

  async look() {
    const all = [...this.awaited];
    if (all.length > 0 && this.client.status === 'ready') {
      // All in one question: each answer takes long on a crowded host.
      const texts = await this.client.mget(all.map(([, { agent }]) => presenceKeyOf(agent)));
      for (const [index, [orderId, { agent, instance }]] of all.entries()) {
        if (instance === undefined) continue;
        // One that was never heard before is another process than the one that was given the order.
        const present = this.seal.open(texts[index], `presence of ${agent}`);
        if (present?.instance !== instance) this.onGone(orderId);
      }
    }
    this.heartbeat.heard();
  }

  end() {
    this.heartbeat.end();
  }
}

/** @param {Redis} client @returns {Promise<string[]>} names */
async function agentsAt(client) {
  const names = [];
  let cursor = '0';
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', presenceKeyOf('*'), 'COUNT', 1_000);
    names.push(...keys.map((key) => key.slice(presenceKeyOf('').length)));
    cursor = next;
  } while (cursor !== '0');
  return names.sort();
}
