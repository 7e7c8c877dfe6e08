// An agent that takes its orders from BullMQ on Redis: it says every second that it is there, does one order at a time, and stops
// when the run that gave it says nothing any more.

import { randomBytes } from 'node:crypto';
import { BenchError } from '../errors.js';
import { ControlInbox } from './control-inbox.js';
import {
  ignoreErrors,
  inboxKeyOf,
  LIFE_MS,
  leftInTime,
  openControlRedis,
  PREFIX,
  presenceKeyOf,
  queueOf,
  RENEW_MS,
  Seal,
  trackConnections,
  turnKeyOf,
  WORKER_OPTIONS,
} from './control-redis.js';
import { Heartbeat } from './heartbeat.js';
import { describeCode } from './installation.js';

/** @import { News, Obey } from '../types/index.js' */
/** @import { Redis } from 'ioredis' */
/** @import { Job } from 'bullmq' */

const LOOK_MS = 500;
const NAME_FREE_AFTER_MS = 4_000; // that of an agent that was killed

export class BullmqAgent {
  /** @param {Redis} client @param {{ name: string, secret: string, obey: Obey, onLost: (error: BenchError) => void }} agent */
  constructor(client, { name, secret, obey, onLost }) {
    this.client = client;
    this.connections = trackConnections(client);
    this.name = name;
    this.seal = new Seal(secret);
    this.inbox = new ControlInbox(client, this.seal, name);
    this.obey = obey;
    this.onLost = onLost;
    /** @type {import('bullmq').Queue | undefined} */
    this.queue = undefined;
    /** @type {import('bullmq').Worker | undefined} */
    this.worker = undefined;
    /** @type {NodeJS.Timeout | undefined} */
    this.renewing = undefined;
    this.instance = randomBytes(8).toString('hex');
    this.presence = this.seal.close({ instance: this.instance }, `presence of ${name}`);
  }

  /**
   * @param {string} url
   * @param {ConstructorParameters<typeof BullmqAgent>[1]} agent
   * @returns that takes orders
   * @throws {BenchError} HOST: the server cannot be used, or the name is taken
   */
  static async open(url, agent) {
    // Before it says that it is there: loading and reading keep a crowded host busy for seconds.
    const { Worker, Queue } = await import('bullmq');
    describeCode();
    const client = await openControlRedis(url, '--redis');
    const own = new BullmqAgent(client, agent);
    try {
      await own.takeName();
      await client.del(inboxKeyOf(agent.name)); // of an agent of that name that was killed
    } catch (error) {
      client.disconnect();
      throw error;
    }
    own.inbox.read(client.duplicate());
    own.queue = new Queue(queueOf(agent.name), { connection: client, prefix: PREFIX });
    own.worker = new Worker(queueOf(agent.name), (job) => own.work(job), {
      connection: client,
      ...WORKER_OPTIONS,
    });
    // It comes back by itself when the server does; the sender reports a command that was lost with it.
    for (const part of [own.queue, own.worker]) ignoreErrors(part);
    own.renewing = setInterval(() => own.renew().catch(() => {}), RENEW_MS);
    return own;
  }

  async takeName() {
    const endMs = performance.now() + NAME_FREE_AFTER_MS;
    for (;;) {
      const taken = await this.client.set(presenceKeyOf(this.name), this.presence, 'PX', LIFE_MS, 'NX');
      if (taken !== null) return;
      if (performance.now() > endMs) {
        const next = 'give every agent a name of its own';
        throw new BenchError('HOST', `--name: there is an agent ${this.name} at this Redis already; ${next}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  async renew() {
    if (this.client.status !== 'ready') return;
    const key = presenceKeyOf(this.name);
    const present = await this.client.get(key);
    if (present !== null && present !== this.presence) {
      const why = 'it took its place while this one was not heard for 3 s';
      this.onLost(new BenchError('HOST', `another agent calls itself ${this.name}: ${why}`));
      return;
    }
    await this.client.set(key, this.presence, 'PX', LIFE_MS);
  }

  /** @param {Job} job */
  async work(job) {
    const { id, data } = job;
    const sealed = await this.seal.openFirst(data.sealed, `order to ${this.name} ${id}`);
    // An order to an earlier process of this name may be one that was done already.
    if (sealed === undefined || sealed.instance !== this.instance) {
      throw new Error('it refuses an order that was not sealed for it with the secret that it holds');
    }
    const { turn, order } = sealed;
    const watch = this.watchTurn(turn);
    /** @param {News} news */
    const tell = (news) => {
      const text = this.seal.close(news, `news of ${this.name} ${id}`);
      job.updateProgress({ sealed: text }).catch(() => {});
    };
    try {
      const launchId = turn.slice(turn.indexOf(' ') + 1);
      const openLine = this.inbox.open.bind(this.inbox);
      const end = await this.obey(order, { launchId, tell, openLine, signal: watch.signal });
      return { sealed: this.seal.close(end, `end of ${this.name} ${id}`) };
    } finally {
      watch.end();
    }
  }

  /** @param {string} turn   of the order @returns {{ signal: AbortSignal, end: () => void }} given when it is no more the run's */
  watchTurn(turn) {
    const controller = new AbortController();
    const heartbeat = new Heartbeat(
      async () => {
        if (this.client.status !== 'ready') return;
        const now = await this.client.get(turnKeyOf(this.name)).catch(() => undefined);
        if (now === turn) heartbeat.heard();
        else if (now !== undefined) controller.abort(new Error('the run has gone on without it, or is gone'));
      },
      () => controller.abort(new Error('the Redis of the run does not answer')),
    );
    return { signal: controller.signal, end: () => heartbeat.end() };
  }

  async close() {
    clearInterval(this.renewing);
    await leftInTime(this.leave(), this.connections);
  }

  /** @returns never, where the server is gone meanwhile */
  async leave() {
    await this.inbox.close();
    await this.worker?.close(true).catch(() => {});
    if (this.client.status === 'ready') {
      await this.client.del(presenceKeyOf(this.name)).catch(() => {});
      await this.queue?.obliterate({ force: true }).catch(() => {});
    }
    await this.queue?.close().catch(() => {});
  }
}
