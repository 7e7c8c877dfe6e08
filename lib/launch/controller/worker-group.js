// The processes of a launch as their controller sees them: started, told, awaited with deadlines that name who is missing, and
// noticed when they die.

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

const LINE_BROKEN_MS = 1_000; // after it a process that still runs did not break its line by its end
const WHAT_TO_DO = {
  ready: 'connect',
  connected: 'connect',
  parked: 'pause',
  counted: 'complete the operations that it counts',
  sliced: 'report',
  done: 'report',
};
const EXIT_NOTICED_MS = 200; // the end of a process is told within some ms, later on a crowded machine

export class WorkerGroup {
  /**
   * @param {object} settings
   * @param {{ id: string, role: Role }[]} settings.processes   in the order in which they join
   * @param {import('../launch-spec.js').LaunchSpec['cpus']} settings.cpus
   * @param {import('./master.js').Recruit} settings.recruit
   * @param {boolean} settings.areThreads
   * @param {import('./pool-workers.js').PoolWorkers | null} [settings.pool]   workers that a pool starts; absent: it starts none
   * @param {boolean} [settings.hasPeer]             the master is another process than this one
   * @param {number[]} settings.helpers              threads of the master that stay on all CPUs of the launch
   * @param {() => string} settings.phase            what the launch is doing, for messages
   */
  constructor({ processes, cpus, recruit, areThreads, pool = null, hasPeer = false, helpers, phase }) {
    this.pool = pool;
    this.hasPeer = hasPeer;
    this.helpers = helpers;
    this.phase = phase;
    this.areThreads = areThreads;
    this.isDismissed = false;
    this.isKilled = false;
    /** Rejects as soon as any worker fails or dies. */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // it may come when nobody waits, and is raised at the next wait
    /** @type {(() => void)[]} */
    this.listeners = [];
    /** @type {GroupMember[]} */
    this.members = [];
    this.cpus = cpus;
    // Until they are ready, all of them use all CPUs of the launch: starting one behind the other would double that time.
    const startCpus = cpus && allCpus(cpus);
    for (const { id, role } of processes) {
      const forkedMs = sharedNowMs();
      const worker = recruit(id, role.name, startCpus);
      this.members.push(this.add({ id, role: role.name, forkedMs, worker }));
    }
  }

  /** @param {Pick<GroupMember, 'id' | 'role' | 'forkedMs' | 'worker'>} hired   just started */
  add(hired) {
    const { worker } = hired;
    const { line, sendControl } = openForkControlChannel(
      worker.port,
      (message) => this.onMessage(member, message),
      (why) => this.miss(member, why),
    );
    /** @type {GroupMember} */
    const member = {
      ...hired,
      line,
      tell: sendControl,
      said: new Map(),
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
    member.said.set(message.control, message);
    const why = message.control === 'hello' ? protocolProblem(message) : null;
    if (why !== null) this.fail?.(new BenchError('PROTOCOL', `${memberName(member)}: ${why}`));
    // That the controller hung up on it is told with the reason by the controller itself.
    const isKnown = message.control === 'failed' && message.isHangUp && member.isCutOff;
    if (message.control === 'failed' && !isKnown) {
      const what = `${memberName(member)} during ${this.phase()}: ${message.message}`;
      this.attributeFailure(new BenchError(message.code ?? 'TRANSPORT', what), message.isHangUp);
    }
    this.wake();
  }

  /**
   * Who hung up may have died, which explains the failure better and is about to be noticed. Where that can only be this process,
   * nothing is waited for. A peer that dies fails its workers in whichever way.
   * @param {Error} failure @param {boolean} [isHangUp]
   */
  attributeFailure(failure, isHangUp = false) {
    const mayBeAnother = this.hasPeer || (isHangUp && this.members.some(({ id, role }) => id === role));
    if (mayBeAnother) setTimeout(() => this.fail?.(failure), EXIT_NOTICED_MS).unref();
    else this.fail?.(failure);
  }

  /**
   * The controller hung up on a worker for what it sent. One that was killed may have sent half a message, and its end explains that better.
   * @param {string} id   of the worker @param {Error} failure
   */
  blameWorker(id, failure) {
    const member = this.members.find((one) => one.id === id);
    if (this.isDismissed || member?.isVictim) return;
    if (member !== undefined) member.isCutOff = true;
    setTimeout(() => this.fail?.(failure), EXIT_NOTICED_MS).unref();
  }

  /** @param {GroupMember} member @param {string} why   its line does not carry any more */
  miss(member, why) {
    setTimeout(() => {
      if (member.isGone || member.isVictim || this.isKilled || this.isDismissed) return;
      const what = `the control line of ${memberName(member)} (${member.worker.identity}) broke during ${this.phase()}`;
      this.fail?.(new BenchError('PROTOCOL', `${what}, and it still runs: ${why}`));
    }, LINE_BROKEN_MS).unref();
  }

  wake() {
    for (const listener of this.listeners) listener();
  }

  /** @returns by which the system knows them; undefined: they are processes */
  threadIds() {
    return this.areThreads ? this.members.map(({ worker }) => worker.systemThreadId) : undefined;
  }

  /** @param {string} [role]   absent: whichever */
  playing(role) {
    return this.members.filter((member) => role === undefined || member.role === role);
  }

  /** @param {ToWorker} message @param {string} [role]   absent: all */
  tellAll(message, role) {
    for (const member of this.playing(role)) member.tell(message);
  }

  /**
   * @param {'ready' | 'connected' | 'parked' | 'counted' | 'sliced' | 'done'} kind   of message that every process has to send
   * @param {number} deadlineMs
   * @param {string} [role]   absent: all
   * @returns {Promise<any[]>} what they said, in the order of the members; without those that were killed by order
   */
  async allSay(kind, deadlineMs, role) {
    const what = WHAT_TO_DO[kind];
    const members = this.playing(role);
    await this.until((member) => member.isVictim || member.said.has(kind), deadlineMs, what, members);
    return members.filter(({ isVictim }) => !isVictim).map((member) => member.said.get(kind));
  }

  /** @param {'connected' | 'counted' | 'sliced'} kind   of message that every worker is to send again */
  forget(kind) {
    for (const { said } of this.members) said.delete(kind);
  }

  /** @returns {boolean} loops of some process count whole operations */
  countsWhole() {
    return this.members.some(({ said }) => /** @type {Ready | undefined} */ (said.get('ready'))?.isWhole);
  }

  /** @param {'warm'} kind */
  haveAllSaid(kind) {
    return this.members.every((member) => member.said.has(kind));
  }

  /** @param {number} deadlineMs @param {string} [role]   absent: all */
  async allGone(deadlineMs, role) {
    await this.until((member) => member.isGone, deadlineMs, 'end', this.playing(role));
  }

  /** @param {(member: GroupMember) => boolean} isDone @param {number} deadlineMs @param {string} what @param {GroupMember[]} awaited */
  async until(isDone, deadlineMs, what, awaited) {
    const listener = { wake: () => {} };
    const done = new Promise((resolve) => {
      listener.wake = () => {
        if (awaited.every(isDone)) resolve(undefined);
      };
    });
    this.listeners.push(listener.wake);
    listener.wake();
    try {
      await withDeadline(Promise.race([done, this.trouble]), deadlineMs, () => {
        const missing = awaited
          .filter((member) => !isDone(member))
          .map(({ id, worker }) => `${id} (${worker.identity})`);
        const message = `${listed(missing)} did not ${what} within ${Math.round(deadlineMs)} ms during ${this.phase()}`;
        throw new BenchError('DEADLINE', message);
      });
    } finally {
      this.listeners.splice(this.listeners.indexOf(listener.wake), 1);
    }
  }

  /** @param {number} count @returns the last so many */
  lastOnes(count) {
    return this.members.slice(this.members.length - count);
  }

  /** @param {GroupMember} member   that the scenario wants dead */
  killOne(member) {
    member.isVictim = true;
    member.worker.kill();
  }

  /** From here on an end in good order is expected. */
  dismiss() {
    this.isDismissed = true;
  }

  /** Ends all that still live; only for launches that failed. */
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
 * @property {(message: ToWorker) => void} tell
 * @property {number} forkedMs                     of the clock that all processes share
 * @property {ClockComparison | null} clock        null: it is this process's own
 * @property {Map<string, FromWorker>} said     by kind
 * @property {boolean} isGone
 * @property {boolean} isVictim                    it was killed as the scenario asks for: nobody waits for it
 * @property {boolean} isCutOff                    the controller hung up on it for what it sent
 */

/** @param {Pick<GroupMember, 'id' | 'role'>} member @returns for messages: 'worker w0', 'the relay' */
export function memberName({ id, role }) {
  return id === role ? `the ${role}` : `${role} ${id}`;
}
