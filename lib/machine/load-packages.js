// Loads the packages that its arguments name, and prints a line for each: JSON of the error, or null. native-packages.js starts it.

import { writeSync } from 'node:fs';

const STDOUT = 1;

for (const name of process.argv.slice(2)) {
  let error = null;
  try {
    await import(name);
  } catch (/** @type {any} */ { code, message }) {
    error = { code, message: String(message) };
  }
  writeSync(STDOUT, `${JSON.stringify(error)}\n`);
}
process.exit();
