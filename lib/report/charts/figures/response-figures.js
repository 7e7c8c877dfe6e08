// The figures of open load: p50 and p99 of the response time against the planned rate, with gaps where the rate was not sustained; and the
// percentile spectrum, response time against the percentile on the scale of HdrHistogram plots, on which each step to the right is ten times
// rarer.

import { commonOperation } from '../../../cell/headline.js';
import { seriesLabel, shapeLabel, sloLabel } from '../../../cell/labels.js';
import { printable } from '../../../format/printable.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { latencySpectrum } from '../../../statistics/latency.js';
import { hasResponseTimes, rateOf } from '../../findings/groups.js';
import { readResponseTime } from '../../findings/response-times.js';
import { OPEN_LOAD_SENTENCES } from '../../text/phrases/open-load-phrases.js';
import { si } from '../../text/quantity-words.js';
import { countedPayload, joinTexts, NO_RESPONSE_MARK } from '../../text/short-texts.js';
import { boundNotes, messageOfRates, messageOfTails, readTypical } from './chart-words.js';
import { formatWhere, isNotRanked } from './figure.js';
import { gapNotes } from './footer.js';
import { findEnds, linesBySeries, linesFigure } from './lines-figure.js';
import { byNumber, byShape } from './series.js';

/** @import { MeasuredOutcome, Outcome, Slo } from '../../../types/index.js' */
/** @import { TickInterval, Point } from './lines-figure.js' */
/** @import { Figure, FigureInput } from '../chart-types.js' */

const PERCENTILES = /** @type {const} */ (['p50', 'p99']);
const RESPONSE_TITLE = 'response time, log scale';
const MAX_DECADES = 6;

/** @param {Outcome[]} outcomes */
const byRate = (outcomes) => byNumber(outcomes, rateOf);

/**
 * @param {Outcome} outcome
 * @param {'p50' | 'p99'} percentile
 * @returns {TickInterval | null} null if the row was not measured, if its rate was not sustained, or if it has too few samples
 */
function readResponseInterval(outcome, percentile) {
  const time = isMeasured(outcome) ? readResponseTime(outcome, percentile) : null;
  if (time === null) return null;
  const { estimate } = time.us;
  return time.isAtLeast ? { estimate, low: estimate, high: estimate, n: 1 } : time.us;
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function missingResponseNotes(outcomes) {
  const isComplete = outcomes
    .filter(isMeasured)
    .every((outcome) => PERCENTILES.every((percentile) => readResponseTime(outcome, percentile) !== null));
  if (isComplete) return [];
  return [
    `${NO_RESPONSE_MARK} no response time: the offered rate was not sustained, or the samples are too few`,
  ];
}

/** @param {Outcome[]} outcomes   all of one scenario */
function ratesTitle(outcomes) {
  const { many, toAll } = commonOperation(outcomes.filter(isMeasured));
  const what = toAll === undefined ? many : `${toAll}s to all workers`;
  return `planned ${printable(what)} per second, log scale`;
}

/** @param {Slo} slo @param {boolean} isDrawn */
function limitNote(slo, isDrawn) {
  const limit = `the limit, ${sloLabel(slo, ' < ')}`;
  if (!PERCENTILES.some((percentile) => percentile === slo.percentile))
    return `${limit}, is of a percentile that is not drawn`;
  return isDrawn ? `dashed: ${limit}` : `${limit}, lies beyond the axis`;
}

/**
 * @param {FigureInput} question
 * @param {Outcome[]} outcomes   all with one payload
 * @returns {Figure[]} one figure; none for a single rate, or without response times
 */
export function rateFigure(question, outcomes) {
  const { results } = question;
  const rates = byRate(outcomes).map(([outcome]) => rateOf(outcome));
  const slo = results.options.open?.slo ?? null;
  const shapes = byShape(outcomes);
  const panels = shapes.flatMap((ofShape) =>
    PERCENTILES.map((percentile) => ({
      title: joinTexts(percentile, shapes.length > 1 ? shapeLabel(ofShape[0].cell) : ''),
      lines: linesBySeries(
        ofShape,
        rateOf,
        (outcome) => readResponseInterval(outcome, percentile),
        NO_RESPONSE_MARK,
      ),
      limit: slo?.percentile === percentile ? slo.us : undefined,
    })),
  );
  const ends = findEnds(panels);
  if (rates.length === 1 || ends === null) return [];
  const isLimitShown = slo !== null && slo.us >= ends.min && slo.us <= ends.max;
  const figure = linesFigure(question, outcomes, {
    name: `response-by-rate-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `Response time against rate${formatWhere(results, outcomes)}`,
    message: messageOfRates(outcomes, results, readTypical),
    panels: isLimitShown ? panels : panels.map((panel) => ({ ...panel, limit: undefined })),
    across: { title: ratesTitle(outcomes), values: rates },
    upwards: { title: RESPONSE_TITLE, format: 'duration' },
    columns: PERCENTILES.length,
    notes: [
      ...(slo === null ? [] : [limitNote(slo, isLimitShown)]),
      ...missingResponseNotes(outcomes),
      ...boundNotes(outcomes),
      OPEN_LOAD_SENTENCES.full,
      ...gapNotes(outcomes),
    ],
  });
  return [figure];
}

/** @param {MeasuredOutcome} outcome @returns {Point[]} a line that ends, with a marker, where the samples are too few */
function spectrumPoints(outcome) {
  const opens = outcome.launches.flatMap(({ open }) => open ?? []);
  const spectrum = latencySpectrum(
    opens.map(({ response }) => response),
    opens.flatMap(({ unanswered }) => unanswered ?? []),
  );
  return spectrum.map(({ rarity, us }, index) => ({
    x: rarity,
    y: us,
    isHollow: isNotRanked(outcome),
    isBare: index < spectrum.length - 1,
  }));
}

/**
 * @param {FigureInput} question
 * @param {Outcome[]} outcomes   all with one payload
 * @returns {Figure[]} one figure; none if there is nothing to draw
 */
export function percentileFigure(question, outcomes) {
  const { results } = question;
  const shapes = byShape(outcomes);
  const panels = shapes
    .flatMap((ofShape) => byRate(ofShape))
    .map((atRate) => {
      const [first] = atRate;
      const sustained = atRate.filter(isMeasured).filter(hasResponseTimes);
      return {
        title: joinTexts(`${si(rateOf(first))}/s`, shapes.length > 1 ? shapeLabel(first.cell) : ''),
        lines: new Map(sustained.map((outcome) => [seriesLabel(outcome.cell), spectrumPoints(outcome)])),
      };
    });
  if (findEnds(panels) === null) return [];
  const points = panels.flatMap(({ lines }) => [...lines.values()].flat());
  const rarest = Math.max(...points.map(({ x }) => x));
  const decades = Math.min(MAX_DECADES, Math.max(1, Math.ceil(Math.log10(rarest))));
  const figure = linesFigure(question, outcomes, {
    name: `percentiles-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `Percentiles of response time${formatWhere(results, outcomes)}`,
    message: messageOfTails(outcomes, results),
    panels,
    across: {
      title: 'percentile, each step ten times rarer',
      values: Array.from({ length: decades + 1 }, (_, decade) => 10 ** decade),
      format: 'percentile',
    },
    upwards: { title: RESPONSE_TITLE, format: 'duration' },
    intervals: 'all launches together, no interval',
    notes: [OPEN_LOAD_SENTENCES.full, ...gapNotes(outcomes)],
  });
  return [figure];
}
