// Makes text of unknown origin safe to show, such as names from plug-ins, results files and servers.

import { stripVTControlCharacters } from 'node:util';

// Control characters, lone surrogates, invisible characters, and characters that change the direction of writing.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f]/gu;

/** @param {string} text @returns {string} one line without control sequences */
export function printable(text) {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').replace(UNPRINTABLE, '\ufffd');
}

/** @param {string} text @returns {string} the beginning of the text in quotes, with characters that cannot be printed escaped */
export function quoted(text) {
  const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return JSON.stringify(shown).replace(UNPRINTABLE, escapedCharacter);
}

/** @param {string} character @returns {string} '\\u202e' */
function escapedCharacter(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
