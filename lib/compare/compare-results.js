// Two results → the comparison document: one row per cell that both measured, with a verdict corrected for their
// number. How it is shown, and what is done about it, is said elsewhere.

import { BenchError } from '../errors.js';
import { TOOL } from '../machine/own-package.js';
import { printable } from '../words/printable.js';
import { comparedRows } from './compared-rows.js';
import { machineDifferences, warningsOf } from './differences-around.js';
import { geometricMeans } from './geometric-means.js';
import { refusalsOf } from './likeness.js';
import { differenceInCells, matchCells } from './match-cells.js';

/** @import { ComparedSide, Comparison, ComparisonDesign as Design, Results } from '../types/index.js' */
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
  const refusals = refusalsOf(old.results, fresh.results, names);
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
    old: sideOf(old),
    new: sideOf(fresh),
    forced: refusals,
    isForced,
    warnings: warningsOf(old.results, fresh.results, names),
    machineDifferences: machineDifferences(old.results, fresh.results, names),
    rows: comparedRows(pairs, { design, minEffect }),
    missing,
    geometricMeans: geometricMeans(pairs, design),
  };
}

/** @param {Side} side @returns {ComparedSide} */
function sideOf({ name, source, results: { startedAt, tool, status } }) {
  return { name: printable(name), source: printable(source), startedAt, version: tool.version, status };
}
