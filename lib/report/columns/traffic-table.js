// Recorded traffic as a table, a row for each channel.

import { counted } from '../../format/lists.js';
import {
  durationText,
  formatBytes,
  formatCount,
  formatNumber,
  formatPercent,
  NOTHING,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { MS_PER_S, US_PER_MS } from '../../format/units.js';
import { coreShare, IDLE_SHARE, readCostUs } from '../../record/traffic-costs.js';
import { readPercentile } from '../../record/weighted-histogram.js';
import { sumBy } from '../../statistics/sum.js';
import { linesOfPanels, panelsOfRows, wrapped } from './aligned.js';

/** @import { Column } from './columns.js' */
/** @import { Traffic, TrafficChannel } from '../../record/traffic-file.js' */
/** @import { SavedHistogram } from '../../record/weighted-histogram.js' */

/** @param {SavedHistogram} saved @param {(value: number) => string} format @returns {string} p50 and p99 */
function spread(saved, format) {
  if (saved.count === 0) return NOTHING;
  const [p50, p99] = [0.5, 0.99].map((share) => format(readPercentile(saved, share)));
  return p50 === p99 ? p50 : `${p50}, ${p99}`;
}

/** @param {SavedHistogram} saved @returns {number | null} */
function readMedian(saved) {
  return saved.count === 0 ? null : readPercentile(saved, 0.5);
}

/** @param {number} us @returns {string} '12.3 µs', '4.5 ms' */
export function formatUs(us) {
  return us < US_PER_MS ? `${formatNumber(us)} µs` : `${formatNumber(us / US_PER_MS)} ms`;
}

/** @param {SavedHistogram} timesUs @param {TrafficChannel} channel @param {number} durationMs @returns {number | null} of a core */
function shareOfCore(timesUs, { messages, bytes }, durationMs) {
  if (timesUs.count === 0 || durationMs <= 0) return null;
  return coreShare(readCostUs(timesUs, bytes.greatest), messages, durationMs);
}

/** @param {number | null} share   of a core @returns {string} '4.8 %' */
export function formatShare(share) {
  if (share === null) return NOTHING;
  return share > 0 && share < 0.001 ? '< 0.1 %' : formatPercent(share, 2);
}

/** @param {Pick<Traffic, 'durationMs'>} traffic @returns {Column<TrafficChannel>[]} of its table */
function trafficColumns({ durationMs }) {
  return [
    {
      span: '',
      title: 'channel',
      align: 'left',
      value: ({ number }) => number,
      text: ({ number, from, to, links }) =>
        `${number} ${printable(from)} → ${printable(to)}${links > 1 ? ` ×${links}` : ''}`,
    },
    {
      span: '',
      title: 'mechanism',
      align: 'left',
      text: ({ mechanism }) => mechanism,
    },
    {
      span: '',
      title: 'messages',
      align: 'right',
      value: ({ messages }) => messages,
      text: ({ messages }) => formatCount(messages),
    },
    {
      span: '',
      title: 'per s',
      align: 'right',
      value: ({ messages }) => messages,
      text: ({ messages }) => formatNumber((messages / durationMs) * MS_PER_S),
    },
    {
      span: '',
      title: 'size p50, p99',
      align: 'right',
      value: ({ bytes }) => readMedian(bytes),
      text: ({ bytes }) => spread(bytes, (each) => formatBytes(Math.round(each))),
    },
    {
      span: '',
      title: 'round trip p50, p99',
      align: 'right',
      value: ({ pairs }) => pairs && readMedian(pairs.roundTripUs),
      text: ({ pairs }) => (pairs === null ? NOTHING : spread(pairs.roundTripUs, formatUs)),
    },
    {
      span: 'share of a core',
      title: 'sending',
      align: 'right',
      value: (channel) => shareOfCore(channel.sendUs, channel, durationMs),
      text: (channel) => formatShare(shareOfCore(channel.sendUs, channel, durationMs)),
    },
    {
      span: 'share of a core',
      title: 'receiving',
      align: 'right',
      value: (channel) => shareOfCore(channel.decodeUs, channel, durationMs),
      text: (channel) => formatShare(shareOfCore(channel.decodeUs, channel, durationMs)),
    },
  ];
}

/** @param {Traffic} traffic @returns {string} what was recorded, when and for how long */
function trafficHead({ program, durationMs, recordedAt, processes, threads }) {
  const who = `${counted(processes, 'process', 'processes')}${threads > 0 ? ` and ${counted(threads, 'thread', 'threads')}` : ''}`;
  return `${printable(program)}, ${lengthText(durationMs)} on ${printable(recordedAt.slice(0, 10))}: ${who}`;
}

/** @param {Traffic} traffic @returns {string[]} sentences below its table, what all of it costs first */
function trafficNotes(traffic) {
  return [
    totalText(traffic),
    ...pairTexts(traffic),
    ...traffic.notHeard.map((text) => `Not heard: ${printable(text)}.`),
    ...traffic.errors.map((text) => `The recorder failed in places: ${printable(text)}.`),
  ];
}

const REAL_MESSAGES = 'This file holds REAL MESSAGES of the program.';

/** @param {Traffic} traffic @param {{ columns: number, styled: (look: 'dim', text: string) => string }} look @returns {string} */
export function trafficTable(traffic, { columns, styled }) {
  const panels = panelsOfRows(trafficColumns(traffic), traffic.channels, columns);
  const notes = [...(traffic.hasContents ? [REAL_MESSAGES] : []), ...trafficNotes(traffic)];
  return `${[...wrapped(trafficHead(traffic), columns), '', ...linesOfPanels(panels, styled), '', ...notes.flatMap((text) => wrapped(text, columns))].join('\n')}\n`;
}

/** @param {number} ms @returns {string} of a recording */
export function lengthText(ms) {
  return ms < 10 * MS_PER_S ? `${formatNumber(ms / MS_PER_S)} s` : durationText(ms);
}

/** @param {Traffic} traffic @returns {string} what all of it costs */
function totalText({ channels, durationMs }) {
  const total = sumBy(
    channels,
    (channel) =>
      (shareOfCore(channel.sendUs, channel, durationMs) ?? 0) +
      (shareOfCore(channel.decodeUs, channel, durationMs) ?? 0),
  );
  return total < IDLE_SHARE
    ? `There is nothing to gain: all of it takes ${formatShare(total)} of a core.`
    : `All of it takes ${formatShare(total)} of a core: sending as measured, receiving as it takes to deserialise the messages again.`;
}

/** @param {Traffic} traffic @returns {string[]} */
function pairTexts({ channels, hasContents }) {
  return channels.flatMap(({ number, pairs }) => {
    if (pairs === null) return [];
    const { requests, paired, inFlight, field } = pairs;
    const open =
      inFlight.count === 0 ? '' : `, ${formatCount(readPercentile(inFlight, 0.5))} in flight (p50)`;
    const share =
      paired === requests ? 'all' : formatPercent(Math.floor((paired / requests) * 1_000) / 1_000, 3);
    const how = hasContents ? `the field ${printable(field)}` : 'a field';
    return [
      `Channel ${number} has ${formatCount(requests)} requests, ${share} with a response, paired by ${how}${open}.`,
    ];
  });
}
