// What stands in a command line that is shown to be pasted into a shell.

// What no shell takes for anything but itself; * as in 10..100k*10 finds no file.
const PLAIN = /^[\w@%+=:,./*-]+$/;

/** @param {unknown} value @returns {string} as a shell takes it for one word */
function pasted(value) {
  const text = String(value);
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {string} flag @param {unknown} value   as --config has it @returns {string} '--quick', '--no-controls', '--codec json,v8' */
export function flagText(flag, value) {
  if (typeof value === 'boolean') return `--${value ? '' : 'no-'}${flag}`;
  return `--${flag} ${pasted(value)}`;
}
