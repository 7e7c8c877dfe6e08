// Ctrl-C and friends → one AbortSignal for the conductor, and the exit code that tells them apart.

/** @type {Readonly<Partial<Record<NodeJS.Signals, number>>>} */
const EXIT_CODE_OF = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 };

/**
 * @param {Pick<import('./main.js').Host, 'stderr' | 'exitNow'>} host
 * @returns {{ signal: AbortSignal, exitCode: () => number | null, release: () => void }}
 */
export function stopSignal({ stderr, exitNow }) {
  const controller = new AbortController();
  /** @type {number | null} */
  let exitCode = null;
  const onSignal = (/** @type {NodeJS.Signals} */ name) => {
    const code = EXIT_CODE_OF[name] ?? 1;
    if (exitCode !== null) {
      exitNow(code);
      return;
    }
    exitCode = code;
    stderr.write(`\n${name}: stopping; what was measured is saved. Once more ends at once.\n`);
    controller.abort(new Error(`stopped by ${name}`));
  };
  const names = /** @type {NodeJS.Signals[]} */ (Object.keys(EXIT_CODE_OF));
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    release() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
