// Turns flags, environment, config file, preset and defaults, or an interrupted run, into one frozen Options. A row of flags.js parses
// each option that a single flag determines.

import { statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { fromHome } from '../format/own-file.js';
import { printable } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { compareSizes, messageFormat } from '../record/traffic-file.js';
import { sum } from '../statistics/sum.js';
import { fieldDifferences } from '../workload/messages/field-differences.js';
import { readMessageBytes, readMessages } from '../workload/messages/message-file.js';
import { brokerTexts, readBrokerUrls } from './broker-urls.js';
import { dropContradictions, refuseIdle, refuseQuickVerdict } from './flag-rules.js';
import { QUICK } from './flags.js';
import { agentTexts, hostOptions } from './host-options.js';
import {
  configLayer,
  defaultLayer,
  environmentLayer,
  fixedLayer,
  flagLayer,
  objectLayer,
  readFields,
  readFlag,
} from './layers.js';
import { lengthOptions, openOptions } from './load-options.js';
import { outputs } from './output-options.js';
import { findPreset } from './presets.js';
import { isOn } from './quantities.js';
import { recordedTraffic } from './recorded-traffic.js';
import { argvToResume } from './resumed-run.js';
import { toConfig } from './written-options.js';

/** @import { TrafficChannel } from '../types/recordings.js' */
/** @import { ReplayedTraffic } from './recorded-traffic.js' */
/** @import { MessageFile, MessageFormat, Options } from '../types/index.js' */
/** @import { FindFlag } from './quantities.js' */
/** @import { ReadOption } from './load-options.js' */

/**
 * Inputs of the options other than argv.
 * @typedef {object} OptionInputs
 * @property {Record<string, string | undefined>} environment
 * @property {Date} now
 * @property {number} randomSeed
 * @property {Record<string, string>} [defaults]   override those of the table
 * @property {unknown} [config]                     the options of measure(), in the format of --config
 */

/**
 * @typedef {object} Resolved
 * @property {Options} options              Groups of transports are not yet expanded.
 * @property {Record<string, unknown>} config   the value for --config that gives the same options, without agents and passwords
 * @property {'measure' | 'dry-run'} mode
 * @property {boolean} isForced
 * @property {string | null} baseline       the name of --save-baseline
 * @property {string | null} continues      the path of the interrupted results
 * @property {ReadonlySet<string>} chosen   flags from the command line, the environment, the config file or measure(), and 'arrivals' if
 *                                          --rate recorded sets it
 * @property {Record<string, string | undefined>} reachTexts   flag → value, for the same agents and brokers; without secrets
 *                                          and values from the environment
 */

/** Contains the baselines, and the results of runs without --out, in a folder per run that is named by its time. */
export const RESULTS_FOLDER = 'ipc-bench-results';

/**
 * @param {Record<string, unknown>} argv   known flags only, without dashes
 * @param {OptionInputs} surroundings
 * @returns {Promise<Resolved>} With --resume, the options of the interrupted run are used unless argv overrides them.
 */
export async function resolve(argv, surroundings) {
  return resolveOptions(argv.resume === undefined ? argv : await argvToResume(argv), surroundings);
}

/**
 * @param {Record<string, unknown>} argv   known flags only, without dashes
 * @param {OptionInputs} surroundings
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
  dropContradictions(layers, ['quick']);
  refuseQuickVerdict(layers);
  const quickAt = layers.findIndex((layer) => layer.quick);
  // --quick does not shorten the window of a preset, which needs its length.
  const quick = { ...QUICK, measure: preset?.texts.measure ?? QUICK.measure };
  if (isOn(layers[quickAt]?.quick)) layers.splice(quickAt + 1, 0, fixedLayer(quick, '--quick'));
  dropContradictions(layers);
  /** @type {FindFlag} */
  const find = (flag) => layers.find((layer) => layer[flag])?.[flag];
  const recorded = recordedTraffic(find);
  if (recorded !== null) layers.push(recorded.layer);
  if (recorded?.layer.arrivals !== undefined) chosen.add('arrivals'); // --rate recorded implies recorded arrivals.
  if (preset) layers.push(fixedLayer(preset.texts, `preset ${presetName?.texts[0]}`));
  layers.push(fixedLayer(surroundings.defaults ?? {}, 'default'), defaultLayer());

  /** @type {ReadOption} */
  const read = (flag) => readFlag(find, flag);
  const fields = readFields(find);
  const length = lengthOptions(read);
  refuseIdle(find);
  const options = /** @type {Options} */ ({
    ...fields,
    ...messageFileOptions(find, recorded),
    ...openOptions(read, chosen.has('measure')),
    ...length,
    series: preset?.series ?? null,
    preset: presetName?.texts[0] ?? null,
    seed: fields.seed ?? surroundings.randomSeed,
    referenceIsChosen: chosen.has('reference'),
    codecsAreChosen: chosen.has('codec') || preset?.texts.codec !== undefined || recorded !== null,
    ...hostOptions(find, surroundings.environment),
    brokerUrls: readBrokerUrls(layers, isOn(flags['allow-remote-broker'])),
    outDir: read('out') ?? join(RESULTS_FOLDER, timeStamp(surroundings.now)),
    outputs: outputs(find),
  });
  return {
    options: deepFrozen(options),
    config: toConfig(options, chosen),
    mode: isOn(flags['dry-run']) ? 'dry-run' : 'measure',
    isForced: isOn(flags.force),
    baseline: read('save-baseline') ?? null,
    continues: flags.resume?.texts[0] ?? null,
    chosen,
    reachTexts: { ...agentTexts(find), ...brokerTexts(layers) },
  };
}

/** Formats UTC without colons, which Windows does not allow in names. @param {Date} now @returns {string} */
function timeStamp(now) {
  return `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** @template T @param {T} value */
function deepFrozen(value) {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFrozen(part);
    Object.freeze(value);
  }
  return value;
}

// --message-file and --traffic: facts about the messages, which replace --payload and --content.
/** @type {ReadonlyMap<string, MessageFormat>} */
const FORMATS = new Map([
  ['.json', 'json'],
  ['.ndjson', 'json'],
  ['.jsonl', 'json'],
  ['.txt', 'text'],
]);
const MAX_DIFFERENCES = 20;
const NAME_CHARACTERS = 40;
const HASH_CHARACTERS = 8;

/**
 * @param {FindFlag} find
 * @param {ReplayedTraffic | null} recorded
 * @returns {Partial<Pick<Options, 'payloadBytes' | 'contents' | 'messageFile'>>}
 */
function messageFileOptions(find, recorded) {
  if (recorded !== null) {
    const { path, channel, responses } = recorded;
    const format = messageFormat(channel);
    const requests = readMessageFacts({ path, format }, channel);
    const facts = responses === null ? requests : withResponses(requests, responses);
    return { payloadBytes: [facts.bytes.mean], contents: [facts.content], messageFile: facts };
  }
  const file = find('message-file');
  if (file === undefined) return {};
  const path = fromHome(file.texts[0]);
  if (isFolder(path)) {
    refuse(file.source, `"${printable(path)}" is a folder; name a file of messages in it`);
  }
  const format = FORMATS.get(extname(path).toLowerCase());
  if (format === undefined) {
    readMessageBytes(path); // If the file is not text, this call refuses it with a better remedy.
    const known = [...FORMATS.keys()].join(', ');
    refuse(
      file.source,
      `"${printable(path)}" ends with none of ${known}, and may be anything; name objects .ndjson, and lines of text .txt`,
    );
  }
  const facts = readMessageFacts({ path, format });
  return { payloadBytes: [facts.bytes.mean], contents: [facts.content], messageFile: facts };
}

/** @param {MessageFile} requests @param {TrafficChannel} channel @returns {MessageFile} */
function withResponses(requests, channel) {
  const { bytes, replaySizes = [] } = readMessageFacts(requests, channel);
  return {
    ...requests,
    responses: { channel: channel.number, bytes },
    replaySizes: [...(requests.replaySizes ?? []), ...replaySizes],
  };
}

/** @param {string} path @returns {boolean} true for a folder, false for anything else and for a path that cannot be read */
function isFolder(path) {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** @param {Pick<MessageFile, 'path' | 'format'>} file @param {TrafficChannel} [recorded] @returns {MessageFile} */
function readMessageFacts({ path, format }, recorded) {
  const channel = recorded?.number;
  const { messages, sha256 } = readMessages({ path, format, channel });
  const bytes = Float64Array.from(messages, ({ text }) => Buffer.byteLength(text)).sort();
  /** @param {number} share */
  const atShare = (share) => bytes[Math.ceil(share * bytes.length) - 1];
  // The field names of recorded traffic are invented unless it was recorded with --contents, so they are not compared.
  const differences = format === 'json' && recorded === undefined ? fieldDifferences(messages) : [];
  const rounded = messages.filter(({ isRounded }) => isRounded);
  const name = basename(path).replaceAll(/[^\p{L}\p{M}\p{N}_.-]/gu, '_');
  return {
    path,
    format,
    ...(channel !== undefined && { channel }),
    sha256,
    messages: messages.length,
    // The name becomes part of the cell's name, so that rows of two files differ.
    content: `${[...name].slice(0, NAME_CHARACTERS).join('')}${channel === undefined ? '' : `-${channel}`}@${sha256.slice(0, HASH_CHARACTERS)}`,
    bytes: {
      mean: Math.round(sum(bytes) / bytes.length),
      least: bytes[0],
      p50: atShare(0.5),
      p90: atShare(0.9),
      p99: atShare(0.99),
      greatest: bytes[bytes.length - 1],
    },
    ...(recorded !== undefined && { replaySizes: compareSizes(recorded, messages) }),
    differences: differences.slice(0, MAX_DIFFERENCES),
    moreDifferences: Math.max(0, differences.length - MAX_DIFFERENCES),
    ...(rounded.length > 0 && { rounded: { messages: rounded.length, line: rounded[0].line } }),
  };
}
