// A folder whose code is compared: a checkout of ipc-bench gives its own transports, codecs and scenarios, any other
// folder is where paths and packages are looked up. What measures them is this program, in both variants.

import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { labelParts, settingsLabel } from '../cell/settings.js';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { builtinNames, builtins } from '../plugins/builtins.js';

/** @import { Kind } from '../plugins/builtins.js' */
/** @import { Options } from '../types/index.js' */

/**
 * @param {Options} options
 * @param {string | null} tree
 * @returns {{ options: Options, folder: string | undefined }} folder: from which all other names are resolved
 * @throws {BenchError} BAD_ARGUMENT
 */
export function optionsOfTree(options, tree) {
  if (tree === null) return { options, folder: undefined };
  const folder = resolve(tree);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BenchError('BAD_ARGUMENT', `--run: there is no folder ${printable(folder)}; check the path`);
  }
  if (!isCheckout(folder)) {
    refuseIdleFolder(options, folder);
    return { options, folder };
  }
  const placed = (/** @type {Kind} */ kind, /** @type {string} */ name) => {
    if (!builtinNames(kind).includes(name)) return name;
    const there = builtins(kind, pathToFileURL(`${folder}/`));
    if (Object.hasOwn(there, name)) return fileURLToPath(there[name]);
    throw new BenchError(
      'BAD_ARGUMENT',
      `--run: ${printable(folder)} has no ${kind} ${name}; choose another`,
    );
  };
  return {
    folder,
    options: Object.freeze({
      ...options,
      transports: options.transports.map((choice) => ({ ...choice, name: placed('transport', choice.name) })),
      codecs: options.codecs.map((name) => placed('codec', name)),
      scenarios: options.scenarios.map((label) => {
        const { name, written } = labelParts(label);
        return settingsLabel(placed('scenario', name), written);
      }),
    }),
  };
}

/**
 * The code of the folder would not be measured, and the variant that bears its name would be like any other.
 * @param {Options} options
 * @param {string} folder
 */
function refuseIdleFolder({ transports, codecs, scenarios }, folder) {
  const named = [
    ...transports.map(({ name }) => ({ name, own: builtinNames('transport') })),
    ...codecs.map((name) => ({ name, own: builtinNames('codec') })),
    ...scenarios.map((label) => ({ name: labelParts(label).name, own: builtinNames('scenario') })),
  ];
  // A setting may name a transport as well, as that of a relay does.
  if (
    scenarios.some((label) => Object.values(labelParts(label).written).some((text) => /^\.\.?\//.test(text)))
  )
    return;
  if (named.some(({ name, own }) => !own.includes(name) && !isAbsolute(name))) return;
  throw new BenchError(
    'BAD_ARGUMENT',
    `--run: nothing is taken from @${printable(folder)}, which is no checkout of ipc-bench: all that the variant names is built in. ` +
      'Name a file of that folder, as in --transport ./mine.js, or leave out the folder',
  );
}

/** @param {string} folder @returns {boolean} */
function isCheckout(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === 'ipc-bench';
  } catch {
    return false;
  }
}
