// The command that a reader of these results most likely wants next.

import { AGENT_FLAGS } from '../options/host-options.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { flagText } from '../words/flag-text.js';

/** @import { Options, Plan } from '../types/index.js' */

// What is measured stays chosen, and what is needed for it; the rest of the command line is about this run only.
const NEEDED = ['runtime-path', ...AGENT_FLAGS];
const KEPT = Object.keys(OPTION_TABLE).filter(
  (flag) => OPTION_TABLE[flag].shapes === 'cell' || NEEDED.includes(flag),
);
const SWEEP = { payload: '10..100k*10' };

/**
 * @param {Pick<import('./prepared.js').Prepared, 'options' | 'config' | 'chosen' | 'agentTexts' | 'plan'>} asked
 * @param {string} resultsPath
 * @returns {string}
 */
export function nextCommand({ options, config, chosen, agentTexts, plan }, resultsPath) {
  const command = (/** @type {Record<string, string>} */ replaced) => {
    const kept = Object.entries({ ...config, ...agentTexts }).filter(([flag]) => chosen.has(flag));
    const said = { ...Object.fromEntries(kept), ...replaced };
    const flags = KEPT.filter((flag) => said[flag] !== undefined);
    return ['ipc-bench', ...flags.map((flag) => flagText(flag, said[flag]))].join(' ');
  };
  if (options.shard !== undefined)
    return `ipc-bench merge ${resultsPath} ... --out merged   # with the results of the other shards`;
  const toPaste = `ipc-bench report ${resultsPath} --markdown -   # a table to paste`;
  if (options.open?.slo) return toPaste; // what a sweep found is the end of a question
  if (options.quick) return `${command({})}   # enough launches for a verdict`;
  if (options.payloadBytes.length === 1 && dependsOnPayload(options, plan))
    return `${command(SWEEP)}   # how it changes with the size`;
  return toPaste;
}

/** @param {Options} options @param {Plan} plan @returns {boolean} --payload changes something: no file and no scenario decides it alone */
function dependsOnPayload({ messageFile, payloadBytes }, { cells }) {
  if (messageFile !== undefined) return false;
  return cells.some(({ cell, skip }) => skip === null && payloadBytes.includes(cell.payloadBytes));
}
