// The workers of a launch as their master sees them: started, told, awaited with deadlines that name who is missing, and
// noticed when they die.

import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { sharedNowMs } from '../machine/clock.js';
import { allCpus } from './assignment.js';
import { openForkLine } from './fork-line.js';
import { whyNotUnderstood } from './protocol.js';
import { startWorker } from './start-worker.js';

/** @import { ForkLine, ForkWishes } from '../types/transports.js' */
/** @import { FromWorker, ToWorker } from './protocol.js' */
/** @import { StartedWorker } from './start-worker.js' */

const WORKER_PATH = fileURLToPath(new URL('./worker.js', import.meta.url));

/**
 * @typedef {object} CrewMember
 * @property {string} id
 * @property {StartedWorker} worker
 * @property {ForkLine} line
 * @property {(message: ToWorker) => void} tell
 * @property {number} forkedMs                     of the clock that all processes share
 * @property {Map<string, FromWorker>} said     by kind
 * @property {boolean} isGone
 * @property {boolean} isVictim                    it was killed as the scenario asks for: nobody waits for it
 */

export class Crew {
  /**
   * @param {object} settings
   * @param {number} settings.workers
   * @param {import('./assignment.js').Assignment['cpus']} settings.cpus
   * @param {ForkWishes} settings.wishes
   * @param {number[]} settings.helpers              threads of the master that stay on all CPUs of the launch
   * @param {() => string} settings.phase            what the launch is doing, for messages
   */
  constructor({ workers, cpus, wishes, helpers, phase }) {
    this.helpers = helpers;
    this.phase = phase;
    this.areThreads = wishes.thread === true;
    this.isDismissed = false;
    this.isKilled = false;
    /** Rejects as soon as any worker fails or dies. */
    this.trouble = new Promise((_, reject) => {
      this.fail = reject;
    });
    this.trouble.catch(() => {}); // it may come when nobody waits, and is raised at the next wait
    /** @type {(() => void)[]} */
    this.listeners = [];
    /** @type {CrewMember[]} */
    this.members = [];
    this.cpus = cpus;
    // Until they are ready, workers use all CPUs of the launch: starting one behind the other would double that time.
    const startCpus = cpus && allCpus(cpus);
    for (let index = 0; index < workers; index += 1) {
      this.members.push(this.hire(`w${index}`, startCpus, wishes));
    }
  }

  /** @param {string} id @param {number[] | null} cpus @param {ForkWishes} wishes @returns {CrewMember} */
  hire(id, cpus, wishes) {
    const forkedMs = sharedNowMs();
    const worker = startWorker(WORKER_PATH, { wishes, cpus, dieWithParent: true });
    const { line, sendControl } = openForkLine(worker.port, (message) => this.hear(member, message));
    /** @type {CrewMember} */
    const member = {
      id,
      worker,
      line,
      tell: sendControl,
      forkedMs,
      said: new Map(),
      isGone: false,
      isVictim: false,
    };
    worker.ended.then(({ code, how, why }) => {
      member.isGone = true;
      const isExpected = this.isKilled || member.isVictim || (this.isDismissed && code === 0);
      const cause = why === undefined ? '' : `: ${why}`;
      const message = `worker ${id} (${worker.identity}) ${how} during ${this.phase()}${cause}`;
      if (!isExpected) this.fail?.(new BenchError('PROCESS_DIED', message));
      this.wake();
    });
    return member;
  }

  /** @param {CrewMember} member @param {FromWorker} message */
  hear(member, message) {
    member.said.set(message.control, message);
    const why = message.control === 'hello' ? whyNotUnderstood(message) : null;
    if (why !== null) this.fail?.(new BenchError('PROTOCOL', `worker ${member.id}: ${why}`));
    if (message.control === 'failed') {
      const what = `worker ${member.id} during ${this.phase()}: ${message.message}`;
      this.fail?.(new BenchError(message.code ?? 'TRANSPORT', what));
    }
    this.wake();
  }

  wake() {
    for (const listener of this.listeners) listener();
  }

  /** @returns {(number | null)[] | undefined} by which the system knows them; undefined: they are processes */
  threadIds() {
    return this.areThreads ? this.members.map(({ worker }) => worker.systemThreadId) : undefined;
  }

  /** @param {ToWorker} message */
  tellAll(message) {
    for (const member of this.members) member.tell(message);
  }

  /**
   * @param {'ready' | 'done'} kind   of message that every worker has to send
   * @param {number} deadlineMs
   * @returns {Promise<any[]>} what they said, in the order of the workers; without those that were killed by order
   */
  async allSay(kind, deadlineMs) {
    const what = kind === 'ready' ? 'connect' : 'report';
    await this.until((member) => member.isVictim || member.said.has(kind), deadlineMs, what);
    return this.members.filter(({ isVictim }) => !isVictim).map((member) => member.said.get(kind));
  }

  /** @param {'warm'} kind @returns {boolean} */
  haveAllSaid(kind) {
    return this.members.every((member) => member.said.has(kind));
  }

  /** @param {number} deadlineMs */
  async allGone(deadlineMs) {
    await this.until((member) => member.isGone, deadlineMs, 'end');
  }

  /** @param {(member: CrewMember) => boolean} isDone @param {number} deadlineMs @param {string} what */
  async until(isDone, deadlineMs, what) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const listener = { wake: () => {} };
    const done = new Promise((resolve, reject) => {
      listener.wake = () => {
        if (this.members.every(isDone)) resolve(undefined);
      };
      timer = setTimeout(() => {
        const missing = this.members
          .filter((member) => !isDone(member))
          .map(({ id, worker }) => `${id} (${worker.identity})`);
        const message = `${missing.join(', ')} did not ${what} within ${Math.round(deadlineMs)} ms during ${this.phase()}`;
        reject(new BenchError('DEADLINE', message));
      }, deadlineMs);
    });
    this.listeners.push(listener.wake);
    listener.wake();
    try {
      await Promise.race([done, this.trouble]);
    } finally {
      clearTimeout(timer);
      this.listeners.splice(this.listeners.indexOf(listener.wake), 1);
    }
  }

  /** @param {number} count @returns {CrewMember[]} the last so many */
  lastOnes(count) {
    return this.members.slice(this.members.length - count);
  }

  /** @param {CrewMember} member   that the scenario wants dead: it lives for a moment */
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
