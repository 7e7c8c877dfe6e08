// Makes the extra launches of --syscalls, --profile and --explain for the measured cells, and adds what they find to the results.

import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { cellLabel } from '../../cell/labels.js';
import { makeFolders } from '../../children/run-directory.js';
import { BenchError } from '../../errors.js';
import { PROFILE_ENDING } from '../../launch/monitors/instruments.js';
import { unwritable, writeAtomically } from '../../results/atomic-file.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { explain, isExplainable } from './explain.js';
import { ExtraLaunches, NoResult } from './extra-launch.js';
import { countSyscalls, findStrace } from './strace.js';

/** @import { Cell, FailedDiagnosis, MeasuredOutcome, Options, Results } from '../../types/index.js' */
/** @import { RunSide } from '../run-groups.js' */
/** @import { Instrument } from './extra-launch.js' */
/**
 * @typedef {object} Diagnosis
 * @property {'syscalls' | 'profiles' | 'explanations'} field   of the results
 * @property {(cell: Cell) => boolean} [isFor]                  all cells by default
 * @property {(outcome: MeasuredOutcome, extra: ExtraLaunches, profile: ProfileFolder) => Promise<object[]>} find
 */
/** @typedef {{ outDir: string, folder: string }} ProfileFolder   folder: of the profiles of a cell, relative to `outDir` */

/** @type {Record<FailedDiagnosis['flag'], Diagnosis>} */
const DIAGNOSES = {
  syscalls: { field: 'syscalls', find: countSyscalls },
  profile: { field: 'profiles', find: saveProfiles },
  explain: { field: 'explanations', find: explain, isFor: isExplainable },
};
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
  for (const { field } of Object.values(DIAGNOSES)) delete results[field];
  delete results.failedDiagnoses;
  const outDir = dirname(file.path ?? '');
  // Variants share the output folder, so each one has a subfolder.
  const profiles = posix.join(PROFILES_FOLDER, results.variant?.name ?? '');
  if (options.profile) await removeProfiles(join(outDir, profiles));
  const extra = new ExtraLaunches(runner);
  for (const [index, outcome] of results.outcomes.filter(isMeasured).entries()) {
    const { cell } = outcome;
    const name = `${String(index).padStart(2, '0')}-${cellLabel(cell).replace(/[^a-z0-9]+/gi, '-')}`;
    for (const [flag, { field, isFor = () => true, find }] of Object.entries(DIAGNOSES)) {
      if (!options[/** @type {FailedDiagnosis['flag']} */ (flag)] || !isFor(cell)) continue;
      try {
        const found = await find(outcome, extra, { outDir, folder: posix.join(profiles, name) });
        Object.assign(results, { [field]: [...(results[field] ?? []), ...found] });
      } catch (error) {
        const { code, message } = readReason(error, outDir);
        const failed = { cell, flag: /** @type {FailedDiagnosis['flag']} */ (flag), code, message };
        results.failedDiagnoses = [...(results.failedDiagnoses ?? []), failed];
      }
    }
  }
}

/**
 * @param {any} error
 * @param {string} outDir
 * @returns {{ code: string, message: string }} why there is no result; a reason may be a file that could not be written, as on a full disk
 * @throws {Error} any other error
 */
function readReason(error, outDir) {
  if (error instanceof NoResult || error.code === 'OUTPUT_UNWRITABLE') return error;
  if (error.syscall === undefined) throw error;
  return unwritable(error.dest ?? error.path ?? outDir, error);
}

/**
 * @param {Pick<MeasuredOutcome, 'cell'>} outcome
 * @param {ExtraLaunches} extra
 * @param {ProfileFolder} profile
 * @returns {Promise<NonNullable<Results['profiles']>>}
 * @throws {NoResult}
 */
async function saveProfiles({ cell }, extra, { outDir, folder }) {
  /** @type {Instrument} */
  const instrument = (profileDir) => ({ adapt: (spec) => ({ ...spec, profileDir }) });
  return extra.launch(cell, instrument, async ({ folder: profileDir }) => {
    const names = (await readdir(profileDir)).sort();
    if (names.length === 0) {
      const message =
        'no process of it wrote a profile: its runtime has no profiler that node:inspector reaches';
      throw new NoResult({ message });
    }
    await makeFolders(join(outDir, folder));
    const profiles = [];
    for (const name of names) {
      const file = posix.join(folder, name);
      // Unlike copyFile(), this does not write through a link.
      await writeAtomically(join(outDir, file), await readFile(join(profileDir, name)));
      profiles.push({ cell, process: name.slice(0, -PROFILE_ENDING.length), file });
    }
    return profiles;
  });
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
