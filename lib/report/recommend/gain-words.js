// What a recorded program would gain, in few lines: whether the replay represents it first, then the rows of each channel.

import { listed } from '../../format/lists.js';
import {
  formatBytes,
  formatNumber,
  formatPercent,
  formatRatioInterval,
  NOTHING,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { readPercentile } from '../../record/weighted-histogram.js';
import { sumBy } from '../../statistics/sum.js';
import { linesOfPanels, panelsOfRows, wrapped } from '../columns/aligned.js';
import { formatShare, formatUs, lengthText } from '../columns/traffic-table.js';
import { sizeLines } from '../text/message-words.js';
import { bestRow, savedInSum } from './traffic-gain.js';

/** @import { Column } from '../columns/columns.js' */
/** @import { Conversation } from '../../record/traffic-costs.js' */
/** @import { Traffic, TrafficChannel } from '../../record/traffic-file.js' */
/** @import { Interval } from '../../types/index.js' */
/** @import { ResponseTime } from '../text/response-times.js' */
/** @import { ChannelGain, Effort, GainRow, ReplayCheck } from './traffic-gain.js' */
/** @typedef {{ traffic: Traffic, gains: ChannelGain[], others: Conversation[] }} GainAnswer   others: channels that take less, or were not asked for */

const NAMES_SHOWN = 5;
const LEGEND =
  'CPU: of all processes of the replay at the recorded rate, so that reading, waking up and checking each message are in it. Saved: 95 % intervals that hold for all rows of a channel together. p99: of the response time.';
const NO_TIMES = 'No p99: this machine did not keep up with the recorded arrivals.';

/** @type {Readonly<Record<Effort, string>>} */
const EFFORT_WORDS = {
  option: 'same API, one option',
  codec: 'same API, another codec',
  mechanism: 'another mechanism',
  threads: 'threads, not processes',
};

/** @param {Interval & { estimate: number }} saved @returns {string} '4.8 % (4.1–5.4)' */
function savedText({ estimate, low, high }) {
  const [from, to] = [low, high].map((end) => formatPercent(end, 2).replace(' %', ''));
  return `${formatPercent(estimate, 2)} (${from}–${to})`;
}

/** @param {GainAnswer} answer @returns {number} of a core, what all channels take */
function totalShare({ gains, others }) {
  return sumBy([...gains.map(({ conversation }) => conversation), ...others], ({ share }) => share);
}

/**
 * @typedef {object} ChannelWords
 * @property {string[]} head      sentences on what the channel carries and takes now, and whether its replay is like it
 * @property {GainRow[]} rows     none where nothing was measured
 * @property {string[]} notes     sentences below its rows
 */
/** @typedef {{ answer: string, channels: ChannelWords[], notes: string[] }} GainWords */

/** @param {GainAnswer} answer @returns {GainWords} */
export function gainWords(answer) {
  const { traffic, gains, others } = answer;
  const takes = `IPC takes ${formatShare(totalShare(answer))} of a core`;
  const about = `${printable(traffic.program)}, recorded for ${lengthText(traffic.durationMs)}`;
  if (gains.length === 0) return { answer: `Nothing to gain: ${takes} (${about}).`, channels: [], notes: [] };
  return {
    answer: `${answerText(answer)} ${takes} now (${about}).`,
    channels: gains.map(channelWords),
    notes: [
      ...(gains.some(({ rows }) => rows.length > 0) ? [LEGEND] : []),
      ...(others.length === 0 ? [] : [othersText(others)]),
    ],
  };
}

/** @param {GainAnswer} answer @param {number} columns @returns {string[]} lines */
export function gainLines(answer, columns) {
  const { answer: first, channels, notes } = gainWords(answer);
  const lines = (/** @type {string[]} */ sentences) => sentences.flatMap((text) => wrapped(text, columns));
  return [
    ...wrapped(first, columns),
    ...channels.flatMap(({ head, rows, notes: below }) => [
      '',
      ...lines(head),
      ...(rows.length === 0
        ? []
        : ['', ...linesOfPanels(panelsOfRows(GAIN_COLUMNS, rows, columns), (_look, text) => text)]),
      ...lines(below),
    ]),
    ...notes.flatMap((text) => ['', ...wrapped(text, columns)]),
  ];
}

/** @param {GainAnswer} answer @returns {string} the answer, in a sentence or two */
function answerText({ gains }) {
  const unlike = gains.filter(({ check }) => check?.isAlike === false);
  const doubts =
    unlike.length === 0
      ? ''
      : `The replay of ${channelsText(unlike)} does not stand for the program, so no gain is promised.`;
  const saved = savedInSum(gains);
  if (saved !== null) {
    const best = gains.flatMap((gain) => {
      const row = bestRow(gain);
      return row === null ? [] : `${printable(row.name)} for ${channelsText([gain])}`;
    });
    return `${spaced(doubts)}To gain: ${savedText(saved)} of a core, with ${listed(best)}.`;
  }
  const judged = gains.filter(({ check, why }) => check?.isAlike === true && why === '');
  if (judged.length === 0) return doubts || 'Nothing can be said of what there is to gain.';
  return `${spaced(doubts)}Nothing to gain: no row is proven to take less CPU time.`;
}

/** @param {string} sentence   or nothing */
function spaced(sentence) {
  return sentence === '' ? '' : `${sentence} `;
}

/** @param {ChannelGain[]} gains @returns {string} 'channels 1, 3' */
function channelsText(gains) {
  const numbers = gains.map(({ conversation: { channel } }) => String(channel.number));
  return `${numbers.length === 1 ? 'channel' : 'channels'} ${listed(numbers)}`;
}

/** @param {TrafficChannel} channel */
function sizesText({ bytes }) {
  const [p50, p99] = [0.5, 0.99].map((share) => formatBytes(Math.round(readPercentile(bytes, share))));
  return p50 === p99 ? p50 : `${p50} (p99 ${p99})`;
}

/** @param {ChannelGain} gain @returns {ChannelWords} */
function channelWords({ conversation, why, sizes, check, rows, reference, others }) {
  const { channel, responses, perSecond, fromShare, toShare } = conversation;
  const { number, from, to, mechanism } = channel;
  const sizeTexts = `${sizesText(channel)}${responses === null ? '' : `, responses ${sizesText(responses)}`}`;
  const unlikeSizes = sizeLines(sizes);
  return {
    head: [
      `Channel ${number}: ${printable(from)} → ${printable(to)}, ${mechanism}, ${formatNumber(perSecond)} per second, ${sizeTexts}.`,
      `In the program, sending and deserialising take ${formatShare(fromShare)} of a core at ${printable(from)}, ${formatShare(toShare)} at ${printable(to)}.`,
      ...(why === '' ? [] : [`Not judged: ${why}.`]),
      ...unlikeSizes,
      ...(check === null ? [] : [checkText(check, unlikeSizes.length > 0)]),
    ],
    rows,
    notes: [
      ...(rows.length > 0 && rows[0].isLate ? [NO_TIMES] : []),
      ...(check?.isAlike === true && others.length > 0
        ? [
            `Not less CPU time than ${printable(reference)} in closed loops: ${listed(others.map(printable), NAMES_SHOWN)}.`,
          ]
        : []),
    ],
  };
}

/** @param {ReplayCheck} check @param {boolean} hasOtherSizes   than the program */
function checkText({ ratio, programUs, replayUs, isAlike, isNoisy }, hasOtherSizes) {
  const figures = `sending and deserialising take ${formatNumber(replayUs.estimate)} µs a message, ${formatRatioInterval(ratio)} of the ${formatNumber(programUs)} µs in the program`;
  if (isAlike) return `Replayed: ${figures}.`;
  if (isNoisy)
    return `The replay is too noisy to be compared: ${figures}. Try again while nothing else runs; ipc-bench doctor shows what disturbs.`;
  const first = hasOtherSizes ? 'The difference in size, other' : 'Other';
  return `The replay does not stand for the program: ${figures}. ${first} load on the machine then or now, or work of the program between its messages, may be the cause.`;
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
    value: ({ share }) => share,
    text: ({ share }) => formatShare(share),
  },
  {
    span: 'of a core',
    title: 'saved',
    align: 'first word',
    value: ({ saved }) => saved?.estimate,
    text: ({ saved, isCheaper }) => (saved === null ? NOTHING : isCheaper ? savedText(saved) : 'not proven'),
  },
  {
    span: '',
    title: 'p99',
    align: 'right',
    value: ({ p99 }) => p99?.us.estimate,
    text: ({ p99 }) => p99Text(p99),
  },
  {
    span: '',
    title: 'what changes',
    align: 'left',
    text: ({ effort, kind }) =>
      effort === null
        ? ''
        : [EFFORT_WORDS[effort], kind]
            .filter((text, place, all) => text && all.indexOf(text) === place)
            .join('; '),
  },
];

/** @param {ResponseTime | null} time */
function p99Text(time) {
  if (time === null) return NOTHING;
  return `${time.isAtLeast ? '> ' : ''}${formatUs(time.us.estimate)}`;
}

/** @param {Conversation[]} others */
function othersText(others) {
  const share = sumBy(others, (each) => each.share);
  const numbers = others.flatMap(({ channel, responses }) =>
    [channel, responses].flatMap((each) => (each === null ? [] : each.number)),
  );
  const names = listed(numbers.toSorted((one, other) => one - other).map(String), 2 * NAMES_SHOWN);
  return numbers.length === 1
    ? `Not replayed: channel ${names}, which takes ${formatShare(share)} of a core.`
    : `Not replayed: channels ${names}, which together take ${formatShare(share)} of a core.`;
}

/** @param {GainAnswer} answer @returns {object} */
export function gainJson(answer) {
  const { traffic, gains, others } = answer;
  return {
    program: traffic.program,
    durationMs: traffic.durationMs,
    coreShare: totalShare(answer),
    saved: savedInSum(gains),
    channels: gains.map((gain) => {
      const { conversation, why, reference, check, rows } = gain;
      const { channel, responses, perSecond, fromShare, toShare } = conversation;
      return {
        channel: channel.number,
        responses: responses?.number ?? null,
        from: channel.from,
        to: channel.to,
        mechanism: channel.mechanism,
        perSecond,
        fromShare,
        toShare,
        why,
        reference,
        sizes: gain.sizes,
        check,
        best: bestRow(gain)?.name ?? null,
        rows: rows.map(({ cell: _cell, ...row }) => row),
        notCheaper: gain.others,
      };
    }),
    notReplayed: others.map(({ channel, share }) => ({ channel: channel.number, share })),
  };
}
