// The command that a reader of these results most likely wants next, after what it is for: interactive zsh takes a comment
// behind a command for its arguments.

import { AGENT_FLAGS } from '../options/host-options.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { COMMAND, flagText, shellWord } from '../words/flag-text.js';

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
 * @returns {string} 'enough launches for a verdict: npx ipc-bench'
 */
export function nextCommand({ options, config, chosen, agentTexts, plan }, resultsPath) {
  const command = (/** @type {Record<string, string>} */ replaced) => {
    const kept = Object.entries({ ...config, ...agentTexts }).filter(([flag]) => chosen.has(flag));
    const said = { ...Object.fromEntries(kept), ...replaced };
    const flags = KEPT.filter((flag) => said[flag] !== undefined);
    return [COMMAND, ...flags.map((flag) => flagText(flag, said[flag]))].join(' ');
  };
  const path = shellWord(resultsPath);
  if (options.shard !== undefined)
    return `followed by the results of the other shards: ${COMMAND} merge --out merged ${path}`;
  const toPaste = `a table to paste: ${COMMAND} report ${path} --markdown -`;
  if (options.open?.slo) return toPaste; // what a sweep found is the end of a question
  if (options.quick) return `enough launches for a verdict: ${command({})}`;
  if (options.payloadBytes.length === 1 && dependsOnPayload(options, plan))
    return `how it changes with the size: ${command(SWEEP)}`;
  return toPaste;
}

/** @param {Options} options @param {Plan} plan @returns {boolean} --payload changes something: no file and no scenario decides it alone */
function dependsOnPayload({ messageFile, payloadBytes }, { cells }) {
  if (messageFile !== undefined) return false;
  return cells.some(({ cell, skip }) => skip === null && payloadBytes.includes(cell.payloadBytes));
}
