// The command that measures again what saved results hold: their options, but for what goes without saying.

import { flagText } from '../words/flag-text.js';
import { OPTION_TABLE } from './option-table.js';
import { PRESETS } from './presets.js';
import { configOf } from './print-config.js';

/** @import { Results } from '../types/results-file.js' */

const UNSAVED = {
  ...{ picture: {}, hasNotes: false, furtherColumns: [], isQuiet: false, colour: null },
  ...{ brokerUrls: {}, outDir: '', outputs: {} },
};

/** @param {Results['options']} options @returns {string} 'ipc-bench --transport unix --seed 7' */
export function commandOf(options) {
  const name = options.preset ?? '';
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name].texts : {};
  const chosen = Object.entries(configOf({ ...options, ...UNSAVED }, new Set())).filter(([flag, value]) => {
    const { shapes, default: standard, shownDefault } = OPTION_TABLE[flag];
    const usual = preset[flag] ?? standard ?? (typeof value === 'boolean' ? shownDefault === 'on' : '');
    return value !== undefined && shapes !== 'output' && String(value) !== String(usual);
  });
  return ['ipc-bench', ...chosen.map(([flag, value]) => flagText(flag, value))].join(' ');
}
