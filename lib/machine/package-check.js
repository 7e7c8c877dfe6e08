// Whether an npm package that a plug-in needs is there and works on this machine; loading it is the only proof, since a
// native one may be installed without a binary for this platform.

/**
 * @param {string} name
 * @returns {Promise<string | undefined>} reason and remedy when it is not
 */
export async function whyNotLoadable(name) {
  try {
    await import(name);
  } catch (error) {
    return `the package ${name} ${whyOf(name, /** @type {any} */ (error))}: npm install ${name}`;
  }
}

/**
 * @param {string} name
 * @param {{ code?: string, message: string }} error
 * @returns {string} without the path that Node says it looked from: results hold no names of folders
 */
function whyOf(name, { code, message }) {
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`);
  return isMissing ? 'is not installed' : `cannot be loaded (${message.split('\n')[0]})`;
}

/** @param {readonly string[]} names @returns {Promise<string[]>} those that cannot be loaded */
export async function missingPackages(names) {
  const reasons = await Promise.all(names.map(whyNotLoadable));
  return names.filter((_, place) => reasons[place] !== undefined);
}
