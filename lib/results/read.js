// Reads a results file from an untrusted source. For any content, the reader returns Results of the declared shape or throws a
// BenchError. It follows no path, module or address in the file.

import { readFile, stat } from 'node:fs/promises';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { decodeSavedText, jsonProblem, kindProblem, packedProblem } from '../format/saved-text.js';
import { findFault } from '../format/shape-fault.js';
import { TOOL } from '../machine/packages.js';
import { Results } from '../types/results-file.js';
import { failedOutcome } from './failed-outcome.js';
import {
  checksum,
  faultOfHeadlines,
  faultOfHistograms,
  faultOfKeys,
  MAX_FILE_BYTES,
  RESULTS_VERSION,
  withPrintableWords,
} from './readable.js';

const MAX_FAULT_LENGTH = 300;

/** @typedef {{ isEdited: boolean, text: string }} FileWarning   a reason not to trust a file that can be read */

/** @param {string} source   the name in messages @param {string} why @param {string} next @param {unknown} [cause] */
function unusable(source, why, next, cause) {
  const name = printable(source);
  return new BenchError('BAD_RESULTS_FILE', `${name} cannot be read as results: ${why}. ${next}.`, { cause });
}

/**
 * @param {any} document
 * @param {string} source
 * @returns {{ why: string, next: string } | null} the fault of the kind or version of the document, if any
 */
function faultOfVersion(document, source) {
  const version = document?.schemaVersion;
  if (document?.tool?.name !== 'ipc-bench' || !Number.isInteger(version) || version < 1) {
    const { why = 'it has no "schemaVersion" and "tool" of ipc-bench', next = '' } =
      (Array.isArray(document?.outcomes) ? null : kindProblem(document, source)) ?? {};
    return { why, next: next || 'Name a file that ipc-bench run saved' };
  }
  if (document.kind === 'comparison') return kindProblem(document, source);
  if (version > RESULTS_VERSION) {
    return {
      why: `it is of version ${version}, written by ipc-bench ${printable(String(document.tool.version)).slice(0, 40)}, newer than this one`,
      next: 'Update ipc-bench, or read it with the version that wrote it',
    };
  }
  return null;
}

/** Marks rows as failed if one of their launches has no operations and therefore no rate. @param {Results} results @returns {Results} */
function withoutIdleRows(results) {
  const outcomes = results.outcomes.map((outcome) =>
    outcome.status === 'measured'
      ? (failedOutcome(outcome.cell, outcome.launches, outcome.operation) ?? outcome)
      : outcome,
  );
  return { ...results, outcomes };
}

/** @param {any} document @returns {Results | string} a string describes the fault */
function checked(document) {
  const fault = faultOfKeys(document) ?? findFault(Results, document);
  if (fault !== null) return fault;
  return faultOfHeadlines(document) ?? faultOfHistograms(document) ?? withPrintableWords(document);
}

/** @param {{ sha256?: unknown }} document @returns {boolean} true if the content does not match its checksum; false without a checksum */
function isEdited({ sha256, ...content }) {
  try {
    return sha256 !== undefined && sha256 !== checksum(JSON.stringify(content));
  } catch {
    return true; // nested more deeply than any saved file
  }
}

const IS_RELEASE = /^\d+\.\d+\.\d+/;

/** @param {string} version @returns {boolean} */
function isNewer(version) {
  const [saved, here] = [version, TOOL.version].map((text) => IS_RELEASE.exec(text)?.[0] ?? '');
  return saved.localeCompare(here, 'en', { numeric: true }) > 0;
}

/**
 * @param {string} text
 * @param {string} source   the name in messages
 * @param {(doubt: FileWarning) => void} [onDoubt]
 * @throws {BenchError} BAD_RESULTS_FILE
 */
export function parseResults(text, source, onDoubt = () => {}) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const { why, next } = jsonProblem(text, source);
    throw unusable(source, why, next, error);
  }
  const versionFault = faultOfVersion(document, source);
  if (versionFault !== null) throw unusable(source, versionFault.why, versionFault.next);
  const results = checked(document);
  const name = printable(source);
  if (isEdited(document))
    onDoubt({
      isEdited: true,
      text: `${name} was changed after it was saved: its numbers may contradict each other`,
    });
  if (typeof results === 'string') {
    const why = printable(results).slice(0, MAX_FAULT_LENGTH);
    throw unusable(source, why, 'It was changed after it was saved, or a bug wrote it: measure again');
  }
  const { version } = results.tool;
  if (isNewer(version)) {
    const what = `ipc-bench ${printable(version)}, which is newer than this one (${TOOL.version})`;
    onDoubt({ isEdited: false, text: `${name} was saved by ${what}: what it added is not shown` });
  }
  const { sha256: _verified, ...content } = results;
  return withoutIdleRows(content);
}

/**
 * @param {string} path
 * @param {(doubt: FileWarning) => void} [onDoubt]
 * @throws {BenchError} BAD_RESULTS_FILE
 */
export async function readResults(path, onDoubt) {
  let text;
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw unusable(path, 'it is a folder', 'Name the results.json inside it');
    if (!found.isFile())
      throw unusable(path, 'it is a pipe or a device', 'Save its content to a file, and name the file');
    if (found.size > MAX_FILE_BYTES) {
      throw unusable(path, 'it is larger than 256 MiB', 'Measure fewer cells per file');
    }
    const bytes = await readFile(path);
    const packed = packedProblem(bytes, path);
    if (packed !== null) throw unusable(path, packed.why, packed.next);
    text = decodeSavedText(bytes);
  } catch (error) {
    if (error instanceof BenchError) throw error;
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw unusable(path, why, 'Check the path and its permissions', error);
  }
  return parseResults(text, path, onDoubt);
}
