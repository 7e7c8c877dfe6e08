// Two results → the comparison document: one row per cell that both measured, with a verdict corrected for their
// number. How it is shown, and what is done about it, is said elsewhere.

import { QUESTION_KEYS } from '../../cell/axes.js';
import { picked } from '../../cell/axis.js';
import { headlineMeasure } from '../../cell/headline.js';
import { groupLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { groupedBy } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { TOOL } from '../../machine/packages.js';
import { ratioTest } from '../../statistics/ratio.js';
import { sumBy } from '../../statistics/sum.js';
import { unrankedBy } from '../text/verdicts.js';
import { listRefusals } from './comparability.js';
import { comparedRows } from './compared-rows.js';
import { listWarnings, machineDifferences } from './differences-around.js';
import { differenceInCells, matchCells } from './match-cells.js';
import { collectSamples, compareSpeeds } from './speeds.js';

/** @import { ComparedSide, Comparison, ComparisonDesign as Design, GeometricMean, Question, Results } from '../../types/index.js' */
/** @import { Pair } from './match-cells.js' */
/** @import { Speed, Speeds } from './speeds.js' */
/** @typedef {{ name: string, source: string, results: Results }} Side   name: 'old'; source: its file */
/**
 * @typedef {object} Rules
 * @property {Design} design
 * @property {number} minEffect
 * @property {boolean} isForced   compare even what was measured in different ways
 */

/**
 * @param {Side} old
 * @param {Side} fresh the new side
 * @param {Rules} rules
 * @returns {Comparison}
 * @throws {BenchError} NOT_COMPARABLE
 */
export function compareResults(old, fresh, { design, minEffect, isForced }) {
  const names = { old: printable(old.name), new: printable(fresh.name) };
  const refusals = listRefusals(old.results, fresh.results, names);
  if (refusals.length > 0 && !isForced) {
    const next = 'Measure both alike, or add --force, which marks whatever comes out';
    throw new BenchError('NOT_COMPARABLE', `these are unlike things: ${refusals.join('; ')}. ${next}.`);
  }
  const { pairs, missing } = matchCells(old.results, fresh.results, design);
  if (pairs.length === 0) {
    const why = differenceInCells(old.results, fresh.results, names);
    throw new BenchError(
      'NOT_COMPARABLE',
      `no cell was measured in both: ${why}. Measure the same cells twice.`,
    );
  }
  return {
    schemaVersion: 1,
    tool: TOOL,
    kind: 'comparison',
    design,
    minEffect,
    old: describeSide(old),
    new: describeSide(fresh),
    forced: refusals,
    isForced,
    warnings: listWarnings(old.results, fresh.results, names),
    machineDifferences: machineDifferences(old.results, fresh.results, names),
    rows: comparedRows(pairs, { design, minEffect }),
    missing,
    geometricMeans: geometricMeans(pairs, design),
  };
}

/** @param {Side} side @returns {ComparedSide} */
function describeSide({ name, source, results: { startedAt, tool, status } }) {
  return { name: printable(name), source: printable(source), startedAt, version: tool.version, status };
}

// One number for many cells: the geometric mean of their ratios, per question, with an interval. No arithmetic mean: of
// 2x and 0.5x it would make a gain. Nor is one made over questions: what is lost at 1x1 is not made up for at 8x8.

/**
 * @param {Speed[][]} speedsByCell
 * @returns {Speed[]} per block in which every cell was launched. Cells of a block share its disturbances, so the block
 *   is what is independent, and the interval is one of blocks
 */
function meansOfBlocks(speedsByCell) {
  return [...groupedBy(speedsByCell.flat(), ({ block }) => block)].flatMap(([block, some]) => {
    if (some.length < speedsByCell.length) return [];
    const speed = Math.exp(sumBy(some, (one) => Math.log(one.speed)) / some.length);
    return [{ block, shown: speed, speed }];
  });
}

/** @param {Pair} pair @returns {boolean} a mean must not hold what alone would get no verdict */
function mayBeRanked(pair) {
  return unrankedBy([...pair.old.flags, ...pair.new.flags].map(({ code }) => code)) === null;
}

/**
 * Source: P. J. Fleming, J. J. Wallace, "How Not to Lie with Statistics", CACM 29 (1986).
 * @param {Pair[]} pairs
 * @param {Design} design
 * @returns {GeometricMean[]} of each question with several cells, in the order of the pairs
 */
function geometricMeans(pairs, design) {
  /** @type {Map<string, { question: Question, speeds: Speeds[] }>} */
  const groups = new Map();
  for (const pair of pairs.filter(mayBeRanked)) {
    const question = /** @type {Question} */ (picked(pair.old.cell, QUESTION_KEYS));
    const speeds = compareSpeeds(pair.old.launches, pair.new.launches, headlineMeasure(pair.new));
    const key = `${groupLabel(question)} ${speeds.measure.name}`;
    const group = groups.get(key) ?? { question, speeds: [] };
    group.speeds.push(speeds);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ question, speeds }) => {
    const [{ measure }] = speeds;
    const means = {
      measure,
      old: meansOfBlocks(speeds.map(({ old }) => old)),
      new: meansOfBlocks(speeds.map((both) => both.new)),
    };
    const samples = collectSamples(means, design);
    if (speeds.length === 1 || samples.old.length === 0 || samples.new.length === 0) return [];
    return [{ ...question, measure, cells: speeds.length, ratio: ratioTest(samples, design).ratio }];
  });
}
