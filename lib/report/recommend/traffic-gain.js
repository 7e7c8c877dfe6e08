// Computes what a recorded program would gain: whether its replay represents it, and which share of a core other rows save at its rate.

import { findMainTimes } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { US_PER_S } from '../../format/units.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { estimateTypical } from '../../statistics/estimate.js';
import { hasResponseTimes, isOpen } from '../findings/groups.js';
import { readResponseTime, withoutInterval } from '../findings/response-times.js';
import { kindsIn } from '../findings/transport-kinds.js';
import { unrankedBy } from '../findings/verdicts.js';
import { compareCpu, readCpuUs } from './cpu-cost.js';

/** @import { Conversation } from '../../record/traffic-costs.js' */
/** @import { RecordedTraffic as Traffic } from '../../types/recordings.js' */
/** @import { Cell, Estimate, Interval, MeasuredLaunch, MeasuredOutcome, ReplaySizes, Results } from '../../types/index.js' */
/** @import { ResponseTime } from '../findings/response-times.js' */
/** @typedef {'option' | 'codec' | 'mechanism' | 'threads'} Effort   the kind of change that the program needs */
/**
 * The replay of the present transport and codec, compared with the program. The same recorder timed both.
 * @typedef {object} ReplayCheck
 * @property {number} programUs     per message and response: sending and deserialising at both ends
 * @property {Estimate} replayUs    estimated from one value per launch
 * @property {Estimate} ratio       replay / program
 * @property {boolean} isAlike      the ratio is within 20 % of 1 and not noisy
 * @property {boolean} isNoisy      there is no interval of the ratio, or its ends differ by more than a factor of WIDEST
 */
/**
 * A replayed row, in closed loops or with messages sent at the recorded times. `effort` and `saved` are null in the row of the present
 * transport and codec.
 * @typedef {object} GainRow
 * @property {string} name
 * @property {(Interval & { estimate: number }) | null} share   share of a core that all processes take at the recorded rate; null if
 *   unknown
 * @property {Interval & { estimate: number } | null} saved   share of a core; the intervals of all rows hold together
 * @property {boolean} isCheaper            proven to be cheaper
 * @property {ResponseTime | null} p99      measured from the planned instant, in closed loops from the send
 * @property {boolean} isLate               true if its messages were not sent at the recorded times
 * @property {Effort | null} effort
 * @property {string} kind                  the difference in kind of its transport; '' if there is none
 * @property {string} codec
 */
/**
 * The answer for one channel.
 * @typedef {object} Gain
 * @property {Traffic} traffic
 * @property {number} share              share of a core that sending and deserialising take, over all channels
 * @property {Conversation | null} conversation   null if all channels take next to no CPU time
 * @property {string} why                why the channel is not judged; '' if it is
 * @property {ReplaySizes[]} sizes       sizes of messages and responses, as far as they are known
 * @property {ReplayCheck | null} check
 * @property {GainRow[]} rows            the present row first, then the cheapest first
 * @property {Record<string, string>} requires   description by codec, for codecs that are not part of Node.js
 */

const ALIKE = 0.2;
const SENT_LATE = 'generator-limited';
const WIDEST = 2; // greatest ratio between the ends of the interval of a replay
const OWN_FORMATS = ['json', 'v8']; // formats of process.send(), chosen by an option of fork()

/** @param {number} programUs @param {number[]} replayUs   one for each launch, at least one @returns {ReplayCheck} */
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
 * @param {Results} results       results of the replay
 * @param {object} program
 * @param {string} program.reference     label of the present row
 * @param {number} program.perSecond     rate of messages, as the mean over the whole recording
 * @param {(cell: Cell) => boolean} program.isFit   true if the cell may replace the reference
 * @returns {GainRow[]} empty if the reference was not measured
 */
export function gainRows(results, { reference, perSecond, isFit }) {
  const measured = results.outcomes.filter(isMeasured);
  const present = measured.find(({ cell }) => seriesLabel(cell) === reference);
  if (present === undefined) return [];
  const kindIn = kindsIn(results);
  const others = measured.filter((outcome) => outcome !== present && isFit(outcome.cell));
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
    if (us === null) return null;
    const [estimate, low, high] = [us.estimate, us.low, us.high].map((each) => (each * perSecond) / US_PER_S);
    return { estimate, low, high };
  };
  const presentShare = shareOf(present)?.estimate ?? 0;
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
      saved:
        ratio === null || ratio.method === 'unknown'
          ? null
          : { estimate: saved(ratio.estimate), low: saved(high), high: saved(low) },
      isCheaper: verdict === 'better' && mayCompareCpu(outcome),
      p99: readP99(outcome),
      isLate: isOpen(outcome) && !hasResponseTimes(outcome),
      effort: isPresent ? null : effortOf(cell, present.cell),
      kind: isPresent ? '' : kindIn(cell),
      codec: cell.codec,
    };
  };
  const rows = others.map(toRow).sort((one, other) => estimateOf(one) - estimateOf(other));
  return [toRow(present), ...rows];
}

/** @param {Pick<Gain, 'rows' | 'check'>} gain @returns {GainRow | null} null if no row is proven cheaper or the replay is not alike */
export function bestRow({ rows, check }) {
  return check?.isAlike === true ? (rows.find(({ isCheaper }) => isCheaper) ?? null) : null;
}

/** @param {GainRow} row */
const estimateOf = ({ share }) => share?.estimate ?? Infinity;

/** @param {number} us @returns {boolean} */
const isKnown = (us) => us > 0 && us < Infinity;

/** @param {MeasuredOutcome} outcome @returns {boolean} true if no flag makes its CPU time invalid; late sends do not affect it */
function mayCompareCpu({ flags }) {
  const codes = flags.map(({ code }) => code).filter((code) => code !== SENT_LATE);
  return unrankedBy(codes) === null;
}

/** @param {MeasuredOutcome} outcome @returns {ResponseTime | null} measured from the send in closed loops */
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
