// Whether an npm package that a plug-in needs is there and works on this machine; loading it is the only proof, since a
// native one may be installed without a binary for this platform.

import { isInstalled } from './own-package.js';

/**
 * @param {string} name
 * @param {boolean} [isGlance]   that it is installed is enough, for loading all of them would take `list` half a second;
 *   not passed on for a native package
 * @returns {Promise<string | undefined>} reason and remedy when it is not
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
 * @returns {string} without the path that Node says it looked from: results hold no names of folders
 */
function loadFailure(name, { code, message }) {
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`);
  return isMissing ? 'is not installed' : `cannot be loaded (${message.split('\n')[0]})`;
}

/** @param {readonly string[]} names @returns {Promise<string[]>} those that cannot be loaded */
export async function missingPackages(names) {
  const reasons = await Promise.all(names.map((name) => packageProblem(name)));
  return names.filter((_, place) => reasons[place] !== undefined);
}
