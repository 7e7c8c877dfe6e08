// Throughput of one payload in groups of bars: groups on X are what is asked for, bars are series.

import { readHeadline } from '../../../cell/headline.js';
import { isMeasured } from '../../text/groups.js';
import { categoryAxis, chartOptions, linearAxis } from '../scene/chart-axes.js';
import { COLOURS } from '../style/colours.js';
import { gapMarkOf, gapText } from '../text/short-texts.js';
import { rankedLook } from './flag-notes.js';
import { barsOf, makeWhisker } from './rows.js';
import { headlineTitle } from './throughput-rows.js';

/** @import { Cell, Outcome } from '../../../types/index.js' */
/** @import { Configuration, Mark, Series } from '../scene-types.js' */

/**
 * The same for all panels of a figure.
 * @typedef {object} BarsFrame
 * @property {string[]} groups          in order
 * @property {(cell: Cell) => string} groupOf
 * @property {(cell: Cell) => string} keyOf   of its series
 * @property {(group: string) => string[]} linesOf   of its name
 * @property {{ max: number, step: number }} rates
 * @property {number} widthPx
 * @property {boolean} hasTitles        of the axes; small multiples say it once, below
 */

const GROUP_SHARE = 0.86; // of a category; the rest is the gap between groups
const AXIS_PX = 70;
const LETTER_PX = 9;
const WORD_PX = 60; // '✕ failed' lying
const { ink, mutedInk, background } = COLOURS.light;

/** @param {Outcome} outcome @param {{ datasetIndex: number, index: number }} at @param {number} barPx @returns {Mark[]} of a gap */
function barMarks(outcome, at, barPx) {
  if (isMeasured(outcome)) return [];
  const text = barPx < LETTER_PX ? gapMarkOf(outcome.status) : gapText(outcome);
  const isUpright = barPx < WORD_PX && text.length > 1;
  return [
    {
      ...at,
      value: 0,
      dy: isUpright ? -6 : -12,
      text,
      colour: outcome.status === 'skipped' ? mutedInk : ink,
      halo: background,
      isUpright,
      align: isUpright ? 'left' : 'center',
    },
  ];
}

/**
 * @param {Outcome[]} outcomes   of one payload
 * @param {Pick<Series, 'key' | 'text' | 'look'>[]} series      of this panel
 * @param {BarsFrame} frame
 * @returns {Configuration}
 */
export function throughputBars(outcomes, series, frame) {
  const { groups, groupOf, keyOf, linesOf, rates, widthPx, hasTitles } = frame;
  const barPx = ((widthPx - AXIS_PX) * GROUP_SHARE) / groups.length / series.length;
  /** @type {Mark[]} */
  const marks = [];
  const datasets = series.map(({ key, text, look }, datasetIndex) => {
    const found = groups.map(
      (group) => outcomes.find(({ cell }) => keyOf(cell) === key && groupOf(cell) === group) ?? null,
    );
    const data = found.map((outcome, index) => {
      const x = groups[index];
      if (outcome !== null) marks.push(...barMarks(outcome, { datasetIndex, index }, barPx));
      if (!isMeasured(outcome)) return { x, y: null, yMin: null, yMax: null };
      const headline = readHeadline(outcome);
      const { low, high } = makeWhisker(headline);
      return { x, y: headline.estimate, yMin: low, yMax: high };
    });
    const looks = found.map((outcome) => rankedLook(look, outcome));
    const own = { maxBarThickness: 60, categoryPercentage: GROUP_SHARE, barPercentage: 0.9 };
    const capPx = Math.max(3, Math.min(9, barPx * 0.5));
    const bars = barsOf(text, data, looks, { ...own, whiskers: { colour: ink, halo: background, capPx } });
    bars.borderWidth = bars.borderWidth.map((px) => Math.min(px, barPx / 6));
    return bars;
  });
  const scales = {
    x: categoryAxis(groups, { lines: groups.map(linesOf) }),
    y: linearAxis({ title: hasTitles ? headlineTitle(outcomes) : '', ...rates }),
  };
  return {
    type: 'bar',
    data: { labels: groups, datasets },
    options: chartOptions(scales, { top: 18 }),
    marks,
  };
}
