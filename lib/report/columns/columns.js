// The columns of the table of closed loops, for the terminal and for Markdown: what they are called and what stands in
// them. Those of open load are open-columns.js's.

import { commonOperation, headlineMeasure, readHeadline } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { shortened } from '../../format/lists.js';
import {
  formatInterval,
  formatRatio,
  formatRatioEnds,
  formatRatioInterval,
  hasRange,
  NOTHING,
  orNothing,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { findFloorRow, floorCpuUs, shareOfFloor } from '../../results/baseline-rows.js';
import { backpressureOfRow } from '../text/backpressure-words.js';
import { cellName, isMeasured } from '../text/groups.js';
import { measureTitle } from '../text/measure-words.js';
import { costColumns } from './cost-columns.js';
import { flagsColumn } from './flags-column.js';
import { mainTimeColumns, rateTitle, timeColumns, valueColumns } from './measure-columns.js';

/** @import { Estimate, FurtherColumn, MeasuredOutcome, Results } from '../../types/index.js' */
/** @import { WithFloor } from '../../results/baseline-rows.js' */
/**
 * @typedef {object} Column
 * @property {string} span      what it shares with its neighbours; '' where it stands alone
 * @property {string} title
 * @property {'left' | 'right' | 'first word'} align    first word: estimates right, intervals left
 * @property {(outcome: MeasuredOutcome) => string} text
 * @property {(outcome: MeasuredOutcome) => number | null | undefined} [value]   to sort by; absent: its text
 */
/**
 * @typedef {object} Whether    a column is shown
 * @property {boolean} [isShown]           false: it has nothing to show
 * @property {FurtherColumn} [further]     a first look does without it, --columns adds it by this name
 * @property {true} [isSum]                of columns that are shown where all are: for a first look instead of them
 * @property {(outcome: MeasuredOutcome) => string[]} [codes]   of the flags that its text marks
 * @property {string} [short]              all of its title, where a first look has one line of titles
 */
/** @typedef {Column & Whether} Choice */

const GREATEST_TITLE_LABEL = 30;

/**
 * @param {MeasuredOutcome[]} measured
 * @param {string} [what]    an interval is called
 * @returns {string} what stands beside the estimates, with a space before it; '' where nothing does
 */
export function intervalTitle(measured, what = ' interval') {
  const rates = measured.map(readHeadline).filter(hasRange);
  const levels = new Set(rates.map(({ level }) => level));
  const ranges = levels.has(null) ? ['[range]'] : [];
  const percents = [...levels].filter((level) => level !== null).map((level) => `(${level * 100} %${what})`);
  const titles = [...percents, ...ranges];
  return titles.length === 0 ? '' : ` ${titles.join(' or ')}`;
}

/** @param {string} reference @returns {(outcome: MeasuredOutcome) => string} */
function ratioText(reference) {
  return ({ cell, ratio }) => {
    if (ratio === null) return NOTHING;
    return seriesLabel(cell) === reference ? '1× (reference)' : formatRatioInterval(ratio);
  };
}

/**
 * @param {Choice[]} choices
 * @param {readonly FurtherColumn[]} [further]    beside those of a first look; left out: all columns
 * @returns {Choice[]} those that have something to show
 */
export function shownColumns(choices, further) {
  const fitting = choices.filter(({ isShown }) => isShown !== false);
  if (further === undefined) return fitting.filter(({ isSum }) => isSum === undefined);
  return fitting
    .filter((choice) => choice.further === undefined || further.includes(choice.further))
    .map((choice) =>
      choice.short === undefined || further.length > 0
        ? choice
        : { ...choice, span: '', title: choice.short },
    );
}

/**
 * @param {Pick<Results, 'outcomes' | 'reference' | 'controls' | 'floor' | 'options'>} results
 * @param {ReadonlySet<string>} shared   flags of all rows of the run
 * @returns {Choice[]}
 */
export function closedColumns(results, shared) {
  const { outcomes, reference, controls } = results;
  const measured = outcomes.filter(isMeasured);
  const has = (/** @type {(outcome: MeasuredOutcome) => boolean} */ isThere) => measured.some(isThere);
  const headline = headlineTitles(measured);
  const ratioTitle = `ratio to ${shortened(printable(reference), GREATEST_TITLE_LABEL)}`;
  return [
    { span: '', title: 'transport/codec', align: 'left', text: ({ cell }) => cellName(cell) },
    {
      span: headline.long,
      title: `estimate${intervalTitle(measured)}`,
      short: headline.short + intervalTitle(measured, ''),
      align: 'first word',
      text: (outcome) => formatInterval(readHeadline(outcome)),
      value: (outcome) => readHeadline(outcome).estimate,
    },
    {
      span: headline.long,
      title: ratioTitle,
      short: ratioTitle,
      align: 'first word',
      text: ratioText(reference),
      value: ({ ratio }) => ratio?.estimate,
      isShown: has(({ ratio }) => ratio !== null),
    },
    ...floorColumns(measured, results),
    flagsColumn(has, shared),
    ...mainTimeColumns(measured),
    ...valueColumns(measured),
    ...timeColumns(measured),
    {
      span: '',
      title: 'backpressure',
      align: 'left',
      text: (outcome) => backpressureOfRow(outcome) ?? NOTHING,
      isShown: has(({ backpressure }) => backpressure !== undefined),
    },
    ...costColumns(`CPU µs per ${printable(commonOperation(measured).one)}`, measured, controls),
  ];
}

/**
 * @param {MeasuredOutcome[]} measured   of one scenario
 * @returns {{ long: string, short: string }} 'round trips per second' and 'round trips/s'
 */
function headlineTitles(measured) {
  if (measured.length === 0) return { long: '', short: '' };
  const measure = headlineMeasure(measured[0]);
  return { long: printable(measureTitle(measure)), short: rateTitle(measure) };
}

// The columns of --floor: which share a row makes of what programs in C make of the same bytes.
const SPAN = 'of the floor in C';

/** @param {MeasuredOutcome[]} measured @param {WithFloor} results @returns {Choice[]} */
function floorColumns(measured, results) {
  const isShown = measured.some((outcome) => shareOfFloor(outcome, results) !== null);
  const textOf =
    (/** @type {(share: Estimate) => string} */ format) => (/** @type {MeasuredOutcome} */ outcome) => {
      const share = shareOfFloor(outcome, results);
      return share === null ? NOTHING : format(share);
    };
  return [
    {
      span: SPAN,
      title: 'share',
      short: 'of floor',
      align: 'right',
      isShown,
      text: textOf(({ estimate }) => formatRatio(estimate)),
      value: (outcome) => shareOfFloor(outcome, results)?.estimate,
    },
    {
      span: SPAN,
      title: 'its interval',
      further: 'floor',
      align: 'left',
      isShown,
      text: textOf((share) => (hasRange(share) ? formatRatioEnds(share) : NOTHING)),
    },
    {
      span: SPAN,
      title: 'CPU µs of C',
      further: 'floor',
      align: 'right',
      isShown,
      text: ({ cell }) => {
        const row = findFloorRow(results.floor, cell);
        return orNothing(row === null ? null : floorCpuUs(row));
      },
    },
  ];
}
