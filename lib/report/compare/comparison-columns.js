// The columns of a comparison, for the terminal and for Markdown, and what must be said below them.

import { formatInterval, formatRatioInterval, NOTHING } from '../../format/numbers.js';
import { flagMark } from '../../format/result-flags.js';
import { ALPHA } from '../../statistics/verdict.js';
import { cellName } from '../text/groups.js';
import { effectText, isCounted, roughCount, verdictText } from './comparison-words.js';

/** @import { ComparedMeasure, ComparedRow, Comparison } from '../../types/index.js' */
/**
 * @typedef {object} ComparisonColumn
 * @property {string} span
 * @property {string} title
 * @property {'left' | 'right' | 'first word'} align
 * @property {(row: ComparedRow) => string} text
 * @property {(row: ComparedRow) => number | null} [value]   to sort by; absent: its text
 */

const LEAST_P_SHOWN = 0.001;
const STAR = '*';

/** @param {number | null} p @returns {string} '0.012', '<0.001' */
function pText(p) {
  if (p === null) return NOTHING;
  return p < LEAST_P_SHOWN ? `<${LEAST_P_SHOWN}` : p.toFixed(3);
}

/** @param {ComparedRow} row @returns {boolean} it would be a difference if it were the only row */
export function hasStar({ p }) {
  return p !== null && p <= ALPHA;
}

/** @param {ComparedRow['flags']} flags @returns {string} marks, of one side where the other has none */
function flagsText({ old, new: fresh }) {
  const marks = (/** @type {string[]} */ codes) => codes.map(flagMark).join('') || NOTHING;
  if (old.length + fresh.length === 0) return '';
  return marks(old) === marks(fresh) ? marks(old) : `${marks(old)}/${marks(fresh)}`;
}

/** @param {ComparedRow} row @param {number} minEffect @returns {string} 'inconclusive, +14' */
function fullVerdict(row, minEffect) {
  const { moreLaunches } = row;
  return `${verdictText(row, minEffect)}${moreLaunches === null ? '' : `, +${roughCount(moreLaunches)}`}`;
}

/**
 * @param {Pick<Comparison, 'rows' | 'minEffect' | 'old' | 'new'>} comparison
 * @param {ComparedMeasure} measure that all rows of the table have
 * @returns {ComparisonColumn[]}
 */
export function comparisonColumns({ rows, minEffect, old, new: fresh }, measure) {
  const { title, unit } = measure;
  const span = isCounted(measure) ? title : `${title}, ${unit}`;
  const ratioSpan = isCounted(measure) ? 'throughput ratio' : 'speed ratio';
  /** @type {ComparisonColumn[]} */
  const columns = [
    { span: '', title: 'transport/codec', align: 'left', text: ({ cell }) => cellName(cell) },
    {
      span,
      title: `${old.name} (95 %)`,
      align: 'first word',
      text: (row) => formatInterval(row.old),
      value: (row) => row.old.estimate,
    },
    {
      span,
      title: `${fresh.name} (95 %)`,
      align: 'first word',
      text: (row) => formatInterval(row.new),
      value: (row) => row.new.estimate,
    },
    {
      span: ratioSpan,
      title: `${fresh.name}/${old.name} (95 %)`,
      align: 'first word',
      text: ({ ratio }) => formatRatioInterval(ratio),
      value: ({ ratio }) => ratio.estimate,
    },
    { span: '', title: 'verdict', align: 'left', text: (row) => fullVerdict(row, minEffect) },
    {
      span: 'p',
      title: 'alone',
      align: 'left',
      text: (row) => pText(row.p) + (hasStar(row) ? STAR : ''),
      value: ({ p }) => p,
    },
    {
      span: 'p',
      title: 'Holm',
      align: 'left',
      text: ({ adjustedP }) => pText(adjustedP),
      value: ({ adjustedP }) => adjustedP,
    },
    {
      span: '',
      title: 'finds',
      align: 'right',
      text: ({ verdict, detectableRatio }) => {
        if (verdict === 'faster' || verdict === 'slower' || detectableRatio === null) return NOTHING;
        return `≥ ${effectText(detectableRatio)}`;
      },
      value: ({ detectableRatio }) => detectableRatio,
    },
  ];
  const hasFlags = rows.some(({ flags }) => flags.old.length + flags.new.length > 0);
  return hasFlags
    ? [...columns, { span: '', title: 'flags', align: 'left', text: ({ flags }) => flagsText(flags) }]
    : columns;
}
