// The processes of a launch. A group starts them, sends commands, waits for their messages with deadlines that name the missing processes,
// and detects their deaths.

import { Deferred } from '../../children/deferred.js';
import { withDeadline } from '../../children/with-deadline.js';
import { BenchError } from '../../errors.js';
import { listed } from '../../format/lists.js';
import { sharedNowMs } from '../../machine/clock.js';
import { openForkControlChannel } from '../control/control-channel.js';
import { protocolProblem } from '../control/protocol.js';
import { allCpus } from '../launch-spec.js';

/** @import { ClockComparison, ForkLine, Role } from '../../types/index.js' */
/** @import { FromWorker, Ready, ToWorker } from '../control/protocol.js' */
/** @import { StartedWorker } from './start-worker.js' */

const CHANNEL_BROKEN_MS = 1_000; // if the process still runs after this time, its channel did not break because it exited
const EXPECTED_ACTIONS = {
  ready: 'connect',
  connected: 'connect',
  rested: 'end the load',
  counted: 'complete the counted operations',
  sliced: 'report',
  done: 'report',
};
const EXIT_NOTICED_MS = 200; // Node.js reports the exit of a process within a few ms, later on a busy machine

export class WorkerGroup {
  /**
   * @param {object} settings
   * @param {{ id: string, role: Role }[]} settings.processes   in the order in which they join
   * @param {import('../launch-spec.js').LaunchSpec['cpus']} settings.cpus
   * @param {import('./open-launch.js').Spawn} settings.spawn
   * @param {boolean} settings.areThreads
   * @param {boolean} [settings.hasPeer]   a peer runs the master's endpoint
   * @param {() => string} settings.phase   current phase, for messages
   */
  constructor({ processes, cpus, spawn, areThreads, hasPeer = false, phase }) {
    this.hasPeer = hasPeer;
    this.phase = phase;
    this.areThreads = areThreads;
    this.isDismissed = false;
    this.isKilled = false;
    /** Rejects when the launch fails, for example because a worker died. */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // a failure between two waits is raised at the next one
    /** Called when a process has sent something or ended. @type {Set<() => void>} */
    this.listeners = new Set();
    /** @type {GroupMember[]} */
    this.members = [];
    // Until they are ready, all processes use all CPUs of the launch: with fewer CPUs, their start would take twice as long.
    const startCpus = cpus && allCpus(cpus);
    for (const { id, role } of processes) {
      const forkedMs = sharedNowMs();
      const worker = spawn(id, role.name, startCpus);
      this.members.push(this.add({ id, role: role.name, forkedMs, worker }));
    }
  }

  /** @param {Pick<GroupMember, 'id' | 'role' | 'forkedMs' | 'worker'>} started */
  add(started) {
    const { worker } = started;
    const { line, sendControl } = openForkControlChannel(
      worker.port,
      (message) => this.onMessage(member, message),
      (why) => this.miss(member, why),
    );
    /** @type {GroupMember} */
    const member = {
      ...started,
      line,
      send: sendControl,
      messages: new Map(),
      clock: null,
      isGone: false,
      isVictim: false,
      isCutOff: false,
    };
    worker.ended.then(({ code, how, why }) => {
      member.isGone = true;
      const isExpected = this.isKilled || member.isVictim || (this.isDismissed && code === 0);
      const message = `${memberName(member)} (${worker.identity}) ${how} during ${this.phase()}${why ? `: ${why}` : ''}`;
      if (!isExpected) this.fail?.(new BenchError('PROCESS_DIED', message));
      this.wake();
    });
    return member;
  }

  /** @param {GroupMember} member @param {FromWorker} message */
  onMessage(member, message) {
    member.messages.set(message.control, message);
    const why = message.control === 'hello' ? protocolProblem(message) : null;
    if (why !== null) this.fail?.(new BenchError('PROTOCOL', `${memberName(member)}: ${why}`));
    // If the controller closed the channel, it reports the reason itself.
    const isKnown = message.control === 'failed' && message.isHangUp && member.isCutOff;
    if (message.control === 'failed' && !isKnown) {
      const what = `${memberName(member)} during ${this.phase()}: ${message.message}`;
      this.attributeFailure(new BenchError(message.code ?? 'TRANSPORT', what), message.isHangUp);
    }
    this.wake();
  }

  /**
   * Fails the launch, a little later if another process may have died and caused the failure: the event of its exit arrives first and has a
   * better reason. The death of a peer can cause any error in its workers, and the death of a role such as a relay closes their channels.
   * @param {Error} failure @param {boolean} [isHangUp]
   */
  attributeFailure(failure, isHangUp = false) {
    const mayBeAnother = this.hasPeer || (isHangUp && this.members.some(({ id, role }) => id === role));
    if (mayBeAnother) setTimeout(() => this.fail?.(failure), EXIT_NOTICED_MS).unref();
    else this.fail?.(failure);
  }

  /**
   * To be called when the controller closes a worker's channel after an invalid message. Fails the launch a little later, unless it is
   * ending or the scenario has killed the worker: if the worker died in the middle of a message, the event of its exit arrives first and
   * has a better reason.
   * @param {string} id   worker id @param {Error} failure
   */
  onHangUp(id, failure) {
    const member = this.members.find((one) => one.id === id);
    if (this.isDismissed || member?.isVictim) return;
    if (member !== undefined) member.isCutOff = true;
    setTimeout(() => this.fail?.(failure), EXIT_NOTICED_MS).unref();
  }

  /** @param {GroupMember} member @param {string} why   cause of the broken control channel */
  miss(member, why) {
    setTimeout(() => {
      if (member.isGone || member.isVictim || this.isKilled || this.isDismissed) return;
      const what = `the control channel of ${memberName(member)} (${member.worker.identity}) broke during ${this.phase()}`;
      this.fail?.(new BenchError('PROTOCOL', `${what}, and it still runs: ${why}`));
    }, CHANNEL_BROKEN_MS).unref();
  }

  wake() {
    for (const listener of this.listeners) listener();
  }

  /** @returns system ids of the threads; undefined for processes */
  threadIds() {
    return this.areThreads ? this.members.map(({ worker }) => worker.systemThreadId) : undefined;
  }

  /** @param {string} [role]   all by default */
  playing(role) {
    return this.members.filter((member) => role === undefined || member.role === role);
  }

  /** @param {ToWorker} message @param {string} [role]   all by default */
  sendAll(message, role) {
    for (const member of this.playing(role)) member.send(message);
  }

  /**
   * @param {'ready' | 'connected' | 'rested' | 'counted' | 'sliced' | 'done'} kind   kind of message that every process has to send
   * @param {number} deadlineMs
   * @param {string} [role]   all by default
   * @returns {Promise<any[]>} the messages in the order of the members, without members that the scenario has killed
   */
  async receiveAll(kind, deadlineMs, role) {
    const what = EXPECTED_ACTIONS[kind];
    const members = this.playing(role);
    await this.until((member) => member.isVictim || member.messages.has(kind), deadlineMs, what, members);
    return members.filter(({ isVictim }) => !isVictim).map((member) => member.messages.get(kind));
  }

  /** @param {'connected' | 'counted' | 'sliced'} kind   kind of message that every worker will send again */
  forget(kind) {
    for (const { messages } of this.members) messages.delete(kind);
  }

  /** @returns {boolean} true if the loops of any process count whole operations */
  countsWhole() {
    return this.members.some(
      ({ messages }) => /** @type {Ready | undefined} */ (messages.get('ready'))?.countsWholeOperations,
    );
  }

  /** @param {'warm'} kind */
  haveAllSent(kind) {
    return this.members.every((member) => member.messages.has(kind));
  }

  /** @param {number} deadlineMs @param {string} [role]   all by default */
  async allGone(deadlineMs, role) {
    await this.until((member) => member.isGone, deadlineMs, 'end', this.playing(role));
  }

  /** @param {(member: GroupMember) => boolean} isDone @param {number} deadlineMs @param {string} what @param {GroupMember[]} awaited */
  async until(isDone, deadlineMs, what, awaited) {
    /** @type {Deferred<void>} */
    const done = new Deferred();
    const listener = () => {
      if (awaited.every(isDone)) done.resolve();
    };
    this.listeners.add(listener);
    listener();
    try {
      await withDeadline(Promise.race([done.promise, this.trouble]), deadlineMs, () => {
        const missing = awaited
          .filter((member) => !isDone(member))
          .map(({ id, worker }) => `${id} (${worker.identity})`);
        const message = `${listed(missing)} did not ${what} within ${Math.round(deadlineMs)} ms during ${this.phase()}`;
        throw new BenchError('DEADLINE', message);
      });
    } finally {
      this.listeners.delete(listener);
    }
  }

  /** @param {number} count */
  lastOnes(count) {
    return this.members.slice(this.members.length - count);
  }

  /** Kills a worker for the scenario. @param {GroupMember} member */
  killOne(member) {
    member.isVictim = true;
    member.worker.kill();
  }

  /** From now on, exits with code 0 are expected. */
  dismiss() {
    this.isDismissed = true;
  }

  /** Kills all processes of a failed launch. */
  kill() {
    this.isKilled = true;
    for (const member of this.members) if (!member.isGone) member.worker.kill();
  }
}

/**
 * @typedef {object} GroupMember
 * @property {string} id
 * @property {string} role
 * @property {StartedWorker} worker
 * @property {ForkLine} line
 * @property {(message: ToWorker) => void} send
 * @property {number} forkedMs   on the shared clock
 * @property {ClockComparison | null} clock   null if it is the clock of this process
 * @property {Map<string, FromWorker>} messages   the last message of each kind
 * @property {boolean} isGone
 * @property {boolean} isVictim   killed for the scenario, so its messages are no longer awaited
 * @property {boolean} isCutOff   the controller closed its channel after an invalid message
 */

/** @param {Pick<GroupMember, 'id' | 'role'>} member @returns for messages: 'worker w0', 'the relay' */
export function memberName({ id, role }) {
  return id === role ? `the ${role}` : `${role} ${id}`;
}
