// A measure that is drawn beside the headline: a hollow bar next to the filled one, on the same axis.

import { isMeasured } from '../../text/groups.js';
import { measureTitle } from '../../text/measure-words.js';
import { COLOURS } from '../style/palette.js';
import { labelText } from './series.js';

/** @import { MeasuredValue, Outcome } from '../../../types/index.js' */
/** @import { LegendItem } from '../scene/legend.js' */
/** @import { Theme } from '../style/palette.js' */
/** @import { Look } from './series.js' */

const BORDER_PX = 1.5;
const NO_INTERVAL = Object.freeze({ xMin: null, xMax: null, yMin: null, yMax: null });

/** @param {Outcome | null} outcome @returns {MeasuredValue | null} null: its headline stands alone */
export function findSecondMeasure(outcome) {
  if (!isMeasured(outcome)) return null;
  const values = Object.values(outcome.measures).filter((measure) => measure.kind === 'value');
  return values.find(({ beside }) => beside === outcome.headline) ?? null;
}

/** @param {Outcome[]} outcomes @returns {boolean} */
export function hasBeside(outcomes) {
  return outcomes.some((outcome) => findSecondMeasure(outcome) !== null);
}

/** @param {Outcome[]} outcomes @param {Theme} theme @returns {LegendItem[]} none: nothing is drawn beside */
export function besideLegend(outcomes, theme) {
  const [measure] = outcomes.flatMap((outcome) => findSecondMeasure(outcome) ?? []);
  if (measure === undefined) return [];
  const colour = COLOURS[theme].mutedInk;
  /** @type {Look} */
  const look = { colour, outline: colour, fill: 'empty', dash: [], marker: 'circle', isHollow: false };
  return [{ text: `hollow: ${labelText(measureTitle(measure))}`, swatch: { kind: 'bar', look } }];
}

/** @param {(Look | null)[]} looks   of its bars @param {object[]} data @param {string} label */
export function besideBars(looks, data, label) {
  return {
    label,
    data: data.map((point) => ({ ...point, ...NO_INTERVAL })),
    fills: looks.map((look) => (look === null ? null : { colour: look.colour, fill: 'empty' })),
    borderColor: looks.map((look) => look?.colour ?? '#000000'),
    borderWidth: looks.map((look) => (look === null ? 0 : BORDER_PX)),
    borderSkipped: false,
  };
}
