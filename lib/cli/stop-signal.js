// Ctrl-C and friends → one AbortSignal for the runner, and the exit code that tells them apart.

import { exitCode } from '../errors.js';

/** @type {Readonly<Partial<Record<NodeJS.Signals, string>>>} signal → name of the exit code */
const ENDINGS = { SIGINT: 'interrupted', SIGTERM: 'terminated', SIGHUP: 'terminated' };

/**
 * @param {Pick<import('./main.js').Host, 'stderr' | 'exitNow'>} host
 * @returns {{ signal: AbortSignal, exitCode: () => number | null, release: () => void }}
 */
export function stopSignal({ stderr, exitNow }) {
  const controller = new AbortController();
  /** @type {number | null} */
  let stoppedWith = null;
  const onSignal = (/** @type {NodeJS.Signals} */ name) => {
    const code = exitCode(ENDINGS[name] ?? 'unexpected');
    if (stoppedWith !== null) {
      exitNow(code);
      return;
    }
    stoppedWith = code;
    stderr.write(`\n${name}: stopping; what was measured is saved. Once more ends at once.\n`);
    controller.abort(new Error(`stopped by ${name}`));
  };
  const names = /** @type {NodeJS.Signals[]} */ (Object.keys(ENDINGS));
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    exitCode: () => stoppedWith,
    release() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
