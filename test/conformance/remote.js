// Both ends of a fork in the suite: the parent sends requests by name, the child responds, and must end by itself when its IPC
// channel is closed; killing it would hide faults. A child may be a thread.

import { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openForkControlChannel, openOwnControlChannel } from '../../lib/launch/control/control-channel.js';
import { asWorker } from '../../lib/launch/controller/start-worker.js';
import { startDeadline, within } from './deadline.js';

const ANSWER_DEADLINE_MS = 20_000;
const LINGER_MS = 2_000; // a process should end within some 10 ms after its last handle
const EXIT_DEADLINE_MS = LINGER_MS + 3_000;
const OUTLIVED = 70;
const STDERR_CHARACTERS = 4_000;

/** @typedef {Pick<Remote, 'ask'>} Seat   one of the ends that a child holds */

/** The child in its parent. */
export class Remote {
  /**
   * @param {ChildProcess | import('../../lib/launch/controller/start-worker.js').StartedWorker} started   with a stderr of its own
   * @param {string} name     for messages
   */
  constructor(started, name) {
    const worker = started instanceof ChildProcess ? asWorker(started) : started;
    const { stderr } = worker;
    this.worker = worker;
    this.child = worker.port;
    this.name = name;
    this.stderr = '';
    this.questions = 0;
    /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
    this.waiting = new Map();
    const { line, sendControl } = openForkControlChannel(this.child, (message) => this.settle(message));
    this.line = line;
    this.sendControl = sendControl;
    stderr?.on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-STDERR_CHARACTERS);
    });
    /** @type {Promise<string>} how it failed, '' when it did not */
    this.ended = worker.ended.then(async ({ code, how, why = '' }) => {
      if (stderr?.readableEnded === false) await once(stderr, 'end');
      const ending = code === null ? how : `ended with exit code ${code}`;
      const failure = code === 0 ? '' : `${name} ${ending}: ${why}${this.stderr}`;
      for (const { reject } of this.waiting.values()) reject(new Error(failure || `${name} has left`));
      return failure;
    });
  }

  /** @param {Record<string, any>} message */
  settle({ id, result, error }) {
    const question = this.waiting.get(id);
    this.waiting.delete(id);
    if (error === undefined) return question?.resolve(result);
    const failure = new Error(`${this.name}: ${error.message}`);
    failure.stack = `${failure.message}\n${error.stack}`;
    question?.reject(failure);
  }

  /**
   * @param {string} what
   * @param {Record<string, any>} [details]
   * @param {number} [deadlineMs]
   * @returns {Promise<any>}
   */
  ask(what, details = {}, deadlineMs = ANSWER_DEADLINE_MS) {
    this.questions += 1;
    const id = this.questions;
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    if (this.child.connected) this.sendControl({ ...details, control: what, id });
    else this.settle({ id, error: { message: `cannot be asked to ${what}: it has ended: ${this.stderr}` } });
    return within(deadlineMs, `the answer of ${this.name} to '${what}'`, answer);
  }

  /** @param {string} seat @returns {Seat} whose questions are about the end of this name */
  seat(seat) {
    return { ask: (what, details, deadlineMs) => this.ask(what, { ...details, seat }, deadlineMs) };
  }

  /** Closes the IPC channel; the child must end by itself. */
  async leave() {
    if (this.child.connected) this.child.disconnect();
    try {
      const how = await within(EXIT_DEADLINE_MS, `the end of ${this.name} by itself`, this.ended);
      if (how !== '') throw new Error(how);
    } finally {
      // The failure is recorded; this only ends a process that may use a CPU.
      this.worker.kill();
    }
  }
}

/**
 * The parent in its child.
 * @param {Record<string, (details: any) => any>} answers
 * @returns {import('../../lib/types/transports.js').ForkLine}
 */
export function answerParent(answers) {
  const port = openOwnControlChannel();
  const { line, sendControl } = openForkControlChannel(port, async ({ control, id, ...details }) => {
    try {
      const result = await answers[control](details);
      sendControl({ control: 'answer', id, result });
    } catch (error) {
      const { message, stack } = /** @type {Error} */ (error);
      sendControl({ control: 'answer', id, error: { message, stack } });
    }
  });
  port.once('disconnect', () => {
    // It is unreferenced, and fires only if something else keeps the process alive.
    startDeadline(LINGER_MS, () => {
      const causes = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`${LINGER_MS} ms after its last task it was kept alive by: ${causes}\n`);
      process.exit(OUTLIVED);
    }).unref();
  });
  return line;
}
