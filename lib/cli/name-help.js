// The text of `help unix`: what a built-in transport, codec or scenario is, its settings, an example, and its page.

import { COMMAND } from '../format/flag-text.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { loadCodecs, loadScenarios, loadTransports } from '../plugins/plugins.js';
import { entriesLines, MAX_HELP_WIDTH, paragraph } from './help.js';
import { settingEntries } from './list.js';
import { QUESTIONS } from './questions.js';

/** @import { Setting } from '../types/index.js' */
/** @typedef {{ name: string, summary: string, settings?: Record<string, Setting>, traits?: { startsWorkers?: boolean } }} Plugin */

/** @typedef {typeof import('../plugins/plugins.js').NAMED_KINDS[number]} Kind */
/**
 * @typedef {object} NamedKind
 * @property {(names: string[]) => Promise<Map<string, { plugin: any }>>} load
 * @property {(plugin: Plugin) => string} exampleOf   returns options of an example, for a name that no question uses
 * @property {(plugin: Plugin) => string} pageOf
 */

/** @type {Readonly<Record<Kind, NamedKind>>} */
const KINDS = {
  transport: {
    load: (names) => loadTransports(names),
    exampleOf: ({ name, traits }) =>
      traits?.startsWorkers ? `--scenario task -t inline,${name}` : `-t pipe,${name}`,
    pageOf: ({ traits }) => (traits?.startsWorkers ? 'docs/scenarios.md#pools' : 'docs/transports.md'),
  },
  codec: {
    load: (names) => loadCodecs(names),
    exampleOf: ({ name }) => `-t unix -c json,${name}`,
    pageOf: () => 'docs/transports.md#codecs',
  },
  scenario: {
    load: (names) => loadScenarios(names),
    exampleOf: ({ name }) => `--scenario ${name}`,
    pageOf: ({ name }) => `docs/scenarios.md#${name}`,
  },
};

/** @param {Kind} kind @param {string} word   the name @param {number} [columns]   the width of the terminal */
export async function nameText(kind, word, columns = MAX_HELP_WIDTH) {
  const width = Math.min(MAX_HELP_WIDTH, columns);
  const { load, exampleOf, pageOf } = KINDS[kind];
  const [{ plugin }] = (await load([word])).values();
  const entries = settingEntries(plugin);
  const asked = QUESTIONS.find(({ command }) => command.split(/[ ,:]/).includes(word));
  const named = { ...plugin, name: word }; // the name of a scenario includes its settings, so the written name replaces it
  const sections = [
    paragraph(`${word}, a ${kind}: ${plugin.summary}. See ${pageOf(named)}.`, width),
    ...(entries.length === 0
      ? []
      : [['Settings, written behind the name:', ...entriesLines(entries, width)]]),
    asked === undefined
      ? ['Example:', `  ${COMMAND} ${exampleOf(named)}`]
      : [...paragraph(`Example: ${asked.title}`, width), `  ${asked.command}`],
    ...(Object.hasOwn(OPTION_TABLE, word) ? [[`The option: ${COMMAND} help --${word}`]] : []),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
