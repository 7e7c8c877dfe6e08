// Claimed and tried once, before anything is measured: the folder of the run, and the paths of --json and the like. Nothing of
// an earlier run is overwritten unless that was asked for, and nothing of a live one in any case.

import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolders } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { isFolder } from '../options/output-options.js';
import { tryToWrite } from '../results/atomic-file.js';
import { isClaim } from '../results/claim-outputs.js';
import { assertWritable } from '../results/write.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @typedef {{ isForced: boolean, claims: OutputClaims }} How    claims: of the command, until it has written all */

export const RESULTS_FILE = 'results.json';
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
const OWN_DOCUMENTS = { flag: '--report', ending: '', what: 'files' };

/** @param {Record<string, string>} outputs   flag → path @param {How} how */
export async function prepareOutputs(outputs, how) {
  for (const [flag, path] of Object.entries(outputs)) {
    const many = REPORTS_BY_FLAG.get(flag)?.option?.many;
    if (path === '-') continue;
    else if (many !== undefined) await prepareFolder(path, { flag: `--${flag}`, ...many }, how);
    else if (isFolder(path)) await prepareFolder(path, OWN_DOCUMENTS, how);
    else await prepareFile(path, REPORTS_BY_FLAG.has(flag) ? `--${flag}` : '--report', how);
  }
}

/** @param {Record<string, string>} outputs   of a comparison: flag → path of its one document, or folder of many @param {How} how */
export async function prepareComparisonOutputs(outputs, how) {
  for (const [flag, path] of Object.entries(outputs)) {
    const { option, comparison } = REPORTS_BY_FLAG.get(flag) ?? {};
    if (path === '-') continue;
    else if (comparison?.isMany && option?.many) {
      await prepareFolder(path, { flag: `--${flag}`, ...option.many }, how);
    } else await prepareFile(path, `--${flag}`, how);
  }
}

/** @param {string} path @param {string} flag @param {How} how */
async function prepareFile(path, flag, { isForced, claims }) {
  await claims.add(path, flag);
  await assertWritable(path, { overwrite: isForced });
}

/**
 * @param {Pick<import('../types/plans.js').Options, 'outDir' | 'profile'>} options
 * @param {boolean} isChosen   the user named it; else it is new, with a number if need be
 * @param {How} how
 * @param {string[]} [files]    that the run writes there
 * @returns {Promise<{ outDir: string, release: () => Promise<void> }>} release: leaves no empty folder that nobody named
 */
export async function openRunFolder({ outDir, profile }, isChosen, how, files) {
  if (!isChosen) {
    const made = await makeNewFolder(outDir);
    return { outDir: made, release: () => rmdir(made).catch(() => {}) }; // only while nothing is in it
  }
  await prepareNamedFolder(outDir, how, files);
  if (profile) await refuseOldProfiles(outDir, how);
  return { outDir, release: async () => {} };
}

/** @param {string} path @param {How} how @param {string[]} [files]   that are to be written there */
export async function prepareNamedFolder(path, { isForced, claims }, files = [RESULTS_FILE]) {
  await makeFolder(path, '--out');
  for (const name of files) {
    const file = join(path, name);
    await claims.add(file, '--out');
    const found = await stat(file).catch(() => null);
    if (found !== null && !isForced) throw inTheWay(path, 'results', '--out');
    await tryToWrite(file);
  }
}

/** @param {string} path       of a run that is to be profiled @param {How} how */
async function refuseOldProfiles(path, { isForced }) {
  const { PROFILES_FOLDER } = await import('../run/diagnostics/diagnostic-launches.js');
  const found = await readdir(join(path, PROFILES_FOLDER)).catch(() => []);
  if (found.length > 0 && !isForced) throw inTheWay(path, 'profiles', '--out');
}

/**
 * @param {string} path        of several documents
 * @param {{ flag: string, ending: string, what: string }} kind
 * @param {How} how
 */
async function prepareFolder(path, { flag, ending, what }, { isForced, claims }) {
  const document = join(path, `document${ending}`);
  await makeFolder(path, flag);
  await claims.add(document, flag);
  const found = (await readdir(path)).filter((name) => name.endsWith(ending) && !isClaim(name));
  if (found.length > 0 && !isForced) throw inTheWay(path, what, flag);
  await tryToWrite(document);
}

/**
 * @param {string} path
 * @returns {Promise<string>} with a number behind it, if another run of the same second was faster
 */
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
