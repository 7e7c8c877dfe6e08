// Flags, environment, config file, preset and defaults → one frozen Options; argv goes no further. Units are in
// options/quantities.js, the axes in options/axes.js, names and defaults in options/table.js.

import { join } from 'node:path';
import { quoted } from '../words/quoted.js';
import { CHOSEN_AXES, parseAxis, parseChoice } from './axis-options.js';
import { brokerUrlsOf } from './broker-url.js';
import {
  configLayer,
  defaultLayer,
  environmentLayer,
  fixedLayer,
  flagLayer,
  silenceRival,
} from './layers.js';
import { openOptions } from './open-load-options.js';
import { QUICK } from './option-table.js';
import { isOn, shown } from './output-options.js';
import { presetOf } from './presets.js';
import { COUNT, DURATION, parseQuantity, refuse } from './quantities.js';
import { stopOptions } from './stop-options.js';

/** @import { Options } from '../types/plans.js' */
/** @import { Given } from './layers.js' */
/** @import { Find } from './output-options.js' */

/**
 * @typedef {object} Surroundings         what options depend on besides argv
 * @property {Record<string, string | undefined>} environment
 * @property {Date} now
 * @property {number} randomSeed
 */

/**
 * @typedef {object} Resolved
 * @property {Options} options
 * @property {'measure' | 'print-config' | 'dry-run'} mode
 * @property {boolean} isForced
 * @property {ReadonlySet<string>} chosen   what flags, environment or config file gave
 */

const LAUNCHES = { min: 1, max: 1000 };
const MESSAGES = { min: 1, max: 1e9 };
const WARMUP_MS = { min: 0, max: 10 * 60e3 };
const MEASURE_MS = { min: 10, max: 60 * 60e3 };
const SEED = { min: 0, max: 2 ** 32 - 1 };

const TIER_UPS = /** @type {const} */ (['early', 'usual']);
const LOCK_MODES = /** @type {const} */ (['wait', 'ignore', 'fail']);

// Each pair excludes each other.
const RIVALS = [
  ['messages', 'measure'],
  ['messages', 'rate'],
  ['messages', 'sweep'],
  ['rate', 'sweep'],
  ['rate', 'target-error'],
  ['rate', 'max-time'],
  ['sweep', 'target-error'],
];

/**
 * @param {Record<string, unknown>} argv   known flags only, without dashes
 * @param {Surroundings} surroundings
 * @returns {Resolved}
 */
export function resolveOptions(argv, surroundings) {
  const flags = flagLayer(argv);
  const layers = [flags, environmentLayer(surroundings.environment)];
  if (flags.config) layers.push(configLayer(flags.config.texts[0]));
  const chosen = new Set(layers.flatMap((layer) => Object.keys(layer)));
  // Quick is a bundle of values: it stands right below what its own layer says in so many words.
  const quickAt = layers.findIndex((layer) => layer.quick);
  if (isOn(layers[quickAt]?.quick)) layers.splice(quickAt + 1, 0, fixedLayer(QUICK, '--quick'));
  for (const rivals of RIVALS) silenceRival(layers, rivals);
  const presetName = layers.find((layer) => layer.preset)?.preset;
  const preset = presetName ? presetOf(presetName.texts[0], presetName.source) : null;
  if (preset) layers.push(fixedLayer(preset.texts, `preset ${presetName?.texts[0]}`));
  layers.push(defaultLayer());

  const find = (/** @type {string} */ flag) => layers.find((layer) => layer[flag])?.[flag];
  const options = {
    ...axes(find),
    ...openOptions(find, chosen),
    series: preset?.series ?? null,
    preset: presetName?.texts[0] ?? null,
    ...lengths(find, surroundings.randomSeed),
    ...stopOptions(find),
    ...lookOptions(find),
    ...reference(find, chosen),
    ...machine(find),
    brokerUrls: brokerUrlsOf(layers, isOn(flags['allow-remote-broker'])),
    outDir: find('out')?.texts[0] ?? join('ipc-bench-results', timeStamp(surroundings.now)),
    ...shown(find),
    theme: shown(find).theme ?? 'light',
  };
  return {
    options: deepFrozen(options),
    mode: isOn(flags['print-config']) ? 'print-config' : isOn(flags['dry-run']) ? 'dry-run' : 'measure',
    isForced: isOn(flags.force),
    chosen,
  };
}

/**
 * @param {Find} find
 * @param {string} flag       one that has a default
 * @returns {Given}
 */
function must(find, flag) {
  const given = find(flag);
  if (given === undefined) throw new Error(`no default for --${flag}`);
  return given;
}

/**
 * @param {Find} find
 * @returns {Pick<Options, 'shapes' | 'payloadBytes' | 'transports' | 'codecs' | 'scenarios' | 'placements'>} and the others
 */
function axes(find) {
  const parsed = CHOSEN_AXES.map((axis) => {
    const { texts, source } = must(find, axis.flag);
    return [axis.option, parseAxis(axis, texts, source)];
  });
  return Object.fromEntries(parsed);
}

/**
 * @param {Find} find
 * @param {number} randomSeed
 */
function lengths(find, randomSeed) {
  const warmup = must(find, 'warmup');
  const warmupUnits = { ...DURATION, examples: `auto, ${DURATION.examples}` };
  const tierUp = must(find, 'tier-up');
  const messages = find('messages');
  const seed = find('seed');
  /** @type {(given: Given, quantity: typeof COUNT, limits: typeof SEED) => number} */
  const parsed = (given, quantity, limits) => parseQuantity(given.texts[0], quantity, limits, given.source);
  return {
    launches: parsed(must(find, 'launches'), COUNT, LAUNCHES),
    warmupMs: warmup.texts[0] === 'auto' ? null : parsed(warmup, warmupUnits, WARMUP_MS),
    tierUp: parseChoice(tierUp.texts[0], TIER_UPS, tierUp.source),
    measureMs: parsed(must(find, 'measure'), DURATION, MEASURE_MS),
    messages: messages ? parsed(messages, COUNT, MESSAGES) : null,
    seed: seed ? parsed(seed, COUNT, SEED) : randomSeed,
    quick: isOn(find('quick')),
  };
}

/**
 * @param {Find} find
 * @param {Set<string>} chosen
 */
function reference(find, chosen) {
  const { texts, source } = must(find, 'reference');
  if (!/^[^/]+\/[^/]+$/.test(texts[0])) {
    refuse(source, `${quoted(texts[0])} is not TRANSPORT/CODEC; write it as the table does, as unix/json`);
  }
  return { reference: texts[0], referenceIsChosen: chosen.has('reference') };
}

/** @param {Find} find */
function lookOptions(find) {
  const isOff = (/** @type {string} */ flag) => find(flag) !== undefined && !isOn(find(flag));
  return {
    ...(isOff('controls') && { controls: false }),
    ...(isOff('charts') && { charts: false }),
    ...(isOn(find('syscalls')) && { syscalls: /** @type {true} */ (true) }),
    ...(isOn(find('profile')) && { profile: /** @type {true} */ (true) }),
  };
}

/** @param {Find} find */
function machine(find) {
  const { texts, source } = must(find, 'lock');
  return { strict: isOn(find('strict')), lock: parseChoice(texts[0], LOCK_MODES, source) };
}

/**
 * @param {Date} now
 * @returns {string} UTC, without the colons that Windows does not allow in names
 */
function timeStamp(now) {
  return `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/**
 * @template T
 * @param {T} value
 * @returns {T}
 */
function deepFrozen(value) {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFrozen(part);
    Object.freeze(value);
  }
  return value;
}
