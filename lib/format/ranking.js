// One group in sentences: who answered more round trips than the reference, who fewer, and of whom it cannot be told.

import { nameOf } from './groups.js';
import { listed } from './lists.js';
import { formatInterval, formatRatio, formatRatioInterval } from './numbers.js';

/** @typedef {import('./groups.js').Group} Group */
/** @typedef {import('./verdicts.js').Compared} Compared */
/** @typedef {import('./verdicts.js').Verdict} Verdict */

/**
 * @param {Compared} best
 * @param {string} reference
 * @param {string} place
 */
function leadingSentence({ name, ratio, verdict, why }, reference, place) {
  const what = `as many round trips per second as ${reference} at ${place}`;
  if (verdict === 'more') return `${name} answered ${formatRatioInterval(ratio)} ${what}.`;
  const launches = `${ratio.n} ${ratio.n === 1 ? 'launch' : 'launches'}`;
  return `${name} answered about ${formatRatio(ratio.estimate)} ${what} in ${launches}; no verdict: ${why}.`;
}

/**
 * @param {Compared[]} some    at least one
 * @param {Verdict} verdict    that they share
 * @param {string} reference
 * @param {string} where
 */
function furtherSentence(some, verdict, reference, where) {
  const withInterval = listed(some.map(({ name, ratio }) => `${name} ${formatRatioInterval(ratio)}`));
  if (verdict === 'more') return `Also more than ${reference} ${where}: ${withInterval}.`;
  if (verdict === 'fewer') return `Fewer than ${reference} ${where}: ${withInterval}.`;
  if (verdict === 'none') {
    const estimates = listed(some.map(({ name, ratio }) => `${name} ${formatRatio(ratio.estimate)}`));
    return `Without a verdict ${where}, about: ${estimates}.`;
  }
  const ends = some.map(({ ratio }) => formatRatioInterval(ratio).split(/[()]/)[1]);
  if (some.length === 1) return `Cannot tell ${some[0].name} from ${reference} ${where} (${ends[0]}).`;
  return `Cannot tell from ${reference} ${where}: ${listed(some.map(({ name }, index) => `${name} (${ends[index]})`))}.`;
}

/**
 * @param {Group} group          with something measured
 * @param {string} reference     as it is shown
 * @param {Compared[]} compared
 * @returns {string[]}
 */
export function sentencesOfGroup({ place, measured }, reference, compared) {
  if (compared.length === 0) return [absoluteSentence(measured, place)];
  const isLed = compared[0].verdict === 'more' || compared[0].verdict === 'none';
  const rest = isLed ? compared.slice(1) : compared;
  const sentences = isLed ? [leadingSentence(compared[0], reference, place)] : [];
  for (const verdict of /** @type {Verdict[]} */ (['more', 'unclear', 'fewer', 'none'])) {
    const some = rest.filter((one) => one.verdict === verdict);
    const where = sentences.length === 0 ? `at ${place}` : 'there';
    if (some.length > 0) sentences.push(furtherSentence(some, verdict, reference, where));
  }
  return sentences;
}

/**
 * @param {import('../types.js').MeasuredOutcome[]} measured    at least one
 * @param {string} place
 * @returns {string} what can be said without a reference
 */
function absoluteSentence(measured, place) {
  const [best] = measured.toSorted(
    (left, right) => right.roundTripsPerSecond.estimate - left.roundTripsPerSecond.estimate,
  );
  const rate = `${formatInterval(best.roundTripsPerSecond)} round trips per second at ${place}`;
  const others = measured.length === 1 ? '; nothing else was measured there' : ', the highest estimate there';
  return `${nameOf(best.cell)} answered ${rate}${others}.`;
}
