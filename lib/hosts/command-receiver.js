// An agent's end of the command queue (BullMQ on Redis). It executes one command at a time, and aborts it when the run that sent it ends.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker as Thread } from 'node:worker_threads';
import { BenchError } from '../errors.js';
import { ControlInbox } from './control-inbox.js';
import {
  ignoreErrors,
  inboxKeyOf,
  LIFE_MS,
  leaveInTime,
  openControlRedis,
  ownerKeyOf,
  PREFIX,
  presenceKeyOf,
  queueOf,
  trackConnections,
} from './control-redis.js';
import { Heartbeat } from './heartbeat.js';
import { describeCode } from './installation.js';
import { Seal } from './seal.js';

/** @import { CommandHandler, LaunchEvent } from '../types/index.js' */
/** @import { Redis } from 'ioredis' */
/** @import { Job } from 'bullmq' */

const LOOK_MS = 500;
const NAME_DEADLINE_MS = LIFE_MS + 1_000; // after this time, the key of a killed agent of this name has expired
/** Commands are never executed twice. The lock is long, so that an agent that is too busy to renew it for seconds keeps its command. */
const WORKER_OPTIONS = { prefix: PREFIX, concurrency: 1, maxStalledCount: 0, lockDuration: 60_000 };

export class CommandReceiver {
  /** @param {Redis} client @param {{ name: string, secret: string, handle: CommandHandler }} agent */
  constructor(client, { name, secret, handle }) {
    this.client = client;
    this.connections = trackConnections(client);
    this.name = name;
    this.seal = new Seal(secret);
    this.inbox = new ControlInbox(client, this.seal, name);
    this.handle = handle;
    /** @type {import('bullmq').Queue | undefined} */
    this.queue = undefined;
    /** @type {import('bullmq').Worker | undefined} */
    this.worker = undefined;
    /** @type {Thread | undefined} */
    this.presenceThread = undefined;
    this.instance = randomBytes(8).toString('hex');
    this.presence = this.seal.close({ instance: this.instance }, `presence of ${name}`);
    /** @type {(error: BenchError) => void} */
    this.lose = () => {};
    /** Rejects with HOST if another agent takes the name, or with an error of the presence thread. @type {Promise<never>} */
    this.lost = new Promise((_, reject) => {
      this.lose = reject;
    });
    this.lost.catch(() => {}); // the caller may not have attached a handler yet
    /** Called when the connection to the Redis has been lost for LIFE_MS, once per loss. */
    this.onGone = () => {};
    /** Aborts the command that is being executed, and resolves when it has ended. @type {() => Promise<unknown>} */
    this.endCommand = async () => {};
  }

  /**
   * @param {string} url
   * @param {ConstructorParameters<typeof CommandReceiver>[1]} agent
   * @throws {BenchError} HOST if the server cannot be used or the name is taken
   */
  static async open(url, agent) {
    // Done before the name is taken, because loading and hashing code blocks the event loop of a crowded host for seconds.
    const { Worker, Queue } = await import('bullmq');
    describeCode();
    const client = await openControlRedis(url, '--redis');
    const receiver = new CommandReceiver(client, agent);
    const { name, inbox } = receiver;
    try {
      await receiver.takeName();
      await client.del(inboxKeyOf(name)); // entries for a killed agent of that name
    } catch (error) {
      client.disconnect();
      throw error;
    }
    receiver.keepName(url);
    receiver.watchServer();
    inbox.read(client.duplicate());
    receiver.queue = new Queue(queueOf(name), { connection: client, prefix: PREFIX });
    receiver.worker = new Worker(queueOf(name), (job) => receiver.execute(job), {
      connection: client,
      ...WORKER_OPTIONS,
    });
    // Queue and worker reconnect when the server is back. The sender reports commands that were lost meanwhile.
    for (const part of [receiver.queue, receiver.worker]) ignoreErrors(part);
    return receiver;
  }

  async takeName() {
    const endMs = performance.now() + NAME_DEADLINE_MS;
    for (;;) {
      const taken = await this.client.set(presenceKeyOf(this.name), this.presence, 'PX', LIFE_MS, 'NX');
      if (taken !== null) return;
      if (performance.now() > endMs) {
        const next = 'give every agent a name of its own';
        throw new BenchError('HOST', `--name: there is an agent ${this.name} at this Redis already; ${next}`);
      }
      await sleep(LOOK_MS);
    }
  }

  /** @param {string} url */
  keepName(url) {
    const workerData = { url, key: presenceKeyOf(this.name), presence: this.presence };
    this.presenceThread = new Thread(new URL('presence-thread.js', import.meta.url), { workerData });
    this.presenceThread.on('error', this.lose);
    this.presenceThread.once('message', () => {
      const why = `it took over the name after this agent had sent no heartbeat for ${LIFE_MS / 1_000} s`;
      this.lose(new BenchError('HOST', `another agent calls itself ${this.name}: ${why}`));
    });
  }

  watchServer() {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    // Each failed attempt to reconnect emits `close` as well.
    this.client.on('close', () => {
      timer ??= setTimeout(() => this.onGone(), LIFE_MS).unref();
    });
    this.client.on('ready', () => {
      clearTimeout(timer);
      timer = undefined;
    });
  }

  /** @param {Job} job */
  async execute(job) {
    const { id, data } = job;
    const content = this.seal.open(data.sealed, `command to ${this.name} ${id}`);
    // A command for an earlier process of this name is refused, since that process may have executed it already.
    if (content === undefined || content.instance !== this.instance) {
      throw new Error('it refuses a command that was not sealed for it with its secret');
    }
    const { owner, command } = content;
    const watch = this.watchOwner(owner);
    /** @param {LaunchEvent} event */
    const onEvent = (event) => {
      const sealed = this.seal.close(event, `event of ${this.name} ${id}`);
      job.updateProgress({ sealed }).catch(() => {});
    };
    try {
      const launchId = owner.slice(owner.indexOf(' ') + 1);
      const { signal } = watch;
      const running = this.handle(command, { launchId, onEvent, openLink: this.inbox.open, signal });
      this.endCommand = () => {
        watch.abort(new Error('the agent was stopped'));
        return running.catch(() => {});
      };
      const result = await running;
      return { sealed: this.seal.close(result, `result of ${this.name} ${id}`) };
    } finally {
      watch.end();
    }
  }

  /**
   * @param {string} owner   the run and the launch of the command, as in the key of the agent's owner
   * @returns {{ signal: AbortSignal, abort: (why: Error) => void, end: () => void }} signal: also aborted when the
   *   owner changes or the Redis does not answer
   */
  watchOwner(owner) {
    const controller = new AbortController();
    const abort = (/** @type {Error} */ why) => controller.abort(why);
    const heartbeat = new Heartbeat(
      async () => {
        if (this.client.status !== 'ready') return;
        const current = await this.client.get(ownerKeyOf(this.name)).catch(() => undefined);
        if (current === owner) heartbeat.beat();
        else if (current !== undefined) abort(new Error('the run continued without it, or has ended'));
      },
      () => abort(new Error('the Redis of the run does not answer')),
    );
    return { signal: controller.signal, abort, end: () => heartbeat.end() };
  }

  async close() {
    await this.presenceThread?.terminate(); // must end before its key is deleted
    await leaveInTime(this.leave(), this.connections);
    await this.endCommand();
  }

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
