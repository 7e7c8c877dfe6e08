// A comparison of two runs as findings: controls that differ, the number of rows with each verdict, rows that differ or are undecided, the
// farthest apart first, the other controls, and what the comparison lacks.

import { seriesLabel } from '../../cell/labels.js';
import { groupedBy, ifAny, shortened } from '../../format/lists.js';
import { makeFinding } from '../findings/finding.js';
import { unrankedBy } from '../findings/row-verdicts.js';
import { placeNamer } from '../findings/scope.js';

/** @import { ComparedRow, Comparison, Finding, FoundRow } from '../../types/index.js' */

const MAX_ROWS_NAMED = 3; // of each verdict
const MAX_REASON_LENGTH = 160; // The missing cells have the whole reason.
const CODES = /** @type {const} */ ({ slower: 'worse', faster: 'better', inconclusive: 'unclear' });

/** @param {Omit<Comparison, 'findings'>} comparison @returns {Finding[]} */
export function comparisonFindings(comparison) {
  const { rows, controls, missing, design } = comparison;
  const headingOf = placeNamer([...rows, ...controls, ...missing]);
  /** @param {{ cell: ComparedRow['cell'] }} row @returns {FoundRow} */
  const nameOf = ({ cell }) => ({ row: seriesLabel(cell), heading: headingOf(cell) });
  const [judged, unjudged] = [true, false].map((isJudged) =>
    controls.filter(({ why }) => (why === null) === isJudged),
  );
  const moved = controls.filter(({ isBeyond }) => isBeyond);
  const byReason = groupedBy(missing, ({ side, reason }) => `${side} ${reason}`);
  return [
    ...moved.map((row) => differenceFinding('control-moved', comparison, row, nameOf(row))),
    comparedFinding(comparison),
    .../** @type {const} */ (['slower', 'faster', 'inconclusive']).flatMap((verdict) => {
      const sorted = rows
        .filter((row) => row.verdict === verdict)
        .toSorted(
          (one, other) =>
            Number(other.isBeyond) - Number(one.isBeyond) || computeDistance(other) - computeDistance(one),
        );
      const more = sorted.length - MAX_ROWS_NAMED;
      return [
        ...sorted
          .slice(0, MAX_ROWS_NAMED)
          .map((row) =>
            verdict === 'inconclusive'
              ? undecidedFinding(comparison, row, nameOf(row))
              : differenceFinding('side-differs', comparison, row, nameOf(row)),
          ),
        ...(more > 0 ? [makeFinding('more-rows', { numbers: { rows: more }, names: { verdict } })] : []),
      ];
    }),
    ...(moved.length > 0 ? [] : ifAny(judged, () => unmovedFinding(judged, nameOf))),
    ...unjudged.map((row) => makeFinding('control-unjudged', { rows: [nameOf(row)], why: row.why })),
    ...[...byReason.values()].map((alike) => {
      const [{ side, reason }] = alike;
      const name = side === 'both' ? '' : comparison[side].name;
      const names = { side: name, reason: shortened(reason, MAX_REASON_LENGTH) };
      return makeFinding('not-compared', { rows: alike.map(nameOf), names });
    }),
    ...(design === 'separate' ? [makeFinding('not-interleaved', {})] : []),
  ];
}

/** @param {Pick<Comparison, 'old' | 'new' | 'design'>} comparison @returns {Record<string, string>} */
const sidesOf = ({ old, new: newSide, design }) => ({ old: old.name, new: newSide.name, design });

/**
 * @param {Pick<Comparison, 'rows' | 'controls' | 'minEffect' | 'old' | 'new' | 'design'>} comparison
 * @returns {Finding} how many rows have each verdict, and how many of these differ by more than the least effect of interest
 */
export function comparedFinding(comparison) {
  const { rows, controls, minEffect, old } = comparison;
  /** @param {ComparedRow['verdict']} wanted */
  const count = (wanted, isBeyond = false) =>
    rows.filter((row) => row.verdict === wanted && (!isBeyond || row.isBeyond)).length;
  return makeFinding('compared', {
    against: old.name,
    numbers: {
      rows: rows.length,
      minEffect,
      movedControls: controls.filter(({ isBeyond }) => isBeyond).length,
      slower: count('slower'),
      slowerBeyond: count('slower', true),
      faster: count('faster'),
      fasterBeyond: count('faster', true),
      inconclusive: count('inconclusive'),
      same: count('same'),
    },
    names: sidesOf(comparison),
  });
}

/**
 * @param {'control-moved' | 'side-differs'} kind
 * @param {Omit<Comparison, 'findings'>} comparison
 * @param {ComparedRow} row
 * @param {FoundRow} found
 * @returns {Finding}
 */
function differenceFinding(kind, comparison, { ratio, isBeyond, measure }, found) {
  const verdict = ratio.estimate < 1 ? CODES.slower : CODES.faster;
  return makeFinding(kind, {
    rows: [{ ...found, ratio, verdict }],
    against: comparison.old.name,
    ratio,
    verdict,
    numbers: { minEffect: comparison.minEffect, beyond: Number(isBeyond), launches: ratio.n },
    names: sidesOf(comparison),
    measure,
  });
}

/**
 * @param {ComparedRow[]} judged
 * @param {(row: ComparedRow) => FoundRow} nameOf
 * @returns {Finding} with the smallest movement that would have been detected in each of these controls
 */
function unmovedFinding(judged, nameOf) {
  const greatest = Math.max(...judged.map((row) => row.detectableRatio ?? Number.POSITIVE_INFINITY));
  return makeFinding('control-unmoved', {
    rows: judged.map((row) => ({ ...nameOf(row), ratio: row.ratio })),
    numbers: { detectableRatio: Number.isFinite(greatest) ? greatest : null },
  });
}

/** @param {ComparedRow} row @returns {number} |ln ratio|, the distance of its ratio from 1 */
const computeDistance = ({ ratio }) => Math.abs(Math.log(ratio.estimate));

/** @param {Omit<Comparison, 'findings'>} comparison @param {ComparedRow} row @param {FoundRow} found @returns {Finding} */
function undecidedFinding(comparison, row, found) {
  const { ratio, why, moreLaunches, detectableRatio, flags, p, adjustedP } = row;
  const verdict = CODES.inconclusive;
  return makeFinding('side-undecided', {
    rows: [{ ...found, ratio, verdict }],
    against: comparison.old.name,
    ratio,
    verdict,
    why,
    numbers: { p, adjustedP, cells: comparison.rows.length, detectableRatio, moreLaunches },
    names: sidesOf(comparison),
    remedy: unrankedBy([...flags.old, ...flags.new]) ?? 'add-launches',
  });
}
