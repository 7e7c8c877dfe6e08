// Prepares the paths to which runs and documents are saved, and finds saved runs without their paths.
//
// Before anything is measured, the run claims its folder and the paths of its documents, and tests whether it can write to them. It
// overwrites files of an earlier run, except a baseline, only with --force. It never overwrites files of a run that is still active or
// files that it reads, and never replaces measurements by a document.

import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolders, namesIn } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { counted } from '../format/lists.js';
import { printable, quoted } from '../format/printable.js';
import { SHORT_NAME } from '../options/flags.js';
import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { RESULTS_FOLDER } from '../options/options.js';
import { isFolder } from '../options/output-options.js';
import { tryToWrite } from '../results/atomic-file.js';
import { isClaim } from '../results/claim-outputs.js';
import { assertWritable } from '../results/write.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @typedef {{ isForced: boolean, claims: OutputClaims }} OutputPolicy */

export const RESULTS_FILE = 'results.json';
const BASELINES_FOLDER = join(RESULTS_FOLDER, 'baselines');
/** @type {Readonly<Record<string, string>>} */
const UNMAKEABLE = Object.freeze({
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its place',
  ENOENT: 'its file system takes no folders there',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOSPC: 'no space is left',
});
const PNG = 'png';
const JSON_FLAG = 'json'; // The JSON document of a run is its results file.
const USER_DOCUMENTS = { flag: '--report', ending: '', what: 'files' };

/**
 * @param {Record<string, string>} outputs   flag → path
 * @param {OutputPolicy} how
 * @param {{ isComparison?: boolean }} [what]   isComparison: documents of a comparison contain no results, and fewer reports make several
 */
export async function prepareOutputs(outputs, { isForced, claims }, { isComparison = false } = {}) {
  for (const [flag, path] of Object.entries(outputs)) {
    const report = REPORTS_BY_FLAG.get(flag);
    const isOneDocument = isComparison && !report?.comparison?.isMany;
    const many = isOneDocument ? undefined : report?.option?.many;
    const name = report === undefined ? `--report ${flag}` : `--${flag}`;
    if (flag === PNG) await loadCanvas();
    if (path === '-') continue;
    if (many !== undefined) await prepareFolder(path, { flag: name, ...many }, { isForced, claims });
    else if (isFolder(path) && !isComparison) await prepareFolder(path, USER_DOCUMENTS, { isForced, claims });
    else {
      await claims.add(path, name);
      const kind = flag === JSON_FLAG && !isComparison ? 'results' : 'document';
      await assertWritable(path, { overwrite: isForced, kind });
    }
  }
}

/** @throws {Error} if PNG files cannot be drawn on this machine */
async function loadCanvas() {
  const ruler = await import('../report/charts/pictures/text-ruler.js');
  await ruler.probeCanvas();
  ruler.loadCanvas();
}

/**
 * @param {Pick<import('../types/plans.js').Options, 'outDir' | 'profile'>} options
 * @param {boolean} isChosen   whether --out names the folder; otherwise a new folder is created
 * @param {OutputPolicy} how
 * @param {string[]} [files]   names of the files that the run writes
 * @returns {Promise<{ outDir: string, release: () => Promise<void> }>} `release` removes the folder if it is new and empty
 */
export async function openRunFolder({ outDir, profile }, isChosen, how, files) {
  if (!isChosen) {
    const made = await makeNewFolder(outDir);
    return { outDir: made, release: () => rmdir(made).catch(() => {}) };
  }
  await prepareNamedFolder(outDir, how, files);
  if (profile) await refuseOldProfiles(outDir, how);
  return { outDir, release: async () => {} };
}

/** @param {string} path @param {OutputPolicy} how @param {string[]} [files] */
export async function prepareNamedFolder(path, { isForced, claims }, files = [RESULTS_FILE]) {
  await makeFolder(path, '--out');
  for (const name of files) {
    const file = join(path, name);
    await claims.add(file, '--out');
    const found = await stat(file).catch(() => null);
    if (found !== null && !isForced) throw inTheWay(path, 'results', '--out');
    await assertWritable(file, { overwrite: true, kind: 'results' });
  }
}

/**
 * Prepares the file of a baseline, which may replace an existing one.
 * @param {string | null} name
 * @param {OutputPolicy} how
 * @returns {Promise<string | null>} path of the file; null without a name
 */
export async function prepareBaseline(name, { claims }) {
  if (name === null) return null;
  const path = join(BASELINES_FOLDER, `${name}.json`);
  await makeFolder(BASELINES_FOLDER, '--save-baseline');
  await claims.add(path, '--save-baseline');
  await assertWritable(path, { overwrite: 'results', kind: 'results' });
  return path;
}

/** @param {string} path   the folder of a run with --profile @param {OutputPolicy} how */
async function refuseOldProfiles(path, { isForced }) {
  const { PROFILES_FOLDER } = await import('../run/diagnostics/diagnostic-launches.js');
  const found = await readdir(join(path, PROFILES_FOLDER)).catch(() => []);
  if (found.length > 0 && !isForced) throw inTheWay(path, 'profiles', '--out');
}

/**
 * @param {string} path   a folder for several documents
 * @param {{ flag: string, ending: string, what: string }} kind
 * @param {OutputPolicy} how
 */
async function prepareFolder(path, { flag, ending, what }, { isForced, claims }) {
  const document = join(path, `document${ending}`);
  await makeFolder(path, flag);
  await claims.add(document, flag);
  const found = (await readdir(path)).filter((name) => name.endsWith(ending) && !isClaim(name));
  if (found.length > 0 && !isForced) throw inTheWay(path, what, flag);
  await tryToWrite(document);
}

/** @param {string} path @returns {Promise<string>} the path, with a number appended if another run of the same second uses it */
async function makeNewFolder(path) {
  await makeFolder(dirname(path), '--out');
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? path : `${path}-${count}`;
    try {
      await mkdir(candidate);
      return candidate;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST')
        throw unmakeable(path, '--out', error);
    }
  }
}

/** @param {string} path @param {string} flag */
async function makeFolder(path, flag) {
  try {
    await makeFolders(path);
  } catch (error) {
    throw unmakeable(path, flag, error);
  }
}

/** @param {string} path @param {string} flag @param {unknown} cause */
function unmakeable(path, flag, cause) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
  const why = UNMAKEABLE[code ?? ''] ?? code;
  const message = `the folder ${printable(path)} cannot be made (${why}); name one that you can write to with ${flag} DIR`;
  return new BenchError('OUTPUT_UNWRITABLE', message, { cause });
}

/** @param {string} path @param {string} what @param {string} flag */
function inTheWay(path, what, flag) {
  const next = `name another folder with ${flag}, or add --force to overwrite`;
  return new BenchError('OUTPUT_EXISTS', `${printable(path)} holds ${what} already; ${next}`);
}

const ENDING = '.json';
const IS_TIME = /^\d{4}-\d\d-\d\dT/; // name of the folder of a run without --out

/** @returns {string[]} Paths of the results.json of runs without --out, the latest last. */
export function latestResults() {
  const runs = namesIn(RESULTS_FOLDER).filter((name) => IS_TIME.test(name));
  return runs.map((run) => join(RESULTS_FOLDER, run, RESULTS_FILE)).filter(isFile);
}

/**
 * @param {string} word   the path of a file or of the folder of a run, or the name of a baseline
 * @returns {string} a path, which need not exist
 * @throws {BenchError} BAD_ARGUMENT
 */
export function savedPath(word) {
  const inFolder = join(word, RESULTS_FILE);
  if (isFile(inFolder)) return inFolder;
  if (isFile(word)) return word;
  const path = join(BASELINES_FOLDER, `${word}${ENDING}`);
  if (SHORT_NAME.test(word) && isFile(path)) return path;
  refuseFolderOfRuns(word);
  if (!SHORT_NAME.test(word) || word.endsWith(ENDING)) return word;
  const names = namesIn(BASELINES_FOLDER).filter((name) => !name.startsWith('.') && name.endsWith(ENDING));
  const known = names.map((name) => basename(name, ENDING));
  const next =
    known.length === 0
      ? `npx ipc-bench --save-baseline ${word} saves a run under that name`
      : `there are ${printable(known.join(', '))}`;
  throw new BenchError(
    'BAD_ARGUMENT',
    `there is no file ${quoted(word)}, and no baseline of that name; ${next}.${didYouMean(word, known)}`,
  );
}

/** @param {string} path */
function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}

/** @param {string} path @throws {BenchError} BAD_ARGUMENT if it is a folder of runs */
function refuseFolderOfRuns(path) {
  const runs = namesIn(path).filter((name) => isFile(join(path, name, RESULTS_FILE)));
  if (runs.length === 0) return;
  const last = quoted(join(path, runs[runs.length - 1]));
  const held = counted(runs.length, 'run', 'runs');
  throw new BenchError('BAD_ARGUMENT', `the folder ${quoted(path)} holds ${held}; name one, such as ${last}`);
}
