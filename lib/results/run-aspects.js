// What makes launches those of one run: how they were asked for, and what they were made with. An interrupted run that
// goes on and shards that are joined both ask here.

import { printable } from '../format/printable.js';

/** @import { Environment } from '../types/index.js' */
/** @typedef {Readonly<Record<string, (environment: Environment) => unknown>>} Aspects */

const SHOWN_ONLY = ['theme', 'title', 'charts', 'strict', 'lock'];
const GREATEST_VALUE_LENGTH = 120;

/** @type {Aspects} what a machine is: it decides how fast things are, and launches of one block share it */
export const HARDWARE = {
  CPU: ({ cpuModel }) => cpuModel,
  'usable CPUs': ({ usableCpus }) => usableCpus,
  kernel: ({ kernel }) => kernel,
};

/** @type {Aspects} what is measured with: it decides what is measured */
const SOFTWARE = {
  platform: ({ platform, arch }) => `${platform} ${arch}`,
  Node: ({ node }) => node,
  'flags of Node': ({ nodeFlags }) => nodeFlags,
  'pinning of processes': ({ pinning }) => pinning,
  packages: ({ packages }) => packages,
  runtimes: ({ runtimes }) => runtimes,
};

/** @type {Aspects} */
export const SURROUNDINGS = { ...HARDWARE, ...SOFTWARE };

/** @param {Environment[]} environments @returns {Aspects} SOFTWARE and all brokers; undefined: one was not needed there */
export function softwareIn(environments) {
  const names = new Set(environments.flatMap(({ brokers }) => Object.keys(brokers)));
  const ofBrokers = [...names].map((name) => [
    `broker ${printable(name)}`,
    (/** @type {Environment} */ { brokers }) => {
      if (!Object.hasOwn(brokers, name)) return undefined;
      const { deaths: _deaths, ...broker } = brokers[name];
      return broker;
    },
  ]);
  return { ...SOFTWARE, ...Object.fromEntries(ofBrokers) };
}

/** @param {string} option @returns {boolean} it may change what is measured */
export function isOfMeasuring(option) {
  return !SHOWN_ONLY.includes(option);
}

/** @param {unknown} value */
export function valueText(value) {
  if (value === undefined) return 'not given';
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > GREATEST_VALUE_LENGTH ? `${text.slice(0, GREATEST_VALUE_LENGTH)}…` : text;
}
