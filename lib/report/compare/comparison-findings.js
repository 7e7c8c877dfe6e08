// A comparison of two runs as findings: controls that differ, the number of rows with each verdict, rows that differ or are undecided, the
// farthest apart first, rows that do not differ, the other controls, and what the comparison lacks.

import { seriesLabel } from '../../cell/labels.js';
import { makeFinding } from '../findings/finding.js';
import { headingNamer } from '../findings/groups.js';
import { unrankedBy } from '../findings/row-verdicts.js';

/** @import { ComparedRow, Comparison, Finding, FoundRow, RowVerdict } from '../../types/index.js' */

const MAX_CELLS = 3;
const VERDICTS = /** @type {const} */ (['slower', 'faster', 'inconclusive', 'same']);

/** @param {Omit<Comparison, 'findings'>} comparison @returns {Finding[]} */
export function comparisonFindings(comparison) {
  const { rows, controls, missing, design, minEffect, old, new: newSide } = comparison;
  /** @param {ComparedRow['verdict']} verdict */
  const rowsWith = (verdict) => rows.filter((row) => row.verdict === verdict);
  const sides = { old: old.name, new: newSide.name, design };
  const headingOf = headingNamer([...rows, ...controls]);
  /** @param {ComparedRow} row */
  const rowOf = ({ cell, ratio, verdict }) => ({
    row: seriesLabel(cell),
    heading: headingOf(cell),
    ratio,
    ...(verdict !== 'same' && { verdict: VERDICT_CODES[verdict] }),
  });
  const moved = controls.filter(({ isBeyond }) => isBeyond);
  const unjudged = controls.filter(({ why }) => why !== null);
  const unmoved = controls.filter(({ isBeyond, why }) => !isBeyond && why === null);
  return [
    ...moved.map((row) =>
      makeFinding('control-moved', {
        rows: [rowOf(row)],
        against: old.name,
        ratio: row.ratio,
        verdict: row.ratio.estimate < 1 ? 'worse' : 'better',
        numbers: { launches: row.ratio.n },
        names: sides,
        measure: row.measure,
      }),
    ),
    makeFinding('compared', {
      against: old.name,
      numbers: { rows: rows.length, minEffect, ...countVerdicts(rows) },
      names: sides,
    }),
    .../** @type {const} */ (['slower', 'faster', 'inconclusive']).flatMap((verdict) => {
      const sorted = rowsWith(verdict).toSorted(
        (one, other) => computeDistance(other) - computeDistance(one),
      );
      const shown = sorted.slice(0, MAX_CELLS).map((row) =>
        verdict === 'inconclusive'
          ? undecidedFinding(row, rowOf(row), rows.length, sides)
          : makeFinding('side-differs', {
              rows: [rowOf(row)],
              against: old.name,
              ratio: row.ratio,
              verdict: VERDICT_CODES[verdict],
              numbers: { minEffect, beyond: Number(row.isBeyond), launches: row.ratio.n },
              names: sides,
              measure: row.measure,
            }),
      );
      const more = sorted.length - MAX_CELLS;
      return more > 0
        ? [...shown, makeFinding('more-rows', { numbers: { rows: more }, names: { verdict } })]
        : shown;
    }),
    ...(rowsWith('same').length === 0
      ? []
      : [
          makeFinding('side-same', {
            rows: rowsWith('same').map(rowOf),
            numbers: { minEffect },
            names: sides,
          }),
        ]),
    ...(unmoved.length === 0 ? [] : [unmovedFinding(unmoved, rowOf)]),
    ...unjudged.map((row) => makeFinding('control-unjudged', { rows: [rowOf(row)], why: row.why })),
    ...(missing.length === 0 ? [] : [makeFinding('not-compared', { numbers: { rows: missing.length } })]),
    ...(design === 'separate' ? [makeFinding('not-interleaved', {})] : []),
  ];
}

/** @param {ComparedRow[]} controls @param {(row: ComparedRow) => FoundRow} rowOf @returns {Finding} */
function unmovedFinding(controls, rowOf) {
  const ratios = controls.map((row) => row.detectableRatio ?? Number.POSITIVE_INFINITY);
  const greatest = Math.max(...ratios);
  return makeFinding('control-unmoved', {
    rows: controls.map(rowOf),
    numbers: { detectableRatio: Number.isFinite(greatest) ? greatest : null },
  });
}

/** @type {Readonly<Record<Exclude<ComparedRow['verdict'], 'same'>, RowVerdict>>} */
const VERDICT_CODES = Object.freeze({ slower: 'worse', faster: 'better', inconclusive: 'unclear' });

/**
 * @param {readonly ComparedRow[]} rows
 * @returns {Record<string, number>} how many rows have each verdict, and how many of these differ by more than the least effect of interest
 */
export function countVerdicts(rows) {
  /** @param {ComparedRow['verdict']} wanted */
  const count = (wanted, isBeyond = false) =>
    rows.filter((row) => row.verdict === wanted && (!isBeyond || row.isBeyond)).length;
  return {
    ...Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])),
    slowerBeyond: count('slower', true),
    fasterBeyond: count('faster', true),
  };
}

/** @param {ComparedRow} row @returns {number} |ln ratio|, the distance of its ratio from 1 */
const computeDistance = ({ ratio }) => Math.abs(Math.log(ratio.estimate));

/**
 * @param {ComparedRow} row
 * @param {FoundRow} found
 * @param {number} cells   number of compared cells
 * @param {Record<string, string>} sides
 * @returns {Finding}
 */
function undecidedFinding(row, found, cells, sides) {
  const { ratio, why, moreLaunches, detectableRatio, flags, p, adjustedP } = row;
  const unranked = unrankedBy([...flags.old, ...flags.new]);
  return makeFinding('side-undecided', {
    rows: [found],
    against: sides.old,
    ratio,
    verdict: 'unclear',
    why,
    numbers: { p, adjustedP, cells, detectableRatio, moreLaunches },
    names: sides,
    remedy: moreLaunches === null ? (unranked ?? 'add-launches') : 'add-launches',
  });
}
