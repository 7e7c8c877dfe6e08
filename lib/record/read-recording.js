// Reads the folder with the facts of all processes and threads of a recorded program.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPart } from './read-part.js';

/** @import { RecordedProcess } from './read-part.js' */
/** @typedef {{ parts: RecordedProcess[], stopped: RecordedProcess['stopped'] }} ReadRecording */

const STOPPED = /\.facts-(\d+)-(\w+)\.stopped$/; // written by fact-writer.js

/**
 * @param {string} folder
 * @param {number} [fromMs]   messages before it are left out
 * @returns {ReadRecording} without files that have no whole fact, and without parts if the folder is gone
 */
export function readRecording(folder, fromMs) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const stops = names.flatMap((name) => {
    const [, ms, why] = STOPPED.exec(name) ?? [];
    return why === undefined ? [] : [{ ms: Number(ms), why }];
  });
  // The recording of the whole program ends where the first of its files does.
  const [stopped = null] = stops.sort((one, other) => one.ms - other.ms);
  const parts = names.flatMap((name) => {
    const read = () => readFileSync(join(folder, name));
    if (name.endsWith('-old.json')) return JSON.parse(read().toString());
    return name.endsWith('.facts') ? (readPart(read(), { fromMs, stopped }) ?? []) : [];
  });
  return { parts, stopped };
}
