// Parses and quotes NODE_OPTIONS as Node.js does: spaces separate options, but not between double quotes, where a backslash escapes the next
// character.

/** @param {string} text @returns {string[]} */
export function splitNodeOptions(text) {
  /** @type {string[]} */
  const words = [];
  let isQuoted = false;
  let isNew = true;
  for (let at = 0; at < text.length; at += 1) {
    let character = text[at];
    if (character === '\\' && isQuoted) {
      at += 1;
      character = text[at] ?? '';
    } else if (character === '"') {
      isQuoted = !isQuoted;
      continue;
    } else if (character === ' ' && !isQuoted) {
      isNew = true;
      continue;
    }
    if (isNew) words.push('');
    isNew = false;
    words[words.length - 1] += character;
  }
  return words;
}

/** @param {string} word @returns {string} */
export function quoteNodeOption(word) {
  return /[ "\\]/.test(word) ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : word;
}
