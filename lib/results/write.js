// Saves results and documents, and checks before a measurement that their paths can be written and hold nothing to be kept.

import { lstat, open } from 'node:fs/promises';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { TOOL } from '../machine/packages.js';
import { isTrafficFile } from '../record/traffic-file.js';
import { tryToWrite, writeAtomically } from './atomic-file.js';
import { checksum, faultInResults, MAX_FILE_BYTES } from './readable.js';

/** @import { Environment, PublishedFigures, Results } from '../types/index.js' */

// Every results file begins with these keys, because resultsText() writes them first.
const OWN_FILE_START = /^\s*\{\s*"schemaVersion"\s*:\s*\d+\s*,\s*"tool"\s*:\s*\{\s*"name"\s*:\s*"ipc-bench"/;
const START_BYTES = 256;

/** @param {Results} results @returns {string} */
export function resultsText(results) {
  const { schemaVersion, tool, sha256: _ofAnotherFile, ...rest } = results;
  const content = JSON.stringify({ schemaVersion, tool, ...rest });
  return `${content.slice(0, -1)},"sha256":"${checksum(content)}"}\n`;
}

/**
 * @param {string} path
 * @param {Results} results
 * @throws {BenchError} OUTPUT_UNWRITABLE; after an error, the file has the earlier or the new results, never a part of them
 */
export async function writeResults(path, results) {
  const fault = faultInResults(results);
  if (fault !== null) throw new Error(`${path} is not written, it could not be read again: ${fault}`);
  const text = resultsText(results);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    const why = 'the results are larger than 256 MiB, and could not be read again';
    throw new BenchError(
      'OUTPUT_UNWRITABLE',
      `${printable(path)} cannot be written: ${why}. Measure fewer cells.`,
    );
  }
  await writeAtomically(path, text);
}

/** @typedef {(results: Results) => NonNullable<Results['findings']>} Conclude */

/** The file of a run, which saves its results again and again. A failure does not end the run, because they are still in memory. */
export class ResultsFile {
  /**
   * @param {string | null} path   null if results are not saved
   * @param {{ isBegun?: boolean, conclude?: Conclude }} [how]
   */
  constructor(path, { isBegun = false, conclude } = {}) {
    this.path = path;
    this.conclude = conclude;
    /** True if the file holds results of this run. */
    this.isBegun = isBegun;
    /** The failure of the last save; null if there was none. @type {BenchError | null} */
    this.fault = null;
  }

  /** Sets the findings of the results, and writes them. @param {Results} results */
  async save(results) {
    if (this.conclude) results.findings = this.conclude(results);
    if (this.path === null) return;
    try {
      await writeResults(this.path, results);
      this.isBegun = true;
      this.fault = null;
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      this.fault = error;
    }
  }
}

/** Thrown at the end of a run that has results, but could not save them or could not continue. */
export class ResultsError extends BenchError {
  /**
   * @param {Results[]} results   all that was measured, from memory
   * @param {ResultsFile[]} files
   * @param {BenchError | null} fault   why the run could not continue; null if it could
   */
  constructor(results, files, fault) {
    const faults = [...(fault === null ? [] : [fault]), ...files.flatMap((file) => file.fault ?? [])];
    const kept = files.flatMap(({ isBegun, path, fault: unsaved }) => {
      if (!isBegun || path === null) return [];
      return unsaved === null
        ? `${printable(path)} is complete up to then.`
        : `${printable(path)} is intact, as of the save before.`;
    });
    const texts = faults.map(({ message }) => message.replace(/\.?$/, '.'));
    super(faults[0].code, [...texts, ...(kept.length === 0 ? ['Nothing is saved.'] : kept)].join(' '), {
      cause: faults[0],
    });
    this.results = results;
    this.files = files;
  }
}

/** @typedef {'document' | 'results' | 'recorded traffic'} SavedKind   the last two hold measurements */
/**
 * @typedef {object} Overwriting
 * @property {boolean | 'results'} [overwrite]   true if a file may be replaced; 'results' if only a file with measurements may be
 * @property {SavedKind} [kind]   kind of the new file; measurements are replaced only by those of the same kind
 */

/** @param {string} path @returns {Promise<SavedKind | 'nothing'>} 'nothing' for an empty file, 'document' also for foreign files */
async function readKind(path) {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    if (bytesRead === 0) return 'nothing';
    if (OWN_FILE_START.test(buffer.toString('utf8', 0, bytesRead))) return 'results';
    return isTrafficFile(path) ? 'recorded traffic' : 'document';
  } finally {
    await handle.close();
  }
}

/**
 * @param {string} path
 * @param {Overwriting} how
 * @returns {Promise<{ what: string, next: string } | null>} describes an entry at the path that must not be replaced; null
 *   if there is none
 */
async function findObstacle(path, { overwrite = false, kind = 'document' }) {
  const found = await lstat(path).catch(() => null);
  const away = 'Move it, or name another path';
  const forced = 'Name another path, or add --force';
  if (found === null) return null;
  if (found.isDirectory()) return { what: 'a folder is there', next: away };
  // Renaming onto a link or a device would replace it, which the user is unlikely to want.
  if (!found.isFile()) return { what: 'a link, pipe or device is there', next: away };
  const present = await readKind(path).catch(() => 'document');
  if (present === 'nothing') return null;
  if (present === 'document') return overwrite === true ? null : { what: 'a file is there', next: forced };
  // A document can be made again, and measurements cannot.
  if (present !== kind) return { what: `it holds ${present}`, next: 'Name another path' };
  return overwrite ? null : { what: `it holds ${present}`, next: forced };
}

/**
 * Checks an output before the measurement.
 * @param {string} path
 * @param {Overwriting} [how]
 * @throws {BenchError} OUTPUT_UNWRITABLE or OUTPUT_EXISTS
 */
export async function assertWritable(path, how = {}) {
  await tryToWrite(path);
  await refuseObstacle(path, how);
}

/** @param {string} path @param {Overwriting} how @throws {BenchError} OUTPUT_EXISTS */
async function refuseObstacle(path, how) {
  const obstacle = await findObstacle(path, how);
  if (obstacle === null) return;
  const message = `${printable(path)} is not overwritten: ${obstacle.what}. ${obstacle.next}.`;
  throw new BenchError('OUTPUT_EXISTS', message);
}

/**
 * Writes a document. Checks the path again, since another run may have saved results there after the check before the measurement.
 * @param {string} path
 * @param {string | Uint8Array} content
 * @throws {BenchError} OUTPUT_UNWRITABLE or OUTPUT_EXISTS
 */
export async function writeDocument(path, content) {
  const start = typeof content === 'string' ? content.slice(0, START_BYTES) : '';
  await refuseObstacle(path, { overwrite: true, kind: OWN_FILE_START.test(start) ? 'results' : 'document' });
  await writeAtomically(path, content);
}

/**
 * Creates the results of a run that has not begun.
 * @param {object} parts
 * @param {Results['options']} parts.options
 * @param {Environment} parts.environment
 * @param {string} parts.reference
 * @param {PublishedFigures | null} parts.published   of the preset; null if it has none
 * @returns {Results}
 */
export function newResults({ options, environment, reference, published }) {
  const now = new Date().toISOString();
  return {
    schemaVersion: 1,
    tool: TOOL,
    status: 'running',
    startedAt: now,
    updatedAt: now,
    environment,
    options,
    seed: options.seed,
    reference,
    published,
    scenarios: {},
    outcomes: [],
  };
}
