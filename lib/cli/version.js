// The version of the package, read where it is needed: the start of the program stays short.

import { readFileSync } from 'node:fs';

/** @returns {string} */
export function version() {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
