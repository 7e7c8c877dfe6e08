// What a process has printed of its own death: runtimes print a banner, a stack and a link around the line that says why.

import { stripVTControlCharacters } from 'node:util';

const TELLING = /\b(?:panic|fatal|\w*error|abort(?:ed)?|assertion|unsupported|out of memory)\b/i;
const LINK_OR_FRAME = /^(?:https?:|at )/;
const GREATEST_CHARACTERS = 200;

/**
 * @param {string[]} lines       its last ones
 * @param {boolean} [isForeign]  no Node: where no line tells a cause, the last one may
 * @returns {string | null} the last that tells a cause; null: none does
 */
export function lastWords(lines, isForeign = false) {
  const said = lines
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => !LINK_OR_FRAME.test(line));
  const cause = said.findLast((line) => TELLING.test(line)) ?? (isForeign ? said.at(-1) : undefined);
  return cause?.slice(0, GREATEST_CHARACTERS) ?? null;
}
