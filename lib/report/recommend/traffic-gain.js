// What a recorded program would gain: whether its replay represents it, and what other rows would save of a core at its rate.

import { findMainTimes } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { US_PER_S } from '../../format/units.js';
import { estimateTypical } from '../../statistics/estimate.js';
import { hasResponseTimes, isMeasured, isOpen } from '../text/groups.js';
import { readResponseTime, withoutInterval } from '../text/response-times.js';
import { kindsIn } from '../text/transport-kinds.js';
import { unrankedBy } from '../text/verdicts.js';
import { compareCpu, readCpuUs } from './cpu-cost.js';

/** @import { Conversation } from '../../record/traffic-costs.js' */
/** @import { RecordedTraffic as Traffic } from '../../types/recordings.js' */
/** @import { Cell, Estimate, Interval, MeasuredLaunch, MeasuredOutcome, ReplaySizes, Results } from '../../types/index.js' */
/** @import { ResponseTime } from '../text/response-times.js' */
/** @typedef {'option' | 'codec' | 'mechanism' | 'threads'} Effort   what has to be changed */
/**
 * The replay of the present way beside the program: the same recorder timed both.
 * @typedef {object} ReplayCheck
 * @property {number} programUs     of a message with its response: sending and deserialising, at both ends
 * @property {Estimate} replayUs    launches as samples
 * @property {Estimate} ratio       of replay to program
 * @property {boolean} isAlike      within 20 %, and known well enough
 * @property {boolean} isNoisy      its interval is too wide
 */
/**
 * A row at the recorded rate and arrivals. `effort` and `saved` are null in the row of the present way.
 * @typedef {object} GainRow
 * @property {string} name
 * @property {number | null} share          of a core, all processes; null if unknown
 * @property {Interval & { estimate: number } | null} saved   of a core; the interval holds for all rows together
 * @property {boolean} isCheaper            it is proven
 * @property {ResponseTime | null} p99      from when a message was due, in closed loops from when it was sent
 * @property {boolean} isLate               its messages were not sent at the recorded arrivals
 * @property {Effort | null} effort
 * @property {string} kind                  in what its transport differs, if it does
 * @property {string} codec
 */
/**
 * The answer for one channel.
 * @typedef {object} Gain
 * @property {Traffic} traffic
 * @property {number} share              of a core, what all channels take
 * @property {Conversation | null} conversation   null if all of it takes next to nothing
 * @property {string} why                the channel is not judged; '' if it is
 * @property {ReplaySizes[]} sizes       of the messages, and of their responses, as far as they are known
 * @property {ReplayCheck | null} check
 * @property {GainRow[]} rows            the present way first, then the cheapest first
 * @property {Record<string, string>} requires   codec → what it is, for codecs that Node.js does not have
 */

const ALIKE = 0.2;
const SENT_LATE = 'generator-limited';
const WIDEST = 2; // its upper end, times the lower one
const OWN_FORMATS = ['json', 'v8']; // of process.send: an option of fork()

/** @param {number} programUs @param {number[]} replayUs   of launches, at least one @returns {ReplayCheck} */
export function checkReplay(programUs, replayUs) {
  const estimate = estimateTypical(replayUs);
  const ratio = {
    ...estimate,
    estimate: estimate.estimate / programUs,
    low: estimate.low / programUs,
    high: estimate.high / programUs,
  };
  const isNoisy = ratio.level === null || ratio.high / ratio.low > WIDEST;
  const isAlike = !isNoisy && Math.abs(ratio.estimate - 1) <= ALIKE;
  return { programUs, replayUs: estimate, ratio, isNoisy, isAlike };
}

/**
 * @param {Results} results       at the recorded rate
 * @param {object} program
 * @param {string} program.reference     the present way
 * @param {number} program.perSecond     over the whole recording
 * @param {(cell: Cell) => boolean} program.isFit   it may take the place of that
 * @returns {GainRow[]} none if the present way was not measured
 */
export function gainRows(results, { reference, perSecond, isFit }) {
  const measured = results.outcomes.filter(isMeasured);
  const present = measured.find(({ cell }) => seriesLabel(cell) === reference);
  if (present === undefined) return [];
  const kindIn = kindsIn(results);
  const others = measured.filter((outcome) => outcome !== present && isFit(outcome.cell));
  // Launches whose CPU time is unknown are left out.
  const compared = new Map(
    [present, ...others].map((outcome) => [
      outcome,
      { launches: outcome.launches.filter((launch) => isKnown(readCpuUs(launch))) },
    ]),
  );
  const { judge, usOf } = compareCpu([...compared.values()]);
  const inModel = (/** @type {MeasuredOutcome} */ outcome) =>
    /** @type {{ launches: MeasuredLaunch[] }} */ (compared.get(outcome));
  const shareOf = (/** @type {MeasuredOutcome} */ outcome) => {
    const us = usOf(inModel(outcome));
    return us === null ? null : (us * perSecond) / US_PER_S;
  };
  const presentShare = shareOf(present) ?? 0;
  const toRow = (/** @type {MeasuredOutcome} */ outcome) => {
    const { cell } = outcome;
    const isPresent = outcome === present;
    const { ratio, verdict } = isPresent
      ? { ratio: null, verdict: 'none' }
      : judge(inModel(outcome), inModel(present));
    const { low, high } = ratio?.simultaneous ?? ratio ?? { low: 1, high: 1 };
    const saved = (/** @type {number} */ times) => presentShare * (1 - times);
    return {
      name: seriesLabel(cell),
      share: shareOf(outcome),
      saved: ratio && { estimate: saved(ratio.estimate), low: saved(high), high: saved(low) },
      isCheaper: verdict === 'better' && mayCompareCpu(outcome),
      p99: readP99(outcome),
      isLate: isOpen(outcome) && !hasResponseTimes(outcome),
      effort: isPresent ? null : effortOf(cell, present.cell),
      kind: isPresent ? '' : kindIn(cell),
      codec: cell.codec,
    };
  };
  const rows = others.map(toRow).sort((one, other) => (one.share ?? Infinity) - (other.share ?? Infinity));
  return [toRow(present), ...rows];
}

/** @param {Pick<Gain, 'rows' | 'check'>} gain @returns {GainRow | null} the cheapest that is proven to be cheaper, where the replay represents the program */
export function bestRow({ rows, check }) {
  return check?.isAlike === true ? (rows.find(({ isCheaper }) => isCheaper) ?? null) : null;
}

/** @param {number} us @returns {boolean} */
const isKnown = (us) => us > 0 && us < Infinity;

/** @param {MeasuredOutcome} outcome @returns {boolean} messages that were sent late have a CPU time all the same */
function mayCompareCpu({ flags }) {
  const codes = flags.map(({ code }) => code).filter((code) => code !== SENT_LATE);
  return unrankedBy(codes) === null;
}

/** @param {MeasuredOutcome} outcome @returns {ResponseTime | null} in closed loops from sending */
function readP99(outcome) {
  if (isOpen(outcome)) return readResponseTime(outcome, 'p99');
  const us = findMainTimes(outcome)?.p99 ?? null;
  return us === null ? null : { us: withoutInterval(us), isAtLeast: false };
}

/** @param {Cell} cell @param {Cell} present @returns {Effort} */
function effortOf({ transport, codec }, present) {
  if (transport !== present.transport) {
    const isThread = (/** @type {string} */ name) => name.startsWith('threads-');
    return isThread(transport) && !isThread(present.transport) ? 'threads' : 'mechanism';
  }
  return codec === present.codec || (transport === 'pipe' && OWN_FORMATS.includes(codec))
    ? 'option'
    : 'codec';
}
