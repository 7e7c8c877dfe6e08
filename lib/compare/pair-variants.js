// Two variants that were measured in the same blocks → which cell of one stands for which cell of the other. Cells that
// are equal belong together; the rest in the order of the plans, as long as both answer the same question.

import { BenchError } from '../errors.js';
import { cellLabel, shapeLabel } from '../labels.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Results} Results */

/** @param {Cell} cell @returns {string} what was asked, of whatever transport, codec and placement */
function questionOf(cell) {
  const load = cell.ratePerSecond === undefined ? '' : ` at ${cell.ratePerSecond}/s`;
  return `${cell.scenario} ${shapeLabel(cell)} ${cell.payloadBytes} B${load}`;
}

/** @param {Cell[]} cells @returns {Map<string, Cell[]>} */
function byQuestion(cells) {
  /** @type {Map<string, Cell[]>} */
  const groups = new Map();
  for (const cell of cells) groups.set(questionOf(cell), [...(groups.get(questionOf(cell)) ?? []), cell]);
  return groups;
}

/**
 * @param {Cell[]} oldCells
 * @param {Cell[]} newCells
 * @param {{ old: string, new: string }} names of the variants
 * @returns {Map<string, Cell>} label of a new cell → its old cell
 * @throws {BenchError} NOT_COMPARABLE
 */
export function pairedCells(oldCells, newCells, names) {
  const newLabels = new Set(newCells.map(cellLabel));
  const oldByLabel = new Map(oldCells.map((cell) => [cellLabel(cell), cell]));
  const pairs = new Map([...oldByLabel].filter(([label]) => newLabels.has(label)));
  const oldRest = byQuestion(oldCells.filter((cell) => !pairs.has(cellLabel(cell))));
  const newRest = byQuestion(newCells.filter((cell) => !pairs.has(cellLabel(cell))));
  for (const question of new Set([...oldRest.keys(), ...newRest.keys()])) {
    const [olds, news] = [oldRest.get(question) ?? [], newRest.get(question) ?? []];
    if (olds.length !== news.length) {
      const what = `${names.old} has ${olds.length} cells of ${question} that ${names.new} has not, and ${names.new} ${news.length} that ${names.old} has not`;
      const next = 'Each needs a partner: let both have as many transports and codecs, and the same payloads';
      throw new BenchError('NOT_COMPARABLE', `the variants do not pair: ${what}. ${next}.`);
    }
    for (const [place, cell] of news.entries()) pairs.set(cellLabel(cell), olds[place]);
  }
  return pairs;
}

/**
 * @param {Results} old
 * @param {Results} fresh
 * @returns {boolean} they are the two sides of one `compare --run`
 */
export function areInterleaved({ variant: one }, { variant: other }) {
  return one !== undefined && other !== undefined && one.runId === other.runId && one.name !== other.name;
}

/**
 * @param {Results} old
 * @param {Results} fresh interleaved with it
 * @returns {Results} the new side, its cells called as their partners are
 */
export function alignedTo(old, fresh) {
  const names = { old: old.variant?.name ?? 'old', new: fresh.variant?.name ?? 'new' };
  const cellsOf = (/** @type {Results} */ { outcomes }) => outcomes.map(({ cell }) => cell);
  const pairs = pairedCells(cellsOf(old), cellsOf(fresh), names);
  const outcomes = fresh.outcomes.map((outcome) => ({
    ...outcome,
    cell: pairs.get(cellLabel(outcome.cell)) ?? outcome.cell,
  }));
  return { ...fresh, outcomes };
}
