// The flags of `recommend` that `run` does not have or describes differently. Other flags of `run` stay in argv.

import { NEED_WORDS, vocabulary } from '../cell/needs.js';
import { didYouMean } from '../format/did-you-mean.js';
import { quoted } from '../format/printable.js';
import { DURATION, parseQuantity, refuse } from '../format/quantity.js';
import { isFor } from './flags.js';
import { argumentReader } from './layers.js';
import { OPTION_TABLE, rowsFor } from './option-table.js';
import { splitList } from './quantities.js';

/** @import { Slo } from '../types/index.js' */
/** @import { OptionEntry, Parse } from './flags.js' */
/**
 * @typedef {object} RecommendOptions
 * @property {string[]} needs
 * @property {string | null} from     a results file or a baseline; null to measure
 * @property {Slo | null} slo         read from the command line only
 * @property {number | null} maxBlockMs   longest time for which a row may block the event loop of an end
 * @property {string} [traffic]
 * @property {number} [channel]
 * @property {string} [jsonPath]      '-' is stdout
 * @property {boolean} isForced
 * @property {boolean} isQuiet
 */

const MAX_BLOCK_MS = { min: 1, max: 60e3, takesFractions: true }; // the resolution of the measurement is 1 ms

/** @type {Readonly<Record<string, OptionEntry>>} */
export const RECOMMEND_TABLE = Object.freeze({
  need: {
    summary: `required traits: ${NEED_WORDS.join(', ')}`,
    value: 'WORDS,...',
    parse: parseNeeds,
    unset: [],
  },
  'max-block': {
    summary:
      'longest time for which code of a row may block an event loop, of master or workers, as 20ms; see docs/recommend.md',
    value: 'TIME',
    parse: ([text], source) => parseQuantity(text, DURATION, MAX_BLOCK_MS, source),
    unset: null,
  },
  from: {
    summary: 'use saved results instead of measuring',
    value: 'RESULTS.JSON',
    unset: null,
  },
  traffic: {
    summary: 'recorded traffic of your program: what it would gain; see docs/record.md',
    value: 'FILE',
  },
  channel: {
    summary: 'with --traffic: only this channel of its table',
    value: 'N',
    shownDefault: 'the one that takes the most time',
    parse: OPTION_TABLE.channel.parse,
  },
  json: { summary: 'the same as JSON; - is stdout, in place of the text', value: 'FILE' },
});

/**
 * @param {Record<string, unknown>} argv
 * @returns {RecommendOptions}
 * @throws {import('../errors.js').BenchError} BAD_ARGUMENT
 */
export function recommendOptions(argv) {
  const read = argumentReader(argv, { ...RECOMMEND_TABLE, slo: OPTION_TABLE.slo });
  refuseBesideTraffic(argv);
  return {
    needs: read('need'),
    from: read('from'),
    slo: read('slo') ?? null,
    maxBlockMs: read('max-block'),
    traffic: read('traffic'),
    channel: read('channel'),
    jsonPath: read('json'),
    isForced: argv.force === true,
    isQuiet: argv.quiet === true,
  };
}

/** @param {Record<string, unknown>} argv */
function refuseBesideTraffic(argv) {
  /** @param {string} flag */
  const given = (flag) => argv[flag] !== undefined;
  /** @param {string} flag @param {string} why */
  const refuseFlag = (flag, why) => refuse({ label: `--${flag}`, code: 'BAD_ARGUMENT' }, why);
  if (!given('traffic')) {
    if (given('channel'))
      refuseFlag('channel', 'is a channel of recorded traffic; give its file as well, with --traffic');
    return;
  }
  const decided = Object.keys(rowsFor('recommend')).filter(
    (flag) => !isFor(OPTION_TABLE[flag], 'recommend --traffic'),
  );
  const rival = ['from', 'max-block', ...decided].find(given);
  if (rival !== undefined)
    refuseFlag(rival, 'cannot be combined with --traffic, which decides what is measured; leave it out');
}

/** @type {Parse} */
function parseNeeds(texts, source) {
  const words = splitList(texts, source).map((word) => word.toLowerCase().replaceAll(/[\s_-]+/g, ' '));
  const unknown = words.find((word) => !NEED_WORDS.includes(word));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, NEED_WORDS);
    refuse(source, `${quoted(unknown)} is none of the words below.${hint}\n${vocabulary()}`);
  }
  return [...new Set(words)];
}
