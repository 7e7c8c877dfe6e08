// The runner's end of the command queues (BullMQ on Redis): a queue per agent, a job per command. A command is executed at most once: there
// is no retry, and a failure fails its launch.

import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchError } from '../errors.js';
import { COMMAND_ON_HOSTS } from '../format/flag-text.js';
import { redactText } from '../format/redact.js';
import {
  ignoreErrors,
  leaveInTime,
  loadBullmq,
  openControlRedis,
  ownerKeyOf,
  PREFIX,
  presenceKeyOf,
  queueOf,
  readServerId,
  trackConnections,
} from './control-redis.js';
import { CHECK_MS, HEARTBEAT_TIMEOUT_MS, watchHeartbeat } from './heartbeat.js';
import { readPresence } from './presence.js';

/** @import { Queue, QueueEvents } from 'bullmq' */
/** @import { Redis } from 'ioredis' */
/** @import { Command, CommandResult, LaunchEvent, Owner, SealedCommand, CommandChannel } from '../types/index.js' */
/** @import { Presence } from './presence.js' */
/**
 * An agent that this run has found: its latest process and time, its queue with events, and the launch for which the run uses it, if any.
 * @typedef {{ name: string, presence: Presence, timeMs: number, queue: Queue, events: QueueEvents, launchId?: string }} KnownAgent
 */
/**
 * A command whose result is pending.
 * @typedef {object} PendingCommand
 * @property {string} agent
 * @property {Presence} [presence]   process of the agent to which the command was sent
 * @property {number} position   number of the next event
 * @property {number} missed   number of checks that have not found its job
 * @property {(event: LaunchEvent) => void} onEvent
 * @property {(result: CommandResult) => void} resolve
 * @property {(error: Error) => void} reject
 */

const STOPPED = 'stopped';
const OTHERS = 'another program may have changed keys ipc-bench:*; use a Redis of your own';
const PRESENCE_DEADLINE_MS = 4_000; // after a restart of the server an agent is back within one second
const RETRY_MS = 200;

/**
 * @param {string} url
 * @param {string} secret
 * @param {string[]} measuredUrls   URLs of servers that are measured
 * @returns {Promise<CommandChannel>}
 * @throws {BenchError} HOST, NOT_INSTALLED, or BAD_ARGUMENT if the server of the commands is measured
 */
export async function openSender(url, secret, measuredUrls) {
  const bullmq = await loadBullmq('--agents');
  const client = await openControlRedis(url, '--agents');
  const id = await readServerId(client);
  for (const measuredUrl of measuredUrls) {
    const measured = await openControlRedis(measuredUrl, '--broker-url').catch(() => null);
    if (measured === null) continue; // only other hosts may be able to reach it
    const isSame = (await readServerId(measured)) === id;
    measured.disconnect();
    if (!isSame) continue;
    client.disconnect();
    const what = 'the Redis that is measured would carry the commands as well, and be disturbed by them';
    throw new BenchError('BAD_ARGUMENT', `--agents and --broker-url are one server: ${what}; take two`);
  }
  return new CommandSender(url, secret, client, bullmq);
}

/** @implements {CommandChannel} */
export class CommandSender {
  /**
   * @param {string} url
   * @param {string} secret
   * @param {Redis} client
   * @param {Pick<typeof import('bullmq'), 'Queue' | 'QueueEvents'>} bullmq
   */
  constructor(url, secret, client, bullmq) {
    this.url = url;
    this.secret = secret;
    this.client = client;
    this.connections = trackConnections(client);
    this.bullmq = bullmq;
    this.runId = randomBytes(8).toString('hex');
    /** @type {Map<string, PendingCommand>} by job id */
    this.pending = new Map();
    /** @type {Map<string, KnownAgent>} by name */
    this.agents = new Map();
    this.sent = 0;
    this.isClosed = false;
    client.on('close', () => this.rejectAll('broke off the connection'));
    const onTimeout = () => this.rejectAll('does not respond');
    this.endChecks = watchHeartbeat(CHECK_MS, () => this.check(), onTimeout);
  }

  /** @type {CommandChannel['send']} */
  async send(agent, launchId, command, { signal, onEvent = () => {}, deadlineMs }) {
    this.sent += 1;
    const jobId = `${this.runId}-${this.sent}`;
    const isLate = `did not execute ${command.kind} within ${deadlineMs} ms: restart it; ${OTHERS}`;
    const deadline = deadlineMs && setTimeout(() => this.reject(jobId, isLate), deadlineMs);
    let abort = () => {};
    /** @type {Promise<CommandResult>} */
    const ended = new Promise((resolve, reject) => {
      this.pending.set(jobId, { agent, position: 0, missed: 0, onEvent, resolve, reject });
      abort = () => reject(signal.reason);
    });
    setMaxListeners(0, signal); // each command adds a listener, so many are no leak
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    try {
      const [result] = await Promise.all([ended, this.addJob(jobId, agent, launchId, command)]);
      return result;
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', abort);
      this.pending.delete(jobId);
      // Also stops the agent if its result was lost, because it may still execute the command.
      const known = this.agents.get(agent);
      if (known?.launchId === launchId) {
        known.launchId = STOPPED;
        this.writeOwner(known).catch(() => {});
      }
    }
  }

  /** @param {string} jobId @param {string} agent @param {string} launchId @param {Command} command */
  async addJob(jobId, agent, launchId, command) {
    const known = await this.findAgent(agent);
    const pending = this.pending.get(jobId);
    if (pending === undefined) return;
    await this.claim(known, launchId);
    if (!this.pending.has(jobId)) return; // the command was aborted meanwhile
    const { presence, queue } = known;
    pending.presence = presence;
    /** @type {SealedCommand} */
    const content = { owner: this.ownerOf(known), command };
    const sealed = presence.seal.close(content, `command to ${agent} ${jobId}`);
    const once = { jobId, attempts: 1, removeOnComplete: true, removeOnFail: true };
    await queue.add(command.kind, { sealed }, once);
  }

  /** @param {KnownAgent} known @param {string} launchId @throws {BenchError} HOST if another run uses the agent */
  async claim(known, launchId) {
    const isClaimed = known.launchId !== undefined;
    if (isClaimed) known.launchId = launchId;
    if ((await this.writeOwner({ ...known, launchId }, !isClaimed)) === null)
      throw new BenchError('HOST', `host ${known.name} is used by another run: wait until it ends`);
    known.launchId = launchId;
  }

  /** @param {KnownAgent} known @returns {Owner} */
  ownerOf({ launchId, timeMs }) {
    return { run: this.runId, launchId: String(launchId), timeMs };
  }

  /** @param {KnownAgent} known @param {boolean} [isFirst]   if true, nothing is written while a run uses the agent */
  writeOwner(known, isFirst = false) {
    const { name, presence } = known;
    const sealed = presence.seal.close(this.ownerOf(known), `owner of ${name}`);
    const key = ownerKeyOf(name);
    return isFirst
      ? this.client.set(key, sealed, 'PX', HEARTBEAT_TIMEOUT_MS, 'NX')
      : this.client.set(key, sealed, 'PX', HEARTBEAT_TIMEOUT_MS);
  }

  /** @param {string} agent */
  openQueue(agent) {
    const options = { connection: this.client, prefix: PREFIX };
    const queue = new this.bullmq.Queue(queueOf(agent), options);
    // Reads from the beginning, since events before the first read would be lost otherwise.
    const reading = { ...options, lastEventId: '0-0', autorun: false };
    const events = new this.bullmq.QueueEvents(queueOf(agent), reading);
    for (const part of [queue, events]) ignoreErrors(part);
    events.on('progress', ({ jobId, data }) => {
      const pending = this.pending.get(jobId);
      const { sealed } = /** @type {any} */ (data);
      const content = pending?.presence?.seal.open(sealed, `event of ${agent} ${jobId}`);
      if (pending === undefined || content === undefined || content.position < pending.position) return; // repeated
      pending.position = content.position + 1;
      pending.onEvent(content.event);
    });
    events.on('completed', ({ jobId, returnvalue }) => {
      const pending = this.pending.get(jobId);
      const { sealed } = /** @type {any} */ (returnvalue);
      const result = pending?.presence?.seal.open(sealed, `result of ${agent} ${jobId}`);
      if (result === undefined) this.reject(jobId, 'uses another secret');
      else pending?.resolve(result);
    });
    events.on('failed', ({ jobId, failedReason }) => this.reject(jobId, `failed: ${failedReason}`));
    this.readEvents(agent, queue, events);
    return { queue, events };
  }

  /**
   * Reads events until the sender is closed. An event that BullMQ cannot parse ends its loop. The agent's commands then fail, and all events
   * are removed, since the loop begins with the first one again.
   * @param {string} agent
   * @param {Queue} queue
   * @param {QueueEvents} events
   */
  async readEvents(agent, queue, events) {
    while (!this.isClosed) {
      try {
        await events.run();
        return;
      } catch (error) {
        const { message } = /** @type {Error} */ (error);
        const why = `has an event that cannot be read (${message}): ${OTHERS}`;
        for (const [jobId, pending] of this.pending) if (pending.agent === agent) this.reject(jobId, why);
        if (!this.isClosed) await this.client.del(queue.toKey('events')).catch(() => {});
      }
    }
  }

  /** @param {string} jobId @param {string} why   continues a sentence after 'its agent' */
  reject(jobId, why) {
    const pending = this.pending.get(jobId);
    pending?.reject(new BenchError('HOST', `host ${pending.agent}: its agent ${why}`));
  }

  /** Rejects all commands, since events that were lost with the connection are not repeated. @param {string} why */
  rejectAll(why) {
    for (const { reject } of this.pending.values()) reject(this.connectionError(why));
  }

  /** @param {string} why */
  connectionError(why) {
    return new BenchError('HOST', redactText(`the Redis of --agents at ${this.url} ${why}`, [this.url]));
  }

  /**
   * Rejects the commands of agents that are gone, since BullMQ reports no stalled job for an agent that was killed before it took the
   * command, and all commands if the Redis does not respond. Renews the claims of this run: an agent stops its work when its claim expires,
   * or no longer contains a recent time of the agent.
   */
  async check() {
    const all = [...this.agents.values()];
    if (all.length > 0 && this.client.status === 'ready') {
      const values = await this.client.mget(all.map(({ name }) => presenceKeyOf(name)));
      for (const [index, known] of all.entries()) {
        this.rejectLost(known.name, values[index]);
        const timeMs = known.presence.readTimeMs(values[index]);
        if (timeMs === known.timeMs) continue; // the claim already contains this time
        known.timeMs = timeMs ?? known.timeMs;
        const isClaimed = known.launchId !== undefined && this.agents.has(known.name);
        if (isClaimed) this.writeOwner(known).catch(() => {});
      }
    }
    if (this.client.status === 'ready')
      await Promise.all([...this.pending].map(([jobId, command]) => this.rejectMissing(jobId, command)));
    return true;
  }

  /**
   * Rejects a command whose job does not exist any more. BullMQ removes a job in the step that adds the event of its end, so the event is
   * lost, or another user of the Redis has removed the job.
   * @param {string} jobId
   * @param {PendingCommand} command
   */
  async rejectMissing(jobId, command) {
    const { agent, presence } = command;
    const queue = presence && this.agents.get(agent)?.queue;
    if (queue === undefined) return; // it was not sent yet
    const exists = (await this.client.exists(queue.toKey(jobId))) > 0;
    command.missed = exists ? 0 : command.missed + 1;
    if (command.missed * CHECK_MS >= HEARTBEAT_TIMEOUT_MS)
      this.reject(jobId, `returned no result, and the Redis of --agents has lost the command: ${OTHERS}`);
  }

  /** @param {string} agent @param {string | null} value   value of the agent's presence key */
  rejectLost(agent, value) {
    const why = `sent no heartbeat for ${HEARTBEAT_TIMEOUT_MS / 1_000} s: it was killed, hangs, or has no network`;
    for (const [jobId, { agent: to, presence }] of this.pending)
      if (to === agent && presence !== undefined && presence.readTimeMs(value) === undefined)
        this.reject(jobId, why);
  }

  /**
   * @param {string} agent
   * @returns {Promise<KnownAgent>} the agent, with a time that is at most HEARTBEAT_TIMEOUT_MS old
   * @throws {BenchError} HOST
   */
  async findAgent(agent) {
    const endMs = performance.now() + PRESENCE_DEADLINE_MS;
    for (;;) {
      const value = this.client.status === 'ready' ? await this.client.get(presenceKeyOf(agent)) : null;
      if (value !== null) {
        const found = await readPresence(value, agent, this.secret, this.agents.get(agent)?.presence);
        if (found === undefined) {
          const next = 'give the run and all its agents the same one, and one version of ipc-bench';
          throw new BenchError('HOST', `host ${agent}: its agent holds another secret; ${next}`);
        }
        const known = this.agents.get(agent) ?? { name: agent, ...found, ...this.openQueue(agent) };
        this.agents.set(agent, known);
        return Object.assign(known, found);
      }
      if (performance.now() > endMs) break;
      await sleep(RETRY_MS);
    }
    if (this.client.status !== 'ready') throw this.connectionError('cannot be reached');
    const others = await this.listAgents();
    const known = others.length === 0 ? 'there is none' : `those that are there: ${others.join(', ')}`;
    const next = `start it with ${COMMAND_ON_HOSTS} agent --redis URL --name ${agent}`;
    throw new BenchError(
      'HOST',
      `host ${agent}: there is no such agent at the Redis of --agents (${known}); ${next}`,
    );
  }

  async listAgents() {
    const names = [];
    const prefix = presenceKeyOf('');
    for await (const keys of this.client.scanStream({ match: `${prefix}*`, count: 1_000 }))
      names.push(...keys.map((/** @type {string} */ key) => key.slice(prefix.length)));
    return names.sort();
  }

  async close() {
    this.isClosed = true;
    this.endChecks();
    this.pending.clear();
    await leaveInTime(this.leave(), this.connections);
  }

  async leave() {
    const all = [...this.agents.values()];
    this.agents.clear(); // so that no claim is renewed any more
    if (this.client.status === 'ready') {
      for (const { name, launchId, queue } of all) {
        if (launchId !== undefined) await this.client.del(ownerKeyOf(name)).catch(() => {});
        await queue.trimEvents(0).catch(() => {});
      }
    }
    await Promise.allSettled(all.flatMap(({ queue, events }) => [queue.close(), events.close()]));
  }
}
