// The live ranking of a run: what is measured so far → estimates of the model that the results use → lines of text that fit the
// terminal. Nothing here writes or waits.

import { headlineOfLaunch, isHigherBetter } from '../cell/headline.js';
import { groupLabel, seriesLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import {
  durationText,
  formatNumber,
  formatPercent,
  formatRatio,
  formatRatioEnds,
} from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { modelLaunches } from '../results/launch-model.js';
import { isSettled, judgeRatio } from '../run/stop-rule.js';
import { LEAST_CLAIM } from '../statistics/verdict.js';

/** @import { ComparedEstimate } from '../results/launch-model.js' */
/** @import { Interim, InterimRow } from '../run/interim.js' */
/** @import { Estimate, MeasuredLaunch } from '../types/index.js' */

/**
 * @typedef {object} RankedRow
 * @property {string} label
 * @property {Estimate | null} value          of the headline; null: nothing is measured yet
 * @property {ComparedEstimate | null} ratio  to its reference; null: there is none, or one of the two has no value
 * @property {boolean} isReference
 * @property {boolean} isSettled              the run needs no further launch for its sake
 * @property {boolean} hasFailed
 */
/**
 * @typedef {object} RankedTable
 * @property {string} title
 * @property {string} measure       'round trips per second', 'first answer, µs'
 * @property {string | null} reference   what its rows are compared with
 * @property {RankedRow[]} rows     the best first, those without a value last
 */
/** @typedef {Omit<Interim, 'rows'> & { tables: RankedTable[] }} Ranking */

/** @param {Interim} interim @returns {Ranking} */
export function rankInterim({ rows, ...rest }) {
  const tables = [...groupedBy(rows, ({ cell }) => groupLabel(cell)).values()];
  return { ...rest, tables: tables.map((table) => rankTable(table, rows, rest.needed)) };
}

/** @param {InterimRow[]} table @param {InterimRow[]} all @param {Interim['needed']} needed @returns {RankedTable} */
function rankTable(table, all, needed) {
  const [{ headline, cell }] = table;
  // The model reads these fields only.
  const launches = table.map((row) => /** @type {MeasuredLaunch[]} */ (row.launches));
  const model = modelLaunches(launches, (launch) => headlineOfLaunch(headline, launch), {
    isRate: headline.unit === 'per second',
  });
  const places = table.map(({ reference }) => (reference === null ? -1 : table.indexOf(all[reference])));
  const comparisons = Math.max(
    1,
    places.filter((place, row) => place !== -1 && launches[row].length > 0).length,
  );
  const rows = table.map((row, place) => {
    const value = row.launches.length === 0 ? null : model.valueOf(place);
    const ratio =
      places[place] === -1 || value === null ? null : model.ratioOf(place, places[place], comparisons);
    return {
      label: rowLabel(row),
      value,
      ratio,
      isReference: places.includes(place),
      isSettled: ratio !== null && isSettled(judgeRatio(ratio), needed),
      hasFailed: row.hasFailed,
    };
  });
  const sign = isHigherBetter(headline) ? -1 : 1;
  const score = (/** @type {RankedRow} */ { value }) => (value === null ? Infinity : sign * value.estimate);
  const references = [...new Set(places.filter((place) => place !== -1))];
  return {
    title: printable(groupLabel(cell)),
    measure: measureText(headline),
    reference: referenceText(table, references),
    rows: rows.sort((one, other) => compared(score(one), score(other)) || compared(one.label, other.label)),
  };
}

/** @param {InterimRow['headline']} headline @returns {string} 'round trips per second', 'first answer, µs' */
function measureText({ title, unit }) {
  return printable(title.includes(unit) ? title : `${title}, ${unit}`);
}

/** @template T @param {T} one @param {T} other @returns {number} */
function compared(one, other) {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** @param {InterimRow} row @returns {string} */
function rowLabel({ cell, variant }) {
  return printable(variant === null ? seriesLabel(cell) : `${variant} ${seriesLabel(cell)}`);
}

/** @param {InterimRow[]} table @param {number[]} references @returns {string | null} */
function referenceText(table, references) {
  if (references.length === 0) return null;
  // Of two variants, each row is compared with the same row of the first one.
  const { variant } = table[references[0]];
  return variant === null ? rowLabel(table[references[0]]) : printable(variant);
}

// Text, of characters that a terminal shows in one column each.

/**
 * @typedef {object} Screen
 * @property {number} columns
 * @property {number} rows
 * @property {boolean} colour
 * @property {boolean} isAscii       the terminal shows nothing else
 * @property {string} keys           what the keys do; '' where there are none
 */

const DRAWN = Object.freeze({
  unicode: { settled: '✓', from: '├', line: '─', to: '┤', point: '●', one: '│', dots: '…', between: ' · ' },
  ascii: { settled: '*', from: '[', line: '-', to: ']', point: 'o', one: '|', dots: '~', between: ', ' },
});
/** @typedef {typeof DRAWN.unicode} Signs */

const STYLES = Object.freeze({ dim: [2, 22], bold: [1, 22], green: [32, 39] });
/** The shell's own last lines stay in sight. */
const ROWS_LEFT = 4;
const FEWEST_ROWS = 3; // of a table
const GREATEST_LABEL = 28;
const LEAST_LABEL = 10;
const LEAST_VALUE = 7; // that the columns do not move with each round
const LEAST_BAR = 12;
const GREATEST_BAR = 60;

/** @param {Ranking} ranking @param {Screen} screen @returns {string[]} none longer than a line without its last column */
export function rankingLines(ranking, screen) {
  const signs = DRAWN[screen.isAscii ? 'ascii' : 'unicode'];
  const width = Math.max(1, screen.columns - 1);
  const most = Math.max(FEWEST_ROWS, screen.rows - ROWS_LEFT);
  const draw = paint(screen.colour);
  const all = ranking.tables.flatMap(({ rows }) => rows);
  const compared = ranking.tables.flatMap(({ reference, rows }) => (reference === null ? [] : rows));
  const others = compared.filter(({ isReference }) => !isReference);
  const settled = others.filter((row) => row.isSettled);
  const legend = `${settled.length} of ${others.length} settled`;
  const { width: error, clear } = ranking.needed;
  const knownTo = `is known to ${screen.isAscii ? '+-' : '±'}${formatPercent(error)}`;
  const rule = `${signs.settled}: ${clear === Infinity ? knownTo : `differs by ${formatPercent(LEAST_CLAIM)} or more, or ${knownTo}`}`;
  const hasRatios = all.some(({ ratio }) => ratio !== null);
  const foot = [
    ...(hasRatios ? [draw('dim', fitted(`${legend} (${rule})`, width, signs))] : []),
    ...(screen.keys === '' ? [] : [draw('dim', fitted(screen.keys, width, signs))]),
  ];
  const head = draw('bold', fitted(statusText(ranking, signs), width, signs));
  const room = Math.max(1, most - 1 - foot.length);
  const body = tablesLines(ranking.tables, { room, width, signs, draw });
  return [head, ...body, ...foot].map((line) => (screen.isAscii ? asciiText(line) : line)).slice(0, most);
}

/** @param {boolean} colour @returns {(style: keyof typeof STYLES, text: string) => string} */
function paint(colour) {
  return (style, text) => (colour ? `\u001b[${STYLES[style][0]}m${text}\u001b[${STYLES[style][1]}m` : text);
}

/** @param {string} line @returns {string} what the formats of numbers have beyond ASCII, in ASCII */
function asciiText(line) {
  return line
    .replaceAll('–', '-')
    .replaceAll('−', '-')
    .replaceAll('×', 'x')
    .replaceAll('µ', 'u')
    .replace(/[\u007f-\u{10ffff}]/gu, '?');
}

/** @param {Ranking} ranking @param {Signs} signs */
function statusText({ progress, step }, signs) {
  const { block, blocks, launchesDone, launchesTotal, failed, elapsedMs, etaMs } = progress;
  const left = etaMs === null ? `${durationText(elapsedMs)} so far` : `about ${durationText(etaMs)} left`;
  return [
    left,
    `block ${block + 1}/${blocks}`,
    stepText(step, launchesDone, launchesTotal),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(signs.between);
}

/** @param {Ranking['step']} step @param {number} done @param {number} total */
function stepText(step, done, total) {
  if (step === null) return `launch ${Math.min(done + 1, total)}/${total}`;
  if (step.kind === 'rounds') return `round ${Math.min(step.done + 1, step.rounds)}/${step.rounds}`;
  return `${step.kind === 'start' ? 'starts' : 'warms up'} ${printable(seriesLabel(step.cell))}`;
}

/**
 * @param {RankedTable[]} tables
 * @param {{ room: number, width: number, signs: Signs, draw: ReturnType<typeof paint> }} look   room: lines
 * @returns {string[]}
 */
function tablesLines(tables, { room, width, signs, draw }) {
  // Each table has its heading, and as many rows as are left for it.
  const shown = tables.slice(0, Math.max(1, Math.floor(room / (FEWEST_ROWS + 1))));
  const lines = [];
  let left = room;
  for (const [place, table] of shown.entries()) {
    const share = Math.floor(left / (shown.length - place));
    const own = tableLines(table, { room: share, width, signs, draw });
    left -= own.length;
    lines.push(...own);
  }
  const missing = tables.length - shown.length;
  if (missing > 0) {
    const what = missing === 1 ? 'table' : 'tables';
    lines.splice(room - 1, Infinity, draw('dim', fitted(`  and ${missing} more ${what}`, width, signs)));
  }
  return lines;
}

/**
 * @param {RankedTable} table
 * @param {{ room: number, width: number, signs: Signs, draw: ReturnType<typeof paint> }} look
 * @returns {string[]}
 */
function tableLines({ title, measure, reference, rows }, { room, width, signs, draw }) {
  const hasRoom = rows.length + 1 <= room;
  const shown = hasRoom ? rows : rows.slice(0, Math.max(1, room - 2));
  const layout = planColumns(rows, width);
  const scale = scaleOf(rows, layout.bar);
  const against = reference === null ? '' : `${signs.between}ratio to ${reference}, 95 %`;
  const lines = [
    draw('dim', fitted(`${title}${signs.between}${measure}${against}`, width, signs)),
    ...shown.map((row) => rowLine(row, layout, { scale, signs, draw })),
  ];
  const missing = rows.length - shown.length;
  return missing === 0 ? lines : [...lines, draw('dim', `  and ${missing} more`)].slice(0, Math.max(2, room));
}

/** @typedef {{ label: number, value: number, bar: number, ratio: number, ends: number }} Columns   widths; 0: it is left out */

/** @param {RankedRow[]} rows @param {number} width @returns {Columns} with a space between each */
function planColumns(rows, width) {
  const longest = (/** @type {(row: RankedRow) => string} */ text) =>
    Math.max(0, ...rows.map((row) => text(row).length));
  const value = Math.max(LEAST_VALUE, longest(valueText));
  const ratio = longest(ratioText);
  const ends = longest(endsText);
  const wanted = Math.min(
    GREATEST_LABEL,
    longest(({ label }) => label),
  );
  const withoutLabel = 2 + 1 + value;
  let columns = { label: wanted, value, bar: 0, ratio: 0, ends: 0 };
  let left = width - withoutLabel - wanted;
  // What fits, the most telling first.
  if (ratio > 0 && left >= ratio + 1) {
    columns = { ...columns, ratio };
    left -= ratio + 1;
    if (ends > 0 && left >= ends + 1) {
      columns = { ...columns, ends };
      left -= ends + 1;
    }
  }
  if (left >= LEAST_BAR + 2) columns = { ...columns, bar: Math.min(GREATEST_BAR, left - 2) };
  if (left < 0) columns = { ...columns, label: Math.max(Math.min(LEAST_LABEL, wanted), wanted + left) };
  return columns;
}

/** @param {RankedRow} row @returns {string} */
function valueText({ value, hasFailed }) {
  if (value !== null) return formatNumber(value.estimate);
  return hasFailed ? 'failed' : 'waits';
}

/** @param {RankedRow} row @returns {string} */
function ratioText({ ratio, isReference }) {
  if (ratio !== null) return formatRatio(ratio.estimate);
  return isReference ? '1×' : '';
}

/** @param {RankedRow} row @returns {string} */
function endsText({ ratio }) {
  return ratio === null || ratio.level === null ? '' : formatRatioEnds(ratio);
}

/**
 * @param {RankedRow} row
 * @param {Columns} columns
 * @param {{ scale: Scale, signs: Signs, draw: ReturnType<typeof paint> }} look
 * @returns {string}
 */
function rowLine(row, columns, { scale, signs, draw }) {
  const mark = row.isSettled ? draw('green', signs.settled) : ' ';
  const label = fitted(row.label, columns.label, signs).padEnd(columns.label);
  const parts = [
    `${mark} ${row.isReference ? draw('bold', label) : label}`,
    valueText(row).padStart(columns.value),
  ];
  if (columns.bar > 0) parts.push(` ${barText(row, columns.bar, { scale, signs })}`);
  if (columns.ratio > 0) parts.push(ratioText(row).padStart(columns.ratio));
  if (columns.ends > 0) parts.push(endsText(row));
  return parts.join(' ').trimEnd();
}

// Bars: intervals on one logarithmic scale, of the ratios where there are any, else of the values.

const REACH = 1.4; // times beyond the estimates
/** @typedef {{ at: (value: number) => number, from: number, to: number, one: number | null, barOf: (row: RankedRow) => Estimate | null }} Scale   one: the column of the ratio 1 */

/** @param {RankedRow[]} rows @param {number} width @returns {Scale} */
function scaleOf(rows, width) {
  const hasRatios = rows.some(({ ratio }) => ratio !== null);
  const barOf = (/** @type {RankedRow} */ { ratio, value }) => (hasRatios ? ratio : value);
  // By the estimates alone: bars get shorter on a scale that does not follow them, and those of a few slices go on beyond it.
  const estimates = rows.flatMap((row) => barOf(row)?.estimate ?? []);
  const all = [...estimates, ...(hasRatios ? [1] : [])];
  const from = Math.log(Math.min(...all) / REACH);
  const to = Math.log(Math.max(...all) * REACH);
  const at = (/** @type {number} */ value) => {
    const column = Math.round(((Math.log(value) - from) / (to - from)) * (width - 1));
    return Math.min(width - 1, Math.max(0, column));
  };
  return { at, from: Math.exp(from), to: Math.exp(to), one: hasRatios ? at(1) : null, barOf };
}

/** @param {RankedRow} row @param {number} width @param {{ scale: Scale, signs: Signs }} look @returns {string} */
function barText(row, width, { scale, signs }) {
  const cells = Array.from({ length: width }, () => ' ');
  if (scale.one !== null) cells[scale.one] = signs.one;
  const bar = scale.barOf(row);
  if (bar === null) {
    if (scale.one !== null && row.isReference && row.value !== null) cells[scale.one] = signs.point;
    return cells.join('');
  }
  if (bar.level !== null) {
    const [from, to] = [scale.at(bar.low), scale.at(bar.high)];
    cells.fill(signs.line, from, to + 1);
    if (to > from) {
      // Without its end where it goes on beyond the scale.
      if (bar.low >= scale.from) cells[from] = signs.from;
      if (bar.high <= scale.to) cells[to] = signs.to;
    }
  }
  cells[scale.at(bar.estimate)] = signs.point;
  return cells.join('');
}

/** @param {string} text @param {number} width @param {Signs} signs @returns {string} cut where it is longer */
function fitted(text, width, signs) {
  const characters = [...text];
  if (characters.length <= width) return text;
  return `${characters.slice(0, Math.max(0, width - 1)).join('')}${signs.dots}`;
}
