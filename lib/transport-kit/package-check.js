// Whether an npm package that a transport needs is there and works on this machine; loading it is the only proof, since
// a native one may be installed without a binary for this platform.

/**
 * @param {string} name
 * @returns {Promise<string | undefined>} reason and remedy when it is not
 */
export async function whyNotLoadable(name) {
  try {
    await import(name);
  } catch (error) {
    const [firstLine] = /** @type {Error} */ (error).message.split('\n');
    return `the package ${name} cannot be loaded (${firstLine}): npm install ${name}`;
  }
}
