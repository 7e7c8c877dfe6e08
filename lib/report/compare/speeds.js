// The launches of a cell on both sides → what is compared of them: one speed per launch, more is better, and the
// measure that people are shown.

import { headlineOfLaunch, isHigherBetter } from '../../cell/headline.js';
import { BenchError } from '../../errors.js';
import { censoredPercentiles } from '../../statistics/latency.js';

/** @import { Samples } from '../../statistics/ratio.js' */
/** @import { ComparedMeasure, ComparisonDesign as Design, MeasuredLaunch, MeasureFacts } from '../../types/index.js' */
/** @typedef {{ block: number, shown: number, speed: number }} Speed   shown: in the unit of the measure */
/** @typedef {{ measure: ComparedMeasure, old: Speed[], new: Speed[] }} Speeds */

const TIME = Object.freeze({ unit: 'µs', better: 'lower', kind: 'times' });
/** @type {ComparedMeasure} */
const RESPONSE_P50 = { name: 'responseP50Us', title: 'median response time', ...TIME };
/** @type {ComparedMeasure} */
const RESPONSE_P99 = { name: 'responseP99Us', title: 'p99 of response time', ...TIME };

/** @param {MeasuredLaunch} launch @returns {{ p50: number, p99: number | null }} of the response time, µs; a bound is no p99 */
function readResponse({ open }) {
  if (open === undefined) throw new RangeError('closed loops have no response time');
  try {
    const { p50, p99, atLeast = [] } = censoredPercentiles(open.response, open.unanswered);
    return { p50, p99: atLeast.includes('p99') ? null : p99 };
  } catch (error) {
    throw unusable('a histogram of response times cannot be read', error);
  }
}

/** @param {string} what @param {unknown} [cause] */
function unusable(what, cause) {
  const message = `${what}: the results were changed after they were saved. Measure again.`;
  return new BenchError('BAD_RESULTS_FILE', message, { cause });
}

/** @param {Speed[]} speeds @returns {Speed[]} all above 0, as everything measured is */
function checked(speeds) {
  if (speeds.every(({ speed }) => speed > 0 && Number.isFinite(speed))) return speeds;
  throw unusable('a launch has no number above 0');
}

/** @param {MeasureFacts} measure @returns {ComparedMeasure} */
function compared({ name, title, unit, better, kind }) {
  return { name, title, unit, better, kind };
}

/**
 * Under open load the number of operations is planned, and says nothing: response times are compared instead.
 * @param {MeasuredLaunch[]} old
 * @param {MeasuredLaunch[]} fresh
 * @param {MeasureFacts} headline
 * @returns {Speeds}
 */
export function compareSpeeds(old, fresh, headline) {
  if ([...old, ...fresh].some(({ open }) => open === undefined)) {
    const shownOf = (/** @type {MeasuredLaunch} */ launch) => headlineOfLaunch(headline, launch);
    return speedsBy(compared(headline), shownOf, old, fresh);
  }
  const responses = new Map([...old, ...fresh].map((launch) => [launch, readResponse(launch)]));
  const hasTail = [...responses.values()].every(({ p99 }) => p99 !== null);
  const usOf = (/** @type {MeasuredLaunch} */ launch) =>
    responses.get(launch)?.[hasTail ? 'p99' : 'p50'] ?? 0;
  return speedsBy(hasTail ? RESPONSE_P99 : RESPONSE_P50, usOf, old, fresh);
}

/**
 * @param {ComparedMeasure} measure
 * @param {(launch: MeasuredLaunch) => number} shownOf
 * @param {MeasuredLaunch[]} old
 * @param {MeasuredLaunch[]} fresh
 * @returns {Speeds}
 */
function speedsBy(measure, shownOf, old, fresh) {
  const speedsIn = (/** @type {MeasuredLaunch[]} */ launches) =>
    launches.map((launch) => {
      const shown = shownOf(launch);
      return { block: launch.block, shown, speed: isHigherBetter(measure) ? shown : 1 / shown };
    });
  return { measure, old: checked(speedsIn(old)), new: checked(speedsIn(fresh)) };
}

/**
 * @param {Speeds} speeds
 * @param {Design} design
 * @returns {Samples} interleaved: of blocks that both sides have, in the same order
 */
export function collectSamples(speeds, design) {
  if (design === 'separate') {
    return { old: speeds.old.map(({ speed }) => speed), new: speeds.new.map(({ speed }) => speed) };
  }
  const newByBlock = new Map(speeds.new.map(({ block, speed }) => [block, speed]));
  const shared = speeds.old.flatMap(({ block, speed }) => {
    const partner = newByBlock.get(block);
    return partner === undefined ? [] : [{ speed, partner }];
  });
  return { old: shared.map(({ speed }) => speed), new: shared.map(({ partner }) => partner) };
}
