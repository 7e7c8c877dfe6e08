// The workers of a launch as their master sees them: forked, told, awaited with deadlines that name who is missing, and
// noticed when they die.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { forkPrefix, movePinned } from '../transport-kit/launcher.js';
import { openForkLine } from './fork-line.js';

/** @typedef {import('./fork-line.js').ControlMessage} ControlMessage */
/** @typedef {import('../types.js').ForkLine} ForkLine */
/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

const WORKER_PATH = fileURLToPath(new URL('./worker.js', import.meta.url));

/**
 * @typedef {object} CrewMember
 * @property {string} id
 * @property {ChildProcess} child
 * @property {ForkLine} line
 * @property {(message: ControlMessage) => void} tell
 * @property {Map<string, ControlMessage>} said     by kind
 * @property {boolean} isGone
 */

export class Crew {
  /**
   * @param {object} settings
   * @param {number} settings.workers
   * @param {import('./assignment.js').Assignment['cpus']} settings.cpus
   * @param {'json' | 'advanced'} settings.serialization
   * @param {() => string} settings.phase            what the launch is doing, for messages
   */
  constructor({ workers, cpus, serialization, phase }) {
    this.phase = phase;
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
    this.places = cpus?.workers ?? null;
    // Until they are ready, workers use all CPUs of the launch: starting one behind the other would double that time.
    const startCpus = cpus === null ? null : [...new Set([...cpus.master, ...cpus.workers.flat()])];
    for (let index = 0; index < workers; index += 1) {
      this.members.push(this.hire(`w${index}`, startCpus, serialization));
    }
  }

  /** Pins each worker to its place; before the load begins. */
  takePlaces() {
    this.places?.forEach((cpus, index) => {
      const { id, child } = this.members[index];
      try {
        movePinned(Number(child.pid), cpus);
      } catch (cause) {
        throw new BenchError('PROCESS_DIED', `worker ${id} (pid ${child.pid}) could not be pinned`, {
          cause,
        });
      }
    });
  }

  /**
   * @param {string} id
   * @param {number[] | null} cpus
   * @param {'json' | 'advanced'} serialization
   * @returns {CrewMember}
   */
  hire(id, cpus, serialization) {
    const child = fork(WORKER_PATH, [], {
      ...forkPrefix({ cpus, dieWithParent: true }),
      serialization,
      // What a worker prints goes where the conductor collects the last lines of a launch.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    const { line, sendControl } = openForkLine(child, (message) => this.hear(member, message));
    /** @type {CrewMember} */
    const member = { id, child, line, tell: sendControl, said: new Map(), isGone: false };
    child.on('error', (error) => {
      this.fail?.(
        new BenchError('PROCESS_DIED', `${id} could not be started: ${error.message}`, { cause: error }),
      );
    });
    child.on('exit', (code, signal) => {
      member.isGone = true;
      const isExpected = this.isKilled || (this.isDismissed && code === 0);
      if (!isExpected) this.fail?.(new BenchError('PROCESS_DIED', this.deathOf(member, code, signal)));
      this.wake();
    });
    return member;
  }

  /**
   * @param {CrewMember} member
   * @param {number | null} code
   * @param {string | null} signal
   */
  deathOf({ id, child }, code, signal) {
    const how = signal === null ? `ended by itself with exit code ${code}` : `was killed by ${signal}`;
    return `worker ${id} (pid ${child.pid}) ${how} during ${this.phase()}`;
  }

  /**
   * @param {CrewMember} member
   * @param {ControlMessage} message
   */
  hear(member, message) {
    member.said.set(message.control, message);
    if (message.control === 'failed') {
      this.fail?.(
        new BenchError(
          message.code ?? 'TRANSPORT',
          `worker ${member.id} during ${this.phase()}: ${message.message}`,
        ),
      );
    }
    this.wake();
  }

  wake() {
    for (const listener of this.listeners) listener();
  }

  /** @param {ControlMessage} message */
  tellAll(message) {
    for (const member of this.members) member.tell(message);
  }

  /**
   * @param {'ready' | 'done'} kind   of message that every worker has to send
   * @param {number} deadlineMs
   * @returns {Promise<ControlMessage[]>} in the order of the workers
   */
  async allSay(kind, deadlineMs) {
    const what = kind === 'ready' ? 'connect' : 'report';
    await this.until((member) => member.said.has(kind), deadlineMs, what);
    return this.members.map((member) => /** @type {ControlMessage} */ (member.said.get(kind)));
  }

  /** @param {number} deadlineMs */
  async allGone(deadlineMs) {
    await this.until((member) => member.isGone, deadlineMs, 'end');
  }

  /**
   * @param {(member: CrewMember) => boolean} isDone
   * @param {number} deadlineMs
   * @param {string} what
   */
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
          .map(({ id, child }) => `${id} (pid ${child.pid})`);
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

  /** From here on an end in good order is expected. */
  dismiss() {
    this.isDismissed = true;
  }

  /** Ends all that still live; only for launches that failed. */
  kill() {
    this.isKilled = true;
    for (const member of this.members) if (!member.isGone) member.child.kill('SIGKILL');
  }
}
