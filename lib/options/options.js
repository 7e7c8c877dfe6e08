// Flags, environment, config file, preset and defaults, or an interrupted run → one frozen Options; argv goes no further.
// Units are in quantities.js, the axes in axis-options.js, names and defaults in option-table.js.

import { statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { readResults } from '../results/read.js';
import { fieldDifferences } from '../scenario/messages/field-differences.js';
import { readMessages } from '../scenario/messages/message-file.js';
import { LEAST_PAIRS } from '../statistics/signed-rank.js';
import { sum } from '../statistics/sum.js';
import { CHOSEN_AXES, parseAxis } from './axis-values.js';
import { readBrokerUrls } from './broker-urls.js';
import { QUICK } from './flags.js';
import { agentTexts, hostOptions } from './host-options.js';
import {
  defaultLayer,
  environmentLayer,
  fixedLayer,
  flagLayer,
  given,
  must,
  silenceRival,
  textOfFile,
} from './layers.js';
import { openOptions } from './open-load-options.js';
import { OPTION_TABLE } from './option-table.js';
import { isOn, shown } from './output-options.js';
import { findPreset } from './presets.js';
import { toConfig } from './print-config.js';
import { COUNT, DURATION, parseChoice, parseQuantity, refuse, splitList } from './quantities.js';
import { shardOption } from './shard-option.js';
import { stopOptions } from './stop-options.js';

/** @import { MessageFile, MessageFormat, Options } from '../types/index.js' */
/** @import { Find } from './output-options.js' */
/** @import { Given, Layer } from './layers.js' */

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
  const preset = presetName ? findPreset(presetName.texts[0], presetName.source) : null;
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
    brokerUrls: readBrokerUrls(layers, isOn(flags['allow-remote-broker'])),
    outDir: find('out')?.texts[0] ?? join(RESULTS_FOLDER, timeStamp(surroundings.now)),
    ...look,
    theme: look.theme ?? 'light',
  };
  return {
    options: deepFrozen(options),
    config: toConfig(options, chosen),
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

// Options as an object: from the file of --config, or from a program.

/** @param {string} path @returns {Layer} */
function configLayer(path) {
  return objectLayer(parsedConfig(path), path);
}

/** @param {unknown} config @param {string} place    of it, for people @returns {Layer} */
function objectLayer(config, place) {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new BenchError('BAD_CONFIG', `${place} are no object; write { "workers": "2x4" }`);
  }
  const known = Object.keys(OPTION_TABLE).filter((flag) => !OPTION_TABLE[flag].isFlagOnly);
  /** @type {Layer} */
  const layer = {};
  for (const [key, value] of Object.entries(config)) {
    const source = /** @type {const} */ ({ label: `"${key}" in ${place}`, code: 'BAD_CONFIG' });
    if (!known.includes(key)) {
      const next = 'a key is the name of an option in npx ipc-bench run --help, without its dashes';
      refuse(source, `no such option; ${next}.${didYouMean(key, known)}`);
    }
    layer[key] = given(key, value, source);
  }
  return layer;
}

/** @param {string} path @returns {object} */
function parsedConfig(path) {
  const text = textOfFile(path, { label: '--config', code: 'BAD_CONFIG' });
  let config;
  try {
    config = JSON.parse(text);
  } catch (cause) {
    throw new BenchError(
      'BAD_CONFIG',
      `--config: ${path} is not JSON: ${/** @type {Error} */ (cause).message}`,
      { cause },
    );
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new BenchError('BAD_CONFIG', `--config: ${path} holds no object; write { "workers": "2x4" }`);
  }
  return config;
}

// Text → how long and how often each cell is launched, and by what seed.
const LAUNCHES = { min: 1, max: 1000 };
const MESSAGES = { min: 1, max: 1e9 };
const WARMUP_MS = { min: 0, max: 10 * 60e3 };
const MEASURE_MS = { min: 10, max: 60 * 60e3 };
const SEED = { min: 0, max: 2 ** 32 - 1 };
const TIER_UPS = /** @type {const} */ (['early', 'usual']);

/** @param {Find} find @param {number} randomSeed */
function lengthOptions(find, randomSeed) {
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

// --message-file: what its messages are like, read once before anything is measured. It stands for --payload and --content.
const FORMATS = /** @type {const} */ (['json', 'text']);
const JSON_ENDINGS = ['.json', '.ndjson', '.jsonl'];
const MOST_DIFFERENCES = 20;
const NAME_CHARACTERS = 40;
const HASH_CHARACTERS = 8;

/** @param {Find} find @returns {Partial<Pick<Options, 'payloadBytes' | 'contents' | 'messageFile'>>} empty: there is none */
function messageFileOptions(find) {
  const file = find('message-file');
  const format = find('message-format');
  if (file === undefined) {
    if (format !== undefined) refuse(format.source, 'says how --message-file is read; give that as well');
    return {};
  }
  const [path] = file.texts;
  if (!path.includes('\0') && statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    refuse(file.source, `${quoted(path)} is a folder; name a file of messages in it`);
  }
  if (format === undefined && !JSON_ENDINGS.includes(extname(path).toLowerCase())) {
    refuse(
      file.source,
      `${quoted(path)} ends with none of ${JSON_ENDINGS.join(', ')}, and may be anything; say --message-format json or --message-format text`,
    );
  }
  const facts = readMessageFacts(
    path,
    format ? parseChoice(format.texts[0], FORMATS, format.source) : 'json',
  );
  return { payloadBytes: [facts.bytes.mean], contents: [facts.content], messageFile: facts };
}

/** @param {string} path @param {MessageFormat} format @returns {MessageFile} */
function readMessageFacts(path, format) {
  const { messages, sha256 } = readMessages({ path, format });
  const bytes = Float64Array.from(messages, ({ text }) => Buffer.byteLength(text)).sort();
  const atShare = (/** @type {number} */ share) => bytes[Math.ceil(share * bytes.length) - 1];
  const differences = format === 'json' ? fieldDifferences(messages) : [];
  const name = basename(path).replaceAll(/[^\w.-]/g, '_');
  return {
    path,
    format,
    sha256,
    messages: messages.length,
    // Part of what a cell is called: rows of two files are never taken for the same.
    content: `${name.slice(0, NAME_CHARACTERS)}@${sha256.slice(0, HASH_CHARACTERS)}`,
    bytes: {
      mean: Math.round(sum(bytes) / bytes.length),
      least: bytes[0],
      p50: atShare(0.5),
      p90: atShare(0.9),
      p99: atShare(0.99),
      greatest: bytes[bytes.length - 1],
    },
    differences: differences.slice(0, MOST_DIFFERENCES),
    moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
  };
}

// --resume: the options of an interrupted run, read from its results as if they had been typed again.
// Options that say where options come from, or what to do instead of measuring, cannot stand beside --resume.
const EXCLUDED = ['config', 'preset', 'shard', 'out', 'print-config', 'dry-run'];

/**
 * @param {Record<string, any>} argv   with `resume`
 * @returns {Promise<Record<string, any>>} what was typed counts more; whether it fits the run is judged before it goes on
 */
export async function argvToResume(argv) {
  const source = /** @type {const} */ ({ label: '--resume', code: 'BAD_ARGUMENT' });
  if (Array.isArray(argv.resume)) refuse(source, 'given more than once; it takes one value');
  const rival = EXCLUDED.find((flag) => argv[flag] !== undefined && argv[flag] !== false);
  if (rival !== undefined)
    refuse(source, `goes without --${rival}: the run goes on as it began, where it began`);
  const { options } = await readResults(argv.resume);
  const screen = { picture: {}, hasNotes: false, furtherColumns: [], isQuiet: false, colour: null };
  const saved = { ...options, ...screen, brokerUrls: {}, outDir: '', outputs: {} };
  const entries = Object.entries(toConfig(saved, new Set()));
  return { ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)), ...argv };
}
