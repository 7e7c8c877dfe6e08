// What a recorded program would gain, as findings: whether the replay represents the program, and which share of a core other rows save at
// its rate.

import { findMainTimes } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { ifAny } from '../../format/lists.js';
import { shownInterval } from '../../format/numbers.js';
import { US_PER_S } from '../../format/units.js';
import { differingSizes } from '../../record/traffic-file.js';
import { readPercentile } from '../../record/weighted-histogram.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { estimateTypical, scaleEstimate } from '../../statistics/estimate.js';
import { makeFinding, withoutTarget } from '../findings/finding.js';
import { hasResponseTimes, isOpen } from '../findings/groups.js';
import { readResponseTime } from '../findings/response-times.js';
import { unrankedBy } from '../findings/row-verdicts.js';
import { kindsIn } from '../findings/transport-kinds.js';
import { compareCpu, readCpuUs } from './cpu-cost.js';

/** @import { Conversation } from '../../record/traffic-costs.js' */
/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../../types/recordings.js' */
/** @import { Cell, Finding, FoundRow, MeasuredLaunch, MeasuredOutcome, Reason, ReplaySizes, Results } from '../../types/index.js' */
/**
 * @typedef {object} Program
 * @property {Traffic} traffic
 * @property {number} coreShare   share of a core that sending and deserialising take, over all channels
 * @property {Conversation | null} conversation   null if all channels take next to no CPU time
 */
/**
 * What is known about the replay of the conversation. All properties are optional, since `why` may be known before the replay.
 * @typedef {object} Replayed
 * @property {Reason} [why]           why no gain is certain; `check` has the reason if the replay differs from the program
 * @property {string} [cause]         why the present row is not replayed, printed after `why`
 * @property {ReplaySizes[]} [sizes]  sizes of messages and responses, as far as they are known
 * @property {Finding} [check]        made by checkReplay()
 * @property {FoundRow[]} [rows]      made by gainRows()
 */

const ALIKE = 0.2;
const SENT_LATE = 'generator-limited';
const WIDEST = 2; // greatest ratio between the ends of the interval of a replay
const OWN_FORMATS = ['json', 'v8']; // formats of process.send(), chosen by an option of fork()

/** Codes of reasons with their remedies. @type {ReadonlyMap<string, string>} */
const REMEDIES = new Map([
  ['few-messages', 'record-longer'],
  ['reference-failed', 'run-traffic'],
  ['replay-noisy', 'quieter-machine'],
]);

/** @param {Program} program @param {Replayed} [replayed] @returns {Finding[]} the answer first */
export function gainFindings({ traffic, coreShare, conversation }, replayed = {}) {
  const { cause, sizes = [], check, rows = [] } = replayed;
  const { program, durationMs, notRecorded } = traffic;
  const why = replayed.why ?? check?.why ?? null;
  const [present] = rows;
  const isJudged = conversation !== null && why === null;
  const best = isJudged ? rows.find(({ verdict }) => verdict === 'better') : undefined;
  return [
    makeFinding('gain', {
      rows: [...(best ? [best] : []), ...(present ? [present] : [])],
      against: present?.row ?? null,
      ratio: best?.ratio ?? null,
      verdict: best ? 'better' : isJudged ? 'unclear' : 'none',
      why,
      numbers: { coreShare, durationMs, notRecorded: notRecorded.length },
      names: { program, ...(cause !== undefined && { cause }) },
      remedy: REMEDIES.get(why?.code ?? '') ?? null,
    }),
    ...notRecorded.map((what) => makeFinding('not-recorded', { names: { what } })),
    ...(conversation === null ? [] : [channelFinding(conversation)]),
    ...differingSizes(sizes).map((numbers) => makeFinding('replay-sizes', { numbers })),
    ...(check === undefined ? [] : [check]),
    ...ifAny(rows, () =>
      makeFinding('replayed-rows', {
        rows,
        against: present.row,
        numbers: { perSecond: Number(conversation?.perSecond) },
      }),
    ),
  ];
}

/** @param {Conversation} conversation @returns {Finding} */
function channelFinding({ channel, responses, perSecond, fromShare, toShare, messageUs }) {
  const { number, from, to, mechanism } = channel;
  const [p50Bytes, p99Bytes] = readSizes(channel);
  const [p50ResponseBytes, p99ResponseBytes] = responses === null ? [] : readSizes(responses);
  return makeFinding('recorded-channel', {
    numbers: {
      channel: number,
      perSecond,
      p50Bytes,
      p99Bytes,
      ...(responses !== null && { responsesChannel: responses.number, p50ResponseBytes, p99ResponseBytes }),
      fromCoreShare: fromShare,
      toCoreShare: toShare,
      messageUs,
    },
    names: { from, to, mechanism },
  });
}

/** @param {TrafficChannel} channel @returns {number[]} p50 and p99, bytes */
function readSizes({ bytes }) {
  return [0.5, 0.99].map((share) => Math.round(readPercentile(bytes, share)));
}

/**
 * Compares the replay of the present transport and codec with the program. The same recorder timed both.
 * @param {string} row
 * @param {number} programUs     per message and response: sending and deserialising at both ends
 * @param {number[]} replayUs   one for each launch, at least one
 * @param {ReplaySizes[]} [sizes]
 * @returns {Finding} `why` is null if the ratio is within 20 % of 1 and not noisy
 */
export function checkReplay(row, programUs, replayUs, sizes = []) {
  const value = estimateTypical(replayUs);
  const ratio = scaleEstimate(value, 1 / programUs);
  const isNoisy = ratio.level === null || ratio.high / ratio.low > WIDEST;
  const isAlike = Math.abs(ratio.estimate - 1) <= ALIKE;
  return makeFinding('replay', {
    rows: [{ row, value }],
    ratio,
    why: isNoisy ? { code: 'replay-noisy' } : isAlike ? null : { code: 'replay-unlike' },
    numbers: { programUs, differingSizes: differingSizes(sizes).length },
    remedy: isNoisy ? String(REMEDIES.get('replay-noisy')) : null,
  });
}

/**
 * @param {Results} results       results of the replay, in closed loops or with messages sent at the recorded times
 * @param {object} program
 * @param {string} program.reference     label of the present row
 * @param {number} program.perSecond     rate of messages, as the mean over the whole recording
 * @param {(cell: Cell) => boolean} program.isFit   true if the cell may replace the reference
 * @param {Readonly<Record<string, string>>} [program.needed]   what codecs need that are not part of Node.js
 * @returns {FoundRow[]} the present row first, then the cheapest first; empty if the reference was not measured. `value` is the share of a
 *   core that all processes take at the recorded rate. The intervals of the savings hold simultaneously
 */
export function gainRows(results, { reference, perSecond, isFit, needed = {} }) {
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
  /** @param {MeasuredOutcome} outcome */
  const inModel = (outcome) => /** @type {{ launches: MeasuredLaunch[] }} */ (compared.get(outcome));
  /** @param {MeasuredOutcome} outcome */
  const shareOf = (outcome) => {
    const us = usOf(inModel(outcome));
    return us === null ? undefined : scaleEstimate(us, perSecond / US_PER_S);
  };
  const presentShare = shareOf(present)?.estimate ?? 0;
  /** @param {MeasuredOutcome} outcome */
  const toRow = (outcome) => {
    const { cell } = outcome;
    const value = shareOf(outcome);
    return {
      row: seriesLabel(cell),
      ...(value && { value }),
      numbers: p99Numbers(outcome),
      names: { codec: cell.codec, ...(Object.hasOwn(needed, cell.codec) && { needs: needed[cell.codec] }) },
    };
  };
  /** @param {MeasuredOutcome} outcome */
  const toOther = (outcome) => {
    const { names, numbers, ...row } = toRow(outcome);
    const kind = kindIn(outcome.cell);
    const { ratio, verdict } = judge(inModel(outcome), inModel(present));
    const flag = unrankedFlag(outcome);
    return {
      ...row,
      ...(kind !== '' && { kind }),
      ratio: withoutTarget(ratio),
      verdict: flag === null ? verdict : /** @type {const} */ ('none'),
      why: flag === null ? null : { code: flag },
      numbers: { ...numbers, ...savedNumbers(ratio, presentShare) },
      names: { ...names, changes: changeOf(outcome.cell, present.cell) },
    };
  };
  const isLate = isOpen(present) && !hasResponseTimes(present);
  return [
    { ...toRow(present), why: isLate ? { code: SENT_LATE } : null },
    ...others.map(toOther).sort((one, other) => estimateOf(one) - estimateOf(other)),
  ];
}

/**
 * @param {ReturnType<ReturnType<typeof compareCpu>['judge']>['ratio']} ratio
 * @param {number} presentShare
 * @returns {Record<string, number>} shares of a core; empty if unknown
 */
function savedNumbers(ratio, presentShare) {
  if (ratio === null || ratio.method === 'unknown') return {};
  const { low, high } = shownInterval(ratio);
  const [savedCoreShare, leastSavedCoreShare, mostSavedCoreShare] = [ratio.estimate, high, low].map(
    (times) => presentShare * (1 - times),
  );
  return { savedCoreShare, leastSavedCoreShare, mostSavedCoreShare };
}

/** @param {FoundRow} row */
const estimateOf = ({ value }) => value?.estimate ?? Infinity;

/** @param {number} us @returns {boolean} */
const isKnown = (us) => us > 0 && us < Infinity;

/** @param {MeasuredOutcome} outcome @returns {string | null} the flag that makes its CPU time invalid; late sends do not affect it */
function unrankedFlag({ flags }) {
  return unrankedBy(flags.map(({ code }) => code).filter((code) => code !== SENT_LATE));
}

/** @param {MeasuredOutcome} outcome @returns {Record<string, number>} p99 from the planned send, or in closed loops from the send */
function p99Numbers(outcome) {
  if (!isOpen(outcome)) {
    const us = findMainTimes(outcome)?.p99 ?? null;
    return us === null ? {} : { p99Us: us };
  }
  const time = readResponseTime(outcome, 'p99');
  return time === null ? {} : { [time.isAtLeast ? 'leastP99Us' : 'p99Us']: time.us.estimate };
}

/** @param {Cell} cell @param {Cell} present @returns {'option' | 'codec' | 'mechanism'} the kind of change that the program needs */
function changeOf({ transport, codec }, present) {
  if (transport !== present.transport) return 'mechanism';
  const isOption = codec === present.codec || (transport === 'pipe' && OWN_FORMATS.includes(codec));
  return isOption ? 'option' : 'codec';
}
