// The package.json of this package, read once and at the start: a bug report names the version even where no file can be opened any
// more. And whether packages that a plug-in needs work here.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';

/** @type {{ name: string, version: string, dependencies: Record<string, string>, optionalDependencies: Record<string, string>, peerDependencies: Record<string, string> }} */
export const OWN_PACKAGE = createRequire(import.meta.url)('../../package.json');

/** Noted in every document. @type {Readonly<{ name: 'ipc-bench', version: string }>} */
export const TOOL = Object.freeze({ name: 'ipc-bench', version: OWN_PACKAGE.version });

/** The folder of this package. */
export const OWN_FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

// Without these nothing can be asked and nothing measured. A transport, a codec or a chart whose package is missing says so itself.
const NEEDED = Object.freeze(['yargs', 'hdr-histogram-js']);

/** @throws {BenchError} NOT_INSTALLED: this is a clone whose packages were never installed */
export function refuseUninstalled() {
  const missing = NEEDED.find((name) => !isInstalled(name));
  if (missing === undefined) return;
  throw new BenchError(
    'NOT_INSTALLED',
    `run npm ci first, in ${OWN_FOLDER}: the package ${missing} is not installed`,
  );
}

/** @param {string} name   of a package @returns it is there, for modules of this package */
export function isInstalled(name) {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return false; // why is told by who tries to load it
  }
}

/**
 * @param {string} name
 * @param {boolean} [isGlance]   that it is installed is enough, for loading all of them would take `list` half a second;
 *   not passed on for a native package
 * @returns reason and remedy when it is not
 */
export async function packageProblem(name, isGlance = false) {
  if (isGlance && isInstalled(name)) return;
  try {
    await import(name);
  } catch (error) {
    return `the package ${name} ${loadFailure(name, /** @type {any} */ (error))}: npm install ${name}`;
  }
}

/**
 * @param {string} name
 * @param {{ code?: string, message: string }} error
 * @returns without the path that Node says it looked from: results hold no names of folders
 */
function loadFailure(name, { code, message }) {
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`);
  return isMissing ? 'is not installed' : `cannot be loaded (${message.split('\n')[0]})`;
}

/** @param {readonly string[]} names @returns those that cannot be loaded */
export async function missingPackages(names) {
  const reasons = await Promise.all(names.map((name) => packageProblem(name)));
  return names.filter((_, place) => reasons[place] !== undefined);
}
