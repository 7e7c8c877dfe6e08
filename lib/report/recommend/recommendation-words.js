// A recommendation in sentences: the answer first, then why, from which size or rate another answer holds, and what was not examined.

import { headlineMeasure } from '../../cell/headline.js';
import { seriesLabel, sloLabel } from '../../cell/labels.js';
import { capitalised, countedFromTo, groupedBy, listed } from '../../format/lists.js';
import {
  formatBytes,
  formatCount,
  formatMemory,
  formatNumber,
  formatPercent,
  formatRatioInterval,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { findFlag } from '../../format/result-flags.js';
import { US_PER_S } from '../../format/units.js';
import { cpuUsInAll } from '../../results/calibration-rows.js';
import { disturbedSentences, UNFINISHED } from '../text/conclusion.js';
import { isMeasured, isOpen, isPossible } from '../text/groups.js';
import { runtimesText } from '../text/machine-words.js';
import { comparativesFor, ratioTitle, timesText, winnerWord } from '../text/measure-words.js';
import { arrivalsText } from '../text/open-conclusion.js';
import { NO_DIFFERENCE } from '../text/ranking.js';
import { responseTimeText } from '../text/response-times.js';
import { unrankedBy } from '../text/verdicts.js';
import { isPacedBySpinning } from './cpu-cost.js';
import { isBuiltIn, simplestFirst } from './decide.js';

/** @import { Answer, Estimate, Recommendation, RecommendedRow, Results, Slo } from '../../types/index.js' */

const NAMES_SHOWN = 4;
const ROWS_SHOWN = 6;
const SCOPE_NAMES_SHOWN = 5; // of what was not examined
/** Share of a core, below which a program hardly notices a difference. */
const NOTICED_CORE_SHARE = 0.05;

/**
 * @param {Recommendation} recommendation
 * @param {Results} results
 * @param {Slo | null} slo
 * @returns {string[]} paragraphs, the answer first
 */
export function recommendationSentences({ chains, axis, leftOut }, results, slo) {
  return [
    ...chains.flatMap((chain) => chainSentences(chain, axis, slo)),
    ...leftOut.map(({ why, names }) => `Left out (${why}): ${listed(names, NAMES_SHOWN)}.`),
    ...unreliableSentences(chains.flat(), results),
  ];
}

/** @param {Answer[]} answers @param {Results} results @returns {string[]} that of the report, or of the rows that meet the needs */
function unreliableSentences(answers, results) {
  const ofAll = disturbedSentences(results.outcomes.filter(isMeasured));
  if (ofAll.length > 0) return ofAll;
  const rows = answers.flatMap(({ ranked, doubtful }) => [...ranked, ...doubtful]);
  return disturbedSentences(rows.map(({ outcome }) => outcome));
}

/** @param {Answer[]} chain @param {Recommendation['axis']} axis @param {Slo | null} slo @returns {string[]} */
function chainSentences(chain, axis, slo) {
  const first = chain.find(({ choice }) => choice !== null);
  const answered = chain.filter(({ choice }) => choice !== null);
  const sentences = chain.flatMap((answer) => {
    if (answer.choice === null) return noChoiceSentences(answer, slo);
    if (answer === first) return answerSentences(answer, answer.choice, slo);
    return changeSentences(answer, answer.choice, axis);
  });
  const last = answered.at(-1);
  const isSame = answered.every(({ choice }) => choice?.name === first?.choice?.name);
  if (last === undefined || last === first || !isSame) return sentences;
  const words = isOpen(last) ? 'take less CPU time' : `be ${comparisonWord(last)}`;
  return [...sentences, `Up to ${valueOn(last, axis)}, no other row is proven to ${words}.`];
}

/** @param {Answer} answer @returns {string} 'faster' */
function comparisonWord({ ranked: [{ outcome }] }) {
  return comparativesFor(headlineMeasure(outcome)).better;
}

/** @param {Answer} answer @param {Recommendation['axis']} axis @returns {string} '10,000 B', '5,000/s' */
function valueOn({ cell }, axis) {
  return axis === 'payloadBytes' ? formatBytes(cell.payloadBytes) : rateText(cell.ratePerSecond);
}

/** @param {number | undefined} rate @returns {string} '2,000/s' */
function rateText(rate = 0) {
  return `${formatCount(rate)}/s`;
}

/** @param {Answer} answer @returns {string} 'at 1,000 B, 2x4', 'at 2,000/s, 1,000 B, 2x4, open load' */
function placeText({ place, cell }) {
  return isOpen({ cell }) ? `at ${rateText(cell.ratePerSecond)}, ${place}` : `at ${place}`;
}

/** @param {Answer} answer @param {Slo | null} slo @returns {string[]} */
function noChoiceSentences(answer, slo) {
  // What helps against a flag of a disturbed launch is a machine without the disturbance.
  const undisturbed = answer.doubtful
    .map(({ outcome: { flags } }) => flags.map(({ code }) => code))
    .filter((codes) => codes.every((code) => !findFlag(code)?.isNoise));
  const remedies = [...new Set(undisturbed.flatMap((codes) => unrankedBy(codes)?.next ?? []))];
  return [
    `No recommendation ${placeText(answer)}: ${answer.why}.`,
    ...brokenSentences(answer, slo),
    ...doubtfulSentences(answer),
    ...(remedies.length === 0 ? [] : [`${capitalised(listed(remedies))}.`]),
  ];
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Slo | null} slo @returns {string[]} */
function answerSentences(answer, choice, slo) {
  const { ranked, judge } = answer;
  const others = ranked.filter((row) => row !== choice);
  const unclear = others.filter((row) => judge(choice, row).verdict !== 'better');
  const title = isOpen(answer) ? 'CPU time' : ratioTitle(headlineMeasure(choice.outcome));
  return [
    `Take ${choiceText(answer, choice, others, unclear)}.`,
    ...(isOpen(answer) ? costSentences(answer, choice, slo) : orderSentences(answer, choice)),
    ...(unclear.length === 0
      ? []
      : [
          `${capitalised(NO_DIFFERENCE)} in ${title}${correctionText(answer)}: ${listed(
            unclear.map(({ name }) => name),
            ROWS_SHOWN,
          )}.`,
        ]),
    ...brokenSentences(answer, slo),
    ...doubtfulSentences(answer),
  ];
}

/** @param {Answer} answer @returns {string} ', corrected for 8 comparisons' */
function correctionText({ comparisons }) {
  return comparisons === 1 ? '' : `, corrected for ${comparisons} comparisons`;
}

/**
 * @param {Answer} answer
 * @param {RecommendedRow} choice
 * @param {RecommendedRow[]} others
 * @param {RecommendedRow[]} unclear   of these, rows that it is not proven to be better than
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
  const note = isBuiltIn(choice) ? ' (nothing to install)' : '';
  if (unclear.length === 0) {
    const most = isOpen(answer) ? 'the least CPU time' : winnerWord(headlineMeasure(outcome));
    return `${name}${note}: ${most} ${where}`;
  }
  const more = isOpen(answer) ? 'to take less CPU time' : `to be ${comparisonWord(answer)}`;
  return `${name}${note}: no other row is proven ${more} ${where}`;
}

/** @param {Answer} answer @param {RecommendedRow} choice @returns {string[]} the ratios of the table */
function orderSentences({ ranked }, choice) {
  const ratios = ranked.flatMap(({ name, outcome: { ratio, cell } }) =>
    ratio === null || ratio.to === seriesLabel(cell) ? [] : [{ name, ratio }],
  );
  const cost = costText(choice);
  const title = ratioTitle(headlineMeasure(choice.outcome));
  return [
    ...(ratios.length === 0
      ? []
      : [
          `Compared with ${printable(ratios[0].ratio.to)}, in ${title}: ${listed(
            ratios.map(({ name, ratio }) => `${name} ${formatRatioInterval(ratio)}`),
            ROWS_SHOWN,
          )}.`,
        ]),
    ...(cost === '' ? [] : [`Cost: ${cost}.`]),
  ];
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Slo | null} slo @returns {string[]} CPU time at the rate, and response times */
function costSentences({ ranked, cell, judge }, choice, slo) {
  const rate = cell.ratePerSecond;
  const texts = ranked.map((row) => {
    const { number } = row.kept;
    const time =
      number === null || slo === null
        ? ''
        : ` (${slo.percentile === 'p999' ? 'p99.9' : slo.percentile} ${responseTimeText({ us: number, isAtLeast: false })} µs)`;
    return `${row.name} ${shareText(row, rate)}${time}`;
  });
  const [launch] = choice.outcome.launches;
  const whose = isPacedBySpinning(launch) ? ', without the workers, which busy-wait' : '';
  const runnerUp = ranked.find((row) => row !== choice);
  const ratio = runnerUp === undefined ? null : judge(choice, runnerUp).ratio;
  const [simplest] = simplestFirst(ranked);
  const share = coreShare(simplest, rate) - coreShare(choice, rate);
  return [
    `Of a core${whose}: ${listed(texts, ROWS_SHOWN)}.`,
    ...(ratio === null || runnerUp === undefined
      ? []
      : [`${choice.name}: ${timesText(choice.outcome, ratio, runnerUp.name, 'CPU time')}.`]),
    ...(simplest !== choice && share < NOTICED_CORE_SHARE
      ? [
          `${simplest.name}${isBuiltIn(simplest) ? ', which needs nothing to install,' : ''} takes less than ${formatPercent(NOTICED_CORE_SHARE)} of a core more.`,
        ]
      : []),
  ];
}

/** @param {RecommendedRow} row @returns {number} CPU time of an operation as the table shows it, µs; NaN: unknown */
function cpuUsOf({ outcome: { cpuUsPerOperation, launches } }) {
  const counted = isPacedBySpinning(launches[0])
    ? { ...cpuUsPerOperation, workers: null }
    : cpuUsPerOperation;
  return cpuUsInAll(counted) ?? Number.NaN;
}

/** @param {RecommendedRow} row @param {number} [rate] @returns {number} of a core */
function coreShare(row, rate = 0) {
  return (cpuUsOf(row) * rate) / US_PER_S;
}

/** @param {RecommendedRow} row @param {number} [rate] @returns {string} '4.1 %' */
function shareText(row, rate) {
  const share = coreShare(row, rate);
  return Number.isNaN(share) ? '?' : formatPercent(share, 2);
}

/** @param {RecommendedRow} row @returns {string} '12.3 µs of CPU time per round trip, 263 MiB of memory' */
function costText(row) {
  const us = cpuUsOf(row);
  const { peakRssBytes, operation } = row.outcome;
  const cpu = Number.isNaN(us) ? '' : `${formatNumber(us)} µs of CPU time per ${operation.one}`;
  const memory = peakRssBytes === null ? '' : `${formatMemory(peakRssBytes)} of memory`;
  return [cpu, memory].filter((text) => text !== '').join(', ');
}

/** @param {Answer} answer @param {RecommendedRow} choice @param {Recommendation['axis']} axis @returns {string[]} none where the answer is the same */
function changeSentences(answer, choice, axis) {
  const { previous, ranked, doubtful, broken, judge } = answer;
  if (previous === null || previous.name === choice.name) return [];
  const isPrevious = (/** @type {RecommendedRow} */ { name }) => name === previous.name;
  const before = [...ranked, ...doubtful].find(isPrevious);
  const ratio = before === undefined ? null : judge(choice, before).ratio;
  const title = isOpen(answer) ? 'CPU time' : ratioTitle(headlineMeasure(choice.outcome));
  const why =
    ratio === null || before === undefined
      ? `since ${previous.name} ${broken.some(isPrevious) ? 'does not meet the requirements' : 'was not measured'} there`
      : timesText(choice.outcome, ratio, before.name, title);
  return [`From ${valueOn(answer, axis)}: ${choice.name}, ${why}.`];
}

/** @param {Answer} answer @param {Slo | null} slo @returns {string[]} */
function brokenSentences({ broken, cell }, slo) {
  if (broken.length === 0) return [];
  const rate = rateText(cell.ratePerSecond);
  const limit = slo === null ? rate : `${sloLabel(slo)} at ${rate}`;
  const texts = broken.map(({ name, kept: { number, why } }) =>
    number === null
      ? `${name} (${why})`
      : `${name} (${responseTimeText({ us: number, isAtLeast: false })} µs)`,
  );
  return [`Does not meet ${limit}: ${listed(texts, NAMES_SHOWN)}.`];
}

/** @param {Answer} answer @returns {string[]} */
function doubtfulSentences({ doubtful }) {
  if (doubtful.length === 0) return [];
  const texts = [...groupedBy(doubtful, ({ doubt }) => doubt)].map(
    ([why, some]) =>
      `${listed(
        some.map(({ name }) => name),
        NAMES_SHOWN,
      )} (${why})`,
  );
  return [`Not judged: ${texts.join('; ')}.`];
}

/**
 * @param {Recommendation} recommendation
 * @param {Results} results
 * @param {string[]} fitting    names of transports that meet the needs
 * @returns {string[]} what was not examined, and what the answer rests on
 */
export function scopeSentences({ chains }, results, fitting) {
  const rows = chains.flat().flatMap(({ ranked }) => ranked.map(({ outcome }) => outcome));
  const machine = printable(results.environment.cpuModel ?? results.environment.platform);
  const opens = rows.filter(isOpen);
  const load = opens.length === 0 ? 'closed loops' : `open load (${arrivalsText(opens)} arrivals)`;
  const seen = new Set(results.outcomes.map(({ cell }) => cell.transport));
  const unseen = fitting.filter((name) => !seen.has(name));
  const missing = gapNames(results);
  const isNetworked = results.outcomes.some(
    ({ cell }) => cell.hosts !== undefined || cell.network !== undefined,
  );
  const where = [isNetworked ? 'other networks' : 'a network', 'other machines', 'other load on the machine'];
  const others =
    unseen.length === 0 ? '' : `; other transports that meet the needs: ${listed(unseen, SCOPE_NAMES_SHOWN)}`;
  const launches = rows.map((outcome) => outcome.launches.length);
  return [
    ...(results.status === 'complete' ? [] : [UNFINISHED]),
    ...(missing.length === 0 ? [] : [`Not measured: ${listed(missing, SCOPE_NAMES_SHOWN)}.`]),
    ...(rows.length === 0
      ? []
      : [
          `Not examined: ${where.join(', ')}${others}.`,
          `Evidence: ${countedFromTo(launches, 'launch', 'launches')} each, ${load}, on ${machine}, ${runtimesText(results.environment)}.`,
        ]),
  ];
}

/** @param {Results} results @returns {string[]} rows that were planned and never measured */
function gapNames({ outcomes }) {
  const measured = new Set(outcomes.filter(isMeasured).map(({ cell }) => seriesLabel(cell)));
  const missing = outcomes.filter((outcome) => !isMeasured(outcome) && isPossible(outcome));
  const names = missing.map(({ cell }) => seriesLabel(cell)).filter((name) => !measured.has(name));
  return [...new Set(names)].map(printable);
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
  const isBeside = (/** @type {RecommendedRow} */ row) => choice !== null && row !== choice;
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
      ...(isBeside(row) && besideJson(judge(row, /** @type {RecommendedRow} */ (choice)))),
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

/** @param {{ ratio: Estimate | null, verdict: string }} judged @returns {object} compared with the choice */
function besideJson({ ratio, verdict }) {
  return { ratio, verdict };
}

/** @param {number} value @returns {number | null} */
function orNull(value) {
  return Number.isNaN(value) ? null : value;
}
