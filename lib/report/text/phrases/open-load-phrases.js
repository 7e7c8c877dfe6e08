// Phrases on open load: response times, rates that were not sustained, and the result of a search for a rate.

import { capitalised, counted, ifAny, listed } from '../../../format/lists.js';
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
  full: 'Open load: requests are sent when they are due, however many are in flight; the C of --workers WxC does not limit them. Response times start at the scheduled send time, so every request that a pause delays counts (no coordinated omission); service time starts at the actual send, and the schedule delay is between the two.',
});

// The search for a rate: its result, the reason for an early end, and the remedy.

/** @param {Finding} finding @returns {string[]} why the search ended early, whether noise disturbed it, and what it left out */
function endTexts({ numbers, names: { endedBy } }) {
  const { elapsedMs, launchesLeftOut, plannedLaunches, ratesLeftOut } = numbers;
  const [count, disturbed] = [Number(numbers.searchLaunches), Number(numbers.disturbed)];
  const after = `The search ended after ${durationText(Number(elapsedMs))}`;
  const noise =
    count === 1
      ? 'something else disturbed its only launch'
      : `something else disturbed ${disturbed} of its ${formatCount(count)} launches`;
  const isNoisy = ['time', 'launches'].includes(endedBy) && disturbed > TOLERATED_LAUNCHES * count;
  const leftOut = [
    ...(launchesLeftOut === undefined
      ? []
      : [`${launchesLeftOut} of ${plannedLaunches} launches at the rate found`]),
    ...(ratesLeftOut === undefined
      ? []
      : [`${counted(Number(ratesLeftOut), 'rate', 'rates')} of the curve around it`]),
  ];
  return [
    ...(endedBy === 'time' ? [`${after}${timeText(numbers)}.`] : []),
    ...(endedBy === 'disturbed'
      ? [`${after}: ${noise}, so they do not show what the rate does.`, REMEDY]
      : []),
    ...(isNoisy ? [`${capitalised(noise)}.`, REMEDY] : []),
    ...ifAny(leftOut, () => `Left out for lack of time: ${leftOut.join(' and ')}.`),
  ];
}

/** @param {Finding['numbers']} numbers @returns {string} ', before 11,314/s could be tried: use a longer --max-time, 3m for all launches' */
function timeText({ foundPerSecond, searchLaunches, nextPerSecond, nextLimitMs }) {
  const isFirst = searchLaunches === 0 && nextPerSecond !== undefined;
  const untried = isFirst ? `, before ${formatRate(Number(nextPerSecond))} could be tried` : '';
  const before = foundPerSecond === null ? untried : ' before the interval was narrow enough';
  const enough =
    nextLimitMs === undefined ? '' : `, ${Math.ceil(Number(nextLimitMs) / MS_PER_MINUTE)}m for all launches`;
  return `${before}: use a longer --max-time${enough}`;
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
        value === undefined
          ? NOTHING
          : responseTimeText({ us: value, isAtLeast: own?.isAtLeast === 1 }, ' µs');
      return `${printable(row)}${of} ${time}`;
    });
    const percentile = names.percentile === 'p50' ? 'p50, too few samples for p99' : 'p99';
    const sustained = numbers.perSecond === numbers.highestPerSecond ? '' : ' that all sustained';
    const highest = numbers.rates === 1 ? '' : `, the highest rate${sustained}`;
    return [
      `Response time (${percentile}) at ${formatRate(Number(numbers.perSecond))}${highest}, ${group?.heading}: ${listed(texts)}.`,
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
      `Up to ${formatPercent(greatest)} of the median response time is schedule delay, from the scheduled to the actual send, in ${rows.length} of ${counted(Number(numbers.rows), 'row', 'rows')}; service time excludes it.`,
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
