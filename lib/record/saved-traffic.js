// Reads traffic files, and makes the text of new ones. Both are checked against the schema, so that every written file can be read.

import { readFileSync, statSync } from 'node:fs';
import { BenchError } from '../errors.js';
import { decodeSavedText, packedProblem } from '../format/saved-text.js';
import { findFault } from '../format/shape-fault.js';
import { MIB } from '../format/units.js';
import { RecordedTraffic } from '../types/recordings.js';
import { ANEW, OTHER, parseTraffic, refuse, serialiseTraffic } from './traffic-file.js';

const MAX_BYTES = 256 * MIB;

/** @param {RecordedTraffic} traffic @returns {string} */
export function trafficText(traffic) {
  const content = JSON.parse(JSON.stringify(traffic));
  const fault = findFault(RecordedTraffic, content);
  if (fault !== null) throw new Error(`the recorded traffic could not be read again: ${fault}`);
  return serialiseTraffic(content);
}

/** @param {string} path @returns {RecordedTraffic} @throws {BenchError} BAD_ARGUMENT */
export function readTraffic(path) {
  let text = '';
  try {
    const file = statSync(path);
    if (!file.isFile()) refuse(path, 'it is not a file', OTHER);
    if (file.size > MAX_BYTES) refuse(path, `it has more than ${MAX_BYTES / MIB} MiB`, OTHER);
    const bytes = readFileSync(path);
    const packed = packedProblem(bytes, path);
    if (packed !== null) refuse(path, packed.why, packed.next);
    text = decodeSavedText(bytes);
  } catch (error) {
    if (error instanceof BenchError) throw error;
    refuse(path, `${/** @type {any} */ (error).code}`, 'Check the path', error);
  }
  const traffic = parseTraffic(text, path);
  const fault = findFault(RecordedTraffic, traffic);
  if (fault !== null) refuse(path, fault, ANEW);
  return traffic;
}
