// The command that a reader of these results most likely wants next.

import { CHOSEN_AXES } from '../options/axis-options.js';

// What was chosen of these stays chosen; the rest of the command line is about this run only.
const KEPT = [
  'preset',
  ...CHOSEN_AXES.map(({ flag }) => flag),
  'message-file',
  'message-format',
  'rate',
  'arrivals',
];
const SWEEP = { payload: '10..100k*10' };

/**
 * @param {Pick<import('./prepared.js').Prepared, 'options' | 'config' | 'chosen'>} asked
 * @param {string} resultsPath
 * @returns {string}
 */
export function nextCommand({ options, config, chosen }, resultsPath) {
  const command = (/** @type {Record<string, string>} */ replaced) => {
    const flags = KEPT.filter((flag) => chosen.has(flag) || flag in replaced);
    return ['ipc-bench', ...flags.map((flag) => `--${flag} ${replaced[flag] ?? config[flag]}`)].join(' ');
  };
  const toPaste = `ipc-bench report ${resultsPath} --markdown -   # a table to paste`;
  if (options.open?.slo) return toPaste; // what a sweep found is the end of a question
  if (options.quick) return `${command({})}   # enough launches for a verdict`;
  if (options.payloadBytes.length === 1) return `${command(SWEEP)}   # how it changes with the size`;
  return toPaste;
}
