// `import { measure } from 'ipc-bench'`: measures for the program that calls it. It prints nothing, and writes a results file only if `out`
// names a folder.

import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { printable } from '../format/printable.js';
import { refuseUninstalled } from '../machine/packages.js';
import { refuseEndlessRun } from '../plan/duration-estimate.js';
import { findingsIn } from '../report/findings/index.js';
import { withClaims } from '../results/claim-outputs.js';
import { chooseRunner, measurement } from './measuring.js';
import { openRunFolder, RESULTS_FILE } from './output-paths.js';
import { prepared, readSurroundings } from './prepare.js';
import { refuseRemovedFolder } from './process-io.js';

/** @import { MeasuredSide, Watch } from '../run/interleaved-run.js' */
/** @import { Results } from '../types/index.js' */
/** @import { Measurement } from './measuring.js' */
/** @typedef {import('../options/flags.js').RunOptions} RunOptions */
/**
 * @typedef {object} RunControls
 * @property {AbortSignal} [signal]   aborts the run: `results` resolves with what was measured, marked `interrupted`; it rejects with
 *   INTERRUPTED if the run still waits for another run
 * @property {boolean} [force]   overwrites results, permits plans of any length, and omits checks of this machine, such as that for
 *   busy-waiting transports on one CPU
 * @property {Watch['onWaiting']} [onWaiting]   called once if the run has to wait for another run of this user
 */

export { BenchError };

/**
 * Measures as `run` does, but reads no flags, no environment variables and no config file.
 * @param {RunOptions} options
 * @param {RunControls} [controls]
 * @returns {Measurement<Results>}
 */
export function measure(options, controls = {}) {
  return measurement((onProgress) =>
    withClaims(async (claims) => {
      rejectWrongControls(controls);
      const { signal = new AbortController().signal, force = false, onWaiting } = controls;
      const side = await openSide(options, { isForced: force, claims });
      const runSides = await chooseRunner([side]);
      const [results] = await runSides([side], { onProgress, signal, onWaiting, conclude: findingsIn });
      return results;
    }),
  );
}

/** @type {Readonly<Record<string, { isUsable: (value: unknown) => boolean, wanted: string }>>} */
const CONTROLS = {
  signal: { isUsable: (value) => value instanceof AbortSignal, wanted: 'an AbortSignal' },
  force: { isUsable: (value) => typeof value === 'boolean', wanted: 'true or false' },
  onWaiting: { isUsable: (value) => typeof value === 'function', wanted: 'a function' },
};

/** @param {unknown} controls */
function rejectWrongControls(controls) {
  const argument = 'the second argument of measure()';
  const known = Object.keys(CONTROLS);
  const refuse = (/** @type {string} */ reason) => {
    throw new BenchError('BAD_ARGUMENT', reason);
  };
  if (typeof controls !== 'object' || controls === null || Array.isArray(controls))
    refuse(`${argument} is not an object; write { ${known.join(', ')} }, or leave it out`);
  for (const [key, value] of Object.entries(/** @type {object} */ (controls))) {
    if (!known.includes(key)) {
      const next = `it takes ${known.join(', ')}, and options belong in the first argument`;
      refuse(`"${printable(key)}" in ${argument} is unknown; ${next}.${didYouMean(key, known)}`);
    }
    if (value !== undefined && !CONTROLS[key].isUsable(value))
      refuse(`"${key}" in ${argument} is not usable; give ${CONTROLS[key].wanted}`);
  }
}

/** @param {RunOptions} config @param {import('./output-paths.js').OutputPolicy} how @returns {Promise<MeasuredSide>} */
async function openSide(config, how) {
  refuseUninstalled();
  refuseRemovedFolder();
  const { isForced } = how;
  const surroundings = { ...readSurroundings({}), config };
  const { options, plugins, plan, chosen } = await prepared({ force: isForced }, surroundings);
  const [document] = Object.keys(options.outputs);
  if (document !== undefined) {
    const next = 'give "out", and make documents of its results.json with ipc-bench report';
    throw new BenchError('BAD_CONFIG', `${document} is requested, and a program gets results only; ${next}`);
  }
  if (!isForced) refuseEndlessRun(plan.estimate);
  const side = { options, plugins, plan };
  if (chosen.has('out')) {
    const { outDir } = await openRunFolder(options, true, how);
    return { ...side, resultsPath: join(outDir, RESULTS_FILE) };
  }
  if (options.profile) {
    throw new BenchError('BAD_CONFIG', '"profile" writes files: name a folder for them with "out"');
  }
  return { ...side, resultsPath: null };
}
