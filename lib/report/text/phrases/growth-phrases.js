// Phrases on how the cost of an operation changes along a quantity.

import { article, groupedBy, listed } from '../../../format/lists.js';
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatPercent,
  formatRatio,
  spanText,
} from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { TOLERATED_GROWTH } from '../../../results/thresholds.js';
import { scaleEstimate } from '../../../statistics/estimate.js';
import { ratioText } from '../measure-words.js';

/** @import { Estimate, Finding, FoundRow } from '../../../types/index.js' */
/** @typedef {FoundRow & { ratio: Estimate, names: Record<string, string>, numbers: Record<string, number> }} GrowthRow */

const NAMES_SHOWN = 3;
const NAMED_IN_BRIEF = 2;
const BYTES_PER_STEP = 1_024;

/**
 * @typedef {object} QuantityWords
 * @property {string} of          'the loops', 'the payload'
 * @property {string} more        'more loops', 'a greater payload'
 * @property {string} step        unit of the increase: 'loop', 'KiB'
 * @property {number} size        size of a step in units of the quantity
 * @property {(value: number | null) => string} text   '64 loops', '10 KiB'
 */

/** @param {Finding} finding @returns {QuantityWords} */
function quantityWords({ names: { axis, unit } }) {
  if (axis === 'payloadBytes' && unit === undefined)
    return {
      of: 'the payload',
      more: 'a greater payload',
      step: 'KiB',
      size: BYTES_PER_STEP,
      text: (value) => formatBytes(Number(value)),
    };
  const many = printable(unit ?? axis);
  const step = many.replace(/s$/, '');
  return {
    of: `the ${many}`,
    more: `more ${many}`,
    step,
    size: 1,
    text: (value) => `${formatCount(Number(value))} ${value === 1 ? step : many}`,
  };
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

/** @typedef {'flat' | 'falls' | 'grows' | 'mixed' | 'unclear'} PhrasedChange   mixed: the change differs between groups of rows */

/**
 * Claims in the order in which a sentence makes them.
 * @type {readonly [PhrasedChange, claim: string, detail: (rows: GrowthRow[], finding: Finding) => string][]}
 */
const CLAIMS = [
  ['flat', `stays within ${formatPercent(TOLERATED_GROWTH - 1)} for`, () => ''],
  ['falls', 'falls for', fallText],
  ['grows', 'grows for', growthText],
  ['mixed', 'depends on the other axes for', () => ''],
  ['unclear', 'does not change clearly for', () => ''],
];

/** @param {GrowthRow[]} rows   all falling @returns {string} ' to 0.41× (0.38–0.44)' */
function fallText(rows) {
  if (rows.length === 1) return ` to ${ratioText(rows[0])}`;
  const estimates = rows.map(({ ratio }) => ratio.estimate);
  return ` to ${spanText(estimates, '–', formatRatio)}`;
}

/** @param {GrowthRow[]} rows @param {Finding} finding @returns {string} ' by 2.10 µs (2.00–2.30) for each KiB beyond 1,000 B' */
function growthText(rows, finding) {
  const { step, size, text } = quantityWords(finding);
  const { first, last } = finding.numbers;
  const perStep = rows.flatMap(({ value }) => (value === undefined ? [] : scaleEstimate(value, size)));
  const us =
    perStep.length === 1
      ? formatInterval(perStep[0], ' µs')
      : `${spanText(perStep.map(({ estimate }) => estimate))} µs`;
  const sameTo = Math.min(...rows.map(({ numbers }) => numbers.sameTo));
  const each = sameTo === first ? `each further ${step}` : `each ${step} beyond ${text(sameTo)}`;
  const [role, ...otherRoles] = new Set(rows.map(({ names }) => names.mainRole));
  const perPiece = rows.map(({ ratio }) => (ratio.estimate * Number(first)) / Number(last));
  const details = [
    ...(otherRoles.length > 0 || role === undefined ? [] : [`mostly in the ${printable(role)}`]),
    ...(finding.names.unit === undefined
      ? []
      : [`per ${step} it becomes ${spanText(perPiece, '–', formatRatio)}`]),
  ];
  return ` by ${us} for ${each}${details.length === 0 ? '' : ` (${details.join('; ')})`}`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const GROWTH_PHRASES = {
  'steep-growth'(finding) {
    const { rows, names, numbers } = finding;
    const { more, of, text } = quantityWords(finding);
    const payer = names.mainRole === undefined ? '' : `, most of it in the ${printable(names.mainRole)}`;
    const mayGrow = names.axis === 'payloadBytes' || toAllNoun(finding) !== undefined;
    const should = mayGrow ? `costs more than in proportion to ${of}` : `should not cost more with ${more}`;
    const factor = mayGrow ? ` (${formatRatio(Number(numbers.to) / Number(numbers.from))} ${of})` : '';
    return [
      `${printable(rows[0].row)} ${should}: ${operationWords(finding)} takes ${ratioText(finding)} the CPU time at ${text(numbers.to)} compared with ${text(numbers.from)}${factor}${payer}.`,
    ];
  },

  /**
   * 'From 1 loop to 64 loops the CPU time of a round trip stays within 25 % for unix/json; it …'; no sentence if the change of each series
   * is unclear or differs between groups of rows
   */
  growth(finding, isBrief) {
    const { numbers } = finding;
    const words = quantityWords(finding);
    const series = groupedBy(/** @type {GrowthRow[]} */ (finding.rows), ({ row }) => printable(row));
    /** @param {GrowthRow[]} own */
    const changeOf = (own) =>
      own.every(({ names }) => names.change === own[0].names.change) ? own[0].names.change : 'mixed';
    const byChange = groupedBy(series, ([, own]) => /** @type {PhrasedChange} */ (changeOf(own)));
    if (
      isBrief &&
      !['flat', 'falls', 'grows'].some((change) => byChange.has(/** @type {PhrasedChange} */ (change)))
    )
      return [];
    const claims = CLAIMS.flatMap(([change, claim, detail]) => {
      const rows = byChange.get(change) ?? [];
      const all = rows.flatMap(([, own]) => own);
      const texts =
        isBrief && rows.length > NAMED_IN_BRIEF
          ? [
              `${rows.length === series.size ? 'all' : `${rows.length} of`} ${series.size} rows${detail(all, finding)}`,
            ]
          : rows.map(([name, own]) => name + detail(own, finding));
      return texts.length === 0 ? [] : [`${claim} ${listed(texts, NAMES_SHOWN)}`];
    });
    const span = `From ${words.text(numbers.first)} to ${words.text(numbers.last)}`;
    return [`${span} the CPU time of ${operationWords(finding)} ${claims.join('; it ')}.`];
  },
};
