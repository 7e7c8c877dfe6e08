// Finds the cells that were measured in both of two results, and the cells that one side lacks, with the reason. For two variants that were
// measured in the same groups, it pairs the cells of one with the cells of the other.

import { AXES } from '../../cell/axes.js';
import { cellLabel, groupLabel, unheadedLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { counted, groupedBy } from '../../format/lists.js';
import { printable } from '../../format/printable.js';

/** @import { Cell, ComparisonDesign as Design, MeasuredOutcome, MissingCell, Outcome, Results } from '../../types/index.js' */
/** @import { Axis } from '../../cell/axes.js' */

/** @typedef {{ old: MeasuredOutcome, new: MeasuredOutcome }} MatchedPair */

/** @param {Record<string, unknown>} record @returns {string} a text that does not depend on the order of the keys */
function sortedText(record) {
  return Object.entries(record)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

/**
 * @param {Cell} cell
 * @returns {string} a key of all properties, also those of later versions
 */
function cellKey({ settings, ...rest }) {
  return JSON.stringify([sortedText(rest), sortedText(settings)]);
}

/** @param {Outcome[]} outcomes @returns {Map<string, Outcome>} */
function byKey(outcomes) {
  return new Map(outcomes.map((outcome) => [cellKey(outcome.cell), outcome]));
}

/** @param {Outcome | undefined} outcome @returns {string | null} why the cell was not measured; null if it was */
function notMeasuredReason(outcome) {
  if (outcome === undefined) return 'not in the plan';
  if (outcome.status === 'skipped') return `skipped: ${outcome.reason}`;
  return outcome.status === 'failed' ? `failed: ${outcome.message}` : null;
}

/**
 * @param {Pick<Results, 'outcomes'>} old
 * @param {Pick<Results, 'outcomes'>} newSide the new side
 * @param {Design} design
 * @returns {{ pairs: MatchedPair[], missing: MissingCell[] }} in the order of the old plan, then of the new one; without cells that no side
 *   tried to measure
 */
export function matchCells(old, newSide, design) {
  const [oldByKey, newByKey] = [byKey(old.outcomes), byKey(newSide.outcomes)];
  /** @type {MatchedPair[]} */
  const pairs = [];
  /** @type {MissingCell[]} */
  const missing = [];
  for (const key of new Set([...oldByKey.keys(), ...newByKey.keys()])) {
    const [before, after] = [oldByKey.get(key), newByKey.get(key)];
    const isInBoth = before?.status === 'measured' && after?.status === 'measured';
    if (!isInBoth) missing.push(...missingCell(before, after));
    else if (design === 'separate' || sharesGroup(before, after)) pairs.push({ old: before, new: after });
    else missing.push({ cell: before.cell, side: 'both', reason: 'no group in which both were launched' });
  }
  return { pairs, missing };
}

/** @param {MeasuredOutcome} before @param {MeasuredOutcome} after */
function sharesGroup(before, after) {
  const groups = new Set(before.launches.map(({ group }) => group));
  return after.launches.some(({ group }) => groups.has(group));
}

/**
 * @param {Outcome | undefined} before
 * @param {Outcome | undefined} after   at least one of the two is not measured
 * @returns {MissingCell[]} one at most
 */
function missingCell(before, after) {
  const [whyNotBefore, whyNotAfter] = [notMeasuredReason(before), notMeasuredReason(after)];
  const cell = before?.cell ?? after?.cell;
  if (cell === undefined) return [];
  if (whyNotBefore === null) return [{ cell, side: 'new', reason: whyNotAfter ?? '' }];
  if (whyNotAfter === null) return [{ cell, side: 'old', reason: whyNotBefore }];
  if (after?.status === 'failed') return [{ cell, side: 'both', reason: whyNotAfter }];
  return before?.status === 'failed' ? [{ cell, side: 'both', reason: whyNotBefore }] : [];
}

/**
 * @param {Pick<Results, 'outcomes'>} old
 * @param {Pick<Results, 'outcomes'>} newSide
 * @param {{ old: string, new: string }} names of the sides
 * @param {readonly Axis[]} [axes]
 * @returns {string} the reason why two results have no measured cell in common
 */
export function differenceInCells(old, newSide, names, axes = AXES) {
  const cells = [old, newSide].map(({ outcomes }) =>
    outcomes.filter(({ status }) => status === 'measured').map(({ cell }) => cell),
  );
  if (cells[0].length === 0 || cells[1].length === 0) {
    return `nothing was measured in ${cells[0].length === 0 ? names.old : names.new}`;
  }
  const differing = axes.flatMap(({ title, text }) => {
    const [oldTexts, newTexts] = cells.map((own) => [...new Set(own.map(text))].sort());
    if (oldTexts.some((value) => newTexts.includes(value))) return [];
    return [`${title} is ${oldTexts.join(', ')} in ${names.old} and ${newTexts.join(', ')} in ${names.new}`];
  });
  if (differing.length > 0) return differing.join('; ');
  const [first] = cells[0];
  return `each value occurs in both, but in other cells: ${printable(cellLabel(first))} is in ${names.old} only`;
}

/** @param {Cell} cell @returns {Cell} */
function withoutRuntime({ runtime: _, ...cell }) {
  return cell;
}

/**
 * Cells are paired by their whole label first, then by the label without the runtime, then by group, then by group without the placement.
 * @type {((cell: Cell) => string)[]}
 */
const PAIRING_LABELS = [cellLabel, (cell) => cellLabel(withoutRuntime(cell)), groupLabel, unheadedLabel];

/**
 * @param {Cell[]} oldCells
 * @param {Cell[]} newCells
 * @param {{ old: string, new: string }} names of the variants
 * @returns {Map<string, Cell>} the old cell of each new cell, by the label of the new one
 * @throws {BenchError} NOT_COMPARABLE
 */
export function pairedCells(oldCells, newCells, names) {
  /** @type {Map<string, Cell>} */
  const pairs = new Map();
  let [olds, news] = [oldCells, newCells];
  for (const labelOf of PAIRING_LABELS) {
    const partners = groupedBy(news, labelOf);
    olds = olds.filter((cell) => {
      const partner = partners.get(labelOf(cell))?.shift();
      if (partner !== undefined) pairs.set(cellLabel(partner), cell);
      return partner === undefined;
    });
    news = news.filter((cell) => !pairs.has(cellLabel(cell)));
  }
  rejectUnpaired(olds, news, names);
  return pairs;
}

/**
 * @param {Cell[]} olds   cells without a partner
 * @param {Cell[]} news   cells without a partner
 * @param {{ old: string, new: string }} names
 * @throws {BenchError} NOT_COMPARABLE
 */
function rejectUnpaired(olds, news, names) {
  const [first] = [...olds, ...news];
  if (first === undefined) return;
  const question = unheadedLabel(first);
  const [ofOld, ofNew] = [olds, news].map(
    (cells) => groupedBy(cells, unheadedLabel).get(question)?.length ?? 0,
  );
  const what = `${names.old} has ${counted(ofOld, 'cell', 'cells')} of ${question} that ${names.new} does not have, and ${names.new} ${ofNew} that ${names.old} does not have`;
  const next = 'Each needs a partner: let both have as many transports and codecs, and the same questions';
  throw new BenchError('NOT_COMPARABLE', `the variants do not pair: ${what}. ${next}.`);
}

/** @param {Results} old @param {Results} fresh @returns {boolean} true for the two sides of one `compare --run` */
export function areInterleaved({ variant: one }, { variant: other }) {
  return one !== undefined && other !== undefined && one.runId === other.runId && one.name !== other.name;
}

/**
 * @param {Results} old
 * @param {Results} newSide interleaved with it
 * @returns {[old: Results, fresh: Results]} both results, in which partners have equal cells: the cell of the old side, without the runtime
 *   if each side has a single runtime and these differ
 */
export function alignedSides(old, newSide) {
  const names = { old: old.variant?.name ?? 'old', new: newSide.variant?.name ?? 'new' };
  /** @param {Results} results */
  const cellsOf = ({ outcomes }) => outcomes.map(({ cell }) => cell);
  const pairs = pairedCells(cellsOf(old), cellsOf(newSide), names);
  const runtimes = [cellsOf(old), cellsOf(newSide)].map(
    (cells) => new Set(cells.map(({ runtime }) => runtime)),
  );
  const [ofOld, ofFresh] = runtimes.map((each) => [...each].join());
  const areOther = runtimes.every(({ size }) => size === 1) && ofOld !== ofFresh;
  /** @type {(cell: Cell) => Cell} */
  const shown = areOther ? withoutRuntime : (cell) => cell;
  /** @param {Results} results @param {(cell: Cell) => Cell} cellOf */
  const withCells = (results, cellOf) => ({
    ...results,
    outcomes: results.outcomes.map((outcome) => ({ ...outcome, cell: shown(cellOf(outcome.cell)) })),
  });
  return [withCells(old, (cell) => cell), withCells(newSide, (cell) => pairs.get(cellLabel(cell)) ?? cell)];
}
