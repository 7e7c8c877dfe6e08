// Phrases on what a recorded program would gain.

import { capitalised, groupedBy } from '../../../format/lists.js';
import { formatBytes, formatNumber, formatPercent } from '../../../format/numbers.js';
import { printable } from '../../../format/printable.js';
import { ratioText } from '../measure-words.js';
import { sizesSentence } from '../message-words.js';
import { formatShare, lengthText } from '../quantity-words.js';
import { reasonText, remedyText } from '../reasons.js';

/** @import { Finding, FoundRow, Interval, ReplaySizes } from '../../../types/index.js' */

/** Codes of reasons why a replay that ran permits no conclusion about the program. */
const UNLIKE = ['replay-unlike', 'replay-noisy'];
const LEGEND =
  'CPU: time per message of all processes of the replay, times the recorded rate, so that reading, waking up and the check of each message are in it. Saved: the ratio of that time, times the present cost; 95 % intervals hold for all rows together. p99: of the response time.';
const NO_TIMES = 'No p99: this machine did not keep up with the recorded arrivals.';

/** @param {Interval & { estimate: number }} share @returns {string} '4.8 % (4.1–5.4)' */
function shareText({ estimate, low, high }) {
  const [from, to] = [low, high].map((end) => formatPercent(end, 2).replace(' %', ''));
  return `${formatPercent(estimate, 2)} (${from}–${to})`;
}

/** @param {FoundRow} row @returns {string | null} share of a core that it saves; null if that is unknown */
export function savedText({ numbers = {} }) {
  const { savedCoreShare, leastSavedCoreShare, mostSavedCoreShare } = numbers;
  if (savedCoreShare === undefined) return null;
  return shareText({
    estimate: Number(savedCoreShare),
    low: Number(leastSavedCoreShare),
    high: Number(mostSavedCoreShare),
  });
}

/** @param {Finding} finding @returns {string} */
function answerText({ rows: [best], verdict, why, names, remedy }) {
  if (verdict === 'better') return `To gain: ${savedText(best)} of a core, with ${printable(best.row)}.`;
  if (why === null) return 'Nothing to gain: no row is proven to take less CPU time.';
  const reason = reasonText(why);
  if (UNLIKE.includes(why.code)) return `${capitalised(reason)}, so no gain is promised.`;
  const cause = names.cause === undefined ? '' : `: ${printable(names.cause)}`;
  const next = remedyText(remedy);
  return `It is not known what there is to gain: ${reason}${cause}${next === null ? '' : `; ${next}`}.`;
}

/** @param {number | null} p50 @param {number | null} p99 @returns {string} '100 B (p99 101 B)' */
function sizesText(p50, p99) {
  const usual = formatBytes(Number(p50));
  return p50 === p99 ? usual : `${usual} (p99 ${formatBytes(Number(p99))})`;
}

/** @type {import('../phrase-table.js').PhrasesByKind} */
export const GAIN_PHRASES = {
  gain(finding) {
    const { rows, against, why, numbers, names } = finding;
    const takes = `sending and deserialising take ${formatShare(numbers.coreShare)} of a core`;
    const about = `${printable(names.program)}, recorded for ${lengthText(Number(numbers.durationMs))}`;
    const isIdle = finding.verdict === 'none' && why === null;
    if (isIdle)
      return [`Nothing to gain${numbers.notRecorded ? ' in what was recorded' : ''}: ${takes} (${about}).`];
    const present = rows.find(({ row }) => row === against)?.value;
    const cost =
      why !== null || present === undefined
        ? `In the program, ${takes} (${about}); reading messages and waking up come on top.`
        : `The present mechanism costs an estimated ${shareText(present)} of a core in all (${about}); in the program, ${takes}.`;
    return [answerText(finding), cost];
  },

  'not-recorded': ({ names }) => [`Not recorded: ${printable(names.what)}.`],

  'recorded-channel'({ numbers, names }) {
    const [from, to] = [printable(names.from), printable(names.to)];
    const { channel, perSecond, p50Bytes, p99Bytes, p50ResponseBytes, p99ResponseBytes } = numbers;
    const responses =
      p50ResponseBytes === undefined ? '' : `, responses ${sizesText(p50ResponseBytes, p99ResponseBytes)}`;
    return [
      `Channel ${channel}: ${from} → ${to}, ${names.mechanism}, ${formatNumber(Number(perSecond))} per second, ${sizesText(p50Bytes, p99Bytes)}${responses}.`,
      `Sending and deserialising take ${formatShare(numbers.fromCoreShare)} of a core at ${from}, ${formatShare(numbers.toCoreShare)} at ${to}.`,
    ];
  },

  'replay-sizes': ({ numbers }) => [sizesSentence(/** @type {ReplaySizes} */ (numbers))],

  replay({ rows: [{ value }], ratio, why, numbers, remedy }) {
    const [replayUs, programUs] = [value?.estimate, numbers.programUs].map((us) => formatNumber(Number(us)));
    const figures = `Replayed: sending and deserialising take ${replayUs} µs a message, ${ratioText({ ratio })} of the ${programUs} µs in the program.`;
    const next = remedyText(remedy);
    if (next !== null) return [figures, `${capitalised(next)}.`];
    if (why === null) return [figures];
    const first = Number(numbers.differingSizes) > 0 ? 'The difference in size, other' : 'Other';
    return [
      figures,
      `${first} load on the machine then or now, or work of the program between its messages, may be the cause.`,
    ];
  },

  'replayed-rows'({ rows, against }) {
    const present = rows.find(({ row }) => row === against);
    const needs = groupedBy(
      rows.filter(({ names }) => names?.needs !== undefined),
      ({ names }) => String(names?.codec),
    );
    return [
      ...(present?.why?.code === 'generator-limited' ? [NO_TIMES] : []),
      LEGEND,
      ...[...needs].map(
        ([codec, [{ names }]]) =>
          `${printable(codec)} requires at both ends: ${printable(String(names?.needs))}, with the fields of all messages known in advance. Without that, less may be saved.`,
      ),
    ];
  },
};
