// Phrases on open load: response times, rates that were not sustained, and the result of a search for a rate.

import { counted, listed } from '../../../format/lists.js';
import { durationText, formatCount, formatPercent, formatRate, NOTHING } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { MS_PER_MINUTE } from '../../../format/units.js';
import { TOLERATED_LAUNCHES } from '../../../results/thresholds.js';
import { kindWords } from '../kind-words.js';
import { nameAtRate } from '../names.js';
import { responseTimeText, sustainedText } from '../time-words.js';

/** @import { Finding } from '../../../types/index.js' */

const REMEDY = 'Close other programs, run ipc-bench doctor, or try again later.';

/** Printed wherever response times of open load are shown. */
export const OPEN_LOAD_SENTENCES = Object.freeze({
  brief:
    'Open load: requests are sent when they are due, however many are in flight, and response times start then.',
  full: 'Open load: requests are sent when they are due, however many are in flight; the C of --workers WxC does not limit them. Response times start at the scheduled send time, so every request that a pause delays counts (no coordinated omission).',
});

// The search for a rate: its result, the reason for an early end, and the remedy.

/**
 * @param {Finding} finding
 * @returns {string[]} why the search ended early, whether noise disturbed it, and how many launches and rates it left out
 */
function endTexts(finding) {
  const { numbers, names } = finding;
  const { endedBy } = names;
  const [count, disturbed] = [Number(numbers.searchLaunches), Number(numbers.disturbed)];
  const text = `disturbed ${disturbed} of its ${counted(count, 'launch', 'launches')}`;
  const sentences = endedBy === 'time' ? [timeText(finding)] : [];
  if (endedBy === 'disturbed') {
    sentences.push(
      `The search ended early, after ${durationText(Number(numbers.elapsedMs))}: something else ${text}, so they do not show what the rate does.`,
      REMEDY,
    );
  } else if ((endedBy === 'time' || endedBy === 'launches') && disturbed > TOLERATED_LAUNCHES * count) {
    sentences.push(`Something else ${text}.`, REMEDY);
  }
  const { launchesLeftOut, plannedLaunches, ratesLeftOut } = numbers;
  const leftOut = [
    ...(launchesLeftOut === undefined
      ? []
      : [`${launchesLeftOut} of ${plannedLaunches} launches at the rate found`]),
    ...(ratesLeftOut === undefined
      ? []
      : [`${counted(Number(ratesLeftOut), 'rate', 'rates')} of the curve around it`]),
  ];
  if (leftOut.length > 0) {
    const isOne = (launchesLeftOut ?? 0) + (ratesLeftOut ?? 0) === 1;
    sentences.push(
      `${leftOut.join(' and ')} ${isOne ? 'was' : 'were'} left out because the time was too short.`,
    );
  }
  return sentences;
}

/** @param {Finding} finding @returns {string} */
function timeText({ numbers }) {
  const {
    elapsedMs,
    limitMs,
    foundPerSecond,
    searchLaunches,
    nextPerSecond,
    nextLimitMs,
    launchesAtFound,
    neededMs,
  } = numbers;
  const after =
    durationText(Number(elapsedMs)) + (limitMs === undefined ? '' : ` of ${durationText(Number(limitMs))}`);
  const before =
    foundPerSecond !== null
      ? ' before the interval was narrow enough'
      : searchLaunches === 0 && nextPerSecond !== undefined
        ? `, before ${formatRate(Number(nextPerSecond))} could be tried`
        : '';
  const needed =
    launchesAtFound === undefined || neededMs === undefined
      ? ''
      : `, because a further launch and ${launchesAtFound === 1 ? 'one' : launchesAtFound} at the rate found need about ${durationText(Number(neededMs))}`;
  const enough =
    nextLimitMs === undefined
      ? ''
      : `; ${Math.ceil(Number(nextLimitMs) / MS_PER_MINUTE)}m is enough for all launches of the search and of the curve at such rates`;
  return `The search ended after ${after}${before}${needed}. Use a longer --max-time${enough}.`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const OPEN_LOAD_PHRASES = {
  'sustained-rate'(finding) {
    const { group, rows, numbers, names } = finding;
    const { perSecond, lowPerSecond, highPerSecond, launches } = numbers;
    const tried = names.endedBy === 'time' || names.endedBy === 'disturbed' ? ' that was tried' : '';
    const [estimate, low] = [perSecond, lowPerSecond].map(Number);
    const found =
      perSecond === undefined
        ? `met ${names.limit} at no rate${tried}.`
        : `sustains ${sustainedText({ estimate, low, high: highPerSecond ?? low, isBounded: highPerSecond !== null })} within ${names.limit} (95 % interval, ${counted(Number(launches), 'launch', 'launches')} at different rates).`;
    return [[`${printable(rows[0].row)} (${group?.heading}) ${found}`, ...endTexts(finding)].join(' ')];
  },

  'response-times'({ group, rows, numbers, names }) {
    const texts = rows.map(({ row, kind, value, numbers: own }) => {
      const of = kind === undefined ? '' : ` (${kindWords(kind)})`;
      const time =
        value === undefined ? NOTHING : responseTimeText({ us: value, isAtLeast: own?.isAtLeast === 1 });
      return `${printable(row)}${of} ${time} µs`;
    });
    const percentile = names.percentile === 'p50' ? 'p50, too few samples for p99' : 'p99';
    const highest =
      numbers.perSecond === numbers.highestPerSecond
        ? ', the highest rate,'
        : ', the highest rate that all sustained,';
    return [
      `Response time (${percentile}) at ${formatRate(Number(numbers.perSecond))}${numbers.rates === 1 ? '' : highest} ${group?.heading}: ${listed(texts)}.`,
    ];
  },

  'not-sustained'({ rows }) {
    const texts = rows.map((row) => {
      const { achieved, inFlight } = row.numbers ?? {};
      return `${nameAtRate(row)} (${formatPercent(Number(achieved))} sent, ${formatCount(Number(inFlight))} in flight)`;
    });
    return [`Offered rate not sustained, so there are no response times: ${listed(texts)}.`];
  },

  'send-delay'({ rows, numbers }) {
    const greatest = Math.max(...rows.map((row) => Number(row.numbers?.share)));
    return [
      `Up to ${formatPercent(greatest)} of the median response time is send delay, from the scheduled to the actual send, in ${rows.length} of ${counted(Number(numbers.rows), 'row', 'rows')}; service time excludes it.`,
    ];
  },

  'few-before'({ numbers, operation }) {
    const rate = `${numbers.rates === 1 ? 'At' : 'At rates up to'} ${formatRate(Number(numbers.perSecond))}`;
    const many = printable(operation?.many ?? 'round trips');
    return [
      `${rate} a worker made fewer than ${formatCount(Number(numbers.operations))} ${many} before its window, so V8 may still interpret part of the code, as in a service that has just started.`,
    ];
  },

  'waiting-requests': ({ rows }) =>
    rows.map((row) => {
      const { requestsAtOnce, inFlight } = row.numbers ?? {};
      return `${nameAtRate(row)} carries ${counted(Number(requestsAtOnce), 'request', 'requests')} of a worker at a time, and up to ${formatCount(Number(inFlight))} were in flight: response times include the wait of the others.`;
    }),

  'open-load'({ names }, isBrief) {
    const text = OPEN_LOAD_SENTENCES[isBrief ? 'brief' : 'full'];
    return [text.replace('Open load', `Open load, ${printable(names.arrivals)} arrivals`)];
  },
};
