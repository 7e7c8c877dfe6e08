// The figure of what a measure adds up from: a stacked bar for each series, a panel for each shape. Whatever measures say
// that they are parts of another one are drawn so.

import { shapeLabel } from '../../../cell/labels.js';
import { capitalised } from '../../../format/lists.js';
import { formatInterval, formatNumber } from '../../../format/numbers.js';
import { median } from '../../../statistics/signed-rank.js';
import { sumBy } from '../../../statistics/sum.js';
import { isMeasured } from '../../text/groups.js';
import { measureTitle, unitText } from '../../text/measure-words.js';
import { categoryAxis, chartOptions, linearAxis } from '../scene/chart-axes.js';
import { countedPayload } from '../scene/pieces.js';
import { COLOURS } from '../style/palette.js';
import { gapMarkOf, gapNotes } from '../text/footer.js';
import { duration, durationTick, linearEnd, si } from '../text/quantity-words.js';
import { formatWhere, makeFigure } from './figure.js';
import { flagMarks } from './flag-scopes.js';
import { namesPx, rowsOfPanels } from './rows.js';
import { byShape, labelText, makeSeries } from './series.js';

/** @import { Fill, MeasuredOutcome, MeasuredValue, Outcome } from '../../../types/index.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Row } from './rows.js' */
/** @import { Look } from './series.js' */

const ROW_PX = 27;
const SUMS = 'Each part is estimated by itself: their sum may miss the whole a little.';
const AXIS_PX = 58; // ticks and title below a plot
const VALUE_GAP_PX = 10;
const VALUES_PX = 110; // right of the longest bar
const INTERVALS_PX = 210;
// Hue means transport: parts have none.
/** @type {readonly Fill[]} */
const FILLS = ['solid', 'tint', 'diagonal', 'empty', 'dots', 'horizontal', 'checks'];

/** @param {Outcome | null} outcome @param {string} whole @returns {MeasuredValue[]} */
function readParts(outcome, whole) {
  if (!isMeasured(outcome)) return [];
  return Object.values(outcome.measures)
    .filter((measure) => measure.kind === 'value')
    .filter(({ partOf }) => partOf === whole);
}

/** @param {readonly { estimate: number }[]} parts */
const sumOf = (parts) => sumBy(parts, ({ estimate }) => estimate);

/**
 * What is to be said of parts where the measure alone does not say it.
 * @typedef {object} PartWords
 * @property {string} [title]
 * @property {readonly Fill[]} [fills]     of the parts, in their order
 * @property {string[]} [notes]
 * @property {string} [leftOver]           name of what is no part, but is left over
 * @property {true} [hasIntervals]         the whole stands beside its bar with its interval
 */

/** @param {import('../style/palette.js').Theme} theme @param {number} part @param {readonly Fill[]} fills @returns {Look} */
function lookOfPart(theme, part, fills) {
  const colour = COLOURS[theme].mutedInk;
  const fill = fills[part % fills.length];
  return { colour, outline: colour, fill, dash: [], marker: 'circle', isHollow: false };
}

/**
 * @param {Row} row
 * @param {number} index
 * @param {Frame} frame
 * @returns {Mark[]}
 */
function rowMarks({ outcome }, index, { theme, whole, marksOf, words }) {
  if (outcome === null) return [];
  const { ink, mutedInk, background } = COLOURS[theme];
  const at = { datasetIndex: 0, index, dx: VALUE_GAP_PX, halo: background };
  if (!isMeasured(outcome)) {
    const text = `${gapMarkOf(outcome.status)} ${outcome.status}`;
    return [{ ...at, value: 0, text, colour: mutedInk }];
  }
  const flags = marksOf(outcome);
  const measure = outcome.measures[whole.name];
  if (measure?.kind !== 'value') return [];
  const { estimate } = measure;
  const short = whole.unit === 'µs' ? duration(estimate) : `${formatNumber(estimate)}${unitText(whole)}`;
  const value = words.hasIntervals ? formatInterval(measure, unitText(whole)) : short;
  const text = flags === '' ? value : `${value}  [${flags}]`;
  return [{ ...at, value: sumOf(readParts(outcome, whole.name)), text, colour: ink }];
}

/**
 * The same for all panels of a figure.
 * @typedef {object} Frame
 * @property {import('../style/palette.js').Theme} theme
 * @property {MeasuredValue} whole
 * @property {MeasuredValue[]} parts
 * @property {number} greatest
 * @property {(outcome: Outcome) => string} marksOf
 * @property {readonly Fill[]} fills
 * @property {PartWords} words
 */

/** @param {Row[]} rows @param {Frame} frame @returns {import('../scene/chart-axes.js').Configuration} */
function stackedRows(rows, frame) {
  const { theme, whole, parts, greatest, fills, words } = frame;
  const datasets = parts.map(({ name, title }, part) => {
    const { outline, ...fill } = lookOfPart(theme, part, fills);
    const estimateOf = (/** @type {Row} */ { outcome }) =>
      readParts(outcome, whole.name).find((own) => own.name === name)?.estimate ?? null;
    return {
      label: title,
      data: rows.map((row) => ({ y: row.label, x: estimateOf(row), xMin: null, xMax: null })),
      fills: rows.map(() => fill),
      borderColor: outline,
      borderWidth: 1,
      borderSkipped: false,
      maxBarThickness: 34,
      categoryPercentage: 0.86,
      barPercentage: 0.92,
    };
  });
  const isTime = whole.unit === 'µs';
  const title = labelText(isTime ? whole.title : measureTitle(whole, ' in '));
  const x = { title, max: greatest, step: linearEnd(greatest).step, text: isTime ? durationTick : si };
  const y = { isHeading: (/** @type {number} */ index) => rows[index].look === null, widthPx: namesPx(rows) };
  const scales = {
    x: { ...linearAxis(theme, x), stacked: true },
    y: { ...categoryAxis(theme, y), stacked: true },
  };
  const options = {
    ...chartOptions(scales, { top: 4, right: words.hasIntervals ? INTERVALS_PX : VALUES_PX }),
    indexAxis: 'y',
  };
  const marks = rows.flatMap((row, index) => rowMarks(row, index, frame));
  return { type: 'bar', data: { labels: rows.map(({ label }) => label), datasets }, options, marks };
}

/** @param {MeasuredOutcome[]} measured @param {Frame} frame @returns {string} 'Most is start: 71 % to 92 %' */
function formatMessage(measured, { whole, parts, words }) {
  const sharesOf = (/** @type {string} */ name) =>
    measured.flatMap((outcome) => {
      const own = readParts(outcome, whole.name);
      return own.filter((part) => part.name === name).map(({ estimate }) => estimate / sumOf(own));
    });
  const [most] = parts
    .filter(({ name }) => name !== words.leftOver)
    .map(({ name, title }) => ({ title, shares: sharesOf(name) }))
    .sort((left, right) => median(right.shares) - median(left.shares));
  const [least, greatest] = [Math.min(...most.shares), Math.max(...most.shares)].map((share) =>
    Math.round(100 * share),
  );
  const range = least === greatest ? `${least} %` : `${least} to ${greatest} %`;
  return `The greatest part of it is ${labelText(most.title)}: ${range}`;
}

/**
 * @param {Sheet} sheet
 * @param {Outcome[]} outcomes   of one payload
 * @param {PartWords} [words]
 * @returns {Figure[]} one for each measure that has parts
 */
export function partsFigures(sheet, outcomes, words = {}) {
  const { results, theme } = sheet;
  const measured = outcomes.filter(isMeasured);
  const values = Object.values(measured[0]?.measures ?? {}).filter(({ kind }) => kind === 'value');
  const wholes = /** @type {MeasuredValue[]} */ (values).filter(
    ({ name }) => readParts(measured[0], name).length > 0,
  );
  return wholes.map((whole) => {
    const totals = measured.map((outcome) => sumOf(readParts(outcome, whole.name)));
    const parts = readParts(measured[0], whole.name);
    const { fills = FILLS, notes = [SUMS] } = words;
    const greatest = Math.max(1, ...totals);
    const frame = { theme, whole, parts, greatest, marksOf: flagMarks(outcomes), fills, words };
    const shapes = byShape(outcomes);
    const series = makeSeries(results, outcomes, theme);
    const costOf = (/** @type {MeasuredOutcome} */ outcome) => sumOf(readParts(outcome, whole.name));
    const all = shapes.map(rowsOfPanels(results, outcomes, series, costOf));
    return makeFigure(sheet, outcomes, {
      name: `${whole.name}-parts-${countedPayload(results, outcomes[0].cell).fileName}`,
      title:
        (words.title ?? `${capitalised(labelText(whole.title))} in parts`) + formatWhere(results, outcomes),
      message: formatMessage(measured, frame),
      legend: parts.map(({ title }, part) => ({
        text: labelText(title),
        swatch: { kind: 'bar', look: lookOfPart(theme, part, fills) },
      })),
      columns: 1,
      labelPx: 0,
      panelPx: all[0].length * ROW_PX + AXIS_PX,
      panels: all.map((rows, index) => ({
        title: shapes.length === 1 ? '' : shapeLabel(shapes[index][0].cell),
        configuration: stackedRows(rows, frame),
      })),
      notes: [...notes, ...gapNotes(outcomes)],
      hasIntervals: false,
    });
  });
}
