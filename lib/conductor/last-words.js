// What a process has printed of its own death: runtimes print a banner, a stack and a link around the line that says why.

import { stripVTControlCharacters } from 'node:util';

const TELLING = /\b(?:panic|fatal|\w*error|abort(?:ed)?|assertion|unsupported|out of memory)\b/i;
const LINK = /^\s*https?:/;
const GREATEST_CHARACTERS = 200;

/** @param {string[]} lines   its last ones @returns {string | null} the last that tells a cause, else the last; null: it printed nothing */
export function lastWords(lines) {
  const said = lines.map((line) => stripVTControlCharacters(line).trim()).filter((line) => !LINK.test(line));
  const cause = said.findLast((line) => TELLING.test(line)) ?? said.at(-1) ?? null;
  return cause?.slice(0, GREATEST_CHARACTERS) ?? null;
}
