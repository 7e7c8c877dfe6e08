// Throughput of one payload in groups of bars, as the 2016 article drew it: groups on X are shapes, or what else is asked for; bars are
// series.

import { readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { isMeasured } from '../../text/groups.js';
import { floorMarks } from '../scene/baseline-marks.js';
import { categoryAxis, chartOptions, linearAxis } from '../scene/chart-axes.js';
import { makeWhisker } from '../scene/whiskers.js';
import { COLOURS } from '../style/palette.js';
import { gapMarkOf } from '../text/footer.js';
import { besideBars, findSecondMeasure, hasBeside } from './second-measure.js';
import { borderWidth } from './series.js';
import { headlineTitle } from './throughput-rows.js';

/** @import { Cell, Outcome } from '../../../types/index.js' */
/** @import { Configuration } from '../scene/chart-axes.js' */
/** @import { Mark } from '../scene/marks.js' */
/** @import { Series } from './series.js' */
/** @import { Annotations } from './throughput-rows.js' */

/**
 * The same for all panels of a figure.
 * @typedef {object} BarsFrame
 * @property {string[]} groups          in order
 * @property {(cell: Cell) => string} groupOf
 * @property {(cell: Cell) => string} [keyOf]   of its series; left out: seriesLabel
 * @property {string} groupsTitle       what groups are
 * @property {(group: string) => string[]} [linesOf]   of its name
 * @property {{ max: number, step: number }} rates
 * @property {number} widthPx
 * @property {boolean} hasTitles        of the axes; small multiples say it once, below
 */

/** @param {Outcome[]} outcomes @returns {string} what their shapes are */
export function shapesTitle(outcomes) {
  const isOver = outcomes.some(({ cell }) => cell.connections !== undefined);
  return `workers × concurrent loops ${isOver ? 'on each of so many connections' : 'in each'}`;
}

const GROUP_SHARE = 0.86; // of a category; the rest is the gap between groups
const NEAR_SHARE = 0.08; // of the axis: a published figure so near would be covered by a flag
const AXIS_PX = 70;
const LETTER_PX = 9;
const WORD_PX = 60; // '✕ failed' lying

/**
 * @param {Outcome} outcome
 * @param {{ datasetIndex: number, index: number }} at
 * @param {{ barPx: number, max: number }} size   of a bar; of the axis
 * @param {Annotations} annotations
 * @returns {Mark[]}
 */
function barMarks(outcome, at, { barPx, max }, { theme, marksOf, publishedOf, floorIn }) {
  const { ink, mutedInk, background } = COLOURS[theme];
  const published = publishedOf(outcome) ?? 0;
  const sizePx = Math.max(3, Math.min(5, barPx / 2.4));
  /** @type {Mark} */
  const diamond = { ...at, value: published, symbol: 'diamond', colour: ink, fill: background, sizePx };
  const line = { max, halfPx: Math.max(3, Math.min(32, barPx * 0.48)), isUpright: true };
  const floors = floorMarks(floorIn(outcome), at, line, theme);
  const marks = [...floors, ...(published > 0 ? [diamond] : [])];
  const isGap = !isMeasured(outcome);
  const gapMark = gapMarkOf(outcome.status);
  const gapText = barPx < LETTER_PX ? gapMark : `${gapMark} ${outcome.status}`;
  const text = isGap ? gapText : marksOf(outcome);
  if (text === '') return marks;
  const isUpright = barPx < (isGap ? WORD_PX : LETTER_PX * text.length) && text.length > 1;
  const high = isGap ? 0 : readHeadline(outcome).high;
  const isHidden = !isGap && published > high && published - high < NEAR_SHARE * max;
  /** @type {Mark} */
  const words = {
    ...at,
    value: isHidden ? published : high,
    dy: isUpright ? -6 : isGap ? -12 : -9,
    text,
    colour: outcome.status === 'skipped' ? mutedInk : ink,
    halo: background,
    isUpright,
    align: isUpright ? 'left' : 'center',
  };
  return [...marks, words];
}

/**
 * @param {Outcome[]} outcomes   of one payload
 * @param {Pick<Series, 'key' | 'text' | 'look'>[]} series      of this panel
 * @param {BarsFrame} frame
 * @param {Annotations} annotations
 * @returns {Configuration}
 */
export function throughputBars(outcomes, series, frame, annotations) {
  const { groups, groupOf, keyOf = seriesLabel, rates, widthPx, hasTitles } = frame;
  const { theme } = annotations;
  const { ink, background } = COLOURS[theme];
  const inPair = hasBeside(outcomes) ? 2 : 1;
  const barPx = ((widthPx - AXIS_PX) * GROUP_SHARE) / groups.length / series.length / inPair;
  /** @type {Mark[]} */
  const marks = [];
  const datasets = series.flatMap(({ key, text, look }, place) => {
    const datasetIndex = place * inPair;
    const outcomeAt = (/** @type {string} */ group) =>
      outcomes.find(({ cell }) => keyOf(cell) === key && groupOf(cell) === group) ?? null;
    const data = groups.map((group, index) => {
      const outcome = outcomeAt(group);
      if (outcome !== null)
        marks.push(...barMarks(outcome, { datasetIndex, index }, { barPx, max: rates.max }, annotations));
      if (!isMeasured(outcome)) return { x: group, y: null, yMin: null, yMax: null };
      const headline = readHeadline(outcome);
      const { low, high } = makeWhisker(headline);
      return { x: group, y: headline.estimate, yMin: low, yMax: high };
    });
    const bars = {
      label: text,
      data,
      fills: groups.map(() => ({ colour: look.colour, fill: look.fill })),
      borderColor: look.outline,
      borderWidth: Math.min(borderWidth(look), barPx / 6),
      borderSkipped: false,
      maxBarThickness: 60,
      categoryPercentage: GROUP_SHARE,
      barPercentage: 0.9,
      whiskers: { colour: ink, halo: background, capPx: Math.max(3, Math.min(9, barPx * 0.5)) },
    };
    if (inPair === 1) return [bars];
    const besides = groups.map((group) => ({
      x: group,
      y: findSecondMeasure(outcomeAt(group))?.estimate ?? null,
    }));
    const hollow = besideBars(
      groups.map(() => look),
      besides,
      text,
    );
    return [bars, { ...bars, ...hollow }];
  });
  const scales = {
    x: categoryAxis(theme, { title: hasTitles ? frame.groupsTitle : '', linesOf: frame.linesOf }),
    y: linearAxis(theme, { title: hasTitles ? headlineTitle(outcomes) : '', ...rates }),
  };
  const options = chartOptions(scales, { top: 18 });
  return { type: 'bar', data: { labels: groups, datasets }, options, marks };
}
