// The key in the Redis by which an agent shows that it is alive. Its value begins with a random id of the agent's process, which is also
// the salt of the encryption key that the agent and its runs derive from their secret. The sealed time of the agent follows.

import { randomBytes } from 'node:crypto';
import { presenceKeyOf } from './control-redis.js';
import { HEARTBEAT_MS, HEARTBEAT_TIMEOUT_MS, watchHeartbeat } from './heartbeat.js';
import { Seal } from './seal.js';

/** @import { Redis } from 'ioredis' */
/**
 * renewed: the value was that of this process, or had expired; restored: the value was not written with the secret, and was replaced; lost:
 * another agent with the secret has taken the name; gone: the Redis has not responded for HEARTBEAT_TIMEOUT_MS.
 * @typedef {'renewed' | 'restored' | 'lost' | 'gone'} PresenceState
 */

const INSTANCE_BYTES = 16;
const VALUE = /^([0-9a-f]{32}) (\S+)$/;

/** @returns ms of the system's monotonic clock, which all threads of a process share */
export const agentTimeMs = () => Number(process.hrtime.bigint() / 1_000_000n);

/** A process of an agent, with the seal of messages between this process and its runs. */
export class Presence {
  /** @param {string} agent @param {string} instance   id of the process @param {Seal} seal */
  constructor(agent, instance, seal) {
    this.agent = agent;
    this.instance = instance;
    this.seal = seal;
    this.purpose = `presence of ${agent}`;
  }

  /** @param {string} agent @param {string} secret @param {string} [instance] */
  static async derive(agent, secret, instance = randomBytes(INSTANCE_BYTES).toString('hex')) {
    return new Presence(agent, instance, await Seal.derive(secret, instance));
  }

  /** @returns the value of the key at this moment */
  write() {
    return `${this.instance} ${this.seal.close(agentTimeMs(), this.purpose)}`;
  }

  /** @param {string | null} value @returns {number | undefined} time of the agent; undefined if another process has written the value */
  readTimeMs(value) {
    const [, instance, sealed] = VALUE.exec(value ?? '') ?? [];
    return instance === this.instance ? this.seal.open(sealed, this.purpose) : undefined;
  }
}

/**
 * @param {string | null} value   value of a presence key
 * @param {string} agent
 * @param {string} secret
 * @param {Presence} [known]   returned if it is that of the value, which saves a derivation of its key
 * @returns {Promise<{ presence: Presence, timeMs: number } | undefined>} undefined if the value was not written with the secret
 */
export async function readPresence(value, agent, secret, known) {
  const [, instance] = VALUE.exec(value ?? '') ?? [];
  if (instance === undefined) return undefined;
  const presence = instance === known?.instance ? known : await Presence.derive(agent, secret, instance);
  const timeMs = presence.readTimeMs(value);
  return timeMs === undefined ? undefined : { presence, timeMs };
}

/**
 * @param {Redis} client
 * @param {Presence} own
 * @param {string} secret
 * @returns {Promise<PresenceState>}
 */
export async function renewPresence(client, own, secret) {
  const key = presenceKeyOf(own.agent);
  const value = await client.get(key).catch(() => ''); // the key may have another type
  const isOwn = value === null || own.readTimeMs(value) !== undefined;
  if (!isOwn) {
    const other = await readPresence(value, own.agent, secret, own);
    if (other !== undefined) return 'lost';
  }
  await client.set(key, own.write(), 'PX', HEARTBEAT_TIMEOUT_MS);
  return isOwn ? 'renewed' : 'restored';
}

/**
 * Renews the presence every HEARTBEAT_MS.
 * @param {Redis} client
 * @param {Presence} own
 * @param {string} secret
 * @param {(state: PresenceState) => void} report   called when the state changes
 */
export function keepPresence(client, own, secret, report) {
  /** @type {PresenceState | undefined} */
  let last;
  const change = (/** @type {PresenceState} */ state) => {
    if (state !== last) report(state);
    last = state;
  };
  const renew = async () => {
    if (client.status !== 'ready') return false;
    change(await renewPresence(client, own, secret));
    return true;
  };
  watchHeartbeat(HEARTBEAT_MS, renew, () => change('gone'));
}
