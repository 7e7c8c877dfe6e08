// What is asked for at a rate, and how a sentence says who keeps it, and by which evidence.

import { sloLabel } from '../cell/labels.js';
import { listed } from '../words/lists.js';
import { formatCount, formatInterval, formatNumber, hasRange } from '../words/numbers.js';

/** @import { Estimate, Judged, PercentileName, Recommendation, Request } from '../types/index.js' */

const NAMES_SHOWN = 4;

/** @param {Request} request @returns {string} 'p99<5ms at 2,000/s' */
export function promiseText({ slo, ratePerSecond }) {
  const rate = `${formatCount(ratePerSecond ?? 0)}/s`;
  return slo === null ? rate : `${sloLabel(slo)} at ${rate}`;
}

/** @param {Recommendation} recommendation @param {Judged} choice @returns {string[]} */
export function promiseSentence({ request }, { kept }) {
  const { slo, ratePerSecond } = request;
  if (ratePerSecond === null) return [];
  const promise = promiseText(request);
  if (kept.evidence === 'open') {
    const { ratePerSecond: measuredAt } = kept;
    const isThere = measuredAt === null || measuredAt === ratePerSecond;
    const at = isThere ? '' : `, measured at ${formatCount(measuredAt)}/s`;
    const time =
      kept.number === null || slo === null
        ? ''
        : `: ${percentileText(slo.percentile)} ${timeText(kept.number)}`;
    const said = kept.verdict === 'yes' ? `Keeps ${promise}` : `Cannot tell whether it keeps ${promise}`;
    const why = kept.why === '' ? '' : `: ${kept.why}`;
    return [`${said}${time}${why}${at}, under open load.`];
  }
  if (kept.number === null) return [`Whether it keeps ${promise} was not measured.`];
  const capacity = `closed loops did ${formatInterval(kept.number)} per second`;
  if (slo === null) {
    const said = kept.verdict === 'yes' ? 'Carries' : 'Cannot tell whether it carries';
    return [`${said} ${promise}, by capacity alone: ${capacity}.`];
  }
  return [`Whether it keeps ${promise} is not measured, only capacity: ${capacity}.`];
}

/** @param {PercentileName} percentile @returns {string} 'p99.9' */
const percentileText = (percentile) => (percentile === 'p999' ? 'p99.9' : percentile);

/** @param {Estimate} us @returns {string} '412 µs (380–450)' */
function timeText(us) {
  const [divisor, unit] = us.estimate >= 1e3 ? [1e3, 'ms'] : [1, 'µs'];
  const scaled = { ...us, estimate: us.estimate / divisor, low: us.low / divisor, high: us.high / divisor };
  return hasRange(us) ? formatInterval(scaled, ` ${unit}`) : `${formatNumber(scaled.estimate)} ${unit}`;
}

/** @param {Recommendation} recommendation @returns {string[]} */
export function brokenSentences({ broken, request }) {
  if (broken.length === 0) return [];
  const texts = broken.map(({ candidate, kept }) => {
    if (kept.number === null) return kept.why === '' ? candidate.name : `${candidate.name} (${kept.why})`;
    const number =
      kept.evidence === 'open' ? timeText(kept.number) : `${formatInterval(kept.number)} per second`;
    return `${candidate.name} ${number}`;
  });
  return [`Does not keep ${promiseText(request)}: ${listed(texts, NAMES_SHOWN)}.`];
}
