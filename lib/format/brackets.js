// Tracks the brackets of JSON to find the end of a value, which JSON.parse does not report.

/** Escapes, quotes, brackets, commas, and the text between them. */
export const TOKENS = /\\.|["[\]{},]|[^\\"[\]{},]+|\\$/g;

/** Tracks the depth of open brackets, ignoring brackets within strings. */
export class Brackets {
  depth = 0;
  isText = false;

  /** @param {string} token */
  take(token) {
    if (token === '"') this.isText = !this.isText;
    if (this.isText) return;
    if (token === '[' || token === '{') this.depth += 1;
    if (token === ']' || token === '}') this.depth -= 1;
  }
}

/**
 * @param {string} text
 * @returns {{ depth: number, ends: number[] }} number of brackets still open at the end, and the offsets after the brackets that
 *   return the depth to 0
 */
export function scanBrackets(text) {
  const brackets = new Brackets();
  const ends = [];
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const { depth } = brackets;
    brackets.take(token);
    if (depth > 0 && brackets.depth === 0) ends.push(index + token.length);
  }
  return { depth: brackets.depth, ends };
}
