// The sentence below the title of a chart, without its full stop. As for the table, lib/report/text/verdicts.js decides what is called
// fastest.

import { commonOperation, findMainTimes, headlineMeasure, readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { groupedBy, listed } from '../../../format/lists.js';
import { formatNumber, formatRate, formatRatio, spanText } from '../../../format/numbers.js';
import { hasResponseTimes, isMeasured, rateOf } from '../../text/groups.js';
import { ratioTitle, superlativeFor, timesText, valueText, winnerWord } from '../../text/measure-words.js';
import { findParts, kindText, partsText, tally, whetherText } from '../../text/ranking.js';
import { readResponseTime } from '../../text/response-times.js';
import { unequalNote } from '../../text/sleep-words.js';
import { exceptionText, kindsIn } from '../../text/transport-kinds.js';
import { comparedIn, findLeader } from '../../text/verdicts.js';
import { duration } from './quantity-words.js';
import { labelText, rowText, timedText } from './short-texts.js';

/** @import { MeasuredOutcome, Outcome, Results } from '../../../types/index.js' */
/** @import { KindIn } from '../../text/transport-kinds.js' */
/** @import { Compared, Leader } from '../../text/verdicts.js' */

const NOTHING = 'Nothing was measured';
const WHY_CHARACTERS = 80; // greatest length of a reason with the name of its row
const MOST_BESIDE = 2; // rows of other kinds that are named; if there are more, the verdicts on them are counted

/** @param {MeasuredOutcome} outcome @returns {string} '1.62× the throughput of pipe/json (95 % CI 1.55–1.70)' */
function comparedText(outcome) {
  const { ratio, cell } = outcome;
  if (ratio === null || ratio.to === seriesLabel(cell)) return valueText(outcome);
  return timesText(outcome, ratio, labelText(ratio.to));
}

/** @param {Leader} leader */
function messageOfLead(leader) {
  const { ranked, runnerUp, verdict, why } = leader;
  const [first] = ranked;
  const name = rowText(first);
  const measure = headlineMeasure(first);
  if (runnerUp === null) return `${name}: ${comparedText(first)}`;
  if (verdict === 'none')
    return `No verdict: ${labelText(why, WHY_CHARACTERS)}; ${superlativeFor(measure)} estimate: ${name}, ${comparedText(first)}`;
  if (verdict === 'unclear')
    return `${whetherText(leader, (cell) => rowText({ cell }))}; ${name}: ${comparedText(first)}`;
  const next =
    first.ratio?.to === seriesLabel(first.cell)
      ? `; next: ${rowText(runnerUp)}, ${comparedText(runnerUp)}`
      : '';
  return `${name} is ${winnerWord(measure)}: ${comparedText(first)}${next}`;
}

/** @param {Leader} leader @returns {MeasuredOutcome} the row whose ratio messageOfLead() states */
function claimedRow({ ranked: [first], runnerUp, verdict }) {
  const isReference = first.ratio?.to === seriesLabel(first.cell);
  return isReference && verdict === 'better' && runnerUp !== null ? runnerUp : first;
}

/** @param {Compared[]} won   of the winners of several groups @returns {string} ', with 1.40× to 2.10× the throughput of pipe/json' */
function formatAdvantage(won) {
  if (won.length === 0) return '';
  const [{ outcome }] = won;
  const estimates = won.map(({ ratio }) => ratio.estimate);
  const title = ratioTitle(headlineMeasure(outcome));
  return `, with ${spanText(estimates, ' to ', formatRatio)} the ${title} of ${labelText(outcome.ratio?.to ?? '')}`;
}

/** @param {MeasuredOutcome[]} measured   all of one series */
function spreadText(measured) {
  const span = spanText(
    measured.map((outcome) => readHeadline(outcome).estimate),
    ' to ',
    formatNumber,
  );
  return `${rowText(measured[0])}: ${valueText(measured[0], span)}`;
}

/** @typedef {{ text: string, claimed: Compared[] }} Message   claimed: the comparisons whose ratios the text states */

/** @param {Outcome[][]} groups @param {string} plural   'concurrency levels', 'payloads' @param {Results} results */
export function messageOfGroups(groups, plural, results) {
  const kindIn = kindsIn(results);
  const leaders = groups.flatMap((group) => findLeader(group.filter(isMeasured), kindIn) ?? []);
  if (leaders.length === 0) return NOTHING;
  const compared = groups.flatMap((group) => comparedIn(group.filter(isMeasured), kindIn));
  const ahead = leaders.flatMap(({ faster }) => faster.map(({ cell }) => cell));
  const but = exceptionText(ahead, kindIn);
  const of = { compared, groups: groups.length, plural, but, kindIn };
  const { text, claimed } =
    groups.length === 1
      ? messageOfGroup(leaders[0], groups[0].filter(isMeasured), of)
      : messageOfSeveral(leaders, of);
  const beside = messageBeside(groups, compared);
  const note = unequalNote([...claimed, ...beside.claimed]);
  return [text + beside.text, note].filter((part) => part !== '').join('; ');
}

/**
 * @param {Leader} leader
 * @param {MeasuredOutcome[]} measured
 * @param {{ compared: Compared[], but: string, kindIn: KindIn }} group
 * @returns {Message}
 */
function messageOfGroup(leader, measured, { compared, but, kindIn }) {
  const row = claimedRow(leader);
  const parts = leader.verdict === 'better' ? findParts(leader.ranked[0], measured, kindIn) : undefined;
  return {
    text: messageOfLead(leader) + but + partsText(parts),
    claimed: [
      ...compared.filter(({ outcome }) => outcome === row),
      ...(parts ? [parts.transport, parts.codec] : []),
    ],
  };
}

/**
 * @param {Leader[]} leaders
 * @param {{ compared: Compared[], groups: number, plural: string, but: string }} of
 * @returns {Message}
 */
function messageOfSeveral(leaders, { compared, groups, plural, but }) {
  const { text, claimed } = messageOfWinners(leaders, { compared, groups, plural });
  return { text: text === '' ? noWinnerText(leaders, groups, plural) : text + but, claimed };
}

/** @param {Outcome[][]} groups @param {string} plural @param {Results} results @returns {Message} empty without a common winner */
export function messageOfOneWinner(groups, plural, results) {
  const kindIn = kindsIn(results);
  const leaders = groups.flatMap((group) => findLeader(group.filter(isMeasured), kindIn) ?? []);
  const winners = new Set(
    leaders.map(({ verdict, ranked }) => (verdict === 'better' ? rowText(ranked[0]) : '')),
  );
  if (leaders.length < groups.length || winners.size !== 1 || winners.has(''))
    return { text: '', claimed: [] };
  const compared = groups.flatMap((group) => comparedIn(group.filter(isMeasured), kindIn));
  const ahead = leaders.flatMap(({ faster }) => faster.map(({ cell }) => cell));
  const { text, claimed } = messageOfWinners(leaders, { compared, groups: groups.length, plural });
  return { text: text + exceptionText(ahead, kindIn), claimed };
}

/**
 * @param {Outcome[][]} groups
 * @param {Compared[]} all
 * @returns {Message} on rows of another kind than the reference: '; compared with pipe/json, no clear difference: threads-message/json
 *   (0.64–1.16)'
 */
function messageBeside(groups, all) {
  const compared = all.filter(({ kind, verdict }) => kind !== '' && verdict !== 'none');
  if (compared.length === 0) return { text: '', claimed: [] };
  const reference = labelText(compared[0].outcome.ratio?.to ?? '');
  if (groups.length === 1 && compared.length <= MOST_BESIDE)
    return { text: `; compared with ${reference}, ${kindText(compared, false)}`, claimed: compared };
  const byName = [...groupedBy(compared, ({ name }) => labelText(name))];
  const text =
    groups.length > 1 && byName.length <= MOST_BESIDE
      ? `; compared with ${reference}: ${byName.map(([name, rows]) => `${name} ${tally(rows, 'at')}`).join('; ')}`
      : `; rows of another kind, compared with ${reference}: ${tally(compared, 'at')}`;
  return { text, claimed: [] };
}

/**
 * @param {Leader[]} leaders
 * @param {{ compared: Compared[], groups: number, plural: string }} of
 * @returns {Message} empty if no row is fastest in any group
 */
function messageOfWinners(leaders, { compared, groups, plural }) {
  const measured = leaders.flatMap(({ ranked }) => ranked);
  if (new Set(measured.map(rowText)).size === 1) return { text: spreadText(measured), claimed: [] };
  const winners = leaders.filter(({ verdict }) => verdict === 'better').map(({ ranked: [winner] }) => winner);
  const [best, next] = [...groupedBy(winners, rowText)].sort(
    ([, left], [, right]) => right.length - left.length,
  );
  if (best === undefined) return { text: '', claimed: [] };
  const [name, won] = best;
  const claimed = compared.filter(({ outcome }) => won.includes(outcome));
  const word = winnerWord(headlineMeasure(won[0]));
  const advantage = formatAdvantage(claimed);
  if (won.length === groups)
    return { text: `${name} is ${word} at all ${won.length} ${plural}${advantage}`, claimed };
  const also = next === undefined ? '' : `; ${next[0]} at ${next[1].length}`;
  return {
    text: `${name} is clearly ${word} at ${won.length} of ${groups} ${plural}${advantage}${also}`,
    claimed,
  };
}

/** @param {Leader[]} leaders @param {number} groups @param {string} plural */
function noWinnerText(leaders, groups, plural) {
  const [why, ...otherReasons] = new Set(leaders.map(({ why }) => why));
  return why === '' || otherReasons.length > 0
    ? `No clear winner at any of the ${groups} ${plural}`
    : `No verdict at any of the ${groups} ${plural}: ${labelText(why, WHY_CHARACTERS)}`;
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
