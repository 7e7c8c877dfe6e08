// What the user asks of `recommend`: argv → a request. What is to be measured for it stays in argv, for the options of a run.

import { NEED_WORDS, vocabulary } from '../cell/needs.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/quoted.js';
import { PAYLOAD, parseShapes } from './axis-values.js';
import { DEFAULT_MIN_EFFECT, parseMinEffect, readText, sourceFor } from './compare-options.js';
import { THEMES } from './flags.js';
import { parseMaxTime, parseSlo, RATE } from './load-options.js';
import { BYTES, COUNT, parseChoice, parseQuantity, refuse, splitList } from './quantities.js';

/** @import { Merit, Request } from '../types/index.js' */
/**
 * @typedef {object} RecommendOptions
 * @property {Request} request
 * @property {string[]} from          results files; none: it is measured
 * @property {'payload' | 'workers' | 'none'} vary   along which axis is measured where the answer changes
 * @property {number} maxTimeMs       of measuring
 * @property {string | null} pngDir
 * @property {'light' | 'dark'} theme   of the pictures
 * @property {boolean} isJson
 * @property {boolean} isForced
 * @property {boolean} isQuiet
 */

/** @type {readonly Merit['name'][]} */
const MERITS = Object.freeze(['speed', 'cpu', 'master']);
const VARIED = /** @type {const} */ (['payload', 'workers', 'none']);
const DEFAULT_MAX_TIME = '5m'; // what the longest documented question takes on two cores, and some rounds of where the answer changes
const DEFAULT_THEME = 'light';

/** Options of its own: what is asked for, and how the answer is found. @type {Readonly<Record<string, { summary: string, value: string, shownDefault?: string }>>} */
export const RECOMMEND_TABLE = Object.freeze({
  messages: {
    summary: 'required rate of messages, all workers together: 2k/s',
    value: 'RATE',
    shownDefault: 'as many as possible',
  },
  payload: { summary: 'payload size in bytes: 1000, 10k, 64KiB', value: 'SIZE', shownDefault: '1000' },
  slo: {
    summary: 'latency target at that rate: a percentile of response time and its limit, such as p99<5ms',
    value: 'pN<TIME',
  },
  need: { summary: `required traits: ${NEED_WORDS.join(', ')}`, value: 'WORDS,...' },
  from: {
    summary: 'use saved results instead of measuring; may be repeated, or joined by commas',
    value: 'RESULTS.JSON',
  },
  by: {
    summary:
      'criterion: speed (headline measure of the scenario), cpu (of all processes), master (CPU of the master)',
    value: 'NAME',
    shownDefault: 'cpu with --messages, else speed',
  },
  'min-effect': {
    summary: 'the smallest difference that matters',
    value: 'SHARE',
    shownDefault: DEFAULT_MIN_EFFECT,
  },
  vary: {
    summary: 'axis along which to search for a different answer: payload, workers, none',
    value: 'NAME',
    shownDefault: 'payload',
  },
  'max-time': { summary: 'time limit for measuring', value: 'TIME', shownDefault: DEFAULT_MAX_TIME },
  png: { summary: 'charts of where the answer changes', value: 'DIR' },
  theme: { summary: 'theme of the charts: light or dark', value: 'NAME', shownDefault: DEFAULT_THEME },
});

/**
 * @param {Record<string, unknown>} argv
 * @returns {RecommendOptions}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function recommendOptions(argv) {
  const text = (/** @type {string} */ flag) => readText(argv, flag);
  const ratePerSecond = parseRate(text('messages'));
  const slo = text('slo');
  if (slo !== null && ratePerSecond === null)
    refuse(sourceFor('slo'), 'is kept at some rate; say which with --messages, as 2k/s');
  const pngDir = text('png');
  if (pngDir === '-') refuse(sourceFor('png'), 'takes a folder: stdout has the answer');
  const by = text('by');
  const vary = text('vary');
  const shape = text('workers');
  const payload = text('payload');
  const scenario = text('scenario');
  if (scenario?.includes(',') && !scenario.includes('='))
    refuse(sourceFor('scenario'), 'name one: a question at a time');
  return {
    request: {
      needs: parseNeeds(text('need')),
      ratePerSecond,
      payloadBytes: payload === null ? null : parsePayload(payload),
      shape: shape === null ? null : parseShape(shape),
      scenario,
      slo: slo === null ? null : parseSlo(slo, sourceFor('slo')),
      minEffect: parseMinEffect(text('min-effect') ?? DEFAULT_MIN_EFFECT),
      by: by === null ? (ratePerSecond === null ? 'speed' : 'cpu') : parseChoice(by, MERITS, sourceFor('by')),
    },
    from: listFiles(argv.from),
    vary: vary === null ? 'payload' : parseChoice(vary, VARIED, sourceFor('vary')),
    maxTimeMs: parseMaxTime(text('max-time') ?? DEFAULT_MAX_TIME, sourceFor('max-time')),
    pngDir,
    theme: parseChoice(text('theme') ?? DEFAULT_THEME, THEMES, sourceFor('theme')),
    isJson: argv.json === true,
    isForced: argv.force === true,
    isQuiet: argv.quiet === true,
  };
}

/** @param {string | null} text   '2k/s', '2k', '120/min' @returns {number | null} */
function parseRate(text) {
  if (text === null) return null;
  const [, count, unit = 's'] = /^([^/]*)(?:\/(.*))?$/s.exec(text.trim()) ?? [];
  if (unit !== 's')
    refuse(
      sourceFor('messages'),
      `${quoted(text)} is no rate; write how many there are in a second, as 2k/s`,
    );
  return parseQuantity(count, COUNT, RATE, sourceFor('messages'));
}

/** @param {string} text @returns {number} */
function parsePayload(text) {
  if (/,|\.\./.test(text))
    refuse(sourceFor('payload'), `write one size, that of your messages, as 1000, and not ${quoted(text)}`);
  return parseQuantity(text, BYTES, PAYLOAD, sourceFor('payload'));
}

/** @param {string} text @returns {import('../types/plans.js').Shape} */
function parseShape(text) {
  const shapes = parseShapes([text], sourceFor('workers'));
  if (shapes.length > 1) refuse(sourceFor('workers'), 'write one shape, the one that you have, as 2x4');
  return shapes[0];
}

/** @param {string | null} text @returns {string[]} each once */
function parseNeeds(text) {
  if (text === null) return [];
  const words = splitList([text], sourceFor('need')).map((word) =>
    word.toLowerCase().replaceAll(/[\s_-]+/g, ' '),
  );
  const unknown = words.find((word) => !NEED_WORDS.includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, NEED_WORDS);
    refuse(sourceFor('need'), `${quoted(unknown)} is none of the words below.${hint}\n${vocabulary()}`);
  }
  return [...new Set(words)];
}

/** @param {unknown} given @returns {string[]} */
function listFiles(given) {
  if (given === undefined) return [];
  if (typeof given === 'boolean') return refuse(sourceFor('from'), '--no-from means nothing; leave it out');
  return splitList([given].flat().map(String), sourceFor('from'));
}
