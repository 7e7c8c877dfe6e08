// Handles the end of a child process: the last lines of its stderr, the description of its exit, and a deadline.

import { debuglog } from 'node:util';
import { withDeadline } from './with-deadline.js';

/** @import { ChildProcess } from 'node:child_process' */
/** @import { Readable } from 'node:stream' */

const trace = debuglog('ipc-bench');
const LINES = 20;
const LINE_CHARACTERS = 400;
const DRAINED_MS = 500; // a child of an ended process may hold the stream open

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
    /** To be called when the processes have ended. Reads the rest of their streams and closes them. */
    async drain() {
      await withDeadline(Promise.all(closed), DRAINED_MS, () => {});
      for (const stream of streams) stream.destroy(); // an open stream keeps this process alive
    },
  };
}

/** @param {number | null} code @param {NodeJS.Signals | null} signal */
export function describeExit(code, signal) {
  if (signal === null) return `ended by itself with exit code ${code}`;
  // Linux sends SIGKILL when memory runs out.
  const hint = signal === 'SIGKILL' ? ' (by the system, if memory ran out)' : '';
  return `was killed by ${signal}${hint}`;
}

/** @param {ChildProcess} child   just started @returns {Promise<string>} how it ended, as the predicate of a sentence */
export function waitForExit(child) {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(`could not be started: ${message}`));
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
  });
}

const GRACE_MS = 1_000; // between dismissal and SIGKILL, for cleaning up

/**
 * @param {ChildProcess} child
 * @param {object} terms
 * @param {number} terms.lifeMs
 * @param {AbortSignal} terms.signal
 * @param {() => void} terms.dismiss      makes the child end by itself
 * @param {Promise<string>} [terms.ended]
 * @returns how it ended, or null if it was still running after lifeMs
 */
export async function endInTime(child, { lifeMs, signal, dismiss, ended = waitForExit(child) }) {
  let isLate = false;
  /** @type {NodeJS.Timeout | undefined} */
  let killing;
  const stop = () => {
    if (killing !== undefined) return; // both the deadline and the signal may occur
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
