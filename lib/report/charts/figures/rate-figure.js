// The figure of open load at several rates: p50 and p99 of the response time against the planned rate. Where the rate was not
// sustained there is a gap.

import { commonOperation } from '../../../cell/headline.js';
import { shapeLabel, sloLabel } from '../../../cell/labels.js';
import { printable } from '../../../format/printable.js';
import { isMeasured } from '../../../results/measured-outcomes.js';
import { rateOf } from '../../findings/groups.js';
import { readResponseTime } from '../../findings/response-times.js';
import { OPEN_LOAD_SENTENCES } from '../../text/phrases/open-load-phrases.js';
import { countedPayload, joinTexts, NO_RESPONSE_MARK } from '../../text/short-texts.js';
import { boundNotes, messageOfRates } from '../text/chart-words.js';
import { gapNotes } from '../text/footer.js';
import { formatWhere } from './figure.js';
import { findEnds, linesFigure, linesOf } from './lines-figure.js';
import { byNumber, byShape } from './series.js';

/** @import { Outcome, Slo } from '../../../types/index.js' */
/** @import { Interval } from './lines-figure.js' */
/** @import { Figure, Sheet } from '../scene-types.js' */

const PERCENTILES = /** @type {const} */ (['p50', 'p99']);
export const RESPONSE_TITLE = 'response time, log scale';

/** @param {Outcome[]} outcomes */
export const byRate = (outcomes) => byNumber(outcomes, rateOf);

/** @param {Outcome} outcome @param {'p50' | 'p99'} percentile @returns {Interval | null} null if it failed, was not sustained, or has too few samples */
function readResponseInterval(outcome, percentile) {
  const time = isMeasured(outcome) ? readResponseTime(outcome, percentile) : null;
  if (time === null) return null;
  const { estimate } = time.us;
  return time.isAtLeast ? { estimate, low: estimate, high: estimate, n: 1 } : time.us;
}

/** @param {Outcome[]} outcomes @returns {string[]} */
function missingResponseNotes(outcomes) {
  const isMissing = (/** @type {Outcome} */ outcome) =>
    isMeasured(outcome) && PERCENTILES.some((percentile) => readResponseTime(outcome, percentile) === null);
  if (!outcomes.some(isMissing)) return [];
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

/** @param {Sheet} sheet @param {Outcome[]} outcomes   all with one payload @returns {Figure[]} empty for one rate or no response times */
export function rateFigure(sheet, outcomes) {
  const { results } = sheet;
  const rates = byRate(outcomes).map(([outcome]) => rateOf(outcome));
  const slo = results.options.open?.slo ?? null;
  const shapes = byShape(outcomes);
  const places = shapes.flatMap((ofShape) =>
    PERCENTILES.map((percentile) => ({
      title: joinTexts(percentile, shapes.length > 1 ? shapeLabel(ofShape[0].cell) : ''),
      lines: linesOf(
        ofShape,
        rateOf,
        (outcome) => readResponseInterval(outcome, percentile),
        NO_RESPONSE_MARK,
      ),
      limit: slo?.percentile === percentile ? slo.us : undefined,
    })),
  );
  const ends = findEnds(places);
  if (rates.length === 1 || ends === null) return [];
  const isLimitShown = slo !== null && slo.us >= ends.min && slo.us <= ends.max;
  const figure = linesFigure(sheet, outcomes, {
    name: `response-by-rate-${countedPayload(results, outcomes[0].cell).fileName}`,
    title: `Response time against rate${formatWhere(results, outcomes)}`,
    message: messageOfRates(outcomes, results),
    places: isLimitShown ? places : places.map((place) => ({ ...place, limit: undefined })),
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
