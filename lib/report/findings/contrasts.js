// Separates transport and codec: rows of one codec are compared by their transports, and rows of one transport by their codecs.
// row-verdicts.js computes the ratios and verdicts.

import { rankingScore } from '../../cell/headline.js';
import { seriesLabel, transportLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { foundComparison, foundGroup, makeFinding, measureFacts } from './finding.js';
import { comparisonIn } from './row-verdicts.js';

/** @import { Cell, Finding } from '../../types/index.js' */
/** @import { RowGroup } from './groups.js' */
/** @import { KindIn } from './transport-kinds.js' */
/** @import { ComparedOutcome } from './row-verdicts.js' */
/**
 * @typedef {'transport' | 'codec' | 'other'} Difference   other: in both, or in the runtime
 */
/**
 * Rows that differ in the same way from the rows with which they are compared.
 * @typedef {object} RowContrast
 * @property {Difference} differsIn
 * @property {string} kind      the difference in kind of the transports, as returned by KindIn
 * @property {string} codec     codec of the rows that differ in transport; the other codecs are compared with this one
 * @property {string} base      base of the comparison: a transport, a codec, or the reference
 * @property {Cell | null} baseCell   null unless all rows have one base and differ from it in transport or codec only
 * @property {{ carrier: string, cell: Cell, at: (ComparedOutcome | null)[] }[]} rows   in the order of the plan. `carrier` is the
 *   label without the codec, and `at` has the result for each group
 */

/** @param {Cell} cell @returns {string} the label of the row without its codec */
export function carrierLabel(cell) {
  return transportLabel(cell) + (cell.runtime === undefined ? '' : ` on ${cell.runtime}`);
}

/** @param {readonly { cell: Cell }[]} outcomes @returns {boolean} true if the rows differ both in transport and in codec */
export function isMixed(outcomes) {
  /** @param {(cell: Cell) => string} read */
  const count = (read) => new Set(outcomes.map(({ cell }) => read(cell))).size;
  return count(transportLabel) > 1 && count(({ codec }) => codec) > 1;
}

/**
 * @param {Cell[]} cells   at least one
 * @param {string} reference
 * @returns {Cell} the reference; if no other transport has its codec, but others share one, a row of the codec that most transports have
 */
function findBase(cells, reference) {
  const ofReference = cells.find((cell) => seriesLabel(cell) === reference);
  /** @param {Cell} cell */
  const spread = ({ codec }) => new Set(cells.filter((cell) => cell.codec === codec).map(carrierLabel)).size;
  if (ofReference !== undefined && spread(ofReference) > 1) return ofReference;
  const most = Math.max(...cells.map(spread));
  if (most === 1 && ofReference !== undefined) return ofReference;
  const widest = cells.filter((cell) => spread(cell) === most);
  const ofCarrier = ofReference && widest.find((cell) => carrierLabel(cell) === carrierLabel(ofReference));
  return ofCarrier ?? widest[0];
}

/**
 * @param {RowGroup[]} groups      in closed loops, of one scenario
 * @param {string} reference    label of a row
 * @param {KindIn} kindIn
 * @returns {RowContrast[]} transports first
 */
export function contrastsIn(groups, reference, kindIn) {
  const cells = new Map(
    groups.flatMap(({ measured }) => measured.map(({ cell }) => [seriesLabel(cell), cell])),
  );
  const alike = [...cells.values()].filter((cell) => kindIn(cell) === '');
  if (alike.length === 0) return [];
  const base = findBase(alike, reference);
  /** @type {(cell: Cell) => { differsIn: Difference, to: string }} */
  const differenceOf = (cell) => {
    const sameCarrier = seriesLabel({ ...cell, codec: base.codec });
    if (cell.codec !== base.codec && cells.has(sameCarrier)) return { differsIn: 'codec', to: sameCarrier };
    if (cell.codec === base.codec && cell.runtime === base.runtime)
      return { differsIn: 'transport', to: seriesLabel(base) };
    return { differsIn: 'other', to: reference };
  };
  const comparisons = groups.map(({ measured }) => comparisonIn(measured, kindIn));
  const rows = [...cells].flatMap(([label, cell]) => {
    const { differsIn, to } = differenceOf(cell);
    if (to === label) return [];
    const kind = differsIn === 'codec' ? '' : kindIn(cell);
    const at = comparisons.map((compare) => compare(label, to));
    return at.every((compared) => compared === null)
      ? []
      : [{ differsIn, kind, carrier: carrierLabel(cell), cell, at }];
  });
  const bases = { transport: carrierLabel(base), codec: base.codec, other: reference };
  return /** @type {const} */ (['transport', 'codec', 'other']).flatMap((differsIn) => {
    const own = groupedBy(
      rows.filter((row) => row.differsIn === differsIn),
      ({ kind }) => kind,
    );
    return [...own].map(([kind, some]) => {
      const [{ carrier, cell }] = some;
      const ofCarrier = some.every((row) => row.carrier === carrier) ? { ...cell, codec: base.codec } : null;
      return {
        differsIn,
        kind,
        codec: base.codec,
        base: bases[differsIn],
        baseCell: differsIn === 'codec' ? ofCarrier : differsIn === 'transport' ? base : null,
        rows: some,
      };
    });
  });
}

/**
 * @param {RowGroup} group
 * @param {string} reference   label of a row
 * @param {KindIn} kindIn
 * @returns {Finding[]} contrasts of rows of the reference's kind: transports with one codec, and codecs over one transport
 */
export function contrastFindings(group, reference, kindIn) {
  return contrastsIn([group], reference, kindIn)
    .filter(({ kind, differsIn }) => kind === '' && differsIn !== 'other')
    .flatMap((contrast) => {
      const { differsIn, codec, base } = contrast;
      const rows = contrast.rows
        .flatMap(({ carrier, at: [compared] }) => (compared === null ? [] : { carrier, compared }))
        .sort((one, other) => rankingScore(other.compared.outcome) - rankingScore(one.compared.outcome));
      const byCarrier =
        differsIn === 'codec'
          ? [...groupedBy(rows, ({ carrier }) => carrier)]
          : [/** @type {const} */ (['', rows])];
      return byCarrier.map(([carrier, own]) =>
        contrastFinding(group, { differsIn, codec, base, ...(carrier !== '' && { carrier }) }, own),
      );
    });
}

/**
 * @param {RowGroup} group
 * @param {Record<string, string>} names
 * @param {{ carrier: string, compared: ComparedOutcome }[]} rows   at least one
 * @returns {Finding}
 */
function contrastFinding(group, names, rows) {
  const [{ compared }] = rows;
  const found = rows.map(({ carrier, compared: row }) => ({
    ...foundComparison(row),
    names: { carrier, codec: row.outcome.cell.codec },
  }));
  const [{ ratio, verdict, why }] = found;
  return makeFinding('contrast', {
    group: foundGroup(group),
    rows: found,
    against: compared.base === null ? names.base : seriesLabel(compared.base.cell),
    ratio,
    verdict,
    why,
    names,
    measure: measureFacts(compared.outcome),
  });
}
