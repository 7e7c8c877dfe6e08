// Two variants that were measured in the same blocks → which cell of one corresponds to which cell of the other. Cells that
// are equal belong together; then those of one placement, and the rest, in the order of the plans, as long as both answer
// the same question.

import { cellLabel, groupLabel, placelessLabel } from '../../cell/labels.js';
import { BenchError } from '../../errors.js';
import { groupedBy } from '../../format/lists.js';

/** @import { Cell, Results } from '../../types/index.js' */

/** How alike two cells must be to pair, the most alike first. */
const LIKENESSES = [cellLabel, groupLabel, placelessLabel];

/**
 * @param {Cell[]} oldCells
 * @param {Cell[]} newCells
 * @param {{ old: string, new: string }} names of the variants
 * @returns {Map<string, Cell>} label of a new cell → its old cell
 * @throws {BenchError} NOT_COMPARABLE
 */
export function pairedCells(oldCells, newCells, names) {
  /** @type {Map<string, Cell>} */
  const pairs = new Map();
  let [olds, news] = [oldCells, newCells];
  for (const labelOf of LIKENESSES) {
    const partners = groupedBy(news, labelOf);
    olds = olds.filter((cell) => {
      const partner = partners.get(labelOf(cell))?.shift();
      if (partner !== undefined) pairs.set(cellLabel(partner), cell);
      return partner === undefined;
    });
    news = news.filter((cell) => !pairs.has(cellLabel(cell)));
  }
  refuseLonely(olds, news, names);
  return pairs;
}

/**
 * @param {Cell[]} olds   without a partner
 * @param {Cell[]} news   without a partner
 * @param {{ old: string, new: string }} names
 * @throws {BenchError} NOT_COMPARABLE
 */
function refuseLonely(olds, news, names) {
  const [first] = [...olds, ...news];
  if (first === undefined) return;
  const question = placelessLabel(first);
  const [ofOld, ofNew] = [olds, news].map(
    (some) => groupedBy(some, placelessLabel).get(question)?.length ?? 0,
  );
  const what = `${names.old} has ${ofOld} cells of ${question} that ${names.new} has not, and ${names.new} ${ofNew} that ${names.old} has not`;
  const next = 'Each needs a partner: let both have as many transports and codecs, and the same questions';
  throw new BenchError('NOT_COMPARABLE', `the variants do not pair: ${what}. ${next}.`);
}

/** @param {Results} old @param {Results} fresh @returns {boolean} they are the two sides of one `compare --run` */
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
