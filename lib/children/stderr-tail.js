// The last lines that some processes have printed, to report why they failed.

import { debuglog } from 'node:util';
import { withDeadline } from './with-deadline.js';

/** @import { Readable } from 'node:stream' */

const trace = debuglog('ipc-bench');
const LINES = 20;
const LINE_CHARACTERS = 400;
const HEARD_WITHIN_MS = 500; // of the end of a process; a child of it may hold its stream open

/**
 * @typedef {object} LastLines
 * @property {(stream: Readable | null) => void} take
 * @property {() => string[]} lines
 * @property {() => Promise<void>} heard      resolves once those that have ended are heard to their last word; they are heard no
 *                                            further then
 */

/** @returns {LastLines} */
export function stderrTail() {
  let text = '';
  /** @type {Promise<unknown>[]} */
  const closed = [];
  /** @type {Readable[]} */
  const streams = [];
  return {
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
    async heard() {
      await withDeadline(Promise.all(closed), HEARD_WITHIN_MS, () => {});
      for (const stream of streams) stream.destroy(); // it would keep this process
    },
  };
}
