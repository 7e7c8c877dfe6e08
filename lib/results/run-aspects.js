// Decides which interrupted runs can be resumed, and lists the options and the environment that must stay the same.

import { isSweep } from '../cell/axes.js';
import { printable } from '../format/printable.js';
import { TOOL } from '../machine/packages.js';

/** @import { Environment, Results } from '../types/index.js' */
/** @typedef {Readonly<Record<string, (environment: Environment) => unknown>>} Aspects */

const SHOWN_ONLY = ['theme', 'title', 'charts', 'lock'];
const MAX_VALUE_LENGTH = 120;

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
export function aspectText(value) {
  if (value === undefined) return 'not given';
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** @param {Results} results @returns {string | null} why it cannot be resumed, as the end of a sentence about the file; null if it can */
export function resumeProblem({ status, variant, options, tool }) {
  if (status === 'complete') return 'is complete: there is nothing to continue.';
  if (variant !== undefined) {
    return `is one of the sides of compare --run, and cannot be continued without the other. Compare again.`;
  }
  if (isSweep(options.open))
    return 'is a sweep: its search cannot be continued in the middle. Measure again.';
  if (tool.version !== TOOL.version)
    return `was written by ipc-bench ${printable(tool.version)}, and this is ${TOOL.version}. Continue it with that version, or measure again.`;
  return null;
}
