// Passes the signals of this process on to a child process in the same process group.

import { spawn } from 'node:child_process';

/** @import { ChildProcess } from 'node:child_process' */

const FORWARDED = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const GROUP_MS = 100; // A signal to the process group ends the sentinel within this time.

/**
 * A signal that was sent to the whole process group, as by Ctrl-C in a terminal, is not passed on, since the child has it already. It is
 * recognised by a sentinel, a small process in the same group, which such a signal ends too.
 * @param {(signal: NodeJS.Signals) => void} send   sends a signal to the child
 * @returns {() => void} stops passing signals on
 */
export function forwardSignals(send) {
  /** @type {ChildProcess | null} */
  let sentinel = null;
  const watch = () => {
    if (process.platform === 'win32') return;
    // cat exits when its standard input closes, so it does not outlive this process.
    sentinel = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    sentinel.on('error', () => {});
    sentinel.stdin?.on('error', () => {});
    sentinel.unref();
    /** @type {any} */ (sentinel.stdin)?.unref?.();
  };
  /** @param {NodeJS.Signals} signal */
  const pass = async (signal) => {
    const watching = sentinel;
    watch();
    const isOfGroup = watching !== null && (await endsOn(watching, signal));
    watching?.stdin?.end();
    if (!isOfGroup) send(signal);
  };
  watch();
  const listeners = FORWARDED.map((signal) => {
    const listener = () => void pass(signal);
    process.on(signal, listener);
    return /** @type {const} */ ([signal, listener]);
  });
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
    sentinel?.stdin?.end();
  };
}

/** @param {ChildProcess} sentinel @param {NodeJS.Signals} signal @returns {Promise<boolean>} whether the signal ends it within GROUP_MS */
function endsOn(sentinel, signal) {
  if (sentinel.exitCode !== null || sentinel.signalCode !== null)
    return Promise.resolve(sentinel.signalCode === signal);
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), GROUP_MS);
    sentinel.once('exit', (_code, by) => {
      clearTimeout(timer);
      resolve(by === signal);
    });
  });
}
