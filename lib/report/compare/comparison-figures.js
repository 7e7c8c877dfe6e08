// A comparison as pictures: a row for each compared cell, with the ratio of the two sides and its interval. The
// pictures have the format of the figures of a run, so that the same code draws both.

import { groupLabel } from '../../cell/labels.js';
import { capitalised, groupedBy } from '../../format/lists.js';
import { formatInstant, formatRatioInterval } from '../../format/numbers.js';
import { ratioAxis } from '../charts/figures/chart-axes.js';
import { FIGURE_PX, listValues } from '../charts/figures/figure.js';
import { barsOfRows, heightOf, namesPx, rowPoint } from '../charts/figures/rows.js';
import { makePicture } from '../charts/pictures/pictures.js';
import { COLOURS } from '../charts/style/colours.js';
import { textPx } from '../charts/style/letters.js';
import { plainLook } from '../charts/style/palette.js';
import { placeNamer } from '../findings/scope.js';
import { isRate } from '../text/measure-words.js';
import { minEffectText } from '../text/phrases/comparison-phrases.js';
import { labelText, rowText } from '../text/short-texts.js';
import { tallyText, verdictText } from './comparison-words.js';

/** @import { Picture } from '../charts/chart-types.js' */
/** @import { ComparedRow, Comparison } from '../../types/index.js' */
/** @import { Figure, Mark } from '../charts/chart-types.js' */
/** @typedef {{ label: string, row: ComparedRow | null }} Line   row: null for a heading */

const MAX_ROWS = 40; // a picture has more rows only if a single group has more
const HEADING_CHARACTERS = 60;
const TEXT_GAP_PX = 12;
const MAX_TICKS = 7;
/** @type {readonly [isDifferent: boolean, text: string][]} */
const LEGEND = [
  [true, 'faster or slower'],
  [false, 'same or inconclusive'],
];

const { ink, mutedInk, background, hues } = COLOURS.light;
const LOOK = plainLook(mutedInk, { fill: 'empty' });

/** @param {ComparedRow} row @returns {boolean} */
const isDifferent = ({ verdict }) => verdict === 'faster' || verdict === 'slower';

/** @param {ComparedRow} row @param {number} minEffect @returns {string} '1.08× (1.02–1.15)  faster' */
function valueText(row, minEffect) {
  return `${formatRatioInterval(row.ratio)}  ${verdictText(row, minEffect)}`;
}

/**
 * @param {Line} line
 * @param {number} index
 * @param {{ minEffect: number, textAt: number }} comparison   textAt: right end of the axis, so that no label crosses the line at 1
 * @returns {Mark[]}
 */
function rowMarks({ row }, index, { minEffect, textAt }) {
  if (row === null) return [];
  const at = { datasetIndex: 0, index };
  const colour = { faster: hues.green, slower: hues.rust }[String(row.verdict)] ?? mutedInk;
  const fill = isDifferent(row) ? colour : background;
  const words = { text: valueText(row, minEffect), colour: ink, halo: background };
  return [
    { ...at, value: row.ratio.estimate, symbol: 'circle', colour, fill },
    { ...at, value: textAt, dx: TEXT_GAP_PX, ...words },
  ];
}

/** @param {Line[]} lines @param {Pick<Comparison, 'minEffect'>} comparison */
function makePanel(lines, { minEffect }) {
  const rows = lines.map(({ label, row }) => ({ label, look: row && LOOK, outcome: null }));
  const compared = lines.flatMap(({ row }) => row ?? []);
  const dataset = {
    label: '',
    data: lines.map(({ label, row }) => rowPoint(label, row?.ratio ?? null)),
    backgroundColor: 'transparent', // the bar is invisible, since a ratio is a point that marks show
    borderWidth: 0,
    whiskers: { colour: ink, halo: background, capPx: 10 },
  };
  const widths = compared.map((row) => textPx(valueText(row, minEffect)));
  const ofInterest = [1 / (1 + minEffect), 1 + minEffect];
  const ratios = [...compared.flatMap(({ ratio }) => [ratio.low, ratio.high]), ...ofInterest];
  const x = ratioAxis({ ratios, most: MAX_TICKS, thin: ofInterest });
  const panel = barsOfRows(rows, {
    x,
    datasets: [dataset],
    marks: lines.flatMap((line, index) => rowMarks(line, index, { minEffect, textAt: x.max })),
    labelPx: namesPx(rows),
    rightPx: Math.ceil(Math.max(...widths)) + TEXT_GAP_PX + 4,
  });
  return { columns: 1, labelPx: 0, panelPx: heightOf(rows), panels: [{ title: '', ...panel }] };
}

/** @param {ComparedRow[]} rows   all of one measure @returns {ComparedRow[][]} one list per picture: as many whole groups as fit */
function rowsByPicture(rows) {
  /** @type {ComparedRow[][]} */
  const pictures = [];
  for (const ofGroup of groupedBy(rows, ({ cell }) => groupLabel(cell)).values()) {
    const last = pictures.at(-1);
    if (last !== undefined && last.length + ofGroup.length <= MAX_ROWS) last.push(...ofGroup);
    else pictures.push([...ofGroup]);
  }
  return pictures;
}

/**
 * @param {ComparedRow[]} rows
 * @param {(row: ComparedRow) => string} headingOf
 * @returns {Line[]} the rows, below headings if there are several
 */
function makeLines(rows, headingOf) {
  const headings = [...groupedBy(rows, headingOf)];
  return headings.flatMap(([heading, own]) => [
    ...(headings.length === 1 ? [] : [{ label: heading, row: null }]),
    ...own.map((row) => ({ label: rowText(row), row })),
  ]);
}

/** @param {Comparison} comparison @param {ComparedRow[]} rows @param {(row: ComparedRow) => string} headingOf */
function formatWords(comparison, rows, headingOf) {
  const { old, new: newSide, minEffect } = comparison;
  const [{ measure }] = rows;
  const speed = isRate(measure) ? '' : 'speed ';
  const headings = [...new Set(rows.map(headingOf))];
  const where = headings.length === 1 ? `, ${headings[0]}` : '';
  const title = `${capitalised(labelText(measure.title))}: ${speed}ratio of ${newSide.name} to ${old.name}${where}`;
  const message = tallyText({ ...comparison, rows });
  const values = rows
    .toSorted((one, other) => other.ratio.estimate - one.ratio.estimate)
    .map((row) => `${rowText(row)} at ${headingOf(row)} ${valueText(row, minEffect)}`);
  return { title, message, altText: `${title}. ${message}. ${listValues(values)}` };
}

/** @param {Comparison} comparison @returns {Figure['below']} */
function itemsBelow({ rows, design, minEffect, old, new: newSide, tool }) {
  const isComplete = [old, newSide].every(({ status }) => status === 'complete');
  /** @param {Comparison['old']} side */
  const sideItem = ({ name, startedAt }) => ({
    text: labelText(`${name}: ${formatInstant(startedAt)}`),
    rank: 0,
  });
  return [
    [
      { text: labelText(`→ right of 1, ${newSide.name} is faster`, HEADING_CHARACTERS), rank: 0 },
      { text: design === 'interleaved' ? 'interleaved in one run' : 'two runs, not interleaved', rank: 1 },
      ...(isComplete ? [] : [{ text: 'unfinished run', rank: 0 }]),
      {
        text: `whiskers: ${rows.some(({ ratio }) => ratio.level !== null) ? '95 % interval' : 'none, too few launches'}`,
        rank: 2,
      },
      { text: `thin lines: ${minEffectText(minEffect)}`, rank: 3 },
    ],
    [sideItem(old), sideItem(newSide), { text: `ipc-bench ${labelText(tool.version, 20)}`, rank: 1 }],
  ];
}

/** @param {Comparison} comparison @returns {Figure[]} at least one for each measure */
export function comparisonFigures(comparison) {
  const nameOf = placeNamer(comparison.rows);
  /** @param {ComparedRow} row */
  const headingOf = ({ cell }) => labelText(nameOf(cell), HEADING_CHARACTERS);
  const byMeasure = groupedBy(comparison.rows, ({ measure }) => measure.name);
  return [...byMeasure].flatMap(([measure, ofMeasure]) =>
    rowsByPicture(ofMeasure).map((rows, index, all) => ({
      ...makePanel(makeLines(rows, headingOf), comparison),
      ...formatWords(comparison, rows, headingOf),
      name: `ratio-${measure}${all.length === 1 ? '' : `-${index + 1}`}`,
      legend: LEGEND.filter(([isFilled]) => rows.some((row) => isDifferent(row) === isFilled)).map(
        ([isFilled, text]) => ({
          text,
          swatch: { kind: 'symbol', symbol: 'circle', isHollow: !isFilled },
        }),
      ),
      leastPx: 0,
      notes: [],
      below: itemsBelow(comparison),
      cells: rows.map(({ cell }) => cell),
      widthPx: FIGURE_PX,
    })),
  );
}

/** @param {Comparison} comparison @returns {Picture[]} */
export const comparisonPictures = (comparison) =>
  comparisonFigures(comparison).map((figure) => makePicture(figure));
