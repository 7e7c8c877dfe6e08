// What a user wrote, as a message shows it.

/** @param {string} text @returns {string} as it is quoted in a message: short, and without control characters */
export function quoted(text) {
  const shown = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return JSON.stringify(shown);
}
