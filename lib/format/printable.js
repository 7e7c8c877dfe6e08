// Makes text of unknown origin safe to show. Labels come from plug-ins, results files and other people's servers.

import { stripVTControlCharacters } from 'node:util';

// Control characters, lone surrogates, and what hides or turns the direction of writing.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f]/gu;

/** @param {string} text @returns {string} one line, in which nothing moves the cursor, changes a colour or hides */
export function printable(text) {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(UNPRINTABLE, '\ufffd');
}

// What a user wrote, as a message shows it.

/** @param {string} text @returns {string} as it is quoted in a message: short, and without control characters */
export function quoted(text) {
  const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return JSON.stringify(shown);
}
