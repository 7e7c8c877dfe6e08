// The version of the package, read at the start: a report of a bug needs it, also where no file can be opened any more.

import { readFileSync } from 'node:fs';

const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** @returns {string} */
export function version() {
  return own.version;
}
