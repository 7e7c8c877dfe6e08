// The sentence below the title of a chart, without its full stop: findings on the rows that it shows.

import { commonOperation, findMainTimes } from '../../../cell/headline.js';
import { listed } from '../../../format/lists.js';
import { formatRate } from '../../../format/numbers.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { hasResponseTimes, rateOf } from '../../findings/groups.js';
import { fastestFinding, otherKindFindings } from '../../findings/ranking-findings.js';
import { readResponseTime } from '../../findings/response-times.js';
import { kindsIn } from '../../findings/transport-kinds.js';
import { winnersFinding } from '../../findings/winner-findings.js';
import { winnersTitle } from '../../text/phrases/along-phrases.js';
import { fastestTitle, otherKindTitle, titleRow } from '../../text/phrases/ranking-phrases.js';
import { sleepNote } from '../../text/phrases/sleep-phrases.js';
import { duration } from '../../text/quantity-words.js';
import { rowText, timedText } from '../../text/short-texts.js';

/** @import { Finding, MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { SleepNumbers } from '../../text/phrases/sleep-phrases.js' */

const NOTHING = 'Nothing was measured';

/** @param {Outcome[]} outcomes   of one table, at least one */
const makeTable = (outcomes) => ({
  place: '',
  cell: outcomes[0].cell,
  measured: outcomes.filter(isMeasured),
});

/** @param {Outcome[][]} groups @param {string} plural   'concurrency levels', 'payload sizes' @param {Results} results */
export function messageOfGroups(groups, plural, results) {
  const kindIn = kindsIn(results);
  const tables = groups.filter((outcomes) => outcomes.length > 0).map(makeTable);
  const isOne = tables.length === 1;
  const [finding] = isOne ? fastestFinding(tables[0], kindIn) : winnersFinding(tables, kindIn);
  if (finding === undefined) return NOTHING;
  const beside = otherKindTitle(otherKindFindings(tables, kindIn));
  const text = isOne ? fastestTitle(finding) : winnersTitle(finding, { at: 'at', many: plural });
  const claimed = isOne ? ratiosOfTitle(finding) : ratiosOfWinner(finding);
  const { one } = commonOperation(tables.flatMap(({ measured }) => measured));
  const note = sleepNote([...claimed, ...beside.rows.map(({ numbers = {} }) => numbers)], one);
  return [text + beside.text, note].filter((part) => part !== '').join('; ');
}

/** @param {Finding} finding @returns {SleepNumbers[]} of the ratios that the title of the fastest row states */
function ratiosOfTitle(finding) {
  const { ratio, numbers = {} } = titleRow(finding);
  const parts = finding.verdict === 'better' ? (finding.rows[0].parts ?? []) : [];
  return [...(ratio ? [numbers] : []), ...parts.map((part) => part.numbers ?? {})];
}

/** @param {Finding} finding @returns {SleepNumbers[]} of the ratios that the title of the winners states */
function ratiosOfWinner({ rows: [{ numbers = {} }] }) {
  return Number(numbers.proven) > 0 ? [numbers] : [];
}

/** @param {Outcome[][]} groups @param {string} plural @param {Results} results @returns {{ text: string, claimed: SleepNumbers[] }} empty without a common winner */
export function messageOfOneWinner(groups, plural, results) {
  const [finding] = winnersFinding(groups.map(makeTable), kindsIn(results));
  const isOne = finding?.rows[0].numbers?.proven === groups.length && Number(finding.numbers.series) > 1;
  return isOne
    ? { text: winnersTitle(finding, { at: 'at', many: plural }), claimed: ratiosOfWinner(finding) }
    : { text: '', claimed: [] };
}

/** @param {Outcome[]} outcomes @param {Results} results */
export function messageOfLatencies(outcomes, results) {
  const kindIn = kindsIn(results);
  const measured = outcomes.filter(isMeasured);
  const timed = measured.flatMap((outcome) => {
    const times = findMainTimes(outcome);
    return times === null ? [] : [{ us: times.p50, text: timedText(outcome, times.p50, kindIn) }];
  });
  if (timed.length === 0) return NOTHING;
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

/** @param {MeasuredOutcome} outcome @param {Percentile} percentile @returns {number} µs */
const timeOf = (outcome, percentile) => readResponseTime(outcome, percentile)?.us.estimate ?? 0;

/** @param {MeasuredOutcome} outcome @param {Percentile} percentile @returns {string} '> ' before a lower bound */
const boundText = (outcome, percentile) => (readResponseTime(outcome, percentile)?.isAtLeast ? '> ' : '');

/** @param {Outcome[]} outcomes */
const findSustained = (outcomes) => outcomes.filter(isMeasured).filter(hasResponseTimes);

/** @param {string} subject @param {(outcome: MeasuredOutcome) => string} textOf @param {MeasuredOutcome[]} sorted */
function spanSentence(subject, textOf, sorted) {
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  return first === last
    ? `${subject} is ${textOf(first)}`
    : `${subject} goes from ${textOf(first)} to ${textOf(last)}`;
}

/** @param {Outcome[]} outcomes @param {Results} results */
export function messageOfRates(outcomes, results) {
  const sustained = findSustained(outcomes);
  if (sustained.length === 0) return 'No rate was sustained';
  if (new Set(sustained.map(rowText)).size === 1) {
    const sorted = sustained.sort((left, right) => rateOf(left) - rateOf(right));
    const percentile = percentileOf([sorted[0], sorted[sorted.length - 1]]);
    const textOf = (/** @type {MeasuredOutcome} */ outcome) =>
      `${boundText(outcome, percentile)}${duration(timeOf(outcome, percentile))} at ${formatRate(rateOf(outcome))}`;
    return spanSentence(`${PERCENTILE_NAMES[percentile]} of ${rowText(sorted[0])}`, textOf, sorted);
  }
  const rates = [...new Set(outcomes.map(rateOf))].sort((left, right) => right - left);
  const ofAll = rates.find((rate) =>
    outcomes
      .filter((outcome) => rateOf(outcome) === rate)
      .every((outcome) => findSustained([outcome]).length > 0),
  );
  if (ofAll === undefined) return 'No rate was sustained by all';
  const atRate = sustained.filter((outcome) => rateOf(outcome) === ofAll);
  return `At ${formatRate(ofAll)}, the highest rate that all sustained, ${tailsText(atRate, results)}`;
}

/** @param {MeasuredOutcome[]} sustained @param {Results} results */
function tailsText(sustained, results) {
  const kindIn = kindsIn(results);
  const percentile = percentileOf(sustained);
  const sorted = sustained.toSorted((left, right) => timeOf(left, percentile) - timeOf(right, percentile));
  const textOf = (/** @type {MeasuredOutcome} */ outcome) =>
    boundText(outcome, percentile) + timedText(outcome, timeOf(outcome, percentile), kindIn);
  return spanSentence(PERCENTILE_NAMES[percentile], textOf, sorted);
}

/** @param {Outcome[]} outcomes @param {Results} results */
export function messageOfTails(outcomes, results) {
  const sustained = findSustained(outcomes);
  const [rate, ...otherRates] = new Set(outcomes.map(rateOf));
  return otherRates.length === 0 && sustained.length > 0
    ? `At ${formatRate(rate)} ${tailsText(sustained, results)}`
    : messageOfRates(outcomes, results);
}

/** @param {MeasuredOutcome} outcome */
const rateText = (outcome) => `${rowText(outcome)} at ${formatRate(rateOf(outcome))}`;

/** @param {Outcome[]} outcomes @returns {string[]} reasons of missing lines */
export function limitedNotes(outcomes) {
  const limited = outcomes.filter(isMeasured).filter((outcome) => !hasResponseTimes(outcome));
  if (limited.length === 0) return [];
  return [
    `not drawn, since the offered rate was not sustained: ${listed(limited.map(rateText), NAMES_SHOWN)}`,
  ];
}

/** @param {Outcome[]} outcomes @returns {string[]} */
export function boundNotes(outcomes) {
  const names = findSustained(outcomes).flatMap((outcome) => {
    const atLeast = outcome.open?.responseUs.perLaunch.atLeast ?? [];
    return atLeast.length === 0 ? [] : `${rateText(outcome)} (${atLeast.join(', ')})`;
  });
  if (names.length === 0) return [];
  return [`lower bounds, since responses were missing when the window closed: ${listed(names, NAMES_SHOWN)}`];
}
