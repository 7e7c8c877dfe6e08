// Flags, environment, config file, preset and defaults, or an interrupted run → one frozen Options; argv goes no further.
// Units are in quantities.js, the axes in axis-options.js, names and defaults in option-table.js.

import { join } from 'node:path';
import { LEAST_PAIRS } from '../statistics/signed-rank.js';
import { quoted } from '../words/quoted.js';
import { CHOSEN_AXES, parseAxis, parseChoice } from './axis-options.js';
import { brokerUrlsOf } from './broker-url.js';
import { configLayer, objectLayer } from './config-layer.js';
import { agentTexts, hostOptions } from './host-options.js';
import { QUICK } from './launch-table.js';
import { defaultLayer, environmentLayer, fixedLayer, flagLayer, must, silenceRival } from './layers.js';
import { lengthOptions } from './length-options.js';
import { messageFileOptions } from './message-file-options.js';
import { openOptions } from './open-load-options.js';
import { isOn, shown } from './output-options.js';
import { presetOf } from './presets.js';
import { configOf } from './print-config.js';
import { refuse, splitList } from './quantities.js';
import { argvToResume } from './resumed-options.js';
import { shardOption } from './shard-option.js';
import { stopOptions } from './stop-options.js';

/** @import { Options } from '../types/index.js' */
/** @import { Find } from './output-options.js' */

/**
 * @typedef {object} Surroundings         what options depend on besides argv
 * @property {Record<string, string | undefined>} environment
 * @property {Date} now
 * @property {number} randomSeed
 * @property {Record<string, string>} [defaults]   other than those of the table
 * @property {unknown} [config]                     what a program asks for, as the file of --config holds it
 */

/**
 * @typedef {object} Resolved
 * @property {Options} options              groups of transports are groups still
 * @property {Record<string, unknown>} config   that gives the same options again
 * @property {'measure' | 'print-config' | 'dry-run'} mode
 * @property {boolean} isForced
 * @property {string | null} continues      results of an interrupted run that goes on
 * @property {ReadonlySet<string>} chosen   what flags, environment or config file gave
 * @property {Record<string, string>} agentTexts   flag → what names the same agents again, without secrets
 */

/** Where runs are saved whose place nobody has chosen, each in a folder that is named by its time. */
export const RESULTS_FOLDER = 'ipc-bench-results';

const LOCK_MODES = /** @type {const} */ (['wait', 'ignore', 'fail']);

// Each pair excludes each other.
const RIVALS = [
  ['message-file', 'payload'],
  ['message-file', 'content'],
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
 * @returns {Promise<Resolved>} with --resume: as it was begun
 */
export async function resolve(argv, surroundings) {
  return resolveOptions(argv.resume === undefined ? argv : await argvToResume(argv), surroundings);
}

/**
 * @param {Record<string, unknown>} argv   known flags only, without dashes
 * @param {Surroundings} surroundings
 * @returns {Resolved}
 */
export function resolveOptions(argv, surroundings) {
  const flags = flagLayer(argv);
  const layers = [flags, environmentLayer(surroundings.environment)];
  if (flags.config) layers.push(configLayer(flags.config.texts[0]));
  if ('config' in surroundings) layers.push(objectLayer(surroundings.config, 'the options'));
  const chosen = new Set(layers.flatMap((layer) => Object.keys(layer)));
  const presetName = layers.find((layer) => layer.preset)?.preset;
  const preset = presetName ? presetOf(presetName.texts[0], presetName.source) : null;
  // Quick is a bundle of values: it stands right below what its own layer says in so many words.
  if (!isOn(layers.find((layer) => layer.sweep)?.sweep)) silenceRival(layers, ['quick', 'max-time']);
  silenceRival(layers, ['quick', 'target-error']);
  refuseQuickVerdict(layers);
  const quickAt = layers.findIndex((layer) => layer.quick);
  // A preset that says how long its windows are has a question that shorter ones do not answer.
  const quick = { ...QUICK, measure: preset?.texts.measure ?? QUICK.measure };
  if (isOn(layers[quickAt]?.quick)) layers.splice(quickAt + 1, 0, fixedLayer(quick, '--quick'));
  for (const rivals of RIVALS) silenceRival(layers, rivals);
  if (preset) layers.push(fixedLayer(preset.texts, `preset ${presetName?.texts[0]}`));
  layers.push(fixedLayer(surroundings.defaults ?? {}, 'default'), defaultLayer());

  const find = (/** @type {string} */ flag) => layers.find((layer) => layer[flag])?.[flag];
  const length = lengthOptions(find, surroundings.randomSeed);
  const look = shown(find);
  const options = {
    ...axes(find),
    ...messageFileOptions(find),
    ...openOptions(find, chosen),
    ...runtimePathOption(find),
    series: preset?.series ?? null,
    preset: presetName?.texts[0] ?? null,
    ...length,
    ...stopOptions(find),
    ...shardOption(find, length.launches),
    ...lookOptions(find),
    ...reference(find, chosen),
    ...machine(find),
    ...hostOptions(find, surroundings.environment),
    brokerUrls: brokerUrlsOf(layers, isOn(flags['allow-remote-broker'])),
    outDir: find('out')?.texts[0] ?? join(RESULTS_FOLDER, timeStamp(surroundings.now)),
    ...look,
    theme: look.theme ?? 'light',
  };
  return {
    options: deepFrozen(options),
    config: configOf(options, chosen),
    mode: isOn(flags['print-config']) ? 'print-config' : isOn(flags['dry-run']) ? 'dry-run' : 'measure',
    isForced: isOn(flags.force),
    continues: flags.resume?.texts[0] ?? null,
    chosen,
    agentTexts: agentTexts(find),
  };
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
 * A quick run gets no verdict, and who writes so many launches beside it expects one.
 * @param {import('./layers.js').Layer[]} layers
 */
function refuseQuickVerdict(layers) {
  for (const { quick, launches } of layers) {
    if (!isOn(quick) || launches === undefined || !(Number(launches.texts[0]) >= LEAST_PAIRS)) continue;
    const next = `leave out --quick; --measure ${QUICK.measure} makes windows as short as it does`;
    refuse(
      launches.source,
      `contradicts ${quick.source.label}, which gives no verdict however many launches there are; ${next}`,
    );
  }
}

/** @param {Find} find @param {Set<string>} chosen */
function reference(find, chosen) {
  const { texts, source } = must(find, 'reference');
  if (!/^[^/]+\/[^/]+$/.test(texts[0])) {
    refuse(source, `${quoted(texts[0])} is not TRANSPORT/CODEC; write it as the table does, as unix/json`);
  }
  return { reference: texts[0], referenceIsChosen: chosen.has('reference') };
}

/** @param {Find} find @returns {Pick<Options, 'runtimePath'>} */
function runtimePathOption(find) {
  const given = find('runtime-path');
  return given === undefined ? {} : { runtimePath: splitList(given.texts, given.source) };
}

/** @param {Find} find */
function lookOptions(find) {
  const isOff = (/** @type {string} */ flag) => find(flag) !== undefined && !isOn(find(flag));
  return {
    ...(isOff('controls') && { controls: false }),
    ...(isOn(find('floor')) && { floor: /** @type {true} */ (true) }),
    ...(isOn(find('syscalls')) && { syscalls: /** @type {true} */ (true) }),
    ...(isOn(find('profile')) && { profile: /** @type {true} */ (true) }),
    ...(isOn(find('explain')) && { explain: /** @type {true} */ (true) }),
  };
}

/** @param {Find} find */
function machine(find) {
  const { texts, source } = must(find, 'lock');
  return { strict: isOn(find('strict')), lock: parseChoice(texts[0], LOCK_MODES, source) };
}

/** @param {Date} now @returns {string} UTC, without the colons that Windows does not allow in names */
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
