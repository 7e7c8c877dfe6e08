// Pairs of measured cells → the rows of a comparison: ratio, p, and the verdict that the number of rows allows.

import { headlineMeasure } from '../../cell/headline.js';
import { detectableRatio, detectableRatioApart } from '../../statistics/detectable-effect.js';
import { estimateMedian } from '../../statistics/estimate.js';
import { holmAdjusted } from '../../statistics/holm.js';
import { leastOfDesign, ratioTest } from '../../statistics/ratio.js';
import { ALPHA, decideVerdict, launchesToSettle } from '../../statistics/verdict.js';
import { noVerdictReason, unrankedBy } from '../text/verdicts.js';
import { collectSamples, compareSpeeds } from './speeds.js';

/** @import { ComparedRow, ComparisonDesign as Design, MeasuredOutcome } from '../../types/index.js' */
/** @import { Pair } from './match-cells.js' */
/** @typedef {{ design: Design, minEffect: number }} Rules */
/** @typedef {ReturnType<typeof testedPair>} Tested */
/** @typedef {{ comparisons: number, p: number, beyondP: number }} Adjusted   by Holm, over all that can be judged */

const LOUD_RATIO = 1.5;

/** @param {Pair[]} pairs with samples @param {Rules} rules @returns {ComparedRow[]} */
export function comparedRows(pairs, rules) {
  const tested = pairs.map((pair) => testedPair(pair, rules.design));
  const judged = tested.filter(({ why }) => why === null);
  const ps = holmAdjusted(judged.map(({ test }) => test.p ?? 1));
  const beyondPs = holmAdjusted(judged.map(({ test }) => test.pBeyond(1 + rules.minEffect)));
  const comparisons = judged.length;
  const adjusted = new Map(
    judged.map((one, place) => [one, { comparisons, p: ps[place], beyondP: beyondPs[place] }]),
  );
  return tested.map((one) => {
    const shown = toShownRow(one, rules.design, comparisons);
    return { ...shown, ...judgedBy(one, adjusted.get(one), shown.detectableRatio, rules) };
  });
}

/** @param {Pair} pair @param {Design} design */
function testedPair(pair, design) {
  const speeds = compareSpeeds(pair.old.launches, pair.new.launches, headlineMeasure(pair.new));
  const samples = collectSamples(speeds, design);
  const test = ratioTest(samples, design);
  const what = design === 'interleaved' ? 'blocks' : 'launches a side';
  const why = noVerdictReason(test.ratio, { least: leastOfDesign(design), what, codes: codesOfBoth(pair) });
  return { pair, speeds, samples, test, why: why === '' ? null : why };
}

/** @param {Tested} tested @param {Design} design @param {number} comparisons */
function toShownRow({ pair, speeds, samples, test }, design, comparisons) {
  const detectable = design === 'interleaved' ? detectableRatio : detectableRatioApart;
  return {
    cell: pair.old.cell,
    operation: pair.new.operation,
    measure: speeds.measure,
    old: estimateMedian(speeds.old.map(({ shown }) => shown)),
    new: estimateMedian(speeds.new.map(({ shown }) => shown)),
    ratio: test.ratio,
    detectableRatio: detectable(samples.new, samples.old, 1 - ALPHA / Math.max(1, comparisons)),
    flags: { old: listFlagCodes(pair.old), new: listFlagCodes(pair.new) },
  };
}

/**
 * @param {Tested} tested
 * @param {Adjusted | undefined} adjusted undefined: there can be no verdict
 * @param {number | null} detectableRatio
 * @param {Rules} rules
 * @returns {Pick<ComparedRow, 'p' | 'adjustedP' | 'verdict' | 'isBeyond' | 'why' | 'moreLaunches'>}
 */
function judgedBy({ pair, test, why }, adjusted, detectableRatio, { design, minEffect }) {
  const { ratio, standardError, p } = test;
  const settling = {
    ratio,
    standardError,
    launches: ratio.n,
    design,
    comparisons: adjusted?.comparisons ?? 1,
    minEffect,
  };
  if (adjusted === undefined) {
    const moreLaunches = unrankedBy(codesOfBoth(pair)) !== null ? null : launchesToSettle(settling);
    return { p: null, adjustedP: null, verdict: 'inconclusive', isBeyond: false, why, moreLaunches };
  }
  const verdict = decideVerdict({ ratio, adjustedP: adjusted.p, minEffect });
  const isDifferent = verdict === 'faster' || verdict === 'slower';
  return {
    p,
    adjustedP: adjusted.p,
    verdict,
    isBeyond: isDifferent && adjusted.beyondP <= ALPHA && isAboveNoise(ratio, detectableRatio),
    why,
    moreLaunches: verdict === 'inconclusive' ? launchesToSettle(settling) : null,
  };
}

/**
 * Where noise hides a difference of a half, what passes for a large one is mostly noise: there the estimate must reach
 * what such a comparison finds at all. Without this, one build in seventy would fail for nothing on such a machine.
 * Source: A. Gelman, J. Carlin, "Beyond Power Calculations", Perspectives on Psychological Science 9 (2014).
 * @param {import('../../types/launches.js').Estimate} ratio
 * @param {number | null} detectableRatio
 * @returns {boolean}
 */
function isAboveNoise({ estimate }, detectableRatio) {
  if (detectableRatio === null) return false;
  return detectableRatio < LOUD_RATIO || Math.max(estimate, 1 / estimate) >= detectableRatio;
}

/** @param {Pair} pair @returns {string[]} */
function codesOfBoth(pair) {
  return [...listFlagCodes(pair.old), ...listFlagCodes(pair.new)];
}

/** @param {MeasuredOutcome} outcome @returns {string[]} */
function listFlagCodes({ flags }) {
  return flags.map(({ code }) => code);
}
