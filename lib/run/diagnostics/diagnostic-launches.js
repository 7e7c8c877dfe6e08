// Diagnostic launches, which follow the measured ones: under strace to count system calls, or with the CPU profiler of V8. Both slow the
// processes down, so the rates of these launches do not count. explain.js makes further ones.

import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { cellLabel } from '../../cell/labels.js';
import { makeFolders, removeFolder } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { PROFILE_ENDING } from '../../launch/monitors/instruments.js';
import { unwritable, writeAtomically } from '../../results/atomic-file.js';
import { missingRateFailure } from '../../results/failed-outcome.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { controllerWithOwnClock, peerOfCell } from '../assign.js';
import { explain, isExplainable } from './explain.js';
import { callsIn, findStrace } from './strace.js';

/** @import { Cell, FailedLook, Options } from '../../types/index.js' */
/** @import { RunSide } from '../run-groups.js' */
/** @import { LaunchSpec } from '../../launch/launch-spec.js' */
/** @import { Failure } from './explain.js' */

const FIRST_ORDER = 1_000_000; // Orders from here on are not used by measured launches.
const LOOKS = 4; // per cell: one for --syscalls, one for --profile, two for --explain
const CELL_FOLDER = /^\d{2,}-/;

export const PROFILES_FOLDER = 'profiles';

/**
 * @param {Pick<Options, 'syscalls' | 'explain'>} options
 * @param {Cell[]} cells    the cells of all sides
 * @throws {BenchError} BAD_ARGUMENT, before a measurement begins
 */
export function assertCanDiagnose({ syscalls, explain: isExplained }, cells) {
  if (isExplained === true && !cells.some(isExplainable)) {
    const what = 'round trips in closed loops, without --network';
    throw new BenchError(
      'BAD_ARGUMENT',
      `--explain finds nothing to explain, which is ${what}: add --scenario round-trip`,
    );
  }
  if (syscalls === true) findStrace();
}

/** @param {RunSide} side   The findings, or the reasons of failures, are added to its results. */
export async function runDiagnosticLaunches({ options, results, file, runner }) {
  // A resumed run repeats the diagnosis of all cells.
  for (const name of /** @type {const} */ (['syscalls', 'profiles', 'explanations', 'failedLooks']))
    delete results[name];
  const measured = results.outcomes.filter(isMeasured);
  const outDir = dirname(file.path ?? '');
  // Variants share the output folder, so each one has a subfolder.
  const profiles = posix.join(PROFILES_FOLDER, results.variant?.name ?? '');
  if (options.profile) await removeProfiles(join(outDir, profiles));
  for (const [place, outcome] of measured.entries()) {
    const { cell } = outcome;
    const order = FIRST_ORDER + LOOKS * place;
    const note = async (/** @type {FailedLook['look']} */ look, /** @type {Promise<Failure>} */ recorded) => {
      const failure = await recorded.catch((error) => unsavedFailure(error, outDir));
      if (failure === null) return;
      results.failedLooks ??= [];
      results.failedLooks.push({ cell, look, code: failure.code, message: failure.message });
    };
    if (options.syscalls) await note('syscalls', countSyscalls(cell, order, runner, results));
    if (options.profile) {
      const name = `${String(place).padStart(2, '0')}-${cellLabel(cell).replace(/[^a-z0-9]+/gi, '-')}`;
      const folders = { folder: posix.join(profiles, name), outDir };
      await note('profile', profile(cell, { order: order + 1, ...folders }, runner, results));
    }
    if (options.explain && isExplainable(cell))
      await note('explain', explain(outcome, order + 2, runner, results));
  }
}

/**
 * @param {any} error
 * @param {string} outDir
 * @returns {Failure} for a file that could not be written, as on a full disk
 * @throws {Error} any other error
 */
function unsavedFailure(error, outDir) {
  const isUnwritable = error.code === 'OUTPUT_UNWRITABLE';
  if (!isUnwritable && error.syscall === undefined) throw error;
  const { code, message } = isUnwritable ? error : unwritable(error.dest ?? error.path ?? outDir, error);
  return { code, message };
}

/** @param {Cell} cell @param {number} order @param {RunSide['runner']} runner @param {RunSide['results']} results @returns {Promise<Failure>} */
async function countSyscalls(cell, order, runner, results) {
  const peer = peerOfCell(cell, runner.context.plugins.runtimes);
  if (peer !== null) {
    const message = `${peer} is a further process, which this does not attribute: run strace -c -p on it by hand`;
    return { code: 'RUNTIME', message };
  }
  const controller = controllerWithOwnClock(cell, runner.context.plugins.runtimes);
  if (controller !== null) {
    const message = `${controller} has a clock of its own, and strace that of the machine, so the calls of the window are unknown`;
    return { code: 'RUNTIME', message };
  }
  const traceDir = await runner.context.scratch.folderFor(`s${order}`);
  /** @type {any[]} */
  const done = [];
  try {
    const look = { traceDir, onDone: (/** @type {any} */ fields) => done.push(fields) };
    const launch = await runner.run(cell, 0, order, () => 0, look);
    const failure = missingRateFailure(launch);
    if (failure !== null) return failure;
    const [{ openMs, windowMs, operations, threadIds, reports }] = done;
    const names = reports.map((/** @type {{ id: string }} */ { id }) => id);
    const processes = await callsIn(traceDir, { openMs, windowMs, operations, threadIds, names });
    results.syscalls ??= [];
    results.syscalls.push({ cell, operations, processes });
    return null;
  } finally {
    await removeFolder(traceDir);
  }
}

/**
 * @param {Cell} cell
 * @param {{ order: number, folder: string, outDir: string }} place   `folder` is relative to `outDir`
 * @param {RunSide['runner']} runner
 * @param {RunSide['results']} results
 * @returns {Promise<Failure>}
 */
async function profile(cell, { order, folder, outDir }, runner, results) {
  // A separate folder contains the files of this launch only.
  const profileDir = await runner.context.scratch.folderFor(`p${order}`);
  try {
    const launch = await runner.run(cell, 0, order, () => 0, { profileDir });
    const failure = missingRateFailure(launch);
    if (failure !== null) return failure;
    const names = (await readdir(profileDir)).sort();
    if (names.length === 0) {
      const message =
        'no process of it wrote a profile: its runtime has no profiler that node:inspector reaches';
      return { code: 'RUNTIME', message };
    }
    await makeFolders(join(outDir, folder));
    results.profiles ??= [];
    for (const name of names) {
      const file = posix.join(folder, name);
      // Unlike copyFile(), this does not write through a link.
      await writeAtomically(join(outDir, file), await readFile(join(profileDir, name)));
      results.profiles.push({ cell, process: name.slice(0, -PROFILE_ENDING.length), file });
    }
    return null;
  } finally {
    await removeFolder(profileDir);
  }
}

/** Removes the profiles of an earlier run, and keeps all other files. @param {string} folder */
async function removeProfiles(folder) {
  const cellFolders = (await readdir(folder, { withFileTypes: true }).catch(() => [])).filter(
    (entry) => entry.isDirectory() && CELL_FOLDER.test(entry.name),
  );
  for (const { name: cellFolder } of cellFolders) {
    const path = join(folder, cellFolder);
    const old = (await readdir(path)).filter((name) => name.endsWith(PROFILE_ENDING));
    for (const name of old) await rm(join(path, name));
    await rmdir(path).catch(() => {}); // It fails unless the folder is empty.
  }
}

/**
 * Selects what a diagnostic launch records. The rate of such a launch does not count.
 * @typedef {object} DiagnosticLook
 * @property {string} [profileDir]
 * @property {{ by: NonNullable<LaunchSpec['explained']>, leastMs: number }} [explain]   `leastMs` is the least length of the window
 * @property {string} [traceDir]   folder for the logs of strace
 * @property {(fields: any) => void} [onDone]   called with the report of the controller, unless the launch fails
 */

/** @param {LaunchSpec} spec @param {DiagnosticLook} look */
export function makeDiagnosticSpec(spec, { profileDir, explain }) {
  if (profileDir === undefined) return spec;
  if (explain === undefined) return { ...spec, profileDir };
  const { timing, deadlines } = spec;
  const measureMs = Math.max(timing.measureMs, explain.leastMs);
  return {
    ...spec,
    profileDir,
    explained: explain.by,
    timing: { ...timing, messages: null, measureMs },
    deadlines: { ...deadlines, lifeMs: deadlines.lifeMs + measureMs },
  };
}
