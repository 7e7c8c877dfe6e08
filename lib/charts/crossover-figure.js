// The figure of where the answer changes: what two rows do along an axis, each as a line with its band, and the stretch in
// which it cannot be told which of them is ahead.

import { headlineMeasureOf, isHigherBetter } from '../cell/headline.js';
import { shapeLabel } from '../cell/labels.js';
import { decide } from '../recommend/decide.js';
import { evidenceFor } from '../recommend/evidence.js';
import { axisTitle, crossoverText, turnText, valueText } from '../recommend/turn-words.js';
import { costsBetween, placesBetween } from '../statistics/crossover.js';
import { estimateOf } from '../statistics/estimate.js';
import { factsOf, kindsIn } from '../verdicts/kinds.js';
import { measureTitle } from '../verdicts/measure-words.js';
import { capitalised } from '../words/lists.js';
import { formatPercent } from '../words/numbers.js';
import { chartOptions, logAxis, logTicks } from './chart-axes.js';
import { columnPx, figureOf } from './figure.js';
import { lineEnd, lineOf, PANEL_PX, ticksAt } from './line-panel.js';
import { COLOURS } from './palette.js';
import { durationTick, logEnds, payloadTick, si } from './quantity-words.js';
import { byNumber, byShape, seriesOf } from './series.js';

/** @import { Outcome } from '../types/outcomes.js' */
/** @import { Candidate, Request, Turn } from '../types/recommendations.js' */
/** @import { Figure, Sheet } from './figure.js' */
/** @import { Series } from './series.js' */
/** @typedef {{ x: number, estimate: number, low: number, high: number }} BandPoint */

const RIGHT_PX = 190;
const MOST_TICKS = 8;
const BAND = '40'; // alpha: both bands and the grid stay seen where they lie on each other
const FEWEST_VALUES = 3; // two are told by their tables

/**
 * Of a run: between the row that is best at the least value and the one that overtakes it.
 * @param {Sheet} sheet
 * @returns {Figure[]} none where no crossover is proven
 */
export function crossoverFigures(sheet) {
  const { results, slice } = sheet;
  const kindIn = kindsIn(results);
  return byShape(slice.outcomes).flatMap((ofShape) => {
    const plain = ofShape.filter(({ cell }) => kindIn(cell) === '');
    const sizes = byNumber(plain, ({ cell }) => cell.payloadBytes);
    if (sizes.length < FEWEST_VALUES) return [];
    /** @type {Request} */
    const request = {
      ...{ needs: [], ratePerSecond: null, payloadBytes: sizes[0][0].cell.payloadBytes, shape: null },
      ...{ scenario: null, slo: null, minEffect: LEAST_EFFECT, by: 'speed' },
    };
  });
}
