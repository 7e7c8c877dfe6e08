// A value of a command line that is shown to be pasted into a shell.

/** @param {unknown} value @returns {string} of a path with a blank: as a shell takes it for one word */
export function pasted(value) {
  const text = String(value);
  return /[\s'"$`\\]/.test(text) ? `'${text.replaceAll("'", `'\\''`)}'` : text;
}
