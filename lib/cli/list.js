// `ipc-bench list`: what can be measured and shown, and how to get what is missing here.

import { didYouMean } from '../did-you-mean.js';
import { BenchError } from '../errors.js';
import { quoted } from '../options/quantities.js';
import {
  builtinNames,
  loadCodecs,
  loadReport,
  loadScenarios,
  loadTransports,
  whyUnavailable,
} from '../plugins.js';
import { PRESETS } from '../presets.js';
import { write } from './documents.js';

/** @typedef {import('../types.js').Transport} Transport */
/** @typedef {import('../types.js').Setting} Setting */

/** @type {Readonly<Record<string, () => Promise<object[]>>>} */
const KINDS = {
  transports: listedTransports,
  codecs: async () =>
    plugins(await loadCodecs(builtinNames('codec'))).map(({ name, summary, produces }) => ({
      name,
      summary,
      produces,
    })),
  scenarios: async () => plugins(await loadScenarios(builtinNames('scenario'))).map(named),
  presets: async () =>
    Object.entries(PRESETS).map(([name, { summary, texts }]) => ({ name, summary, options: texts })),
  reports: async () => (await Promise.all(builtinNames('report').map(loadReport))).map(named),
};

/**
 * @param {Record<string, any>} argv
 * @param {import('./main.js').Host} host
 * @returns {Promise<number>}
 */
export async function list({ kind, json }, { stdout }) {
  const known = Object.keys(KINDS);
  if (kind !== undefined && !known.includes(kind)) {
    const hint = didYouMean(kind, known);
    throw new BenchError(
      'BAD_ARGUMENT',
      `list: there is no kind ${quoted(kind)}, but ${known.join(', ')}.${hint}`,
    );
  }
  /** @type {Record<string, any[]>} */
  const listed = {};
  for (const name of kind === undefined ? known : [kind]) listed[name] = await KINDS[name]();
  await write(stdout, json ? `${JSON.stringify(listed, jsonNumber, 2)}\n` : listText(listed));
  return 0;
}

/**
 * @template T
 * @param {Map<string, { plugin: T }>} loaded
 * @returns {T[]}
 */
function plugins(loaded) {
  return [...loaded.values()].map(({ plugin }) => plugin);
}

/** @param {{ name: string, summary: string }} plugin */
function named({ name, summary }) {
  return { name, summary };
}

/** @returns {Promise<object[]>} */
async function listedTransports() {
  const transports = plugins(await loadTransports(builtinNames('transport')));
  return Promise.all(
    transports.map(async (transport) => {
      const { name, summary, traits, carries, serialises = [], settings = {} } = transport;
      const unavailable = await whyUnavailable(transport, null);
      return { name, summary, unavailable, traits, carries, serialises, settings };
    }),
  );
}

/**
 * @param {string} _key
 * @param {unknown} value
 * @returns {unknown} JSON has no Infinity: null, no limit
 */
function jsonNumber(_key, value) {
  return value === Infinity ? null : value;
}

/**
 * @param {Record<string, any[]>} listed
 * @returns {string}
 */
function listText(listed) {
  const sections = Object.entries(listed).map(([kind, entries]) => {
    const width = Math.max(...entries.map(({ name }) => name.length));
    const lines = entries.flatMap((entry) => [
      `  ${entry.name.padEnd(width)}  ${entry.summary}`,
      ...details(kind, entry).map((line) => `  ${' '.repeat(width)}    ${line}`),
    ]);
    return `${kind}\n${lines.join('\n')}\n`;
  });
  return sections.join('\n');
}

/**
 * @param {string} kind
 * @param {any} entry
 * @returns {string[]}
 */
function details(kind, entry) {
  if (kind === 'transports') return transportDetails(entry);
  if (kind === 'codecs') return [`produces ${entry.produces}`];
  if (kind !== 'presets') return [];
  return Object.entries(entry.options).map(([flag, text]) => `--${flag} ${text}`);
}

/**
 * @param {Transport & { serialises: string[], unavailable: string | null }} transport
 * @returns {string[]}
 */
function transportDetails({ traits, carries, serialises, settings = {}, unavailable }) {
  const size = Number.isFinite(traits.greatestMessageBytes)
    ? `, messages up to ${traits.greatestMessageBytes.toLocaleString('en')} bytes`
    : '';
  const broker = traits.broker === null ? '' : `, needs ${traits.broker}`;
  const codecs =
    serialises.length > 0 ? `serialises by itself: ${serialises.join(', ')}` : carries.join(' and ');
  return [
    ...(unavailable === null ? [] : [`not available here: ${unavailable}`]),
    `${traits.class}, ${traits.direction}, reaches the ${traits.reach}${broker}${size}`,
    traits.guarantee,
    `carries ${codecs}`.replace('carries serialises', 'serialises'),
    ...Object.entries(settings).map(([key, setting]) => settingLine(key, setting)),
  ];
}

/**
 * @param {string} key
 * @param {Setting} setting
 * @returns {string} ':flush=direct|tick  when frames are written'
 */
function settingLine(key, { summary, default: standard, choices, min, max, unit = '' }) {
  const range = min === undefined && max === undefined ? 'number' : `${min ?? ''}..${max ?? ''}`;
  const values = choices?.join('|') ?? (typeof standard === 'boolean' ? 'true|false' : range);
  return `:${key}=${values}${unit && ` ${unit}`}  ${summary} (default: ${standard})`;
}
