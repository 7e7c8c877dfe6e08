// Finds saved runs without their paths: the latest runs, and the baselines of --save-baseline.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { printable, quoted } from '../format/printable.js';
import { SHORT_NAME } from '../options/flags.js';
import { RESULTS_FOLDER } from '../options/options.js';
import { BASELINES_FOLDER, RESULTS_FILE } from './documents.js';

const ENDING = '.json';
const IS_TIME = /^\d{4}-\d\d-\d\dT/; // the folder of a run without --out

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
  const path = join(BASELINES_FOLDER, `${word}${ENDING}`);
  if (isFile(word) || !SHORT_NAME.test(word)) return word;
  if (isFile(path)) return path;
  if (word.endsWith(ENDING)) return word;
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

/** @param {string} folder @returns {string[]} Empty if the folder cannot be read. */
function namesIn(folder) {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}
