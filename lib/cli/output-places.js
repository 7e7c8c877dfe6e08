// Tried before anything is measured: the folder of the run, and the paths of --json and the like. Nothing of an
// earlier run is overwritten unless that was asked for.

import { mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PROFILES_FOLDER } from '../conductor/look-inside.js';
import { BenchError } from '../errors.js';
import { isFolder } from '../options/output-options.js';
import { tryToWrite } from '../results/atomic-file.js';
import { assertWritable } from '../results/write.js';
import { printable } from '../words/printable.js';

export const RESULTS_FILE = 'results.json';

/**
 * @param {Record<string, string>} outputs   flag → path
 * @param {boolean} isForced
 */
export async function prepareOutputs({ png, hgrm, ...files }, isForced) {
  for (const path of Object.values(files)) {
    if (path === '-') continue;
    const asFolder = { flag: '--report', ending: '', what: 'files' };
    if (isFolder(path)) await prepareFolder(path, asFolder, isForced);
    else await assertWritable(path, { overwrite: isForced });
  }
  if (png !== undefined)
    await prepareFolder(png, { flag: '--png', ending: '.png', what: 'pictures' }, isForced);
  if (hgrm !== undefined)
    await prepareFolder(hgrm, { flag: '--hgrm', ending: '.hgrm', what: 'histograms' }, isForced);
}

/**
 * @param {string} path
 * @param {boolean} isForced
 */
export async function prepareNamedFolder(path, isForced) {
  await makeFolder(path, '--out');
  const found = await stat(join(path, RESULTS_FILE)).catch(() => null);
  if (found !== null && !isForced) throw inTheWay(path, 'results', '--out');
  await tryToWrite(join(path, RESULTS_FILE));
}

/**
 * @param {string} path       of a run that is to be profiled
 * @param {boolean} isForced
 */
export async function refuseOldProfiles(path, isForced) {
  const found = await readdir(join(path, PROFILES_FOLDER)).catch(() => []);
  if (found.length > 0 && !isForced) throw inTheWay(path, 'profiles', '--out');
}

/**
 * @param {string} path        of several documents; '-': the first of them to stdout
 * @param {{ flag: string, ending: string, what: string }} kind
 * @param {boolean} isForced
 */
async function prepareFolder(path, { flag, ending, what }, isForced) {
  if (path === '-') return;
  await makeFolder(path, flag);
  const found = (await readdir(path)).filter((name) => name.endsWith(ending));
  if (found.length > 0 && !isForced) throw inTheWay(path, what, flag);
  await tryToWrite(join(path, `document${ending}`));
}

/**
 * @param {string} path
 * @returns {Promise<string>} with a number behind it, if another run of the same second was faster
 */
export async function makeNewFolder(path) {
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

/**
 * @param {string} path
 * @param {string} flag
 */
async function makeFolder(path, flag) {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw unmakeable(path, flag, error);
  }
}

/**
 * @param {string} path
 * @param {string} flag
 * @param {unknown} cause
 */
function unmakeable(path, flag, cause) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : code;
  const message = `the folder ${printable(path)} cannot be made (${why}); name one that you can write to with ${flag} DIR`;
  return new BenchError('OUTPUT_UNWRITABLE', message, { cause });
}

/**
 * @param {string} path
 * @param {string} what
 * @param {string} flag
 */
function inTheWay(path, what, flag) {
  const next = `name another folder with ${flag}, or add --force to overwrite`;
  return new BenchError('OUTPUT_EXISTS', `${printable(path)} holds ${what} already; ${next}`);
}
