// Reads the folder with the facts of all processes and threads of a recorded program.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPart } from './read-part.js';

/** @import { RecordedProcess } from './read-part.js' */
/** @typedef {{ parts: RecordedProcess[], stopped: RecordedProcess['stopped'] }} ReadRecording */

const STOPPED = /\.facts-(\d+)-(\w+)\.stopped$/; // name of an empty file that fact-writer.js creates when the recording stops

/**
 * @param {string} folder
 * @param {number} [fromMs]   messages before this time are left out
 * @returns {ReadRecording} without files whose first fact is incomplete; no parts if the folder is gone
 */
export function readRecording(folder, fromMs) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const stops = names.flatMap((name) => {
    const [, ms, why] = STOPPED.exec(name) ?? [];
    return why === undefined ? [] : [{ ms: Number(ms), why }];
  });
  // The recording of the whole program ends when the first of its processes and threads stops recording.
  const [stopped = null] = stops.sort((one, other) => one.ms - other.ms);
  const parts = names.flatMap((name) => {
    const read = () => readFileSync(join(folder, name));
    if (name.endsWith('-old.json')) return JSON.parse(read().toString());
    return name.endsWith('.facts') ? (readPart(read(), { fromMs, stopped }) ?? []) : [];
  });
  return { parts, stopped };
}
