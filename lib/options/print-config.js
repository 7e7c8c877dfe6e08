// Options → the config file, or the command, that gives the same run again: the inverse of lib/options/options.js, without secrets.

import { COMMAND, flagText } from '../format/flag-text.js';
import { OPTION_TABLE } from './option-table.js';
import { PRESETS } from './presets.js';

/** @import { Options, Results } from '../types/index.js' */

/** @import { OptionEntry } from './flags.js' */

/** @param {Pick<import('./options.js').Resolved, 'config'>} resolved @returns {string} JSON, valid for --config */
export function printedConfig({ config }) {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** @param {Options} options @param {ReadonlySet<string>} chosen @returns {Record<string, unknown>} flag → what one would write */
export function toConfig(options, chosen) {
  const { preset, ...others } = OPTION_TABLE; // what the others stand beside goes first
  const written = Object.entries({ preset, ...others }).map(([flag, entry]) => [
    flag,
    entry.write === undefined ? writeField(flag, entry, options) : entry.write(options, chosen),
  ]);
  return Object.fromEntries(written.filter(([, value]) => value !== undefined));
}

/** @param {string} flag @param {OptionEntry} entry @param {Options} options @returns {unknown} */
function writeField(flag, { shapes, isPart, sets = /** @type {keyof Options} */ (flag) }, options) {
  return shapes === undefined || isPart ? undefined : (options[sets] ?? undefined);
}

// The command that measures again what saved results hold: their options, but for what goes without saying.

const UNSAVED = {
  picture: {},
  hasNotes: false,
  furtherColumns: [],
  isQuiet: false,
  colour: null,
  brokerUrls: {},
  outDir: '',
  outputs: {},
};

// How hosts were reached is not stored: the user who resumes knows it, and without the flag the names of hosts would be refused.
const HOW_REACHED = Object.freeze({ agents: 'URL' });

/** @param {Results['options']} options @returns {string} 'npx ipc-bench --transport unix --seed 7' */
export function formatCommand(options) {
  const name = options.preset ?? '';
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name].texts : {};
  const all = { ...(options.hosts && HOW_REACHED), ...toConfig({ ...options, ...UNSAVED }, new Set()) };
  const chosen = Object.entries(all).filter(([flag, value]) => {
    const { shapes, default: standard, shownDefault } = OPTION_TABLE[flag];
    const usual = preset[flag] ?? standard ?? (typeof value === 'boolean' ? shownDefault === 'on' : '');
    return value !== undefined && shapes !== 'output' && String(value) !== String(usual);
  });
  return [COMMAND, ...chosen.map(([flag, value]) => flagText(flag, value, 'linux'))].join(' ');
}
