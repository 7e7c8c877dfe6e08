// Phrases on how the cost of an operation changes along a quantity.

import { article, groupedBy, listed } from '../../../format/lists.js';
import {
  formatInterval,
  formatPercent,
  formatRatio,
  formatRatioRange,
  spanText,
} from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { KIB } from '../../../format/units.js';
import { TOLERATED_GROWTH } from '../../../results/thresholds.js';
import { scaleEstimate } from '../../../statistics/estimate.js';
import { ratioText } from '../measure-words.js';
import { nameOfRow } from '../names.js';
import { axisValueText } from '../quantity-words.js';

/** @import { Estimate, Finding, FoundRow } from '../../../types/index.js' */
/** @typedef {FoundRow & { ratio: Estimate, names: Record<string, string>, numbers: Record<string, number> }} GrowthRow */

const MAX_NAMED = 4; // if there are more rows, a sentence counts them

/**
 * @param {Finding} finding
 * @returns {{ of: string, more: string, step: string, size: number }} of: 'the loops', 'the payload'; more: 'more loops', 'a greater
 *   payload'; step: unit of the increase, 'loop' or 'KiB'; size: of a step in units of the quantity
 */
function quantityWords({ names: { axis, unit } }) {
  if (axis === 'payloadBytes' && unit === undefined)
    return { of: 'the payload', more: 'a greater payload', step: 'KiB', size: KIB };
  const many = printable(unit ?? axis);
  return { of: `the ${many}`, more: `more ${many}`, step: many.replace(/s$/, ''), size: 1 };
}

/** @param {Finding} finding @returns {string | undefined} noun of an operation with all workers, if their number varies */
function toAllNoun({ names, operation }) {
  return names.axis === 'workers' ? operation?.toAll : undefined;
}

/** @param {Finding} finding @returns {string} 'a round trip', 'a message to all workers (fan-out)' */
function operationWords(finding) {
  const toAll = toAllNoun(finding);
  const what = toAll === undefined ? (finding.operation?.one ?? '') : `${toAll} to all workers`;
  const { scenario } = finding.names;
  return printable(`${article(what)} ${what}${scenario === undefined ? '' : ` (${scenario})`}`);
}

/**
 * Claims in the order in which a sentence makes them, by the change that all rows of a series have.
 * @type {readonly [change: string, claim: string, detail: (rows: GrowthRow[], finding: Finding) => string][]}
 */
const CLAIMS = [
  ['flat', `stays within ${formatPercent(TOLERATED_GROWTH - 1)} for`, () => ''],
  ['falls', 'falls for', fallText],
  ['grows', 'grows for', growthText],
];

/** @param {GrowthRow[]} rows   all falling @returns {string} ' to 0.41× (0.38–0.44)', ' to 0.31–0.41×' */
function fallText(rows) {
  if (rows.length === 1) return ` to ${ratioText(rows[0])}`;
  const estimates = rows.map(({ ratio }) => ratio.estimate);
  return ` to ${formatRatioRange(estimates)}`;
}

/** @param {GrowthRow[]} rows @param {Finding} finding @returns {string} ' by 2.10 µs (2.00–2.30) for each KiB beyond 1,000 B' */
function growthText(rows, finding) {
  const { step, size } = quantityWords(finding);
  const { first, last } = finding.numbers;
  const perStep = rows.flatMap(({ value }) => (value === undefined ? [] : scaleEstimate(value, size)));
  const us =
    perStep.length === 1
      ? formatInterval(perStep[0], ' µs')
      : `${spanText(perStep.map(({ estimate }) => estimate))} µs`;
  const sameTo = Math.min(...rows.map(({ numbers }) => numbers.sameTo));
  const each =
    sameTo === first ? `each further ${step}` : `each ${step} beyond ${axisValueText(finding.names, sameTo)}`;
  const [role, ...otherRoles] = new Set(rows.map(({ names }) => names.mainRole));
  const perPiece = rows.map(({ ratio }) => (ratio.estimate * Number(first)) / Number(last));
  const details = [
    ...(otherRoles.length > 0 || role === undefined ? [] : [`mostly in the ${printable(role)}`]),
    ...(finding.names.unit === undefined ? [] : [`per ${step} it becomes ${formatRatioRange(perPiece)}`]),
  ];
  return ` by ${us} for ${each}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const GROWTH_PHRASES = {
  'steep-growth'(finding) {
    const { rows, names, numbers } = finding;
    const { more, of } = quantityWords(finding);
    const [from, to] = [numbers.from, numbers.to].map((value) => axisValueText(names, value));
    const payer = names.mainRole === undefined ? '' : `, most of it in the ${printable(names.mainRole)}`;
    const mayGrow = names.axis === 'payloadBytes' || toAllNoun(finding) !== undefined;
    const should = mayGrow ? `costs more than in proportion to ${of}` : `should not cost more with ${more}`;
    const factor = mayGrow ? ` (${formatRatio(Number(numbers.to) / Number(numbers.from))} ${of})` : '';
    return [
      `${nameOfRow(rows[0])} ${should}: ${operationWords(finding)} takes ${ratioText(finding)} the CPU time at ${to} compared with ${from}${factor}${payer}.`,
    ];
  },

  /** 'From 1 loop to 64 loops the CPU time of a round trip stays within 25 % for unix/json; it …'; none if no change is clear */
  growth(finding) {
    const { numbers, names } = finding;
    const series = [...groupedBy(/** @type {GrowthRow[]} */ (finding.rows), ({ row }) => printable(row))];
    const claims = CLAIMS.flatMap(([change, claim, detail]) => {
      const own = series.filter(([, rows]) => rows.every((row) => row.names.change === change));
      const all = own.flatMap(([, rows]) => rows);
      const which = own.length === series.length ? `all ${own.length}` : `${own.length} of ${series.length}`;
      const texts =
        own.length > MAX_NAMED
          ? [`${which} rows${detail(all, finding)}`]
          : own.map(([name, rows]) => name + detail(rows, finding));
      return texts.length === 0 ? [] : [`${claim} ${listed(texts)}`];
    });
    if (claims.length === 0) return [];
    const [first, last] = [numbers.first, numbers.last].map((value) => axisValueText(names, value));
    return [`From ${first} to ${last} the CPU time of ${operationWords(finding)} ${claims.join('; it ')}.`];
  },
};
