// Describes in a few lines what a recorded program would gain: the answer, whether the replay represents the program, and the rows.

import {
  formatBytes,
  formatNumber,
  formatPercent,
  formatRatioInterval,
  NOTHING,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { readPercentile } from '../../record/weighted-histogram.js';
import { linesOfPanels, panelsOfRows, wrapped } from '../columns/aligned.js';
import { formatShare, formatUs, lengthText } from '../columns/traffic-table.js';
import { sizeLines } from '../text/message-words.js';
import { bestRow } from './traffic-gain.js';

/** @import { Column } from '../columns/columns.js' */
/** @import { Conversation } from '../../record/traffic-costs.js' */
/** @import { TrafficChannel } from '../../types/recordings.js' */
/** @import { Effort, Gain, GainRow, ReplayCheck } from './traffic-gain.js' */

const LEGEND =
  'CPU: time per message of all processes of the replay, times the recorded rate, so that reading, waking up and the check of each message are in it. Saved: the ratio of that time, times the present cost; 95 % intervals hold for all rows together. p99: of the response time.';
const NO_TIMES = 'No p99: this machine did not keep up with the recorded arrivals.';

/** @type {Readonly<Record<Effort, string>>} */
const EFFORT_WORDS = {
  option: 'same API, one option',
  codec: 'same API, another codec',
  mechanism: 'another mechanism',
  threads: 'threads, not processes',
};

/** @param {NonNullable<GainRow['saved']>} saved @returns {string} '4.8 % (4.1–5.4)' */
function savedText({ estimate, low, high }) {
  const [from, to] = [low, high].map((end) => formatPercent(end, 2).replace(' %', ''));
  return `${formatPercent(estimate, 2)} (${from}–${to})`;
}

/** @param {Gain} gain @param {number} columns @returns {string[]} */
export function gainLines(gain, columns) {
  const { conversation, why, sizes, check, rows, requires } = gain;
  const lines = (/** @type {string[]} */ sentences) => sentences.flatMap((text) => wrapped(text, columns));
  const answer = lines(answerTexts(gain));
  if (conversation === null) return answer;
  const unlikeSizes = sizeLines(sizes);
  const required = [...new Set(rows.map(({ codec }) => codec))].filter((codec) => requires[codec]);
  return [
    ...answer,
    '',
    ...lines([
      ...channelTexts(conversation),
      ...(why === '' ? [] : [`Not judged: ${why}.`]),
      ...unlikeSizes,
      ...(check === null ? [] : [checkText(check, unlikeSizes.length > 0)]),
    ]),
    ...(rows.length === 0
      ? []
      : [
          '',
          ...linesOfPanels(panelsOfRows(GAIN_COLUMNS, rows, columns), (_look, text) => text),
          ...lines(rows[0].isLate ? [NO_TIMES] : []),
          '',
          ...lines([
            LEGEND,
            ...required.map(
              (codec) =>
                `${printable(codec)} requires at both ends: ${printable(requires[codec])}, with the fields of all messages known in advance. Without that less is saved.`,
            ),
          ]),
        ]),
  ];
}

/** @param {Gain} gain @returns {string[]} */
function answerTexts(gain) {
  const { traffic, share, conversation, why, check } = gain;
  const missing = traffic.notRecorded.map((text) => `Not recorded: ${printable(text)}.`);
  const takes = `sending and deserialising take ${formatShare(share)} of a core`;
  const about = `${printable(traffic.program)}, recorded for ${lengthText(traffic.durationMs)}`;
  if (conversation === null) {
    const where = missing.length === 0 ? '' : ' in what was recorded';
    return [`Nothing to gain${where}: ${takes} (${about}).`, ...missing];
  }
  const best = bestRow(gain);
  const [answer, isUnanswered] = best?.saved
    ? [`To gain: ${savedText(best.saved)} of a core, with ${printable(best.name)}.`, false]
    : check?.isAlike === false
      ? ['The replay is not representative of the program, so no gain is promised.', true]
      : why === '' && check !== null
        ? ['Nothing to gain: no row is proven to take less CPU time.', false]
        : ['It is not known what there is to gain.', true];
  const present = gain.rows[0]?.share;
  const cost =
    isUnanswered || !present
      ? `In the program, ${takes} (${about}); reading messages and waking up come on top.`
      : `The present mechanism costs an estimated ${savedText(present)} of a core in all (${about}), of which ${takes} in the program.`;
  return [`${answer} ${cost}`, ...missing];
}

/** @param {Conversation} conversation @returns {string[]} */
function channelTexts({ channel, responses, perSecond, fromShare, toShare }) {
  const [from, to] = [printable(channel.from), printable(channel.to)];
  const sizes = `${sizesText(channel)}${responses === null ? '' : `, responses ${sizesText(responses)}`}`;
  return [
    `Channel ${channel.number}: ${from} → ${to}, ${channel.mechanism}, ${formatNumber(perSecond)} per second, ${sizes}.`,
    `Sending and deserialising take ${formatShare(fromShare)} of a core at ${from}, ${formatShare(toShare)} at ${to}.`,
  ];
}

/** @param {TrafficChannel} channel */
function sizesText({ bytes }) {
  const [p50, p99] = [0.5, 0.99].map((share) => formatBytes(Math.round(readPercentile(bytes, share))));
  return p50 === p99 ? p50 : `${p50} (p99 ${p99})`;
}

/** @param {ReplayCheck} check @param {boolean} hasOtherSizes   the replayed messages differ in size from the messages of the program */
function checkText({ ratio, programUs, replayUs, isAlike, isNoisy }, hasOtherSizes) {
  const figures = `sending and deserialising take ${formatNumber(replayUs.estimate)} µs a message, ${formatRatioInterval(ratio)} of the ${formatNumber(programUs)} µs in the program`;
  if (isAlike) return `Replayed: ${figures}.`;
  if (isNoisy)
    return `The replay is too noisy to be compared: ${figures}. Try again while nothing else runs; ipc-bench doctor shows what disturbs.`;
  const first = hasOtherSizes ? 'The difference in size, other' : 'Other';
  return `The replay is not representative of the program: ${figures}. ${first} load on the machine then or now, or work of the program between its messages, may be the cause.`;
}

/** @type {Column<GainRow>[]} */
const GAIN_COLUMNS = [
  {
    span: '',
    title: 'row, replayed',
    align: 'left',
    text: ({ name, effort }) => (effort === null ? `${name}, now` : name),
  },
  {
    span: 'of a core',
    title: 'CPU',
    align: 'right',
    text: ({ share }) => formatShare(share?.estimate ?? null),
  },
  {
    span: 'of a core',
    title: 'saved',
    align: 'first word',
    text: ({ saved, isCheaper }) => (saved === null ? NOTHING : isCheaper ? savedText(saved) : 'not proven'),
  },
  {
    span: '',
    title: 'p99',
    align: 'right',
    text: ({ p99 }) => (p99 === null ? NOTHING : `${p99.isAtLeast ? '> ' : ''}${formatUs(p99.us.estimate)}`),
  },
  {
    span: '',
    title: 'what changes',
    align: 'left',
    text: ({ effort, kind }) =>
      effort === null ? '' : [...new Set([EFFORT_WORDS[effort], kind])].filter(Boolean).join('; '),
  },
];

/** @param {Gain} gain @returns {object} */
export function gainJson(gain) {
  const { traffic, share, conversation, ...rest } = gain;
  const { program, durationMs, notRecorded } = traffic;
  const { channel, responses, ...costs } = conversation ?? { channel: null, responses: null };
  return {
    program,
    durationMs,
    notRecorded,
    coreShare: share,
    channel: channel?.number ?? null,
    responses: responses?.number ?? null,
    from: channel?.from,
    to: channel?.to,
    mechanism: channel?.mechanism,
    ...costs,
    ...rest,
    best: bestRow(gain)?.name ?? null,
    saved: bestRow(gain)?.saved ?? null,
  };
}
