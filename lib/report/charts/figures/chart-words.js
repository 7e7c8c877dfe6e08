// The sentence below the title of a chart, without its full stop: findings on the rows that the chart shows. Also the notes on response
// times that are lower bounds.

import { commonOperation, findMainTimes } from '../../../cell/headline.js';
import { listed, unended } from '../../../format/lists.js';
import { formatRate } from '../../../format/numbers.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { hasResponseTimes, rateOf } from '../../findings/groups.js';
import { fastestFinding, otherKindFindings } from '../../findings/ranking-findings.js';
import { readFacts } from '../../findings/report-facts.js';
import { readResponseTime } from '../../findings/response-times.js';
import { sleepFindings } from '../../findings/sleep-findings.js';
import { kindsIn } from '../../findings/transport-kinds.js';
import { winnersFinding } from '../../findings/winner-findings.js';
import { phrase } from '../../text/phrase-table.js';
import { winnersTitle } from '../../text/phrases/along-phrases.js';
import { fastestTitle } from '../../text/phrases/ranking-phrases.js';
import { duration } from '../../text/quantity-words.js';
import { rowText, timedText } from '../../text/short-texts.js';
import { byNumber } from './series.js';

/** @import { MeasuredOutcome, OpenSummary, Outcome, Results } from '../../../types/index.js' */

/** @param {Outcome[]} outcomes   of one table, at least one */
const makeTable = (outcomes) => ({
  heading: '',
  cell: outcomes[0].cell,
  measured: outcomes.filter(isMeasured),
});

/** @param {Outcome[][]} groups @param {string} plural   'concurrency levels', 'payload sizes' @param {Results} results */
export function messageOfGroups(groups, plural, results) {
  const kindIn = kindsIn(results);
  const tables = groups.filter((outcomes) => outcomes.length > 0).map(makeTable);
  const isOne = tables.length === 1;
  const [finding] = isOne ? fastestFinding(tables[0], kindIn) : winnersFinding(tables, kindIn);
  if (!isOne) return winnersTitle(finding, { at: 'at', many: plural });
  // If the fastest row is the only one of its kind, the title compares rows of another kind with it.
  const [others] = finding.against === null ? otherKindFindings(tables[0], kindIn) : [];
  if (others === undefined) return fastestTitle(finding);
  return unended(phrase({ ...others, group: null }, true).join(' '));
}

/**
 * @param {Outcome[]} outcomes   that a figure compares
 * @param {Results} results
 * @returns {string[]} a note on those that sleep unequally often
 */
export function sleepNotes(outcomes, results) {
  const facts = { ...readFacts({ ...results, outcomes }), kindIn: kindsIn(results) };
  return sleepFindings(facts).flatMap((one) => phrase(one, false));
}

/** @param {string} message @param {readonly string[]} sleeps   as returned by sleepNotes() @returns {string} */
export const withCaveat = (message, sleeps) =>
  message + (sleeps.length === 0 ? '' : '; part of a ratio may be scheduling');

/**
 * @param {Outcome[][]} groups
 * @param {string} plural
 * @param {Results} results
 * @returns {string} empty without a common winner
 */
export function messageOfOneWinner(groups, plural, results) {
  const [finding] = winnersFinding(groups.map(makeTable), kindsIn(results));
  const isOne = finding?.rows[0].numbers?.proven === groups.length && Number(finding.numbers.series) > 1;
  return isOne ? winnersTitle(finding, { at: 'at', many: plural }) : '';
}

/** @param {Outcome[]} outcomes @param {Results} results */
export function messageOfLatencies(outcomes, results) {
  const kindIn = kindsIn(results);
  const measured = outcomes.filter(isMeasured);
  const timed = measured.flatMap((outcome) => {
    const times = findMainTimes(outcome);
    return times === null ? [] : [{ us: times.p50, text: timedText(outcome, times.p50, kindIn) }];
  });
  timed.sort((left, right) => left.us - right.us);
  const [first, last] = [timed[0], timed[timed.length - 1]];
  if (timed.length > 1) return `Medians go from ${first.text} to ${last.text}`;
  return `Half of the ${commonOperation(measured).many} took less than ${first.text}`;
}

// Charts of open load.

const NAMES_SHOWN = 4;

/** @typedef {'p50' | 'p99'} Percentile   of response times */
/** @type {Readonly<Record<Percentile, string>>} */
const PERCENTILE_NAMES = { p99: 'p99', p50: 'p50 (too few samples for p99)' };

/** @param {MeasuredOutcome[]} sustained   at least one @returns {Percentile} p99 if all have enough samples for it */
const percentileOf = (sustained) => (sustained.some(({ open }) => !open?.responseUs.p99) ? 'p50' : 'p99');

/**
 * How a figure reads a response time.
 * @typedef {(outcome: MeasuredOutcome, percentile: Percentile) => { us: number, bound: string }} ReadTime   bound: '> ' before a lower bound
 */

/** Reads the percentile of the typical launch. @type {ReadTime} */
export function readTypical(outcome, percentile) {
  const time = readResponseTime(outcome, percentile);
  return { us: time?.us.estimate ?? 0, bound: time?.isAtLeast ? '> ' : '' };
}

/** Reads the percentile of all launches together. @type {ReadTime} */
function readPooled({ open }, percentile) {
  const { [percentile]: us, atLeast } = /** @type {OpenSummary} */ (open).responseUs;
  return { us: us ?? 0, bound: atLeast?.includes(percentile) ? '> ' : '' };
}

/** @param {Outcome[]} outcomes */
const findSustained = (outcomes) => outcomes.filter(isMeasured).filter(hasResponseTimes);

/** @param {string} subject @param {string[]} texts   in ascending order of their times or rates */
const spanSentence = (subject, [first, ...others]) =>
  others.length === 0 ? `${subject} is ${first}` : `${subject} goes from ${first} to ${others.at(-1)}`;

/** @param {Outcome[]} outcomes @param {Results} results @param {ReadTime} read */
export function messageOfRates(outcomes, results, read) {
  const sustained = findSustained(outcomes);
  if (sustained.length === 0) return 'No rate was sustained';
  if (new Set(sustained.map(rowText)).size === 1) {
    const sorted = sustained.sort((left, right) => rateOf(left) - rateOf(right));
    const percentile = percentileOf([sorted[0], sorted[sorted.length - 1]]);
    /** @param {MeasuredOutcome} outcome */
    const textOf = (outcome) => {
      const { us, bound } = read(outcome, percentile);
      return `${bound}${duration(us)} at ${formatRate(rateOf(outcome))}`;
    };
    return spanSentence(`${PERCENTILE_NAMES[percentile]} of ${rowText(sorted[0])}`, sorted.map(textOf));
  }
  const rates = byNumber(outcomes, rateOf).reverse();
  const ofAll = rates.find((atRate) => findSustained(atRate).length === atRate.length);
  if (ofAll === undefined) return 'No rate was sustained by all';
  return `At ${formatRate(rateOf(ofAll[0]))}, the highest rate that all sustained, ${tailsText(findSustained(ofAll), results, read)}`;
}

/** @param {MeasuredOutcome[]} sustained @param {Results} results @param {ReadTime} read */
function tailsText(sustained, results, read) {
  const kindIn = kindsIn(results);
  const percentile = percentileOf(sustained);
  const timed = sustained.map((outcome) => ({ outcome, ...read(outcome, percentile) }));
  timed.sort((left, right) => left.us - right.us);
  const texts = timed.map(({ outcome, us, bound }) => bound + timedText(outcome, us, kindIn));
  return spanSentence(PERCENTILE_NAMES[percentile], texts);
}

/** @param {Outcome[]} outcomes @param {Results} results @returns {string} on percentiles of all launches together */
export function messageOfTails(outcomes, results) {
  const sustained = findSustained(outcomes);
  const [rate, ...otherRates] = new Set(outcomes.map(rateOf));
  return otherRates.length === 0 && sustained.length > 0
    ? `At ${formatRate(rate)} ${tailsText(sustained, results, readPooled)}`
    : messageOfRates(outcomes, results, readPooled);
}

/** @param {Outcome[]} outcomes @returns {string[]} */
export function boundNotes(outcomes) {
  const names = findSustained(outcomes).flatMap((outcome) => {
    const atLeast = outcome.open?.responseUs.perLaunch.atLeast ?? [];
    return atLeast.length === 0
      ? []
      : `${rowText(outcome)} at ${formatRate(rateOf(outcome))} (${atLeast.join(', ')})`;
  });
  if (names.length === 0) return [];
  return [`lower bounds, since responses were missing when the window closed: ${listed(names, NAMES_SHOWN)}`];
}
