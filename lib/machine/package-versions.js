// Which versions of npm packages are installed, read from their package.json: nothing is imported for it.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OWN_PACKAGE } from './own-package.js';
import { readSystemFile } from './system-file.js';

const require = createRequire(import.meta.url);
const FOUND_BY_CHANCE = ['bufferutil']; // nobody asks for it, but ws uses it where it happens to be installed
// What draws and what talks to the user moves no message.
const NOT_MEASURED = /^(?:@fontsource\/|@napi-rs\/canvas|canvas|chart|cli-table|yargs)/;

/** @param {string} name @returns {string | null} */
function versionOf(name) {
  // Not require.resolve: most packages do not export their package.json.
  for (const folder of require.resolve.paths(name) ?? []) {
    const text = readSystemFile(join(folder, name, 'package.json'));
    if (text !== null) return JSON.parse(text).version ?? null;
  }
  return null;
}

/** @returns {Record<string, string>} name → version of every installed dependency that takes part in measuring */
export function packageVersions() {
  const { dependencies, optionalDependencies } = OWN_PACKAGE;
  const names = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...FOUND_BY_CHANCE];
  const measured = names.filter((name) => !NOT_MEASURED.test(name));
  const versions = measured.map((name) => /** @type {const} */ ([name, versionOf(name)]));
  return Object.fromEntries(
    versions.flatMap(([name, version]) => (version === null ? [] : [[name, version]])),
  );
}
