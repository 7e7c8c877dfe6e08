// The options and the environment that must stay the same when an interrupted run is resumed.

import { printable } from '../format/printable.js';

/** @import { Environment } from '../types/index.js' */
/** @typedef {Readonly<Record<string, (environment: Environment) => unknown>>} Aspects */

const SHOWN_ONLY = ['theme', 'title', 'charts', 'strict', 'lock'];
const GREATEST_VALUE_LENGTH = 120;

/** @type {Aspects} */
export const SURROUNDINGS = {
  CPU: ({ cpuModel }) => cpuModel,
  'usable CPUs': ({ usableCpus }) => usableCpus,
  kernel: ({ kernel }) => kernel,
  platform: ({ platform, arch }) => `${platform} ${arch}`,
  Node: ({ node }) => node,
  'flags of Node': ({ nodeFlags }) => nodeFlags,
  'environment variables': ({ variables = {} }) => variables,
  'pinning of processes': ({ pinning }) => pinning,
  packages: ({ packages }) => packages,
  runtimes: ({ runtimes }) => runtimes,
};

/** @param {string} option @returns {boolean} true if it may affect measurements */
export function isOfMeasuring(option) {
  return !SHOWN_ONLY.includes(option);
}

/** @param {unknown} value */
export function valueText(value) {
  if (value === undefined) return 'not given';
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > GREATEST_VALUE_LENGTH ? `${text.slice(0, GREATEST_VALUE_LENGTH)}…` : text;
}
