// Orders to agents by BullMQ on Redis: a queue for each agent, a job for each order. An order is done at most once: what is not
// done in one go has failed.

import { randomBytes } from 'node:crypto';
import { BenchError } from '../errors.js';
import {
  LIFE_MS,
  leftInTime,
  openControlRedis,
  openLane,
  presenceKeyOf,
  RENEW_MS,
  readServerId,
  Seal,
  shownText,
  trackConnections,
  turnKeyOf,
} from './control-redis.js';
import { Heartbeat } from './heartbeat.js';

/** @import { Engine, News, Order, OrderEnd } from '../types/index.js' */
/** @import { Redis } from 'ioredis' */
/** @import { Lane } from './control-redis.js' */
/** @typedef {{ agent: string, instance?: string, onNews: (news: News) => void, resolve: (end: OrderEnd) => void, reject: (error: Error) => void }} Pending */

const STOPPED = 'stopped';
const UNHEARD = 'has not been heard for 3 s: it was killed, hangs, or is off the net';

/**
 * @param {string} url
 * @param {string} secret
 * @param {string[]} measuredUrls   of the servers that are measured
 * @returns {Promise<Engine>}
 * @throws {BenchError} HOST, or BAD_ARGUMENT where one of them is this one
 */
export async function openBullmq(url, secret, measuredUrls) {
  const client = await openControlRedis(url, '--agents');
  const id = await readServerId(client);
  for (const measuredUrl of measuredUrls) {
    const measured = await openControlRedis(measuredUrl, '--redis-url').catch(() => null);
    if (measured === null) continue; // this host need not reach it
    const isSame = (await readServerId(measured)) === id;
    measured.disconnect();
    if (!isSame) continue;
    client.disconnect();
    const what = 'the Redis that is measured would carry the orders as well, and be disturbed by them';
    throw new BenchError('BAD_ARGUMENT', `--agents and --redis-url are one server: ${what}; take two`);
  }
  return new BullmqEngine(url, secret, client, await import('bullmq'));
}

/** @implements {Engine} */
export class BullmqEngine {
  /** @param {string} url @param {string} secret @param {Redis} client @param {typeof import('bullmq')} bullmq */
  constructor(url, secret, client, bullmq) {
    this.url = url;
    this.seal = new Seal(secret);
    this.client = client;
    this.connections = trackConnections(client);
    this.bullmq = bullmq;
    this.runId = randomBytes(8).toString('hex');
    /** @type {Map<string, Lane>} */
    this.lanes = new Map();
    /** @type {Map<string, Pending>} by the id of the job */
    this.pending = new Map();
    /** @type {Map<string, string>} the launch that each agent works at */
    this.turns = new Map();
    this.orders = 0;
    client.on('close', () => this.breakOff('broke off the connection'));
    this.renewing = setInterval(() => this.renew(), RENEW_MS);
    this.presence = new LivenessWatch(client, this.seal, {
      awaited: this.pending,
      onGone: (jobId) => this.gone(jobId, UNHEARD),
      onSilence: () => this.breakOff('does not respond'),
    });
  }

  /** @type {Engine['hand']} */
  hand(agent, launchId, order, onNews) {
    this.orders += 1;
    const jobId = `${this.runId}-${this.orders}`;
    /** @type {Promise<OrderEnd>} */
    const ended = new Promise((resolve, reject) => {
      this.pending.set(jobId, { agent, onNews, resolve, reject });
    });
    ended.catch(() => {}); // the caller that stopped it does not await it
    this.send({ agent, launchId, jobId, order }).catch((error) =>
      this.end(jobId, ({ reject }) => reject(error)),
    );
    const stop = () => {
      this.pending.delete(jobId);
      // Also where its end is known: what the server has lost may still be worked at.
      if (this.turns.get(agent) !== launchId) return;
      this.turns.set(agent, STOPPED);
      this.renew();
    };
    return { ended, stop };
  }

  /** @param {{ agent: string, launchId: string, jobId: string, order: Order }} job */
  async send({ agent, launchId, jobId, order }) {
    const instance = await readInstance(this.client, agent, this.seal);
    if (instance === null) throw this.lost('cannot be reached');
    await this.claim(agent, launchId);
    const { queue } = await this.laneOf(agent);
    const pending = this.pending.get(jobId);
    if (pending === undefined) return; // stopped meanwhile
    pending.instance = instance;
    const turn = this.turnText(launchId);
    const sealed = this.seal.close({ instance, turn, order }, `order to ${agent} ${jobId}`);
    const once = { jobId, attempts: 1, removeOnComplete: true, removeOnFail: true };
    await queue.add(order.kind, { sealed }, once);
  }

  /** @param {string} agent @param {string} launchId @throws {BenchError} HOST: another run has it */
  async claim(agent, launchId) {
    const key = turnKeyOf(agent);
    if (!this.turns.has(agent)) {
      const isFree = await this.client.set(key, this.turnText(launchId), 'PX', LIFE_MS, 'NX');
      if (isFree === null)
        throw new BenchError('HOST', `host ${agent} is used by another run: wait until it ends`);
    }
    this.turns.set(agent, launchId);
    await this.client.set(key, this.turnText(launchId), 'PX', LIFE_MS);
  }

  /** @param {string} launchId */
  turnText(launchId) {
    return `${this.runId} ${launchId}`;
  }

  /** Agents stop what they do for a run that says nothing. */
  renew() {
    if (this.client.status !== 'ready') return;
    for (const [agent, launchId] of this.turns) {
      this.client.set(turnKeyOf(agent), this.turnText(launchId), 'PX', LIFE_MS).catch(() => {});
    }
  }

  /** @param {string} agent */
  async laneOf(agent) {
    const known = this.lanes.get(agent);
    if (known !== undefined) return known;
    const lane = openLane(this.bullmq, agent, this.client);
    this.lanes.set(agent, lane);
    lane.events.on('progress', ({ jobId, data }) => {
      const { sealed } = /** @type {any} */ (data);
      const news = this.seal.open(sealed, `news of ${agent} ${jobId}`);
      if (news !== undefined) this.pending.get(jobId)?.onNews(news);
    });
    lane.events.on('completed', ({ jobId, returnvalue }) =>
      this.end(jobId, ({ resolve, reject }) => {
        const end = this.seal.open(/** @type {any} */ (returnvalue).sealed, `end of ${agent} ${jobId}`);
        if (end === undefined) reject(new BenchError('HOST', `host ${agent}: its agent uses another secret`));
        else resolve(end);
      }),
    );
    lane.events.on('stalled', ({ jobId }) => this.gone(jobId, UNHEARD));
    lane.events.on('failed', ({ jobId, failedReason }) => this.gone(jobId, `failed: ${failedReason}`));
    await lane.queue.waitUntilReady();
    await lane.watch.startStalledCheckTimer();
    return lane;
  }

  /** @param {string} jobId @param {string} how */
  gone(jobId, how) {
    this.end(jobId, ({ agent, reject }) => reject(new BenchError('HOST', `host ${agent}: its agent ${how}`)));
  }

  /** @param {string} jobId @param {(pending: Pending) => void} settle */
  end(jobId, settle) {
    const pending = this.pending.get(jobId);
    this.pending.delete(jobId);
    if (pending !== undefined) settle(pending);
  }

  /** @param {string} how */
  lost(how) {
    return new BenchError('HOST', shownText(this.url, `the Redis of --agents at ${this.url} ${how}`));
  }

  /** What agents were told by a connection that has ended may be lost with it. @param {string} how */
  breakOff(how) {
    for (const jobId of [...this.pending.keys()]) {
      this.end(jobId, ({ reject }) => reject(this.lost(how)));
    }
  }

  async close() {
    clearInterval(this.renewing);
    this.presence.end();
    this.pending.clear();
    await leftInTime(this.leave(), this.connections);
  }

  async leave() {
    if (this.client.status === 'ready') {
      for (const agent of this.turns.keys()) await this.client.del(turnKeyOf(agent)).catch(() => {});
      for (const { queue } of this.lanes.values()) await queue.trimEvents(0).catch(() => {});
    }
    const parts = [...this.lanes.values()].flatMap((lane) => Object.values(lane));
    await Promise.allSettled(parts.map((part) => part.close(true)));
  }
}

// Whether an agent is there, by the key that it renews every second: an order to one that is not would wait in silence.
const PRESENCE_DEADLINE_MS = 4_000; // after a restart of the server an agent is back within one
const LOOK_MS = 200;

/**
 * @param {Redis} client
 * @param {string} agent
 * @param {Seal} seal
 * @returns {Promise<string | null>} by which its process is known; null: the server cannot be reached
 */
async function readInstance(client, agent, seal) {
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
    this.heartbeat = new Heartbeat(() => this.look().catch(() => {}), onSilence);
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

/** @param {Redis} client @returns names */
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
