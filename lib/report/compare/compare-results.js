// Compares two results in a document with one row per cell that both measured. Its verdicts are corrected for the number of rows.

import { picked, QUESTION_KEYS } from '../../cell/axes.js';
import { headlineMeasure, headlineOfLaunch, isHigherBetter } from '../../cell/headline.js';
import { groupLabel, isOfRow, seriesLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { didYouMean } from '../../format/did-you-mean.js';
import { groupedBy, listed } from '../../format/lists.js';
import { printable, quoted } from '../../format/printable.js';
import { shownPaths } from '../../format/redact.js';
import { TOOL } from '../../machine/packages.js';
import { censoredPercentiles } from '../../statistics/latency.js';
import {
  contrastOf,
  estimateOf,
  fitLogModel,
  levelOf,
  MIN_LAUNCHES,
  meanLevelOf,
} from '../../statistics/log-model.js';
import { apartTest, detectableRatio, rowTest } from '../../statistics/ratio.js';
import { ALPHA, decideVerdict, holmAdjusted, launchesToSettle, MIN_CLAIM } from '../../statistics/verdict.js';
import { noVerdictReason, unrankedBy } from '../findings/row-verdicts.js';
import { textsByHost } from '../text/machine-words.js';
import { placeText, programsText } from '../text/surroundings.js';
import { environmentDifferences, listRefusals, listWarnings, machineDifferences } from './comparability.js';
import { comparisonFindings } from './comparison-findings.js';
import { differenceInCells, matchCells } from './match-cells.js';

/** @import { ComparedSide, Comparison, ComparisonDesign as Design, Estimate, GeometricMean, MissingCell, Question, Results, ComparedRow, MeasuredOutcome, ComparedMeasure, MeasuredLaunch } from '../../types/index.js' */
/** @import { LogModel } from '../../statistics/log-model.js' */
/** @import { MatchedPair } from './match-cells.js' */
/** @import { RatioTest } from '../../statistics/ratio.js' */

/**
 * @typedef {{ name: string, source: string, results: Results }} SideResults   name: as printed, 'old', 'new' or the name of a variant;
 *   source: its results file, its options, or both
 */
/** @typedef {{ design: Design, minEffect: number }} Rules */
/** @typedef {{ group: number, shown: number, speed: number }} Speed   of a launch; shown: in the measure's unit; speed: more is better */
/** @typedef {{ measure: ComparedMeasure, old: Speed[], new: Speed[] }} Speeds */
/** @typedef {ReturnType<typeof makeTested>} Tested */
/**
 * p-values, adjusted by Holm's method for `comparisons` rows.
 * @typedef {{ comparisons: number, p: number, beyondP: number }} Adjusted   p: for a true ratio of 1; beyondP: for a true ratio within
 *   --min-effect
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
  /** @param {boolean} ofControls @param {number} effect */
  const judged = (ofControls, effect) =>
    judgedRows(
      tested.filter(({ pair }) => isControl(pair) === ofControls),
      effect,
    );
  const rows = judged(false, minEffect);
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
    controls: judged(true, Math.min(minEffect, MIN_CLAIM)).map((row) => ({ ...row, isControl: true })),
    missing,
    geometricMeans: geometricMeans(
      pairs.filter((pair) => !isControl(pair)),
      design,
    ),
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

// One number for the cells of a group, which differ in transport, codec or runtime: the geometric mean of their ratios, with an interval.
// The arithmetic mean of 2x and 0.5x would be a gain. There is no mean over groups: a gain at 8x8 does not make up for a loss at 1x1.

/**
 * Source: P. J. Fleming, J. J. Wallace, "How Not to Lie with Statistics", CACM 29 (1986).
 * @param {MatchedPair[]} pairs
 * @param {Design} design
 * @returns {GeometricMean[]} one for each group with several cells that may be ranked, without means that have no interval
 */
function geometricMeans(pairs, design) {
  // A row whose flags exclude a verdict must not count in a mean.
  const ranked = pairs.filter((pair) => unrankedBy(codesOfBoth(pair)) === null);
  const compared = ranked.map((pair) => ({
    question: /** @type {Question} */ (picked(pair.old.cell, QUESTION_KEYS)),
    ...compareSpeeds(pair),
  }));
  const groups = groupedBy(compared, ({ question, measure }) => `${groupLabel(question)} ${measure.name}`);
  return [...groups.values()].flatMap((some) => {
    const [{ question, measure }] = some;
    if (some.length === 1) return [];
    const ratio = design === 'interleaved' ? meanRatioInGroups(some) : meanRatioApart(some);
    return ratio === null || ratio.level === null
      ? []
      : [{ ...question, measure, cells: some.length, ratio }];
  });
}

/**
 * @param {Speeds[]} cells
 * @returns {Estimate | null} geometric mean of the ratios; null if a cell has no group in which both sides launched it
 */
function meanRatioInGroups(cells) {
  const rows = cells.map(rowsInGroups);
  const n = Math.min(...rows.map((own) => own.old.size));
  if (n === 0) return null;
  const coefficients = rows.flatMap(() => [-1 / cells.length, 1 / cells.length]);
  const model = fitLogModel(rows.flatMap((own) => [own.old, own.new]));
  return estimateOf(contrastOf(model, new Map(coefficients.entries())), n);
}

/** @param {Speeds[]} cells @returns {Estimate} geometric mean of the ratios of two separate runs */
function meanRatioApart(cells) {
  const [old, newSide] = modelsApart(cells).map((model) => meanLevelOf(model, [...cells.keys()]));
  return apartTest({ old, new: newSide }, Math.min(...cells.map(launchesApart))).ratio;
}

/** @param {MatchedPair[]} pairs @param {Rules} rules @returns {ComparedRow[]} */
export function comparedRows(pairs, { design, minEffect }) {
  return judgedRows(testedPairs(pairs, design), minEffect);
}

/** @param {MatchedPair[]} pairs @param {Design} design @returns {Tested[]} */
function testedPairs(pairs, design) {
  return design === 'interleaved' ? testedInGroups(pairs) : testedApart(pairs);
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
  const comparisons = judged.length;
  const adjusted = new Map(
    judged.map((one, index) => [one, { comparisons, p: ps[index], beyondP: beyondPs[index] }]),
  );
  return tested.map((one) => makeRow(one, adjusted.get(one), comparisons, minEffect));
}

/**
 * Fits one model to the rows of both sides of all cells, which share the effects of groups and the estimate of noise.
 * @param {MatchedPair[]} pairs @returns {Tested[]}
 */
function testedInGroups(pairs) {
  const speeds = pairs.map(compareSpeeds);
  const rows = speeds.map(rowsInGroups);
  const model = fitLogModel(rows.flatMap((own) => [own.old, own.new]));
  return pairs.map((pair, index) => {
    const [old, newSide] = [2 * index, 2 * index + 1];
    const n = rows[index].old.size;
    const levels = [old, newSide].map((row) => estimateOf(levelOf(model, row), n));
    return makeTested(pair, speeds[index].measure, rowTest(model, newSide, old), { levels, what: 'groups' });
  });
}

/**
 * Fits a model to each table of each side, as a run does. The groups of one side are independent of those of the other, so the effects of
 * groups do not cancel out.
 * @param {MatchedPair[]} pairs @returns {Tested[]}
 */
function testedApart(pairs) {
  const compared = pairs.map((pair) => ({ pair, speeds: compareSpeeds(pair) }));
  const tables = groupedBy(
    compared,
    ({ pair, speeds }) => `${groupLabel(pair.old.cell)} ${speeds.measure.name}`,
  );
  const tested = new Map(
    [...tables.values()].flatMap((table) => {
      const models = modelsApart(table.map(({ speeds }) => speeds));
      return table.map(({ pair, speeds }, row) => {
        const [old, newSide] = models.map((model) => levelOf(model, row));
        const levels = [estimateOf(old, speeds.old.length), estimateOf(newSide, speeds.new.length)];
        const test = apartTest({ old, new: newSide }, launchesApart(speeds));
        return [pair, makeTested(pair, speeds.measure, test, { levels, what: 'launches a side' })];
      });
    }),
  );
  return pairs.flatMap((pair) => tested.get(pair) ?? []);
}

/** @param {Speeds[]} cells @returns {LogModel[]} one of the old side and one of the new side, each with a row for every cell */
function modelsApart(cells) {
  return [cells.map((one) => one.old), cells.map((one) => one.new)].map((sides) =>
    fitLogModel(sides.map(logsByGroup)),
  );
}

/** @param {Speeds} speeds @returns {number} launches of the side with fewer */
function launchesApart(speeds) {
  return Math.min(speeds.old.length, speeds.new.length);
}

/** @param {Estimate} speed @param {ComparedMeasure} measure @returns {Estimate} */
function shownEstimate(speed, measure) {
  if (isHigherBetter(measure)) return speed;
  return { ...speed, estimate: 1 / speed.estimate, low: 1 / speed.high, high: 1 / speed.low };
}

/**
 * @param {MatchedPair} pair
 * @param {ComparedMeasure} measure
 * @param {RatioTest} test
 * @param {{ levels: Estimate[], what: 'groups' | 'launches a side' }} sides   levels: of the old side and of the new one
 */
function makeTested(pair, measure, test, { levels, what }) {
  const [old, newSide] = levels.map((level) => shownEstimate(level, measure));
  const why = noVerdictReason(test.ratio, { least: MIN_LAUNCHES, of: what, codes: codesOfBoth(pair) });
  return { pair, measure, test, old, new: newSide, why };
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
  const isSettled =
    adjusted === undefined ? unrankedBy(codesOfBoth(pair)) !== null : verdict !== 'inconclusive';
  const settling = { ratio, standardError, degrees, launches: ratio.n, minEffect };
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
    moreLaunches: isSettled
      ? null
      : launchesToSettle({ ...settling, comparisons: adjusted?.comparisons ?? 1 }),
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

/** @param {MeasuredLaunch} launch @returns {{ p50: number, p99: number | null }} µs; p99 is null if only a lower bound is known */
function readResponse({ open }) {
  if (open === undefined) throw new RangeError('closed loops have no response time');
  try {
    const { p50, p99, atLeast = [] } = censoredPercentiles(open.response, open.unanswered);
    return { p50, p99: atLeast.includes('p99') ? null : p99 };
  } catch (error) {
    throw unusable('a histogram of response times cannot be read', error);
  }
}

/** @param {string} what @param {unknown} [cause] */
function unusable(what, cause) {
  const message = `${what}: the results were changed after they were saved. Measure again.`;
  return new BenchError('BAD_RESULTS_FILE', message, { cause });
}

/** @param {Speed[]} speeds @returns {Speed[]} @throws {BenchError} BAD_RESULTS_FILE if a speed is not above 0 */
function checked(speeds) {
  if (speeds.every(({ speed }) => speed > 0 && Number.isFinite(speed))) return speeds;
  throw unusable('a launch has no number above 0');
}

/** @param {MatchedPair} pair @returns {Speeds} speeds by the headline, or by response times under open load, whose rate is planned */
function compareSpeeds({ old, new: newSide }) {
  const launches = [...old.launches, ...newSide.launches];
  if (launches.some(({ open }) => open === undefined)) {
    const { name, title, unit, better, kind } = headlineMeasure(newSide);
    const measure = { name, title, unit, better, kind };
    return speedsBy(measure, (launch) => headlineOfLaunch(measure, launch), { old, new: newSide });
  }
  const responses = new Map(launches.map((launch) => [launch, readResponse(launch)]));
  const hasTail = [...responses.values()].every(({ p99 }) => p99 !== null);
  return speedsBy(
    hasTail ? RESPONSE_P99 : RESPONSE_P50,
    (launch) => responses.get(launch)?.[hasTail ? 'p99' : 'p50'] ?? 0,
    { old, new: newSide },
  );
}

/** @param {ComparedMeasure} measure @param {(launch: MeasuredLaunch) => number} shownOf @param {MatchedPair} pair @returns {Speeds} */
function speedsBy(measure, shownOf, pair) {
  /** @param {MeasuredOutcome} outcome */
  const speedsIn = ({ launches }) =>
    launches.map((launch) => {
      const shown = shownOf(launch);
      return { group: launch.group, shown, speed: isHigherBetter(measure) ? shown : 1 / shown };
    });
  return { measure, old: checked(speedsIn(pair.old)), new: checked(speedsIn(pair.new)) };
}

/** @param {Speed[]} speeds @returns {Map<number, number>} logarithms of the speeds, by group */
function logsByGroup(speeds) {
  return new Map(speeds.map(({ group, speed }) => [group, Math.log(speed)]));
}

/**
 * @param {Speeds} speeds
 * @returns {{ old: Map<number, number>, new: Map<number, number> }} logarithms of the speeds, by group, for groups that both sides have
 */
function rowsInGroups(speeds) {
  /** @param {Speed[]} side @param {Speed[]} other */
  const shared = (side, other) => {
    const groups = new Set(other.map(({ group }) => group));
    return logsByGroup(side.filter(({ group }) => groups.has(group)));
  };
  return { old: shared(speeds.old, speeds.new), new: shared(speeds.new, speeds.old) };
}
