// Throughput of one payload in groups of bars, as the 2016 article drew it: groups on X are shapes, or what else is asked for; bars are
// series.

import { readHeadline } from '../../../cell/headline.js';
import { seriesLabel } from '../../../cell/labels.js';
import { isMeasured } from '../../text/groups.js';
import { categoryAxis, chartOptions, linearAxis } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { gapMarkOf, gapText } from '../text/short-texts.js';
import { isNotRanked } from './flag-notes.js';
import { floorMarks } from './floor-marks.js';
import { barsOf, makeWhisker } from './rows.js';
import { headlineTitle, hollowLook, publishedMarks, readBesides } from './throughput-rows.js';

/** @import { Cell, Outcome } from '../../../types/index.js' */
/** @import { Annotations } from './throughput-rows.js' */
/** @import { Configuration, Mark, Series } from '../scene-types.js' */

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

/** How bars are drawn of rows that are not ranked. */
export const HOLLOW_BARS = 'hollow bars';

const GROUP_SHARE = 0.86; // of a category; the rest is the gap between groups
const AXIS_PX = 70;
const LETTER_PX = 9;
const WORD_PX = 60; // '✕ failed' lying
const { ink, mutedInk, background } = COLOURS.light;

/**
 * @param {Outcome} outcome
 * @param {{ datasetIndex: number, index: number }} at
 * @param {{ barPx: number, max: number }} size   of a bar; of the axis
 * @param {Annotations} annotations
 * @returns {Mark[]}
 */
function barMarks(outcome, at, { barPx, max }, { publishedOf, floorIn }) {
  const published = publishedOf(outcome) ?? 0;
  const sizePx = Math.max(3, Math.min(5, barPx / 2.4));
  const line = { max, halfPx: Math.max(3, Math.min(32, barPx * 0.48)), isUpright: true };
  const marks = [...floorMarks(floorIn(outcome), at, line), ...publishedMarks(published, { ...at, sizePx })];
  if (isMeasured(outcome)) return marks;
  const text = barPx < LETTER_PX ? gapMarkOf(outcome.status) : gapText(outcome);
  const isUpright = barPx < WORD_PX && text.length > 1;
  /** @type {Mark} */
  const words = {
    ...at,
    value: 0,
    dy: isUpright ? -6 : -12,
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
  const { groups, groupOf, keyOf = seriesLabel, groupsTitle, linesOf, rates, widthPx, hasTitles } = frame;
  const inPair = readBesides(outcomes) === null ? 1 : 2;
  const barPx = ((widthPx - AXIS_PX) * GROUP_SHARE) / groups.length / series.length / inPair;
  /** @type {Mark[]} */
  const marks = [];
  const datasets = series.flatMap(({ key, text, look }, place) => {
    const datasetIndex = place * inPair;
    const found = groups.map(
      (group) => outcomes.find(({ cell }) => keyOf(cell) === key && groupOf(cell) === group) ?? null,
    );
    const data = found.map((outcome, index) => {
      const x = groups[index];
      if (outcome !== null)
        marks.push(...barMarks(outcome, { datasetIndex, index }, { barPx, max: rates.max }, annotations));
      if (!isMeasured(outcome)) return { x, y: null, yMin: null, yMax: null };
      const headline = readHeadline(outcome);
      const { low, high } = makeWhisker(headline);
      return { x, y: headline.estimate, yMin: low, yMax: high };
    });
    // With an outline only, in the colour of the series: not ranked.
    const looks = found.map((outcome) =>
      outcome !== null && isNotRanked(outcome) ? hollowLook(look) : look,
    );
    const own = { maxBarThickness: 60, categoryPercentage: GROUP_SHARE, barPercentage: 0.9 };
    const capPx = Math.max(3, Math.min(9, barPx * 0.5));
    const bars = barsOf(text, data, looks, { ...own, whiskers: { colour: ink, halo: background, capPx } });
    bars.borderWidth = bars.borderWidth.map((px) => Math.min(px, barPx / 6));
    if (inPair === 1) return [bars];
    const besides = readBesides(found) ?? [];
    const points = groups.map((group, index) => ({ x: group, y: besides[index] ?? null }));
    return [bars, barsOf(text, points, looks.map(hollowLook), own)];
  });
  const title = hasTitles ? groupsTitle : '';
  const scales = {
    x: categoryAxis(groups, { title, lines: linesOf && groups.map(linesOf) }),
    y: linearAxis({ title: hasTitles ? headlineTitle(outcomes) : '', ...rates }),
  };
  return {
    type: 'bar',
    data: { labels: groups, datasets },
    options: chartOptions(scales, { top: 18 }),
    marks,
  };
}
