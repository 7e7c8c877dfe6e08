// Options as an object: from the file of --config, or from a program.

import { BenchError } from '../errors.js';
import { didYouMean } from '../words/did-you-mean.js';
import { given, textOfFile } from './layers.js';
import { OPTION_TABLE } from './option-table.js';
import { refuse } from './quantities.js';

/** @import { Layer } from './layers.js' */

/** @param {string} path @returns {Layer} */
export function configLayer(path) {
  return objectLayer(parsedConfig(path), path);
}

/** @param {unknown} config @param {string} place    of it, for people @returns {Layer} */
export function objectLayer(config, place) {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new BenchError('BAD_CONFIG', `${place} are no object; write { "workers": "2x4" }`);
  }
  const known = Object.keys(OPTION_TABLE).filter((flag) => !OPTION_TABLE[flag].isFlagOnly);
  /** @type {Layer} */
  const layer = {};
  for (const [key, value] of Object.entries(config)) {
    const source = /** @type {const} */ ({ label: `"${key}" in ${place}`, code: 'BAD_CONFIG' });
    if (!known.includes(key)) {
      const next = 'a key is the name of an option in npx ipc-bench run --help, without its dashes';
      refuse(source, `no such option; ${next}.${didYouMean(key, known)}`);
    }
    layer[key] = given(key, value, source);
  }
  return layer;
}

/** @param {string} path @returns {object} */
function parsedConfig(path) {
  const text = textOfFile(path, { label: '--config', code: 'BAD_CONFIG' });
  let config;
  try {
    config = JSON.parse(text);
  } catch (cause) {
    throw new BenchError(
      'BAD_CONFIG',
      `--config: ${path} is not JSON: ${/** @type {Error} */ (cause).message}`,
      { cause },
    );
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new BenchError('BAD_CONFIG', `--config: ${path} holds no object; write { "workers": "2x4" }`);
  }
  return config;
}
