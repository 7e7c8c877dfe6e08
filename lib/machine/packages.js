// Reads the package.json of this package at the start, so that a bug report has the version even if no file can be opened any more. Also
// checks optional packages.

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { readSystemFile } from './kernel-text.js';
import { NATIVE_PACKAGES, nativeLoadError } from './native-packages.js';

/** @typedef {Record<string, string>} Ranges   of versions, by package */
/** @type {{ name: string, version: string, dependencies: Ranges, devDependencies: Ranges, peerDependencies: Ranges }} */
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

// The releases that the tests use. As optional peers, packages may have any release: otherwise npm would refuse to install ipc-bench
// beside a program that has another one.
const RANGES = Object.freeze({ ...OWN_PACKAGE.devDependencies, ...OWN_PACKAGE.dependencies });
const RANGE = /^(\^?)((\d+)\.\d+\.\d+)$/;

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
 * @param {boolean} [isGlance]   checks only whether the package is installed, since `list` would take half a second to load all packages.
 *   Not to be used for native packages
 * @returns {Promise<string | null>} reason and remedy; null if it can be used
 */
export async function packageProblem(name, isGlance = false) {
  const fault = releaseFault(name) ?? (isGlance && isInstalled(name) ? null : await loadFault(name));
  if (fault === null) return null;
  return `the package ${name} ${fault}: npm install ${installArguments([name]).join(' ')}`;
}

/** @param {string} name @returns {string | null} the version that modules of this package import; null if none is installed */
export function readVersion(name) {
  // require.resolve would fail for packages that do not export their package.json.
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const text = readSystemFile(join(folder, name, 'package.json'));
    if (text !== null) return JSON.parse(text).version ?? null;
  }
  return null;
}

/** @param {string} name @returns {string | null} what is wrong with the installed release; null also if none is installed */
function releaseFault(name) {
  const [, , least] = RANGE.exec(RANGES[name] ?? '') ?? [];
  if (least === undefined) return null;
  const version = readVersion(name);
  if (version === null || isCompatible(version, least)) return null;
  return `is ${version}, and ipc-bench needs ${RANGES[name]}`;
}

/** @param {string} version @param {string} least @returns whether the major version is the same, and the rest is not older */
export function isCompatible(version, least) {
  const found = version.split(/[.+-]/, 3).map(Number);
  const needed = least.split('.').map(Number);
  if (found[0] !== needed[0]) return false;
  return found[1] === needed[1] ? found[2] >= needed[2] : found[1] > needed[1];
}

/** @param {string} name @returns {Promise<import('./native-packages.js').LoadError | null>} null if it can be loaded */
async function loadError(name) {
  if (NATIVE_PACKAGES.includes(name) && isInstalled(name)) return nativeLoadError(name);
  try {
    await import(name);
    return null;
  } catch (error) {
    return /** @type {any} */ (error);
  }
}

/** @param {string[]} names   packages that are missing, damaged or of another release @returns {string[]} arguments of npm install */
function installArguments(names) {
  if (names.length === 0) return [];
  const isDamaged = names.some((name) => isInstalled(name) && releaseFault(name) === null);
  return [
    ...(isGlobal(OWN_FOLDER) ? ['--global'] : []),
    // Without --force, npm leaves an installed package as it is.
    ...(isDamaged ? ['--force'] : []),
    ...names.map(withRelease),
  ];
}

/** @param {string} name @returns {string} the name with the major version, since the newest one may need a newer Node.js: 'ws@8' */
function withRelease(name) {
  const [, caret, version, major] = RANGE.exec(RANGES[name] ?? '') ?? [];
  if (version === undefined) return name;
  return `${name}@${caret === '' ? version : major}`;
}

/** @param {string} folder   of an installed package @returns whether `npm install --global` has installed it */
export function isGlobal(folder) {
  const packages = dirname(folder);
  const isInProject = existsSync(join(packages, '../package.json')) || packages.includes('.pnpm');
  return basename(packages) === 'node_modules' && !isInProject;
}

/**
 * @param {string} name
 * @returns {Promise<string | null>} 'is not installed', since Node's message contains a path then, or 'cannot be loaded' with the first
 *   line of the message; null if it can be loaded
 */
async function loadFault(name) {
  const error = await loadError(name);
  if (error === null) return null;
  const { code, message } = error;
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`);
  return isMissing
    ? 'is not installed'
    : `cannot be loaded (${message.split('\n')[0].replace(/ imported from .*/, '')})`;
}

/** @param {readonly string[]} names @returns arguments of npm install for the packages that cannot be loaded */
export async function missingPackages(names) {
  const reasons = await Promise.all(names.map((name) => packageProblem(name)));
  return installArguments(names.filter((_, index) => reasons[index] !== null));
}
