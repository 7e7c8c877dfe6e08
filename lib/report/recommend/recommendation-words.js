// A recommendation in sentences: the answer first, then why, from which size or rate another answer holds, and what was not examined.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel, sloLabel } from '../../cell/labels.js';
import { UNDIVIDED } from '../../cell/launch-roles.js';
import { capitalised, countedFromTo, groupedBy, ifAny, listed } from '../../format/lists.js';
import {
  formatBytes,
  formatMemory,
  formatNumber,
  formatPercent,
  formatRate,
  formatRatioInterval,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isNoise } from '../../format/result-flags.js';
import { US_PER_S } from '../../format/units.js';
import { cpuUsInAll } from '../../results/calibration-rows.js';
import { isMeasured, isOpen, isPossible } from '../findings/groups.js';
import { disturbedFindings } from '../findings/noise-findings.js';
import { arrivalsIn } from '../findings/open-load-findings.js';
import { unrankedBy } from '../findings/verdicts.js';
import { runtimesText } from '../text/machine-words.js';
import { comparativesFor, ratioTitle, timesText, winnerWord } from '../text/measure-words.js';
import { phrase } from '../text/phrase-table.js';
import { UNFINISHED } from '../text/phrases/noise-phrases.js';
import { NO_DIFFERENCE } from '../text/phrases/ranking-phrases.js';
import { reasonText, remedyText } from '../text/reasons.js';
import { inheritedLines } from '../text/surroundings.js';
import { responseTimeText } from '../text/time-words.js';
import { isPacedBySpinning } from './cpu-cost.js';
import { isBuiltIn, simplestFirst } from './decide.js';

/** @import { Answer, Estimate, Recommendation, RecommendedRow, Results, Slo } from '../../types/index.js' */

const NAMES_SHOWN = 4;
const ROWS_SHOWN = 6;
const SCOPE_NAMES_SHOWN = 5; // names of rows or transports that were not examined
/** Share of a core below which a difference hardly matters to a program. */
const NOTICED_CORE_SHARE = 0.05;

/** @param {readonly RecommendedRow[]} rows @returns {string[]} */
const namesOf = (rows) => rows.map(({ name }) => name);

/**
 * @param {Recommendation} recommendation
 * @param {Results} results
 * @param {Slo | null} slo
 * @returns {string[]} paragraphs, the answer first
 */
export function recommendationSentences({ chains, axis, leftOut }, results, slo) {
  // A sentence on the disturbed launches of all rows replaces the one on the rows that may meet the requirements.
  const ofAll = disturbedFindings(results.outcomes.filter(isMeasured));
  const rows = chains.flat().flatMap(({ ranked, doubtful }) => [...ranked, ...doubtful]);
  return [
    ...chains.flatMap((chain) => chainSentences(chain, axis, slo)),
    ...leftOut.map(({ why, names }) => `Left out (${why}): ${listed(names, NAMES_SHOWN)}.`),
    ...(ofAll.length > 0 ? ofAll : disturbedFindings(rows.map(({ outcome }) => outcome))).flatMap((finding) =>
      phrase(finding, false),
    ),
    ...inheritedLines(results).map((line) => `${capitalised(line)}.`),
  ];
}

/** @param {Answer[]} chain @param {Recommendation['axis']} axis @param {Slo | null} slo @returns {string[]} */
function chainSentences(chain, axis, slo) {
  const answered = chain.filter(({ choice }) => choice !== null);
  const [first] = answered;
  const last = answered.at(-1);
  const sentences = chain.flatMap((answer) => {
    if (answer.choice === null) return noChoiceSentences(answer, slo);
    if (answer === first) return answerSentences(answer, answer.choice, slo);
    return changeSentences(answer, answer.choice, axis);
  });
  const isSame = answered.every(({ choice }) => choice?.name === first.choice?.name);
  if (last === undefined || last === first || !isSame) return sentences;
  const words = isOpen(last) ? 'take less CPU time' : `be ${comparisonWord(last)}`;
  return [...sentences, `Up to ${valueOn(last, axis)}, no other row is proven to ${words}.`];
}

/** @param {Answer} answer @returns {string} 'faster' */
function comparisonWord({ ranked: [{ outcome }] }) {
  return comparativesFor(headlineMeasure(outcome)).better;
}

/** @param {Answer} answer @param {RecommendedRow} choice @returns {string} 'throughput', under open load 'CPU time' */
function titleOf(answer, { outcome }) {
  return isOpen(answer) ? 'CPU time' : ratioTitle(headlineMeasure(outcome));
}

/** @param {Answer} answer @param {Recommendation['axis']} axis @returns {string} '10,000 B', '5,000/s' */
function valueOn({ cell }, axis) {
  return axis === 'payloadBytes' ? formatBytes(cell.payloadBytes) : rateText(cell.ratePerSecond);
}

/** @param {number | undefined} rate @returns {string} '2,000/s' */
function rateText(rate = 0) {
  return formatRate(rate);
}

/** @param {Answer} answer @returns {string} 'at 1,000 B, 2x4', 'at 2,000/s, 1,000 B, 2x4, open load' */
function placeText({ place, cell }) {
  return isOpen({ cell }) ? `at ${rateText(cell.ratePerSecond)}, ${place}` : `at ${place}`;
}

/** @param {Answer} answer @param {Slo | null} slo @returns {string[]} */
function noChoiceSentences(answer, slo) {
  // Rows with noise need a quieter machine, so remedies for their other flags are omitted.
  const undisturbed = answer.doubtful
    .map(({ outcome: { flags } }) => flags.map(({ code }) => code))
    .filter((codes) => !codes.some(isNoise));
  const remedies = new Set(undisturbed.flatMap((codes) => remedyText(unrankedBy(codes)) ?? []));
  return [
    `No recommendation ${placeText(answer)}: ${answer.why}.`,
    ...brokenSentences(answer, slo),
    ...doubtfulSentences(answer),
    ...ifAny([...remedies], (texts) => `${capitalised(listed(texts))}.`),
  ];
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Slo | null} slo @returns {string[]} */
function answerSentences(answer, choice, slo) {
  const { ranked, judge, comparisons } = answer;
  const others = ranked.filter((row) => row !== choice);
  const unclear = others.filter((row) => judge(choice, row).verdict !== 'better');
  const corrected = comparisons === 1 ? '' : `, corrected for ${comparisons} comparisons`;
  return [
    `Take ${choiceText(answer, choice, others, unclear)}.`,
    ...(isOpen(answer) ? costSentences(answer, choice, slo) : orderSentences(answer, choice)),
    ...ifAny(
      unclear,
      (rows) =>
        `${capitalised(NO_DIFFERENCE)} in ${titleOf(answer, choice)}${corrected}: ${listed(namesOf(rows), ROWS_SHOWN)}.`,
    ),
    ...brokenSentences(answer, slo),
    ...doubtfulSentences(answer),
  ];
}

/**
 * @param {Answer} answer
 * @param {RecommendedRow} choice
 * @param {RecommendedRow[]} others
 * @param {RecommendedRow[]} unclear   rows of `others` over which the choice has no proven advantage
 * @returns {string}
 */
function choiceText(answer, choice, others, unclear) {
  const { name, outcome } = choice;
  const where = placeText(answer);
  if (others.length === 0) {
    const isAlone = answer.broken.length === 0 && answer.doubtful.length === 0;
    return isAlone
      ? `${name}: nothing else that meets the needs was measured ${where}`
      : `${name}: nothing else that was measured meets the requirements ${where}`;
  }
  const least = isOpen(answer) ? 'the least CPU time' : winnerWord(headlineMeasure(outcome));
  const less = isOpen(answer) ? 'to take less CPU time' : `to be ${comparisonWord(answer)}`;
  const claim = unclear.length === 0 ? least : `no other row is proven ${less}`;
  return `${name}${isBuiltIn(choice) ? ' (nothing to install)' : ''}: ${claim} ${where}`;
}

/** @param {Answer} answer @param {RecommendedRow} choice @returns {string[]} */
function orderSentences({ ranked }, choice) {
  const ratios = ranked.flatMap(({ name, outcome: { ratio, cell } }) =>
    ratio === null || ratio.to === seriesLabel(cell) ? [] : [{ name, ratio }],
  );
  const title = ratioTitle(headlineMeasure(choice.outcome));
  const us = cpuUsOf(choice);
  const { peakRssBytes, operation } = choice.outcome;
  const costs = [
    ...(Number.isNaN(us) ? [] : [`${formatNumber(us)} µs of CPU time per ${operation.one}`]),
    ...(peakRssBytes === null ? [] : [`${formatMemory(peakRssBytes)} of memory`]),
  ];
  return [
    ...ifAny(ratios, ([first]) => {
      const texts = ratios.map(({ name, ratio }) => `${name} ${formatRatioInterval(ratio)}`);
      return `Compared with ${printable(first.ratio.to)}, in ${title}: ${listed(texts, ROWS_SHOWN)}.`;
    }),
    ...ifAny(costs, () => `Cost: ${costs.join(', ')}.`),
  ];
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Slo | null} slo @returns {string[]} */
function costSentences({ ranked, cell, judge }, choice, slo) {
  const rate = cell.ratePerSecond;
  const texts = ranked.map((row) => {
    const { number } = row.kept;
    const share = coreShare(row, rate);
    const time =
      number === null || slo === null
        ? ''
        : ` (${slo.percentile === 'p999' ? 'p99.9' : slo.percentile} ${responseTimeText({ us: number, isAtLeast: false })} µs)`;
    return `${row.name} ${Number.isNaN(share) ? '?' : formatPercent(share, 2)}${time}`;
  });
  const whose = isPacedBySpinning(choice.outcome.launches[0]) ? ', without the workers, which busy-wait' : '';
  const runnerUp = ranked.find((row) => row !== choice);
  const ratio = runnerUp === undefined ? null : judge(choice, runnerUp).ratio;
  const [simplest] = simplestFirst(ranked);
  const share = coreShare(simplest, rate) - coreShare(choice, rate);
  const sentences = [`Of a core${whose}: ${listed(texts, ROWS_SHOWN)}.`];
  if (ratio !== null && runnerUp !== undefined)
    sentences.push(`${choice.name}: ${timesText(ratio, 'CPU time', runnerUp.name)}.`);
  if (simplest !== choice && share < NOTICED_CORE_SHARE) {
    const note = isBuiltIn(simplest) ? ', which needs nothing to install,' : '';
    sentences.push(
      `${simplest.name}${note} takes less than ${formatPercent(NOTICED_CORE_SHARE)} of a core more.`,
    );
  }
  return sentences;
}

/** @param {RecommendedRow} row @returns {number} µs of CPU time per operation, without workers that busy-wait; NaN if unknown */
function cpuUsOf({ outcome: { cpuUsPerOperation, launches } }) {
  const isWithoutWorkers = isPacedBySpinning(launches[0]);
  return (
    cpuUsInAll({ ...cpuUsPerOperation, ...(isWithoutWorkers && { workers: null, [UNDIVIDED]: null }) }) ??
    Number.NaN
  );
}

/** @param {RecommendedRow} row @param {number} [rate] @returns {number} */
function coreShare(row, rate = 0) {
  return (cpuUsOf(row) * rate) / US_PER_S;
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Recommendation['axis']} axis @returns {string[]} empty if unchanged */
function changeSentences(answer, choice, axis) {
  const { previous, ranked, doubtful, broken, judge } = answer;
  if (previous === null || previous.name === choice.name) return [];
  const isPrevious = (/** @type {RecommendedRow} */ { name }) => name === previous.name;
  const before = [...ranked, ...doubtful].find(isPrevious);
  const ratio = before === undefined ? null : judge(choice, before).ratio;
  const fate = broken.some(isPrevious) ? 'does not meet the requirements' : 'was not measured';
  const why =
    ratio === null
      ? `since ${previous.name} ${fate} there`
      : timesText(ratio, titleOf(answer, choice), previous.name);
  return [`From ${valueOn(answer, axis)}: ${choice.name}, ${why}.`];
}

/** @param {Answer} answer @param {Slo | null} slo @returns {string[]} */
function brokenSentences({ broken, cell }, slo) {
  const rate = rateText(cell.ratePerSecond);
  const limit = slo === null ? rate : `${sloLabel(slo)} at ${rate}`;
  const texts = broken.map(({ name, kept: { number, why } }) => {
    const found =
      number === null ? reasonText(why) : `${responseTimeText({ us: number, isAtLeast: false })} µs`;
    return `${name} (${found})`;
  });
  return ifAny(texts, () => `Does not meet ${limit}: ${listed(texts, NAMES_SHOWN)}.`);
}

/** @param {Answer} answer @returns {string[]} */
function doubtfulSentences({ doubtful }) {
  const texts = [...groupedBy(doubtful, ({ doubt }) => reasonText(doubt))].map(
    ([why, rows]) => `${listed(namesOf(rows), NAMES_SHOWN)} (${why})`,
  );
  return ifAny(texts, () => `Not judged: ${texts.join('; ')}.`);
}

/**
 * @param {Recommendation} recommendation
 * @param {Results} results
 * @param {string[]} fitting    names of transports that meet the needs
 * @returns {string[]} the transports that were not examined, and the basis of the answer
 */
export function scopeSentences({ chains }, results, fitting) {
  const { outcomes, environment, status } = results;
  const rows = chains.flat().flatMap(({ ranked }) => ranked.map(({ outcome }) => outcome));
  const opens = rows.filter(isOpen);
  const load = opens.length === 0 ? 'closed loops' : `open load (${arrivalsIn(opens).join(', ')} arrivals)`;
  const measured = new Set(outcomes.filter(isMeasured).map(({ cell }) => seriesLabel(cell)));
  const planned = outcomes.filter((outcome) => !isMeasured(outcome) && isPossible(outcome));
  const missing = new Set(planned.map(({ cell }) => seriesLabel(cell)).filter((name) => !measured.has(name)));
  const isNetworked = outcomes.some(({ cell }) => cell.hosts !== undefined || cell.network !== undefined);
  const network = isNetworked ? 'other networks' : 'a network';
  const used = new Set(outcomes.map(({ cell }) => cell.transport));
  const unused = fitting.filter((name) => !used.has(name));
  const others = ifAny(
    unused,
    () => `; other transports that meet the needs: ${listed(unused, SCOPE_NAMES_SHOWN)}`,
  ).join('');
  const machine = printable(environment.cpuModel ?? environment.platform);
  const launches = rows.map((outcome) => outcome.launches.length);
  return [
    ...(status === 'complete' ? [] : [UNFINISHED]),
    ...ifAny([...missing].map(printable), (names) => `Not measured: ${listed(names, SCOPE_NAMES_SHOWN)}.`),
    ...(rows.length === 0
      ? []
      : [
          `Not examined: ${network}, other machines, other load on the machine${others}.`,
          `Evidence: ${countedFromTo(launches, 'launch', 'launches')} each, ${load}, on ${machine}, ${runtimesText(environment)}.`,
        ]),
  ];
}

/**
 * @param {Recommendation} recommendation
 * @param {{ needs: readonly string[], slo: Slo | null }} requirements
 * @param {string[]} sentences
 * @returns {object}
 */
export function recommendationJson({ chains, leftOut }, requirements, sentences) {
  return { ...requirements, answers: chains.flat().map(answerJson), leftOut, sentences };
}

/** @param {Answer} answer @returns {object} */
function answerJson({ cell, choice, why, ranked, doubtful, broken, judge }) {
  const { scenario, payloadBytes, workers, loops, ratePerSecond = null } = cell;
  return {
    scenario,
    payloadBytes,
    workers,
    loops,
    ratePerSecond,
    choice: choice?.name ?? null,
    why,
    rows: ranked.map((row) => ({
      name: row.name,
      ...(choice !== null && row !== choice && besideJson(judge(row, choice))),
      cpuUs: orNull(cpuUsOf(row)),
      coreShare: ratePerSecond === null ? null : orNull(coreShare(row, ratePerSecond)),
      memoryBytes: row.outcome.peakRssBytes,
      responseUs: row.kept.number,
    })),
    doubtful: doubtful.map(({ name, doubt }) => ({ name, why: doubt })),
    broken: broken.map(({ name, kept: { number, why: reason } }) => ({
      name,
      responseUs: number,
      why: reason,
    })),
  };
}

/** @param {{ ratio: Estimate | null, verdict: string }} judged   a row compared with the choice @returns {object} */
function besideJson({ ratio, verdict }) {
  return { ratio, verdict };
}

/** @param {number} value @returns {number | null} */
function orNull(value) {
  return Number.isNaN(value) ? null : value;
}
