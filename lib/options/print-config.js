// Options → the config file, or the command, that gives the same run again: the inverse of lib/options/options.js, without secrets.

import { shapeLabel, sloLabel, transportLabel } from '../cell/labels.js';
import { COMMAND, flagText } from '../format/flag-text.js';
import { redactUrl } from '../format/redact.js';
import { CHOSEN_AXES } from './axis-values.js';
import { OPTION_TABLE, REPORTS_BY_FLAG } from './option-table.js';
import { pictureConfig } from './picture-options.js';
import { PRESETS } from './presets.js';

/** @import { Results } from '../types/index.js' */

/** @param {Pick<import('./options.js').Resolved, 'config'>} resolved @returns {string} JSON, valid for --config */
export function printedConfig({ config }) {
  return `${JSON.stringify(config, null, 2)}\n`;
}

/**
 * @param {import('../types/plans.js').Options} options
 * @param {ReadonlySet<string>} chosen
 * @returns {Record<string, unknown>} option → what one would write; undefined: nothing
 */
export function toConfig(options, chosen) {
  return {
    preset: options.preset ?? undefined,
    ...Object.fromEntries(CHOSEN_AXES.map((axis) => [axis.flag, writtenAxis(axis, options)])),
    'master-on': options.hosts?.master,
    'workers-on': options.hosts?.workers,
    'shared-folder': options.hosts?.sharesFolder,
    'message-file': options.messageFile?.path,
    'message-format': options.messageFile?.format,
    ...(options.open === undefined ? {} : openConfig(options.open)),
    quick: options.quick,
    launches: options.launches,
    shard: options.shard && `${options.shard.index}/${options.shard.count}`,
    ...(options.stop === undefined ? {} : stopConfig(options.stop)),
    warmup: options.warmupMs === null ? 'auto' : `${options.warmupMs}ms`,
    'tier-up': options.tierUp ?? 'usual',
    measure: options.messages === null ? `${options.measureMs}ms` : undefined,
    messages: options.messages ?? undefined,
    // Said aloud, the default would be an error where it is absent from the plan.
    reference: options.referenceIsChosen ? options.reference : undefined,
    seed: options.seed,
    controls: options.controls,
    floor: options.floor,
    charts: options.charts,
    syscalls: options.syscalls,
    profile: options.profile,
    explain: options.explain,
    strict: options.strict,
    lock: options.lock,
    'runtime-path': options.runtimePath,
    'broker-url': brokerConfig(options.brokerUrls),
    // A default folder has the time of this run in its name, and the next run needs its own.
    out: chosen.has('out') ? options.outDir : undefined,
    ...outputConfig(options.outputs),
    notes: options.hasNotes,
    columns: options.furtherColumns.length === 0 ? undefined : options.furtherColumns,
    theme: options.theme,
    title: options.title ?? undefined,
    ...pictureConfig(options.picture),
    quiet: options.isQuiet,
    color: options.colour ?? undefined,
  };
}

/** @type {Record<string, (value: any) => string>} of axes whose values are no plain text or number */
const WRITERS = {
  shape: shapeLabel,
  transport: ({ name, settings }) => transportLabel({ transport: name, settings }),
};

/**
 * @param {import('../cell/axis.js').Axis} axis
 * @param {import('../types/plans.js').Options} options
 * @returns {unknown[] | undefined} undefined: nothing was said of it
 */
function writtenAxis({ name, part, option }, options) {
  if (part === 'payload' && options.messageFile !== undefined) return undefined;
  const values = /** @type {unknown[] | undefined} */ (option && options[option]);
  return Object.hasOwn(WRITERS, name) ? values?.map(WRITERS[name]) : values;
}

/** @param {Record<string, string>} brokerUrls @returns {string[] | undefined} */
function brokerConfig(brokerUrls) {
  const entries = Object.entries(brokerUrls).map(([name, url]) => `${name}=${redactUrl(url)}`);
  return entries.length === 0 ? undefined : entries;
}

/** @param {Record<string, string>} outputs @returns {Record<string, unknown>} */
function outputConfig(outputs) {
  const own = Object.entries(outputs).filter(([name]) => !REPORTS_BY_FLAG.has(name));
  const builtIn = Object.entries(outputs).filter(([name]) => REPORTS_BY_FLAG.has(name));
  return {
    ...Object.fromEntries(builtIn),
    report: own.length === 0 ? undefined : own.map(([name, path]) => `${name}=${path}`),
  };
}

/** @param {import('../types/plans.js').OpenOptions} open @returns {Record<string, unknown>} */
function openConfig({ ratesPerSecond, arrivals, catchesUp, slo, maxTimeMs }) {
  const load =
    slo === null
      ? { rate: ratesPerSecond }
      : { sweep: true, slo: sloLabel(slo), 'max-time': maxTimeMs && `${maxTimeMs}ms` };
  return { ...load, arrivals, catchup: catchesUp };
}

/** @param {import('../types/plans.js').StopOptions} stop @returns {Record<string, unknown>} */
function stopConfig({ targetError, maxTimeMs }) {
  const percent = Number((targetError * 100).toPrecision(12));
  return { 'target-error': `${percent}%`, 'max-time': `${maxTimeMs}ms` };
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
