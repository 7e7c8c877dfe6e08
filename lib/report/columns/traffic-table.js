// Recorded traffic as a table, a row for each channel.

import { counted } from '../../format/lists.js';
import { formatBytes, formatCount, formatNumber, formatPercent, NOTHING } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { MS_PER_S } from '../../format/units.js';
import { wrapped } from '../../format/wrapped.js';
import { CAP } from '../../record/fact-format.js';
import { IDLE_SHARE, readShares } from '../../record/traffic-costs.js';
import { readPercentile } from '../../record/weighted-histogram.js';
import { sumBy } from '../../statistics/sum.js';
import { duration, formatShare, lengthText } from '../text/quantity-words.js';
import { linesOfTable } from './aligned.js';

/** @import { Column } from './columns.js' */
/** @import { RecordedTraffic as Traffic, TrafficChannel } from '../../types/recordings.js' */
/** @import { SavedHistogram } from '../../record/weighted-histogram.js' */

const FEW = 0.01; // unknown costs of channels with at most this share of the busiest channel's messages are ignored

/** @param {SavedHistogram} saved @param {(value: number) => string} format @returns {string} p50 and p99 */
function spread(saved, format) {
  if (saved.count === 0) return NOTHING;
  const [p50, p99] = [0.5, 0.99].map((share) => format(readPercentile(saved, share)));
  return p50 === p99 ? p50 : `${p50}, ${p99}`;
}

/** @param {number} durationMs @returns {Column<TrafficChannel>[]} */
function trafficColumns(durationMs) {
  /** @param {string} title @param {(channel: TrafficChannel) => string} text @param {'left' | 'right'} [align] */
  const column = (title, text, align = 'right', span = '') => ({ span, title, align, text });
  /** @param {TrafficChannel} channel */
  const shares = (channel) => readShares(channel, durationMs);
  return [
    column(
      'channel',
      ({ number, from, to, links }) =>
        `${number} ${printable(from)} → ${printable(to)}${links > 1 ? ` ×${links}` : ''}`,
      'left',
    ),
    column('mechanism', ({ mechanism }) => mechanism, 'left'),
    column('messages', ({ messages, isLeast }) => `${isLeast ? '≥ ' : ''}${formatCount(messages)}`),
    column('per s', ({ messages }) => formatNumber((messages / durationMs) * MS_PER_S)),
    column('size p50, p99', ({ bytes }) => spread(bytes, (value) => formatBytes(Math.round(value)))),
    column('round trip p50, p99', ({ pairs }) => (pairs ? spread(pairs.roundTripUs, duration) : NOTHING)),
    column('sending', (channel) => formatShare(shares(channel).sending), 'right', 'share of a core'),
    column('receiving', (channel) => formatShare(shares(channel).receiving), 'right', 'share of a core'),
  ];
}

/** @param {Traffic} traffic @param {{ columns: number, styled: (look: 'dim', text: string) => string }} look @returns {string} */
export function trafficTable(traffic, { columns, styled }) {
  const { program, durationMs, recordedAt, processes, threads, channels, hasContents } = traffic;
  const what = `${counted(processes, 'process', 'processes')}${threads > 0 ? ` and ${counted(threads, 'thread', 'threads')}` : ''}`;
  const head = `${printable(program)}, ${lengthText(durationMs)} on ${printable(recordedAt.slice(0, 10))}: ${what}`;
  const sections = [{ heading: null, rows: channels }];
  const table = linesOfTable(trafficColumns(durationMs), sections, columns, styled);
  const notes = [
    ...(hasContents ? ['This file holds REAL MESSAGES of the program.'] : []),
    ...stoppedTexts(traffic),
    totalText(traffic),
    ...recorderTexts(traffic),
    ...channels.flatMap((channel) => channelTexts(channel, hasContents)),
    ...traffic.notRecorded.map((text) => `Not recorded: ${printable(text)}.`),
    ...traffic.errors.map((text) => `The recorder failed in places: ${printable(text)}.`),
  ];
  /** @param {string} text */
  const lines = (text) => wrapped(text, columns);
  return `${[...lines(head), '', ...table, '', ...notes.flatMap(lines)].join('\n')}\n`;
}

/** @param {Traffic} traffic @returns {string[]} */
function stoppedTexts({ stopped }) {
  if (stopped === undefined) return [];
  const why =
    stopped.why === CAP ? 'the facts reached the limit' : `the facts could not be written (${stopped.why})`;
  return [
    `The recording ended after ${lengthText(stopped.ms)}, before the program: ${why}. Counts are those until then.`,
  ];
}

/** @param {Traffic} traffic @returns {string[]} none if no fact was timed, because each process had too few */
function recorderTexts({ recorderUs, recorderShare }) {
  if (recorderUs === 0) return [];
  return [
    `Recording took about ${formatNumber(recorderUs)} µs for each message at each end, ${formatShare(recorderShare)} of a core in all.`,
  ];
}

/** @param {Traffic} traffic @returns {string} */
function totalText({ channels, durationMs, notRecorded }) {
  const shares = channels.map((channel) => readShares(channel, durationMs));
  const share = sumBy(shares, ({ sending, receiving }) => (sending ?? 0) + (receiving ?? 0));
  const total = formatShare(share);
  const most = Math.max(...channels.map(({ messages }) => messages));
  const isUnknown = shares.some(
    ({ sending, receiving }, index) =>
      (sending === null || receiving === null) && channels[index].messages > FEW * most,
  );
  if (notRecorded.length > 0)
    return `The recorded messages take ${total} of a core; what was not recorded is listed below.`;
  if (isUnknown) return `It takes at least ${total} of a core: the cost of channels with – is unknown.`;
  return share < IDLE_SHARE
    ? `There is nothing to gain: all of it takes ${total} of a core.`
    : `All of it takes ${total} of a core: sending as measured, receiving as it takes to deserialise the messages of a sample again.`;
}

/** @param {TrafficChannel} channel @param {boolean} hasContents @returns {string[]} */
function channelTexts(
  { number, messages, lost = 0, isLeast, unsized, bytes, sizeSample, pairs },
  hasContents,
) {
  const texts = [];
  if (isLeast)
    texts.push(
      `The messages of channel ${number} are the least number: neither end was recorded until it ended.`,
    );
  if (sizeSample !== undefined) {
    const { messages: sampled, low, high } = sizeSample;
    const mean = formatBytes(Math.round(bytes.sum / bytes.count));
    const interval =
      high === null
        ? 'too few for an interval'
        : `95 % CI ${formatBytes(Math.round(low))}–${formatBytes(Math.round(high))}`;
    texts.push(
      `The sizes of channel ${number} are those of a sample of ${formatCount(sampled)} messages: ${mean} on average (${interval}).`,
    );
  }
  if (lost > 0)
    texts.push(
      `Of channel ${number}, ${formatCount(lost)} of ${formatCount(messages + lost)} messages were sent and not received: one end closed before.`,
    );
  if (unsized > 0)
    texts.push(
      `Of channel ${number}, ${counted(unsized, 'message has', 'messages have')} no size: measuring it would run a getter of the program again.`,
    );
  if (pairs !== null) {
    const { requests, paired, inFlight, field } = pairs;
    const open =
      inFlight.count === 0 ? '' : `, ${formatCount(readPercentile(inFlight, 0.5))} in flight (p50)`;
    const share =
      paired === requests ? 'all' : formatPercent(Math.floor((paired / requests) * 1_000) / 1_000, 3);
    const how =
      field === null
        ? 'on a port of its own'
        : `paired by ${hasContents ? `the field ${printable(field)}` : 'a field'}`;
    texts.push(
      `Channel ${number} has ${formatCount(requests)} requests, ${share} with a response, ${how}${open}.`,
    );
  }
  return texts;
}
