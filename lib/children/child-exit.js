// How a child process ended: its last lines, the words for its exit, and its end by a deadline.

import { debuglog } from 'node:util';
import { withDeadline } from './with-deadline.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Readable } from 'node:stream' */

const trace = debuglog('ipc-bench');
const LINES = 20;
const LINE_CHARACTERS = 400;
const HEARD_WITHIN_MS = 500; // of the end of a process; a child of it may hold its stream open

export function stderrTail() {
  let text = '';
  /** @type {Promise<unknown>[]} */
  const closed = [];
  /** @type {Readable[]} */
  const streams = [];
  return {
    /** @param {Readable | null} stream */
    take(stream) {
      if (stream === null) return;
      streams.push(stream);
      closed.push(new Promise((resolve) => stream.once('close', resolve)));
      stream.setEncoding('utf8');
      stream.on('data', (chunk) => {
        if (trace.enabled) process.stderr.write(chunk);
        text = (text + chunk).slice(-LINES * LINE_CHARACTERS);
      });
    },
    lines: () =>
      text
        .split('\n')
        .map((line) => line.trimEnd().slice(0, LINE_CHARACTERS))
        .filter((line) => line !== '')
        .slice(-LINES),
    /** Resolves once those that have ended are heard to their last word; they are heard no further then. */
    async heard() {
      await withDeadline(Promise.all(closed), HEARD_WITHIN_MS, () => {});
      for (const stream of streams) stream.destroy(); // it would keep this process
    },
  };
}

/** @param {number | null} code @param {NodeJS.Signals | null} signal */
export function describeExit(code, signal) {
  if (signal === null) return `ended by itself with exit code ${code}`;
  // Linux kills in the same way when memory runs out.
  const hint = signal === 'SIGKILL' ? ' (by the system, if memory ran out)' : '';
  return `was killed by ${signal}${hint}`;
}

/** @param {ChildProcess} child   just started @returns {Promise<string>} how it ended: what follows its name in a sentence */
export function waitForExit(child) {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(`could not be started: ${message}`));
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
  });
}

const GRACE_MS = 1_000; // to clean up when it is told to leave, before it is killed

/**
 * @param {ChildProcess} child
 * @param {object} terms
 * @param {number} terms.lifeMs
 * @param {AbortSignal} terms.signal      it is not wanted any more
 * @param {() => void} terms.dismiss      tells it to leave, by whatever it takes for that
 * @param {Promise<string>} [terms.ended]   how it ended
 * @returns how; null: it was told to leave because its time was over
 */
export async function endInTime(child, { lifeMs, signal, dismiss, ended = waitForExit(child) }) {
  let isLate = false;
  /** @type {NodeJS.Timeout | undefined} */
  let killing;
  const stop = () => {
    if (killing !== undefined) return; // its time was over, and it is not wanted any more: once is enough
    dismiss();
    killing = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  const deadline = setTimeout(() => {
    isLate = true;
    stop();
  }, lifeMs);
  signal.addEventListener('abort', stop, { once: true });
  const how = await ended;
  clearTimeout(deadline);
  clearTimeout(killing);
  signal.removeEventListener('abort', stop);
  return isLate ? null : how;
}
