// Compares two results in a document with one row per cell that both measured. Its verdicts are corrected for the number of rows.

import { picked, QUESTION_KEYS } from '../../cell/axes.js';
import { headlineOfLaunch, isHigherBetter } from '../../cell/headline.js';
import { groupLabel, isOfRow, seriesLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { didYouMean } from '../../format/did-you-mean.js';
import { groupedBy, listed } from '../../format/lists.js';
import { printable, quoted } from '../../format/printable.js';
import { shownPaths } from '../../format/redact.js';
import { TOOL } from '../../machine/packages.js';
import { censoredPercentiles } from '../../statistics/latency.js';
import {
  computeContrast,
  computeLevel,
  computeMeanLevel,
  fitLogModel,
  MIN_LAUNCHES,
  makeEstimate,
} from '../../statistics/log-model.js';
import { apartTest, detectableRatio, rowTest } from '../../statistics/ratio.js';
import { ALPHA, decideVerdict, holmAdjusted, launchesToSettle, MIN_CLAIM } from '../../statistics/verdict.js';
import { measureFacts } from '../findings/finding.js';
import { noVerdictReason, unrankedBy } from '../findings/row-verdicts.js';
import { textsByHost } from '../text/machine-words.js';
import { placeText, programsText } from '../text/surroundings.js';
import { environmentDifferences, listRefusals, listWarnings, machineDifferences } from './comparability.js';
import { comparisonFindings } from './comparison-findings.js';
import { differenceInCells, matchCells } from './match-cells.js';

/** @import { ComparedSide, Comparison, ComparisonDesign as Design, Estimate, GeometricMean, MissingCell } from '../../types/index.js' */
/** @import { Question, Reason, Results, ComparedRow, MeasuredOutcome, ComparedMeasure, MeasuredLaunch } from '../../types/index.js' */
/** @import { MatchedPair } from './match-cells.js' */
/** @import { RatioTest } from '../../statistics/ratio.js' */

/**
 * @typedef {{ name: string, source: string, results: Results }} SideResults   name: as printed, 'old', 'new' or the name of a variant;
 *   source: its results file, its options, or both
 */
/** @typedef {{ design: Design, minEffect: number }} Rules */
/**
 * @typedef {object} Speeds
 * @property {ComparedMeasure} measure
 * @property {Map<number, number>} old   logarithms of the speeds of its launches, by group
 * @property {Map<number, number>} new
 */
/**
 * What the models of compared cells show on each of them, by its index.
 * @typedef {object} Fit
 * @property {(index: number) => RatioTest} testOf
 * @property {(index: number) => Estimate[]} levelsOf   speeds of the old side and of the new one
 * @property {(indexes: number[]) => Estimate} meanOf   geometric mean of the ratios of some cells of one table
 */
/**
 * @typedef {object} Tested
 * @property {MatchedPair} pair
 * @property {ComparedMeasure} measure
 * @property {Fit} fit
 * @property {number} index   of the cell in the fit
 * @property {RatioTest} test
 * @property {Estimate} old
 * @property {Estimate} new
 * @property {Reason | null} why   there can be no verdict; null if there can
 */
/**
 * p-values, adjusted by Holm's method for all rows that may have a verdict.
 * @typedef {{ p: number, beyondP: number }} Adjusted   p: for a true ratio of 1; beyondP: for a true ratio within --min-effect
 */

const LOUD_RATIO = 1.5;
const MAX_ROWS_NAMED = 10;
const TIME = Object.freeze({ unit: 'µs', better: 'lower', kind: 'times' });
/** @type {ComparedMeasure} */
const RESPONSE_P50 = { name: 'responseP50Us', title: 'median response time', ...TIME };
/** @type {ComparedMeasure} */
const RESPONSE_P99 = { name: 'responseP99Us', title: 'p99 of response time', ...TIME };

/**
 * @param {SideResults} old
 * @param {SideResults} newSide the new side
 * @param {Rules & { isForced: boolean, controls?: readonly string[] }} rules   isForced: compare even results that were measured in
 *   different ways; controls: rows that must not differ
 * @returns {Comparison}
 * @throws {BenchError} NOT_COMPARABLE, or BAD_RESULTS_FILE if a launch has no number above 0
 */
export function compareResults(old, newSide, { design, minEffect, isForced, controls = [] }) {
  const names = { old: printable(old.name), new: printable(newSide.name) };
  const refusals = listRefusals(old.results, newSide.results, names);
  if (refusals.length > 0 && !isForced) {
    const next = 'Measure both in the same way, or add --force, which marks the result';
    throw new BenchError('NOT_COMPARABLE', `the two are not comparable: ${refusals.join('; ')}. ${next}.`);
  }
  const { pairs, missing } = matchCells(old.results, newSide.results, design);
  if (pairs.length === 0) {
    const why = differenceInCells(old.results, newSide.results, names);
    throw new BenchError(
      'NOT_COMPARABLE',
      `no cell was measured in both: ${why}. Measure the same cells twice.`,
    );
  }
  for (const row of controls) refuseMissingControl(row, { pairs, missing }, names);
  /** @param {MatchedPair} pair */
  const isControl = ({ old: { cell } }) => controls.some((row) => isOfRow(cell, row));
  const tested = testedPairs(pairs, design);
  const controlled = tested.filter(({ pair }) => isControl(pair));
  const others = tested.filter(({ pair }) => !isControl(pair));
  const rows = judgedRows(others, minEffect);
  if (rows.length === 0) {
    const next = 'Compare another row with them, or name fewer of them';
    throw new BenchError('NOT_COMPARABLE', `all rows that were measured in both are controls. ${next}.`);
  }
  /** @type {Omit<Comparison, 'findings'>} */
  const comparison = {
    schemaVersion: 1,
    tool: TOOL,
    kind: 'comparison',
    design,
    minEffect,
    old: describeSide(old),
    new: describeSide(newSide),
    forced: refusals,
    isForced,
    warnings: listWarnings(old.results, newSide.results, names),
    machineDifferences: machineDifferences(old.results, newSide.results, names),
    environmentDifferences: environmentDifferences(old.results, newSide.results, names),
    rows,
    controls: judgedRows(controlled, Math.min(minEffect, MIN_CLAIM)).map((row) => ({
      ...row,
      isControl: true,
    })),
    missing,
    geometricMeans: geometricMeans(others),
  };
  return { ...comparison, findings: comparisonFindings(comparison) };
}

/** @param {SideResults} side @returns {ComparedSide} */
function describeSide({ name, source, results }) {
  const { startedAt, tool, status } = results;
  return {
    name: printable(name),
    source: printable(shownPaths(source)),
    startedAt,
    version: tool.version,
    status,
    machine: textsByHost(results, placeText).join('; '),
    programs: programsText(results),
  };
}

/**
 * @param {string} row
 * @param {{ pairs: MatchedPair[], missing: MissingCell[] }} matched
 * @param {import('./comparability.js').SideNames} names
 * @throws {BenchError} NOT_COMPARABLE if the row was not measured in both
 */
function refuseMissingControl(row, { pairs, missing }, names) {
  if (pairs.some(({ old }) => isOfRow(old.cell, row))) return;
  const found = missing.find(({ cell }) => isOfRow(cell, row));
  const both = `${names.old} and ${names.new}`;
  const what = found
    ? `was not measured in ${{ ...names, both }[found.side]} (${printable(found.reason)})`
    : `is in neither ${names.old} nor ${names.new}`;
  const rows = new Set(pairs.map(({ old }) => seriesLabel(old.cell)));
  const next = `Both have ${printable(listed([...rows], MAX_ROWS_NAMED))}.${didYouMean(row, rows)}`;
  throw new BenchError('NOT_COMPARABLE', `--control: ${quoted(row)} ${what}. ${next}`);
}

// One number for the cells of a table, which differ in transport, codec or runtime: the geometric mean of their ratios, with an interval.
// The arithmetic mean of 2x and 0.5x would be a gain. There is no mean over tables: a gain at 8x8 does not make up for a loss at 1x1.

/**
 * Source: P. J. Fleming, J. J. Wallace, "How Not to Lie with Statistics", CACM 29 (1986).
 * @param {Tested[]} tested
 * @returns {GeometricMean[]} one for each table with several cells that may be ranked, without means that have no interval
 */
function geometricMeans(tested) {
  // A row whose flags exclude a verdict must not count in a mean.
  const ranked = tested.filter(({ pair }) => unrankedBy(codesOfBoth(pair)) === null);
  return [...groupedBy(ranked, tableOf).values()].flatMap((some) => {
    const [{ pair, measure, fit }] = some;
    if (some.length === 1) return [];
    const ratio = fit.meanOf(some.map(({ index }) => index));
    const question = /** @type {Question} */ (picked(pair.old.cell, QUESTION_KEYS));
    return ratio.level === null ? [] : [{ ...question, measure, cells: some.length, ratio }];
  });
}

/** @param {{ pair: MatchedPair, measure: ComparedMeasure }} compared @returns {string} a key of its question and measure */
const tableOf = ({ pair, measure }) => `${groupLabel(pair.old.cell)} ${measure.name}`;

/** @param {MatchedPair[]} pairs @param {Rules} rules @returns {ComparedRow[]} */
export function comparedRows(pairs, { design, minEffect }) {
  return judgedRows(testedPairs(pairs, design), minEffect);
}

/**
 * @param {Tested[]} tested
 * @param {number} minEffect
 * @returns {ComparedRow[]} the rows with p-values that are adjusted for all rows that may have a verdict
 */
function judgedRows(tested, minEffect) {
  const judged = tested.filter(({ why }) => why === null);
  const ps = holmAdjusted(judged.map(({ test }) => test.p ?? 1));
  const beyondPs = holmAdjusted(judged.map(({ test }) => test.pBeyond(1 + minEffect)));
  const adjusted = new Map(judged.map((one, index) => [one, { p: ps[index], beyondP: beyondPs[index] }]));
  return tested.map((one) => makeRow(one, adjusted.get(one), judged.length, minEffect));
}

/** @param {MatchedPair[]} pairs @param {Design} design @returns {Tested[]} */
function testedPairs(pairs, design) {
  const compared = pairs.map((pair) => ({ pair, ...compareSpeeds(pair) }));
  const isInterleaved = design === 'interleaved';
  const tables = isInterleaved ? [compared] : [...groupedBy(compared, tableOf).values()];
  const fits = new Map(
    tables.flatMap((table) => {
      const fit = isInterleaved ? fitInGroups(table) : fitApart(table);
      return table.map((one, index) => [one, { fit, index }]);
    }),
  );
  return compared.map((one) => {
    const { fit, index } = /** @type {{ fit: Fit, index: number }} */ (fits.get(one));
    const { pair, measure } = one;
    const test = fit.testOf(index);
    const [old, newSide] = fit.levelsOf(index).map((level) => shownEstimate(level, measure));
    const counts = { least: MIN_LAUNCHES, of: isInterleaved ? 'groups' : 'launches a side' };
    const why = noVerdictReason(test.ratio, { ...counts, codes: codesOfBoth(pair) });
    return { pair, measure, fit, index, test, old, new: newSide, why };
  });
}

/**
 * Fits one model to the rows of both sides of all cells, which share the effects of groups and the estimate of noise.
 * @param {Speeds[]} cells
 * @returns {Fit}
 */
function fitInGroups(cells) {
  const rows = cells.map(inSharedGroups);
  const model = fitLogModel(rows.flatMap((own) => [own.old, own.new]));
  /** @param {number} index */
  const rowsOf = (index) => [2 * index, 2 * index + 1];
  return {
    testOf(index) {
      const [old, newSide] = rowsOf(index);
      return rowTest(model, newSide, old);
    },
    levelsOf: (index) =>
      rowsOf(index).map((row) => makeEstimate(computeLevel(model, row), rows[index].old.size)),
    meanOf(indexes) {
      const signs = [-1 / indexes.length, 1 / indexes.length];
      const coefficients = indexes.flatMap((index) =>
        rowsOf(index).map((row, side) => /** @type {[number, number]} */ ([row, signs[side]])),
      );
      const least = Math.min(...indexes.map((index) => rows[index].old.size));
      return makeEstimate(computeContrast(model, new Map(coefficients)), least);
    },
  };
}

/**
 * Fits a model to the table of each side, as a run does. The groups of one side are independent of those of the other, so the effects of
 * groups do not cancel out.
 * @param {Speeds[]} cells   of one table
 * @returns {Fit}
 */
function fitApart(cells) {
  const models = [cells.map((one) => one.old), cells.map((one) => one.new)].map((rows) => fitLogModel(rows));
  /** @param {number[]} indexes */
  const testOf = (indexes) => {
    const [old, newSide] = models.map((model) => computeMeanLevel(model, indexes));
    const sizes = indexes.flatMap((index) => [cells[index].old.size, cells[index].new.size]);
    return apartTest({ old, new: newSide }, Math.min(...sizes));
  };
  return {
    testOf: (index) => testOf([index]),
    levelsOf(index) {
      const sizes = [cells[index].old.size, cells[index].new.size];
      return models.map((model, side) => makeEstimate(computeLevel(model, index), sizes[side]));
    },
    meanOf: (indexes) => testOf(indexes).ratio,
  };
}

/** @param {Estimate} speed @param {ComparedMeasure} measure @returns {Estimate} */
function shownEstimate(speed, measure) {
  if (isHigherBetter(measure)) return speed;
  return { ...speed, estimate: 1 / speed.estimate, low: 1 / speed.high, high: 1 / speed.low };
}

/**
 * @param {Tested} tested
 * @param {Adjusted | undefined} adjusted   undefined if there can be no verdict
 * @param {number} comparisons
 * @param {number} minEffect
 * @returns {ComparedRow}
 */
function makeRow(tested, adjusted, comparisons, minEffect) {
  const { pair, measure, test, why } = tested;
  const { ratio, standardError, degrees } = test;
  const detectable = detectableRatio(test, 1 - ALPHA / Math.max(1, comparisons));
  const verdict =
    adjusted === undefined ? 'inconclusive' : decideVerdict({ ratio, adjustedP: adjusted.p, minEffect });
  const isDifferent = verdict === 'faster' || verdict === 'slower';
  const isBeyond =
    isDifferent && adjusted !== undefined && adjusted.beyondP <= ALPHA && isAboveNoise(ratio, detectable);
  const isOpen = adjusted !== undefined && verdict === 'inconclusive';
  return {
    cell: pair.old.cell,
    operation: pair.new.operation,
    measure,
    old: tested.old,
    new: tested.new,
    ratio,
    detectableRatio: detectable,
    flags: { old: listFlagCodes(pair.old), new: listFlagCodes(pair.new) },
    costs: { old: readCosts(pair.old), new: readCosts(pair.new) },
    p: adjusted === undefined ? null : test.p,
    adjustedP: adjusted?.p ?? null,
    verdict,
    isBeyond,
    why,
    moreLaunches: isOpen
      ? launchesToSettle({ ratio, standardError, degrees, launches: ratio.n, comparisons, minEffect })
      : null,
  };
}

/**
 * If noise hides a difference of 50 %, a large estimate is mostly noise, so it must reach the smallest ratio that such a comparison
 * detects. Without this rule, one build in seventy would fail without a cause on such a machine.
 * Source: A. Gelman, J. Carlin, "Beyond Power Calculations", Perspectives on Psychological Science 9 (2014).
 * @param {Estimate} ratio
 * @param {number | null} detectableRatio
 */
function isAboveNoise({ estimate }, detectableRatio) {
  if (detectableRatio === null) return false;
  return detectableRatio < LOUD_RATIO || Math.max(estimate, 1 / estimate) >= detectableRatio;
}

/** @param {MatchedPair} pair */
function codesOfBoth(pair) {
  return [...listFlagCodes(pair.old), ...listFlagCodes(pair.new)];
}

/** @param {MeasuredOutcome} outcome @returns {ComparedRow['costs']['old']} */
function readCosts({ cpuUsPerOperation, peakRssBytes }) {
  return { cpuUsPerOperation, peakRssBytes };
}

/** @param {MeasuredOutcome} outcome */
function listFlagCodes({ flags }) {
  return flags.map(({ code }) => code);
}

/** @param {string} what @param {unknown} [cause] */
function unusable(what, cause) {
  const message = `${what}: the results were changed after they were saved. Measure again.`;
  return new BenchError('BAD_RESULTS_FILE', message, { cause });
}

/** @param {MatchedPair} pair @returns {Speeds} by the headline, or by response times under open load, whose rate is planned */
function compareSpeeds({ old, new: newSide }) {
  const { measure, read } = findMeasure([...old.launches, ...newSide.launches], newSide);
  /** @param {MeasuredLaunch} launch */
  const logOf = (launch) => {
    const value = read(launch);
    if (!(value > 0 && Number.isFinite(value))) throw unusable('a launch has no number above 0');
    return isHigherBetter(measure) ? Math.log(value) : -Math.log(value);
  };
  const [ofOld, ofNew] = [old, newSide].map(
    ({ launches }) => new Map(launches.map((launch) => [launch.group, logOf(launch)])),
  );
  return { measure, old: ofOld, new: ofNew };
}

/**
 * @param {MeasuredLaunch[]} launches   of both sides
 * @param {MeasuredOutcome} outcome
 * @returns {{ measure: ComparedMeasure, read: (launch: MeasuredLaunch) => number }}
 */
function findMeasure(launches, outcome) {
  const responses = launches.flatMap(({ open }) => (open === undefined ? [] : readResponse(open)));
  if (responses.length < launches.length) {
    const measure = measureFacts(outcome);
    return { measure, read: (launch) => headlineOfLaunch(measure, launch) };
  }
  // The p99 is only compared if it is known of all launches.
  const isKnown = responses.every(({ p99, atLeast = [] }) => p99 !== null && !atLeast.includes('p99'));
  const times = new Map(launches.map((launch, index) => [launch, responses[index][isKnown ? 'p99' : 'p50']]));
  return { measure: isKnown ? RESPONSE_P99 : RESPONSE_P50, read: (launch) => Number(times.get(launch)) };
}

/** @param {NonNullable<MeasuredLaunch['open']>} open */
function readResponse({ response, unanswered }) {
  try {
    return censoredPercentiles(response, unanswered);
  } catch (error) {
    throw unusable('a histogram of response times cannot be read', error);
  }
}

/** @param {Speeds} speeds @returns {Pick<Speeds, 'old' | 'new'>} without the groups that one side lacks */
function inSharedGroups({ old, new: newSide }) {
  return {
    old: new Map([...old].filter(([group]) => newSide.has(group))),
    new: new Map([...newSide].filter(([group]) => old.has(group))),
  };
}
