// The figure of open load at several rates: response time against the planned rate, p50 and p99 side by side on one
// scale, a row of panels per shape (and codec). Where the plan was not kept there is a gap.

import { commonOperation } from '../../../cell/headline.js';
import { shapeLabel, sloLabel } from '../../../cell/labels.js';
import { printable } from '../../../format/printable.js';
import { isMeasured, rateOf } from '../../text/groups.js';
import { OPEN_LOAD_SENTENCES } from '../../text/open-conclusion.js';
import { readResponseTime } from '../../text/response-times.js';
import { columnPx } from '../scene/layout.js';
import { boundNotes, messageOfRates } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { countedPayload, joinTexts, NO_RESPONSE_MARK } from '../text/short-texts.js';
import { formatWhere, legendOf, makeFigure } from './figure.js';
import { findEnds, linePanel, referenceOf, titledPanels } from './line-panel.js';
import { byNumber, byShape, makeSeries, splitIntoPanels } from './series.js';

/** @import { Outcome, Slo } from '../../../types/index.js' */
/** @import { Ends, Interval } from './line-panel.js' */
/** @import { Figure, Sheet } from '../scene-types.js' */

const PERCENTILES = /** @type {const} */ (['p50', 'p99']);
export const RESPONSE_TITLE = 'response time, log scale';

/** @param {Outcome[]} outcomes */
export const byRate = (outcomes) => byNumber(outcomes, rateOf);

/** @param {'p50' | 'p99'} percentile @returns {(outcome: Outcome) => Interval | null} null: failed, not kept, too few samples */
function readResponseInterval(percentile) {
  return (outcome) => {
    const time = isMeasured(outcome) ? readResponseTime(outcome, percentile) : null;
    if (time === null) return null;
    const { estimate } = time.us;
    return time.isAtLeast ? { estimate, low: estimate, high: estimate, n: 1 } : time.us;
  };
}

/** @param {Outcome[]} outcomes @returns {string[]} what that means, where it stands */
function missingResponseNotes(outcomes) {
  const isMissing = (/** @type {Outcome} */ outcome) =>
    isMeasured(outcome) && PERCENTILES.some((percentile) => readResponseTime(outcome, percentile) === null);
  if (!outcomes.some(isMissing)) return [];
  return [
    `${NO_RESPONSE_MARK} no response time: the offered rate was not sustained, or the samples are too few`,
  ];
}

/** @param {Outcome[]} outcomes   of one scenario @returns {string} of the axis of rates */
function ratesTitle(outcomes) {
  const { many, toAll } = commonOperation(outcomes.filter(isMeasured));
  const what = toAll === undefined ? many : `${toAll}s to all workers`;
  return `planned ${printable(what)} per second, log scale`;
}

/** @param {Slo} slo @param {Ends} ends @returns {boolean} */
const isWithin = ({ us }, { min, max }) => us >= min && us <= max;

/** @param {Slo} slo @param {Ends} ends @returns {string} */
function limitNote(slo, ends) {
  const limit = `the limit, ${sloLabel(slo, ' < ')}`;
  if (!PERCENTILES.some((percentile) => percentile === slo.percentile))
    return `${limit}, is of a percentile that is not drawn`;
  return isWithin(slo, ends) ? `dashed: ${limit}` : `${limit}, lies beyond the axis`;
}

/** @param {Sheet} sheet @param {Outcome[]} outcomes   of one payload @returns {Figure[]} none of one rate, and where there is nothing to draw */
export function rateFigure(sheet, outcomes) {
  const { results } = sheet;
  const rates = byRate(outcomes).map(([outcome]) => rateOf(outcome));
  const ends = findEnds(PERCENTILES.flatMap((percentile) => outcomes.map(readResponseInterval(percentile))));
  if (rates.length === 1 || ends === null) return [];
  const slo = results.options.open?.slo ?? null;
  const series = makeSeries(results, outcomes);
  const shapes = byShape(outcomes);
  const title = ratesTitle(outcomes);
  const parts = splitIntoPanels(series);
  const widthPx = columnPx(PERCENTILES.length, 0, sheet.widthPx);
  const titles = { across: title, upwards: RESPONSE_TITLE };
  const titled = titledPanels(shapes.length * parts.length * PERCENTILES.length, titles, widthPx);
  const frame = {
    ...titled,
    reference: referenceOf(outcomes),
    widthPx,
    across: { title, values: rates },
    upwards: { title: RESPONSE_TITLE, ends, format: /** @type {const} */ ('duration') },
    acrossOf: rateOf,
    limitedMark: NO_RESPONSE_MARK,
  };
  const panels = shapes.flatMap((ofShape) =>
    parts.flatMap((part) =>
      PERCENTILES.map((percentile) => {
        const limit = slo?.percentile === percentile && isWithin(slo, ends) ? slo.us : null;
        const own = { ...frame, limit, upwardsOf: readResponseInterval(percentile) };
        return {
          title: joinTexts(percentile, shapes.length > 1 ? shapeLabel(ofShape[0].cell) : '', part.title),
          configuration: linePanel(ofShape, part.series, own),
        };
      }),
    ),
  );
  const figure = makeFigure(sheet, outcomes, {
    name: `response-by-rate-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `Response time against rate${formatWhere(results, outcomes)}`,
    message: messageOfRates(outcomes, results),
    legend: legendOf(series, 'line'),
    columns: PERCENTILES.length,
    panelPx: titled.heightPx,
    panels,
    ...(titled.hasTitles ? {} : { axes: `↑ ${RESPONSE_TITLE}   → ${title}` }),
    notes: [
      ...(slo === null ? [] : [limitNote(slo, ends)]),
      ...missingResponseNotes(outcomes),
      ...boundNotes(outcomes),
      OPEN_LOAD_SENTENCES.full,
      ...gapNotes(outcomes),
    ],
  });
  return [figure];
}
