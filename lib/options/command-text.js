// The command that measures again what saved results hold: their options, but for what goes without saying.

import { COMMAND, flagText } from '../format/flag-text.js';
import { OPTION_TABLE } from './option-table.js';
import { PRESETS } from './presets.js';
import { toConfig } from './print-config.js';

/** @import { Results } from '../types/index.js' */

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

// How hosts were reached is not stored: whoever asks again knows it, and without the flag the names of hosts would be refused.
const HOW_REACHED = Object.freeze({ agents: 'URL' });

/** @param {Results['options']} options @returns {string} 'npx ipc-bench --transport unix --seed 7' */
export function formatCommand(options) {
  const name = options.preset ?? '';
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name].texts : {};
  const all = {
    ...(options.hosts && HOW_REACHED),
    ...toConfig({ ...options, ...UNSAVED }, new Set()),
  };
  const chosen = Object.entries(all).filter(([flag, value]) => {
    const { shapes, default: standard, shownDefault } = OPTION_TABLE[flag];
    const usual = preset[flag] ?? standard ?? (typeof value === 'boolean' ? shownDefault === 'on' : '');
    return value !== undefined && shapes !== 'output' && String(value) !== String(usual);
  });
  return [COMMAND, ...chosen.map(([flag, value]) => flagText(flag, value))].join(' ');
}
