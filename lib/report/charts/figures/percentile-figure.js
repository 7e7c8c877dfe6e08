// The percentile spectrum of open load: response time against the percentile on the scale of HdrHistogram plots, on which each
// step to the right is ten times rarer. There is a panel per rate and shape; lines end where the samples are too few.

import { seriesLabel, shapeLabel } from '../../../cell/labels.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { latencySpectrum } from '../../../statistics/latency.js';
import { hasResponseTimes, rateOf } from '../../findings/groups.js';
import { OPEN_LOAD_SENTENCES } from '../../text/phrases/open-load-phrases.js';
import { si } from '../../text/quantity-words.js';
import { countedPayload, joinTexts } from '../../text/short-texts.js';
import { limitedNotes, messageOfTails } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { formatWhere, isNotRanked } from './figure.js';
import { findEnds, linesFigure } from './lines-figure.js';
import { byRate, RESPONSE_TITLE } from './rate-figure.js';
import { byShape } from './series.js';

/** @import { MeasuredOutcome, Outcome } from '../../../types/index.js' */
/** @import { Point } from './lines-figure.js' */
/** @import { Figure, Sheet } from '../scene-types.js' */

const MOST_DECADES = 6;

/** @param {MeasuredOutcome} outcome @returns {Point[]} the last one has a marker */
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

/** @param {Sheet} sheet @param {Outcome[]} outcomes   all with one payload @returns {Figure[]} empty if there is nothing to draw */
export function percentileFigure(sheet, outcomes) {
  const { results } = sheet;
  const shapes = byShape(outcomes);
  const places = shapes
    .flatMap((ofShape) => byRate(ofShape))
    .map((ofPlace) => {
      const [first] = ofPlace;
      const sustained = ofPlace.filter(isMeasured).filter(hasResponseTimes);
      return {
        title: joinTexts(`${si(rateOf(first))}/s`, shapes.length > 1 ? shapeLabel(first.cell) : ''),
        lines: new Map(sustained.map((outcome) => [seriesLabel(outcome.cell), spectrumPoints(outcome)])),
      };
    });
  if (findEnds(places) === null) return [];
  const points = places.flatMap(({ lines }) => [...lines.values()].flat());
  const rarest = Math.max(...points.map(({ x }) => x));
  const decades = Math.min(MOST_DECADES, Math.max(1, Math.ceil(Math.log10(rarest))));
  const figure = linesFigure(sheet, outcomes, {
    name: `percentiles-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `Percentiles of response time${formatWhere(results, outcomes)}`,
    message: messageOfTails(outcomes, results),
    places,
    across: {
      title: 'percentile, each step ten times rarer',
      values: Array.from({ length: decades + 1 }, (_, decade) => 10 ** decade),
      format: 'percentile',
    },
    upwards: { title: RESPONSE_TITLE, format: 'duration' },
    intervals: '',
    notes: [
      'All launches together, without intervals',
      OPEN_LOAD_SENTENCES.full,
      ...limitedNotes(outcomes),
      ...gapNotes(outcomes),
    ],
  });
  return [figure];
}
