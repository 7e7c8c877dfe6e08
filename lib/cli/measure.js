// `import { measure } from 'ipc-bench'`: a run for programs. Prints nothing, and writes no file but the results, where a
// folder for them is named.

import { join } from 'node:path';
import { BenchError } from '../errors.js';
import { refuseUninstalled } from '../machine/own-package.js';
import { refuseEndlessRun } from '../plan/duration-estimate.js';
import { withClaims } from '../results/claim-outputs.js';
import { runnerOf } from './measure-sides.js';
import { measurement } from './measurement.js';
import { openRunFolder, RESULTS_FILE } from './output-places.js';
import { prepared, surroundingsOf } from './prepared.js';

/** @import { Measured, Watch } from '../conductor/interleaved-run.js' */
/** @import { Results } from '../types/index.js' */
/** @import { Measurement } from './measurement.js' */
/** @typedef {string | number | boolean} OptionValue */
/** @typedef {Record<string, OptionValue | readonly OptionValue[]>} RunOptions   as the file of --config holds them */
/**
 * @typedef {object} Wishes
 * @property {AbortSignal} [signal]    ends the run: its results are `interrupted` then, with the launches that have ended
 * @property {boolean} [force]         overwrite results; measure however long it takes, and what spins on one CPU
 * @property {Watch['onWaiting']} [onWaiting]   once, when another run of this user measures already
 */

export { BenchError };

/**
 * Options come from the argument alone: no flags, no environment, no file.
 * @param {RunOptions} options
 * @param {Wishes} [wishes]
 * @returns {Measurement<Results>}
 */
export function measure(options, { signal = new AbortController().signal, force = false, onWaiting } = {}) {
  return measurement((onProgress) =>
    withClaims(async (claims) => {
      const side = await openSide(options, { isForced: force, claims });
      const runSides = await runnerOf([side]);
      const [results] = await runSides([side], { onProgress, signal, onWaiting });
      return results;
    }),
  );
}

/**
 * @param {RunOptions} config
 * @param {import('./output-places.js').How} how
 * @returns {Promise<Measured>}
 */
async function openSide(config, how) {
  refuseUninstalled();
  const { isForced } = how;
  const surroundings = { ...surroundingsOf({}), config };
  const { options, plugins, plan, chosen } = await prepared({ force: isForced }, surroundings);
  const [document] = Object.keys(options.outputs);
  if (document !== undefined) {
    const next = 'give "out", and make documents of its results.json with ipc-bench report';
    throw new BenchError('BAD_CONFIG', `${document} is asked for, and a program gets results only; ${next}`);
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
