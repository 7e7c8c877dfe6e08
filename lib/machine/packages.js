// Reads the package.json of this package at the start, so that a bug report has the version even if no file can be opened any more. Also
// checks optional packages.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { NATIVE_PACKAGES, nativeLoadError } from './native-packages.js';

/** @type {{ name: string, version: string, dependencies: Record<string, string>, optionalDependencies: Record<string, string>, peerDependencies: Record<string, string> }} */
export const OWN_PACKAGE = createRequire(import.meta.url)('../../package.json');

/** Stored in every document. @type {Readonly<{ name: 'ipc-bench', version: string }>} */
export const TOOL = Object.freeze({ name: 'ipc-bench', version: OWN_PACKAGE.version });

export const OWN_FOLDER = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

// Required by every command. Transports, codecs and charts report their missing packages themselves.
const NEEDED = Object.freeze(['yargs', 'hdr-histogram-js']);

/** @throws {BenchError} NOT_INSTALLED for a clone without its packages */
export function refuseUninstalled() {
  const missing = NEEDED.find((name) => !isInstalled(name));
  if (missing === undefined) return;
  throw new BenchError(
    'NOT_INSTALLED',
    `run npm ci first, in ${OWN_FOLDER}: the package ${missing} is not installed`,
  );
}

/** @param {string} name @returns whether modules of this package can import it */
export function isInstalled(name) {
  try {
    return existsSync(fileURLToPath(import.meta.resolve(name)));
  } catch {
    return false; // loading the package gives the reason
  }
}

/**
 * @param {string} name
 * @param {boolean} [isGlance]   checks only whether it is installed, since `list` would take half a second to load all packages. Not to be
 *   used for native packages
 * @returns reason and remedy, or undefined if it works
 */
export async function packageProblem(name, isGlance = false) {
  if (isGlance && isInstalled(name)) return;
  const error = await loadError(name);
  if (error !== null)
    return `the package ${name} ${loadFailure(name, error)}: npm install ${installArguments([name]).join(' ')}`;
}

/** @param {string} name @returns {Promise<import('./native-packages.js').LoadError | null>} */
async function loadError(name) {
  if (NATIVE_PACKAGES.includes(name) && isInstalled(name)) return nativeLoadError(name);
  try {
    await import(name);
    return null;
  } catch (error) {
    return /** @type {any} */ (error);
  }
}

/** @param {string[]} names   packages that are missing or damaged @returns {string[]} arguments of npm install */
function installArguments(names) {
  // Without --force, npm leaves an installed package as it is.
  return names.some(isInstalled) ? ['--force', ...names] : names;
}

/**
 * @param {string} name
 * @param {import('./native-packages.js').LoadError} error
 * @returns 'is not installed', since Node's message contains a path then, or 'cannot be loaded' with the first line of the message
 */
function loadFailure(name, { code, message }) {
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`);
  return isMissing
    ? 'is not installed'
    : `cannot be loaded (${message.split('\n')[0].replace(/ imported from .*/, '')})`;
}

/** @param {readonly string[]} names @returns arguments of npm install for the packages that cannot be loaded */
export async function missingPackages(names) {
  const reasons = await Promise.all(names.map((name) => packageProblem(name)));
  return installArguments(names.filter((_, place) => reasons[place] !== undefined));
}
