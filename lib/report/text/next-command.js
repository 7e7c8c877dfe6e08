// The command that a run proposes at its end, with its purpose: to find or remove what makes the results doubtful, to measure what they
// lack, or to print a table.

import { isSweep } from '../../cell/axes.js';
import { COMMAND, flagText, shellWord } from '../../format/flag-text.js';
import { shownPaths } from '../../format/redact.js';
import { AGENT_FLAGS } from '../../options/host-options.js';
import { OPTION_TABLE } from '../../options/option-table.js';
import { findingsIn } from '../findings/index.js';
import { remedyText } from './reasons.js';

/** @import { Finding, Results } from '../../types/index.js' */
/**
 * `toRepeat` has the flags that a resumed run does not take from the results.
 * @typedef {Pick<import('../../options/options.js').Resolved, 'config' | 'chosen' | 'reachTexts'> & { toRepeat?: readonly string[] }} Planned
 */
/** @typedef {(replaced?: Record<string, unknown>) => string} WriteCommand   the command with other values; undefined omits a flag */

// Flags that determine how a run reaches brokers and other hosts. Results do not store them.
const REACHED = [...AGENT_FLAGS, 'broker-url'];
// Flags that set the length of the run, which the next command changes.
const LENGTHS = ['quick', 'launches', 'target-error', 'max-time'];
const REPEATED = Object.keys(OPTION_TABLE).filter((flag) => {
  const { shapes, isOnce } = OPTION_TABLE[flag];
  return shapes !== undefined && shapes !== 'output' && !isOnce && !LENGTHS.includes(flag);
});
const SWEEP = '10..100k*10';
const LONG_WARMUP = '5s';
const DOCTOR = `${COMMAND} doctor`;

/**
 * @typedef {object} Words
 * @property {string} path
 * @property {WriteCommand} again
 * @property {string} resumed
 * @property {number} more   twice the greatest number of launches of a row
 * @property {boolean} isSweep
 */

/**
 * What a remedy is for, and its command. The purpose comes first, because an interactive zsh would take a comment after the command for
 * arguments.
 * @type {Readonly<Record<string, (words: Words) => string>>}
 */
const COMMANDS = Object.freeze({
  finish: ({ isSweep: isSearch, again, resumed }) =>
    isSearch ? `the whole search: ${again()}` : `the launches that are missing: ${resumed}`,
  failures: () => `why rows may fail here: ${DOCTOR}`,
  doctor: () => `what disturbs this machine: ${DOCTOR}`,
  quick: ({ again }) => `enough launches for a verdict: ${again()}`,
  'launches-for-limit': ({ again, more }) => `more launches for the limit: ${again({ launches: more })}`,
  'find-rate': ({ again }) => `the rate that keeps the limit: ${again({ rate: undefined, sweep: true })}`,
  'more-launches': ({ again }) => `enough launches for a verdict: ${again()}`,
  cold: ({ again }) => `a longer warm-up: ${again({ warmup: LONG_WARMUP })}`,
  narrower: ({ again, more }) => `narrower intervals: ${again({ launches: more })}`,
  sizes: ({ again }) => `how it changes with the size: ${again({ payload: SWEEP })}`,
  paste: ({ path }) => `a table to paste: ${COMMAND} report ${path} --markdown -`,
});

/**
 * @param {Planned} planned
 * @param {Results} results
 * @param {string} resultsPath
 * @param {NodeJS.Platform} [platform]   platform of the shell
 * @returns {string} 'enough launches for a verdict: npx ipc-bench'
 */
export function nextCommand(planned, results, resultsPath, platform) {
  const { config, reachTexts, chosen, toRepeat = [] } = planned;
  const kept = Object.entries({ ...config, ...reachTexts }).filter(([flag]) => chosen.has(flag));
  /** @param {string[]} flags @param {Record<string, unknown>} replaced */
  const write = (flags, replaced) => {
    const values = { ...Object.fromEntries(kept), ...replaced };
    const written = Object.keys(OPTION_TABLE).filter(
      (flag) => values[flag] !== undefined && (flags.includes(flag) || flag in replaced),
    );
    return [COMMAND, ...written.map((flag) => flagText(flag, values[flag], platform))].join(' ');
  };
  const { remedy, numbers } = /** @type {Finding} */ (
    findingsIn(results).find(({ kind }) => kind === 'next')
  );
  const words = {
    /** @param {Record<string, unknown>} [replaced] */
    again: (replaced = {}) => write(REPEATED, replaced),
    resumed: write([...REACHED, ...toRepeat], { resume: resultsPath }),
    path: shellWord(resultsPath, platform),
    more: 2 * Number(numbers.launches),
    isSweep: isSweep(results.options.open),
  };
  const say = Object.hasOwn(COMMANDS, String(remedy)) ? COMMANDS[String(remedy)] : null;
  return shownPaths(say === null ? `${remedyText(remedy) ?? COMMANDS.paste(words)}` : say(words));
}
