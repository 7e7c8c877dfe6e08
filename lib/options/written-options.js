// Writes options as the values of --config or the command of the same run: the inverse of lib/options/options.js, without secrets.

import { COMMAND, COMMAND_ON_HOSTS, flagText } from '../format/flag-text.js';
import { shownPaths } from '../format/redact.js';
import { QUICK } from './flags.js';
import { OPTION_TABLE } from './option-table.js';
import { PRESETS } from './presets.js';

/** @import { Options, Results } from '../types/index.js' */
/** @import { OptionEntry } from './flags.js' */

/** @param {Options} options @param {ReadonlySet<string>} chosen @returns {Record<string, unknown>} flag → value */
export function toConfig(options, chosen) {
  return writeRows(OPTION_TABLE, options, chosen);
}

/** @param {Results['options']} options @returns {Record<string, unknown>} flag → value */
export function savedConfig(options) {
  const rows = Object.entries(OPTION_TABLE).filter(([, { isUnsaved }]) => isUnsaved === undefined);
  return writeRows(Object.fromEntries(rows), /** @type {Options} */ (options), new Set());
}

/** @param {Readonly<Record<string, OptionEntry>>} rows @param {Options} options @param {ReadonlySet<string>} chosen */
function writeRows({ preset, ...others }, options, chosen) {
  // The preset comes first, because the other flags override it.
  const written = Object.entries({ preset, ...others }).map(([flag, row]) => [
    flag,
    row.write === undefined ? writeField(flag, row, options) : row.write(options, chosen),
  ]);
  return Object.fromEntries(written.filter(([, value]) => value !== undefined));
}

/** @param {string} flag @param {OptionEntry} row @param {Options} options @returns {unknown} */
function writeField(flag, { shapes, partOf, part, sets }, options) {
  const fields = /** @type {Record<string, any>} */ (options);
  if (part !== undefined) return fields[String(partOf)][part];
  return shapes === undefined || partOf !== undefined ? undefined : (fields[sets ?? flag] ?? undefined);
}

/** Omits options that are not stored, such as URLs and paths. @param {Options} options @returns {Results['options']} */
export function savedOptions(options) {
  const unsaved = Object.entries(OPTION_TABLE).flatMap(([flag, { isUnsaved, partOf, sets = flag }]) =>
    isUnsaved ? (partOf ?? sets) : [],
  );
  const kept = Object.entries(options).filter(([field]) => !unsaved.includes(field));
  return /** @type {Results['options']} */ (withShownPaths(Object.fromEntries(kept)));
}

/** Hides the names of private folders. @param {any} value   plain data @returns {any} */
function withShownPaths(value) {
  if (typeof value === 'string') return shownPaths(value);
  if (Array.isArray(value)) return value.map(withShownPaths);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withShownPaths(part)]));
}

// The command that repeats the measurement of saved results, without defaults.

// A placeholder in the command: --master-on and --workers-on need --agents, whose URL is not stored in results.
const HOW_REACHED = Object.freeze({ agents: 'URL' });

/** @param {Pick<Results, 'options' | 'variant'>} results @returns {string} for example 'npx ipc-bench --transport unix --seed 7' */
export function formatCommand({ options, variant }) {
  if (variant?.command !== undefined) return variant.command;
  const name = options.preset ?? '';
  const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name].texts : {};
  /** @type {Record<string, string>} */
  const implied = options.quick ? QUICK : {};
  const all = { ...(options.hosts && HOW_REACHED), ...savedConfig(options) };
  const chosen = Object.entries(all).filter(([flag, value]) => {
    const { shapes, isOnce, default: standard, shownDefault } = OPTION_TABLE[flag];
    const usual =
      preset[flag] ?? implied[flag] ?? standard ?? (typeof value === 'boolean' ? shownDefault === 'on' : '');
    return value !== undefined && shapes !== 'output' && !isOnce && String(value) !== String(usual);
  });
  const command = options.hosts ? COMMAND_ON_HOSTS : COMMAND;
  return shownPaths([command, ...chosen.map(([flag, value]) => flagText(flag, value, 'linux'))].join(' '));
}
