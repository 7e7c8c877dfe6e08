// The sentence below the title of a chart. lib/report/text/verdicts.js decides what may be called fastest, as for the table.
// Sentences come without their full stop.

import { commonOperation, findMainTimes, headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy, listed } from '../../../format/lists.js';
import { formatCount, formatNumber, formatRatio, spanText } from '../../../format/numbers.js';
import { hasResponseTimes, isMeasured, rateOf } from '../../text/groups.js';
import { ratioTitle, superlativeFor, timesText, valueText, winnerWord } from '../../text/measure-words.js';
import { kindText, tally, whetherText } from '../../text/ranking.js';
import { readResponseTime } from '../../text/response-times.js';
import { exceptionText, kindsIn } from '../../text/transport-kinds.js';
import { comparedIn, leadIn } from '../../text/verdicts.js';
import { duration } from './quantity-words.js';
import { labelText, rowText, timedText } from './short-texts.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { KindIn } from '../../text/transport-kinds.js' */
/** @import { Lead } from '../../text/verdicts.js' */

const NOTHING = 'Nothing was measured';
const WHY_CHARACTERS = 80; // with the name of a row
const MOST_BESIDE = 2; // rows of other kinds that are named one by one

/** @param {MeasuredOutcome} outcome @returns {string} '1.62× the throughput of pipe/json (95 % CI 1.55–1.70)' */
function comparedText(outcome) {
  const { ratio, cell } = outcome;
  if (ratio === null || ratio.to === seriesLabel(cell)) return valueText(outcome);
  return timesText(outcome, ratio, labelText(ratio.to));
}

/** @param {Lead} lead */
function messageOfLead(lead) {
  const { alike, rival, verdict, why } = lead;
  const [first] = alike;
  const name = rowText(first);
  const measure = headlineMeasure(first);
  if (rival === null) return `${name}: ${comparedText(first)}`;
  if (verdict === 'none')
    return `No verdict: ${labelText(why, WHY_CHARACTERS)}; ${superlativeFor(measure)} estimate: ${name}, ${comparedText(first)}`;
  if (verdict === 'unclear')
    return `${whetherText(lead, (cell) => rowText({ cell }))}; ${name}: ${comparedText(first)}`;
  const next =
    first.ratio?.to === seriesLabel(first.cell) ? `; next: ${rowText(rival)}, ${comparedText(rival)}` : '';
  return `${name} is ${winnerWord(measure)}: ${comparedText(first)}${next}`;
}

/** @param {MeasuredOutcome[]} winners @returns {string} ', with 1.40× to 2.10× the throughput of pipe/json' */
function formatAdvantage(winners) {
  const ratios = winners.flatMap(({ ratio, cell }) =>
    ratio === null || ratio.to === seriesLabel(cell) ? [] : [ratio],
  );
  if (ratios.length === 0) return '';
  const estimates = ratios.map(({ estimate }) => estimate);
  const title = ratioTitle(headlineMeasure(winners[0]));
  return `, with ${spanText(estimates, ' to ', formatRatio)} the ${title} of ${labelText(ratios[0].to)}`;
}

/** @param {MeasuredOutcome[]} measured   of one series */
function spreadText(measured) {
  const estimates = measured.map((outcome) => readHeadline(outcome).estimate);
  const [least, greatest] = [Math.min(...estimates), Math.max(...estimates)].map(formatNumber);
  return `${rowText(measured[0])}: ${valueText(measured[0], `${least} to ${greatest}`)}`;
}

/** @param {Outcome[][]} groups @param {string} plural   what the groups are: 'shapes', 'payloads' @param {Results} results */
export function messageOfGroups(groups, plural, results) {
  const kindIn = kindsIn(results);
  const leads = groups.flatMap((group) => leadIn(group.filter(isMeasured), kindIn) ?? []);
  if (leads.length === 0) return NOTHING;
  const ahead = leads.flatMap((lead) => lead.ahead.map(({ cell }) => cell));
  const but = exceptionText(ahead, kindIn);
  const beside = besideText(groups, kindIn);
  if (groups.length === 1) return messageOfLead(leads[0]) + but + beside;
  const winners = messageOfWinners(leads, groups.length, plural);
  return (winners === '' ? noWinnerText(leads, groups.length, plural) : winners + but) + beside;
}

/**
 * @param {Outcome[][]} groups
 * @param {KindIn} kindIn
 * @returns {string} the rows of other kinds than the reference, which are ranked apart: '; compared with pipe/json, no clear
 *   difference: threads-message/json (0.64–1.16)'
 */
function besideText(groups, kindIn) {
  const compared = groups
    .flatMap((group) => comparedIn(group.filter(isMeasured), kindIn))
    .filter(({ kind, verdict }) => kind !== '' && verdict !== 'none');
  if (compared.length === 0) return '';
  const reference = labelText(compared[0].outcome.ratio?.to ?? '');
  if (groups.length === 1 && compared.length <= MOST_BESIDE)
    return `; compared with ${reference}, ${kindText(compared, false)}`;
  const names = [...groupedBy(compared, ({ name }) => labelText(name))];
  const texts = names.map(([name, some]) => `${name} ${tally(some, 'at')}`);
  return groups.length > 1 && names.length <= MOST_BESIDE
    ? `; compared with ${reference}: ${texts.join('; ')}`
    : `; rows of another kind, compared with ${reference}: ${tally(compared, 'at')}`;
}

/** @param {Lead[]} leads @param {number} groups @param {string} plural @returns '' where nothing is fastest anywhere */
function messageOfWinners(leads, groups, plural) {
  const measured = leads.flatMap(({ alike }) => alike);
  if (new Set(measured.map(rowText)).size === 1) return spreadText(measured);
  /** @type {Map<string, MeasuredOutcome[]>} */
  const wins = new Map();
  for (const { alike } of leads.filter(({ verdict }) => verdict === 'better')) {
    wins.set(rowText(alike[0]), [...(wins.get(rowText(alike[0])) ?? []), alike[0]]);
  }
  const [best, next] = [...wins].sort(([, left], [, right]) => right.length - left.length);
  if (best === undefined) return '';
  const [name, won] = best;
  const word = winnerWord(headlineMeasure(won[0]));
  if (won.length === groups)
    return `${name} is ${word} at all ${won.length} ${plural}${formatAdvantage(won)}`;
  const also = next === undefined ? '' : `; ${next[0]} at ${next[1].length}`;
  return `${name} is clearly ${word} at ${won.length} of ${groups} ${plural}${formatAdvantage(won)}${also}`;
}

/** @param {Lead[]} leads @param {number} groups @param {string} plural */
function noWinnerText(leads, groups, plural) {
  const reasons = new Set(leads.map(({ why }) => why));
  const [why] = reasons;
  return why === '' || reasons.size > 1
    ? `No clear winner at any of the ${groups} ${plural}`
    : `No verdict at any of the ${groups} ${plural}: ${labelText(why, WHY_CHARACTERS)}`;
}

/** @param {Outcome[]} outcomes @param {Results} results @returns {string} medians only, since tails rank nothing */
export function messageOfLatencies(outcomes, results) {
  const kindIn = kindsIn(results);
  const timed = outcomes.filter(isMeasured).flatMap((outcome) => {
    const times = findMainTimes(outcome);
    return times === null ? [] : [{ us: times.p50, text: timedText(outcome, times.p50, kindIn) }];
  });
  if (timed.length === 0) return NOTHING;
  timed.sort((left, right) => left.us - right.us);
  const [first, last] = [timed[0], timed[timed.length - 1]];
  if (timed.length > 1) return `Medians go from ${first.text} to ${last.text}`;
  return `Half of the ${commonOperation(outcomes.filter(isMeasured)).many} took less than ${first.text}`;
}

// The sentence below the title of each chart of open load, without its full stop.

const NAMES_SHOWN = 4;

/** @typedef {'p50' | 'p99'} Told    percentile of response times */
/** @type {Readonly<Record<Told, string>>} */
const TOLD_AS = { p99: 'p99', p50: 'p50 (too few samples for p99)' };

/** @param {MeasuredOutcome[]} kept    at least one @returns {Told} the p99, if all of them have enough samples for it */
const toldOf = (kept) => (kept.some(({ open }) => !open?.responseUs.p99) ? 'p50' : 'p99');

/** @param {MeasuredOutcome} outcome @param {Told} told @returns {number} µs, as in the table */
const timeOf = (outcome, told) => readResponseTime(outcome, told)?.us.estimate ?? 0;

/** @param {MeasuredOutcome} outcome @param {Told} told @returns {string} '> ' where it is a bound; '' where it is not */
const boundText = (outcome, told) => (readResponseTime(outcome, told)?.isAtLeast ? '> ' : '');

/** @param {Outcome[]} outcomes @returns {MeasuredOutcome[]} */
const headlines = (outcomes) => outcomes.filter(isMeasured).filter(hasResponseTimes);

/** @param {string} what @param {(outcome: MeasuredOutcome) => string} text @param {MeasuredOutcome} first @param {MeasuredOutcome} last */
const courseText = (what, text, first, last) =>
  first === last ? `${what} is ${text(first)}` : `${what} goes from ${text(first)} to ${text(last)}`;

/** @param {Outcome[]} outcomes @param {Results} results @returns {string} */
export function messageOfRates(outcomes, results) {
  const kept = headlines(outcomes);
  if (kept.length === 0) return 'No rate was sustained';
  const names = new Set(kept.map(rowText));
  const rates = [...new Set(outcomes.map(rateOf))].sort((left, right) => right - left);
  if (names.size === 1) {
    const sorted = kept.sort((left, right) => rateOf(left) - rateOf(right));
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    const told = toldOf([first, last]);
    const at = (/** @type {MeasuredOutcome} */ outcome) =>
      `${boundText(outcome, told)}${duration(timeOf(outcome, told))} at ${formatCount(rateOf(outcome))}/s`;
    return courseText(`${TOLD_AS[told]} of ${rowText(first)}`, at, first, last);
  }
  const all = rates.find((rate) =>
    outcomes
      .filter((outcome) => rateOf(outcome) === rate)
      .every((outcome) => headlines([outcome]).length > 0),
  );
  return all === undefined
    ? 'No rate was sustained by all'
    : `At ${formatCount(all)}/s, the highest rate that all sustained, ${tailsText(
        kept.filter((outcome) => rateOf(outcome) === all),
        results,
      )}`;
}

/** @param {MeasuredOutcome[]} kept @param {Results} results @returns {string} */
function tailsText(kept, results) {
  const kindIn = kindsIn(results);
  const told = toldOf(kept);
  const sorted = [...kept].sort((left, right) => timeOf(left, told) - timeOf(right, told));
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  const text = (/** @type {MeasuredOutcome} */ outcome) =>
    boundText(outcome, told) + timedText(outcome, timeOf(outcome, told), kindIn);
  return courseText(TOLD_AS[told], text, first, last);
}

/** @param {Outcome[]} outcomes @param {Results} results @returns {string} */
export function messageOfTails(outcomes, results) {
  const kept = headlines(outcomes);
  const rates = new Set(outcomes.map(rateOf));
  return rates.size === 1 && kept.length > 0
    ? `At ${formatCount([...rates][0])}/s ${tailsText(kept, results)}`
    : messageOfRates(outcomes, results);
}

/** @param {Outcome[]} outcomes @returns {string[]} lines that are missing because their rate was not sustained */
export function limitedNotes(outcomes) {
  const limited = outcomes.filter(isMeasured).filter((outcome) => !hasResponseTimes(outcome));
  if (limited.length === 0) return [];
  const names = limited.map((outcome) => `${rowText(outcome)} at ${formatCount(rateOf(outcome))}/s`);
  return [`not drawn, since the offered rate was not sustained: ${listed(names, NAMES_SHOWN)}`];
}

/** @param {Outcome[]} outcomes @returns {string[]} which points are bounds */
export function boundNotes(outcomes) {
  const names = headlines(outcomes).flatMap((outcome) => {
    const atLeast = outcome.open?.responseUs.perLaunch.atLeast ?? [];
    if (atLeast.length === 0) return [];
    return `${rowText(outcome)} at ${formatCount(rateOf(outcome))}/s (${atLeast.join(', ')})`;
  });
  if (names.length === 0) return [];
  return [`lower bounds, since responses were missing when the window closed: ${listed(names, NAMES_SHOWN)}`];
}
