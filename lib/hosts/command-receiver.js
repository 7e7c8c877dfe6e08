// An agent's end of the command queue (BullMQ on Redis). It executes one command at a time, and aborts a command when its run ends.

import { setTimeout as sleep } from 'node:timers/promises';
import { Worker as Thread } from 'node:worker_threads';
import { BenchError } from '../errors.js';
import { ControlInbox } from './control-inbox.js';
import {
  ignoreErrors,
  inboxKeyOf,
  leaveInTime,
  loadBullmq,
  openControlRedis,
  ownerKeyOf,
  PREFIX,
  presenceKeyOf,
  queueOf,
  trackConnections,
} from './control-redis.js';
import { CHECK_MS, HEARTBEAT_TIMEOUT_MS, watchHeartbeat } from './heartbeat.js';
import { describeCode } from './installation.js';
import { agentTimeMs, Presence, readPresence } from './presence.js';

/** @import { CommandHandler, LaunchEvent, Owner, SealedCommand } from '../types/index.js' */
/** @import { PresenceState } from './presence.js' */
/** @import { Redis } from 'ioredis' */
/** @import { Job } from 'bullmq' */

/**
 * A command is refused if it arrives later than this after the time in the claim of its run. This is a time of the agent, which may already
 * be HEARTBEAT_TIMEOUT_MS old when the run sends the command.
 */
const ARRIVE_MS = 60_000;
const NAME_DEADLINE_MS = HEARTBEAT_TIMEOUT_MS + 1_000; // after this time, the key of a killed agent of this name has expired
/** Commands are never executed twice. The lock is long, so that an agent that is too busy to renew it for seconds keeps its command. */
const WORKER_OPTIONS = { prefix: PREFIX, concurrency: 1, maxStalledCount: 0, lockDuration: 60_000 };

export class CommandReceiver {
  /**
   * @param {Redis} client
   * @param {{ presence: Presence, secret: string, handle: CommandHandler }} agent
   */
  constructor(client, { presence, secret, handle }) {
    this.client = client;
    this.connections = trackConnections(client);
    this.name = presence.agent;
    this.secret = secret;
    this.presence = presence;
    this.seal = presence.seal;
    this.inbox = new ControlInbox(client, this.name);
    this.handle = handle;
    /** @type {Map<string, number>} ids of commands that were executed → the time in the claim of their run */
    this.executed = new Map();
    /** @type {import('bullmq').Queue | undefined} */
    this.queue = undefined;
    /** @type {import('bullmq').Worker | undefined} */
    this.worker = undefined;
    /** @type {Thread | undefined} */
    this.presenceThread = undefined;
    this.hasName = true;
    /** @type {(error: BenchError) => void} */
    this.lose = () => {};
    /** Rejects with HOST if another agent takes the name, or with an error of the presence thread. @type {Promise<never>} */
    this.lost = new Promise((_, reject) => {
      this.lose = reject;
    });
    this.lost.catch(() => {}); // the caller may not have attached a handler yet
    /** Called when the Redis has not responded for HEARTBEAT_TIMEOUT_MS, once per loss. */
    this.onGone = () => {};
    /** Reports a fault that does not end the agent, such as a refused command. @type {(what: string) => void} */
    this.warn = () => {};
    /** Aborts the command that is being executed, and resolves when it has ended. @type {() => Promise<unknown>} */
    this.endCommand = async () => {};
  }

  /**
   * @param {string} url
   * @param {{ name: string, secret: string, handle: CommandHandler }} agent
   * @throws {BenchError} HOST if the server cannot be used or the name is taken; NOT_INSTALLED without BullMQ
   */
  static async open(url, { name, secret, handle }) {
    // Done before the name is taken, because loading and hashing code blocks the event loop of a crowded host for seconds.
    const { Worker, Queue } = await loadBullmq('agent');
    describeCode();
    const client = await openControlRedis(url, '--redis');
    const presence = await Presence.derive(name, secret);
    const receiver = new CommandReceiver(client, { presence, secret, handle });
    try {
      await receiver.takeName();
      await client.del(inboxKeyOf(name)); // removes control messages for a killed agent of this name
    } catch (error) {
      client.disconnect();
      throw error;
    }
    receiver.keepName(url);
    receiver.inbox.read(client.duplicate());
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
    const key = presenceKeyOf(this.name);
    const endMs = performance.now() + NAME_DEADLINE_MS;
    for (;;) {
      const taken = await this.client.set(key, this.presence.write(), 'PX', HEARTBEAT_TIMEOUT_MS, 'NX');
      if (taken !== null) return;
      if (performance.now() > endMs) break;
      await sleep(CHECK_MS);
    }
    const value = await this.client.get(key).catch(() => null);
    if ((await readPresence(value, this.name, this.secret)) === undefined) {
      const why = `the key ${key} of this Redis was not written with this secret`;
      const next = 'take another name, or delete the key if no agent with another secret has it';
      throw new BenchError('HOST', `--name: ${why}; ${next}`);
    }
    const next = 'give every agent a name of its own';
    throw new BenchError('HOST', `--name: there is an agent ${this.name} at this Redis already; ${next}`);
  }

  /** @param {string} url */
  keepName(url) {
    const { agent, instance, seal } = this.presence;
    const workerData = { url, secret: this.secret, agent, instance, key: seal.key };
    this.presenceThread = new Thread(new URL('presence-thread.js', import.meta.url), { workerData });
    this.presenceThread.on('error', this.lose);
    this.presenceThread.on('message', (/** @type {PresenceState} */ state) => {
      if (state === 'gone') this.onGone();
      if (state === 'restored') {
        const by = 'another user of the Redis, or an agent of this name with another secret';
        this.warn(`writes its key ${presenceKeyOf(this.name)} again, which was overwritten by ${by}`);
      }
      if (state !== 'lost') return;
      this.hasName = false;
      const why = `it took over the name after this agent had sent no heartbeat for ${HEARTBEAT_TIMEOUT_MS / 1_000} s`;
      this.lose(new BenchError('HOST', `another agent calls itself ${this.name}: ${why}`));
    });
  }

  /** @param {Job} job */
  async execute(job) {
    const { id } = job;
    const { owner, command } = this.accept(job);
    const watch = this.watchOwner(owner);
    let position = 0;
    /** @param {LaunchEvent} event */
    const onEvent = (event) => {
      const sealed = this.seal.close({ position, event }, `event of ${this.name} ${id}`);
      position += 1;
      job.updateProgress({ sealed }).catch(() => {});
    };
    try {
      const { launchId } = owner;
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

  /** @param {Job} job @returns {SealedCommand} @throws {Error} if the command is forged, repeated or late */
  accept({ id = '', data }) {
    const refuse = (/** @type {string} */ which) => {
      this.warn(`refuses a command ${which}`);
      return new Error(`it refuses a command ${which}`);
    };
    // A command for an earlier process of this agent is sealed with another key. It is refused, because that process may have executed it.
    const content = this.seal.open(data?.sealed, `command to ${this.name} ${id}`);
    if (content === undefined) throw refuse('that was not sealed for it with its secret');
    if (this.executed.has(id)) throw refuse('that it has executed already');
    const isLate = (/** @type {number} */ sentMs) => agentTimeMs() > sentMs + ARRIVE_MS;
    const { timeMs } = content.owner;
    if (isLate(timeMs)) throw refuse('that arrives after its deadline');
    for (const [other, sentMs] of this.executed) if (isLate(sentMs)) this.executed.delete(other);
    this.executed.set(id, timeMs);
    return content;
  }

  /**
   * @param {Owner} owner   the run and the launch that sent the command
   * @returns {{ signal: AbortSignal, abort: (why: Error) => void, end: () => void }} signal: aborted by `abort`, if the
   *   agent gets another owner or none, and if the owner sends no heartbeat for HEARTBEAT_TIMEOUT_MS; end: stops watching
   */
  watchOwner(owner) {
    const controller = new AbortController();
    const abort = (/** @type {Error} */ why) => controller.abort(why);
    let { timeMs } = owner;
    const check = async () => {
      if (this.client.status !== 'ready') return false;
      const value = await this.client.get(ownerKeyOf(this.name));
      /** @type {Owner | null | undefined} */
      const current = value === null ? null : this.seal.open(value, `owner of ${this.name}`);
      // The value is forged, or an earlier one that another user of the Redis has written again.
      if (current === undefined || (current && current.timeMs < timeMs)) return false;
      if (current?.run !== owner.run || current.launchId !== owner.launchId)
        abort(new Error('the run continued without it, or has ended'));
      const isNew = current !== null && current.timeMs > timeMs;
      if (isNew) timeMs = current.timeMs;
      return isNew;
    };
    const onTimeout = () => abort(new Error('the run or its Redis does not respond'));
    return { signal: controller.signal, abort, end: watchHeartbeat(CHECK_MS, check, onTimeout) };
  }

  async close() {
    await this.presenceThread?.terminate(); // must end before `leave` deletes the key that it renews
    await leaveInTime(this.leave(), this.connections);
    await this.endCommand();
  }

  async leave() {
    await this.inbox.close();
    await this.worker?.close(true).catch(() => {});
    // The keys of an agent that took the name are not deleted.
    if (this.client.status === 'ready' && this.hasName) {
      await this.client.del(presenceKeyOf(this.name)).catch(() => {});
      await this.queue?.obliterate({ force: true }).catch(() => {});
    }
    await this.queue?.close().catch(() => {});
  }
}
