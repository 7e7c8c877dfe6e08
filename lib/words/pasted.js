// A value of a command line that is shown to be pasted into a shell.

// What no shell takes for anything but itself; * as in 10..100k*10 finds no file.
const PLAIN = /^[\w@%+=:,./*-]+$/;

/** @param {unknown} value @returns {string} as a shell takes it for one word */
export function pasted(value) {
  const text = String(value);
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
