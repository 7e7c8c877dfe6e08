// The flags of `recommend` beside those of a run, and what they mean: argv → a request. What is to be measured for it stays in
// argv, for the options of a run.

import { NEED_WORDS, vocabulary } from '../cell/needs.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/printable.js';
import { PAYLOAD, parseShapes } from './axis-values.js';
import { MIN_EFFECT } from './compare-options.js';
import { choice, first, THEMES } from './flags.js';
import { argumentReader } from './layers.js';
import { parseMaxTime, parseSlo, RATE } from './load-options.js';
import { BYTES, COUNT, parseQuantity, refuse, splitList } from './quantities.js';

/** @import { Merit, Request } from '../types/index.js' */

/** @import { OptionEntry, Parse } from './flags.js' */
/** @import { Source } from './quantities.js' */
/**
 * @typedef {object} RecommendOptions
 * @property {Request} request
 * @property {string[]} from          results files; none: it is measured
 * @property {string | undefined} traffic   recorded, of a program that asks what it would gain
 * @property {number | undefined} channel
 * @property {number} maxTimeMs       of measuring
 * @property {string | null} pngDir
 * @property {string | null} htmlPath   of recorded traffic
 * @property {'light' | 'dark' | 'both'} theme   of the pictures
 * @property {string | undefined} jsonPath   '-': stdout; undefined: nowhere
 * @property {boolean} isForced
 * @property {boolean} isQuiet
 */

/** @type {readonly Merit['name'][]} */
const MERITS = Object.freeze(['speed', 'cpu', 'master']);

/** Options of its own: what is asked for, and how the answer is found. @type {Readonly<Record<string, OptionEntry>>} */
export const RECOMMEND_TABLE = Object.freeze({
  rate: {
    summary: 'required requests per second, all workers together: 2k',
    value: 'N',
    shownDefault: 'as many as possible',
    parse: first(parseRate),
    unset: null,
  },
  payload: {
    short: 'p',
    summary: 'payload size in bytes: 1000, 10k, 64KiB',
    value: 'SIZE',
    shownDefault: '1000',
    parse: first(parsePayload),
    unset: null,
  },
  slo: {
    summary: "limit of response time at that rate, as 'p99<5ms'",
    value: 'pN<TIME',
    parse: first(parseSlo),
    unset: null,
  },
  need: {
    summary: `required traits: ${NEED_WORDS.join(', ')}`,
    value: 'WORDS,...',
    parse: parseNeeds,
    unset: [],
  },
  from: {
    summary: 'use saved results instead of measuring; may be repeated, or joined by commas',
    value: 'RESULTS.JSON',
    isList: true,
    parse: splitList,
    unset: [],
  },
  traffic: {
    summary: 'recorded traffic of your program: what it would gain; see docs/record.md',
    value: 'FILE',
    parse: first((text) => text),
  },
  channel: {
    summary: 'with --traffic: only this channel of its table',
    value: 'N',
    shownDefault: 'those that take the most time',
    parse: first((text, source) => parseQuantity(text, COUNT, { min: 1, max: 1e6 }, source)),
  },
  by: {
    summary:
      'criterion: speed (headline measure of the scenario), cpu (of all processes), master (CPU of the master)',
    value: 'NAME',
    shownDefault: 'cpu with --rate, else speed',
    parse: choice(MERITS),
  },
  'min-effect': MIN_EFFECT,
  json: { summary: 'the same as JSON; - is stdout, in place of the text', value: 'FILE' },
  'max-time': {
    summary: 'time limit for measuring',
    value: 'TIME',
    default: '5m', // what the longest documented question takes on two cores
    parse: first(parseMaxTime),
  },
  png: {
    summary: 'with --traffic: the chart of what it would gain',
    value: 'DIR',
    parse: first((text, source) => parsePlace(text, source, 'folder')),
    unset: null,
  },
  html: {
    summary: 'with --traffic: the answer as a page',
    value: 'FILE',
    parse: first((text, source) => parsePlace(text, source, 'file')),
    unset: null,
  },
  theme: {
    summary: 'with --traffic: theme of the chart: light, dark or both',
    value: 'NAME',
    default: 'light',
    parse: choice(THEMES),
  },
});

/** Of a run, which may measure several of each: a question is about one. @type {Readonly<Record<string, OptionEntry>>} */
const OF_THE_QUESTION = {
  workers: { summary: '', value: 'WxC', parse: parseShape, unset: null },
  scenario: { summary: '', value: 'NAME', parse: first(parseScenario), unset: null },
};

/**
 * @param {Record<string, unknown>} argv
 * @returns {RecommendOptions}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function recommendOptions(argv) {
  const read = argumentReader(argv, { ...RECOMMEND_TABLE, ...OF_THE_QUESTION });
  const ratePerSecond = read('rate');
  const slo = read('slo');
  refuseBesideTraffic(argv);
  if (slo !== null && ratePerSecond === null)
    refuse({ label: '--slo', code: 'BAD_ARGUMENT' }, 'is kept at some rate; say which with --rate, as 2k');
  return {
    request: {
      needs: read('need'),
      ratePerSecond,
      payloadBytes: read('payload'),
      shape: read('workers'),
      scenario: read('scenario'),
      slo,
      minEffect: read('min-effect'),
      by: read('by') ?? (ratePerSecond === null ? 'speed' : 'cpu'),
    },
    from: read('from'),
    traffic: read('traffic'),
    channel: read('channel'),
    maxTimeMs: read('max-time'),
    pngDir: read('png'),
    htmlPath: read('html'),
    theme: read('theme'),
    jsonPath: read('json'),
    isForced: argv.force === true,
    isQuiet: argv.quiet === true,
  };
}

// What the recording says, or another question.
const NOT_WITH_TRAFFIC = [
  ...['rate', 'payload', 'slo', 'from', 'by', 'scenario', 'workers', 'min-effect', 'max-time'],
  ...['message-file', 'content', 'arrivals'],
];

/** @param {Record<string, unknown>} argv */
function refuseBesideTraffic(argv) {
  const given = (/** @type {string} */ flag) => argv[flag] !== undefined;
  const refuseFlag = (/** @type {string} */ flag, /** @type {string} */ why) =>
    refuse({ label: `--${flag}`, code: 'BAD_ARGUMENT' }, why);
  if (!given('traffic')) {
    const drawn = ['png', 'theme'].find(given);
    if (drawn !== undefined)
      refuseFlag(drawn, 'is about a chart of recorded traffic; give its file as well, with --traffic');
    if (given('html'))
      refuseFlag('html', 'is a page on recorded traffic; give its file as well, with --traffic');
    if (given('channel'))
      refuseFlag('channel', 'is a channel of recorded traffic; give its file as well, with --traffic');
    return;
  }
  const rival = NOT_WITH_TRAFFIC.find(given);
  if (rival !== undefined)
    refuseFlag(rival, 'goes without --traffic, which says how the program communicates; leave it out');
}

/** @param {string} text   '2k/s', '2k', '120/min' @param {Source} source */
function parseRate(text, source) {
  const [, count, unit = 's'] = /^([^/]*)(?:\/(.*))?$/s.exec(text.trim()) ?? [];
  if (unit !== 's')
    refuse(source, `${quoted(text)} is no rate; write how many there are in a second, as 2k/s`);
  return parseQuantity(count, COUNT, RATE, source);
}

/** @param {string} text @param {Source} source */
function parsePayload(text, source) {
  if (/,|\.\./.test(text))
    refuse(source, `write one size, that of your messages, as 1000, and not ${quoted(text)}`);
  return parseQuantity(text, BYTES, PAYLOAD, source);
}

/** @type {Parse} */
function parseShape(texts, source) {
  const shapes = parseShapes(texts, source);
  if (shapes.length > 1) refuse(source, 'write one shape, the one that you have, as 2x4');
  return shapes[0];
}

/** @param {string} text @param {Source} source */
function parseScenario(text, source) {
  if (text.includes(',') && !text.includes('=')) refuse(source, 'name one: a question at a time');
  return text;
}

/** @param {string} text @param {Source} source @param {'file' | 'folder'} what */
function parsePlace(text, source, what) {
  if (text === '-') refuse(source, `takes a ${what}: stdout has the answer`);
  return text;
}

/** @type {Parse} each once */
function parseNeeds(texts, source) {
  const words = splitList(texts, source).map((word) => word.toLowerCase().replaceAll(/[\s_-]+/g, ' '));
  const unknown = words.find((word) => !NEED_WORDS.includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, NEED_WORDS);
    refuse(source, `${quoted(unknown)} is none of the words below.${hint}\n${vocabulary()}`);
  }
  return [...new Set(words)];
}
