// Reads the folder with the facts of all processes and threads of a recorded program.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPart } from './read-part.js';

/** @import { Part } from './read-part.js' */
/** @typedef {{ parts: Part[], stopped: Part['stopped'] }} Recording   stopped: when the first file ended before its process did */

const STOPPED = /^(.*\.facts)-(\d+)-(\w+)\.stopped$/; // written by fact-writer.js

/**
 * @param {string} folder
 * @param {number} [fromMs]   messages before it are left out
 * @returns {Recording} without files that have no whole fact, and without parts if the folder is gone
 */
export function readRecording(folder, fromMs) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const facts = names.filter((name) => name.endsWith('.facts'));
  const read = (/** @type {{ fromMs?: number, untilMs?: number }} */ span) =>
    facts.flatMap((name) => readPart(readFileSync(join(folder, name)), span) ?? []);
  const stops = names.flatMap((name) => {
    const [, file, ms, why] = STOPPED.exec(name) ?? [];
    return file === undefined ? [] : [{ ms: Number(ms), why }];
  });
  const parts = read({ fromMs });
  stops.push(...parts.flatMap(({ stopped }) => stopped ?? []));
  const old = names
    .filter((name) => name.endsWith('-old.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
  if (stops.length === 0) return { parts: [...parts, ...old], stopped: null };
  // The recording of the whole program ends where the first of its files does.
  const [stopped] = stops.sort((one, other) => one.ms - other.ms);
  const untilThen = read({ fromMs, untilMs: stopped.ms }).map((part) => ({ ...part, stopped }));
  return { parts: [...untilThen, ...old], stopped };
}
