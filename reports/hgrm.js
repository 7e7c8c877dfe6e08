// Latency histograms as HdrHistogram users know them: one file per cell and kind of time, in the text format that its
// plotter (https://hdrhistogram.github.io/HdrHistogram/plotFiles.html) and wrk2 share. Milliseconds.

import { SERVICE_TIME, timesIn } from '../lib/cell/headline.js';
import { cellLabel } from '../lib/cell/labels.js';
import { hasResponseTimes, isMeasured, isOpen } from '../lib/verdicts/groups.js';
import { printable } from '../lib/words/printable.js';

/** @import { Latency } from '../lib/types/launches.js' */
/** @import { MeasuredOutcome } from '../lib/types/outcomes.js' */
/** @typedef {{ kind: string, explained: string, latencies: Latency[] }} Times */

const SERVICE = Object.freeze({ kind: 'service', explained: 'service time, from the real send' });

/**
 * @param {MeasuredOutcome} outcome
 * @returns {Times[]} under open load also those from the planned instant, unless the plan was not kept
 */
function timesOf(outcome) {
  const own = timesIn(outcome).map(({ name, title }) => ({
    ...(name === SERVICE_TIME ? SERVICE : { kind: name, explained: printable(title) }),
    latencies: outcome.launches.map(({ times }) => times[name]),
  }));
  if (!hasResponseTimes(outcome)) return own;
  const opens = outcome.launches.flatMap(({ open }) => (open === undefined ? [] : [open]));
  return [
    {
      ...{ kind: 'response', explained: 'response time, from the planned instant' },
      latencies: opens.map(({ response }) => response),
    },
    ...own,
    {
      ...{ kind: 'send-lag', explained: 'send lag, from the planned instant to the real send' },
      latencies: opens.map(({ sendLag }) => sendLag),
    },
  ];
}

/** @param {string} text @returns {string} fit for the name of a file anywhere */
function fileName(text) {
  return text
    .replace(/[^a-z0-9.=]+/gi, '-')
    .replace(/^[-.]+|-+$/g, '')
    .slice(0, 150);
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'hgrm',
  summary: 'percentile distributions for the plotter of HdrHistogram, one file per cell and kind of time',
  option: { flag: 'hgrm', rank: 9, many: { ending: '.hgrm', what: 'histograms' } },
  async render({ outcomes }) {
    // At the start of every command this file is read for its flag: histograms wait until they are asked for.
    const { mergeLatencies, percentileDistribution } = await import('../lib/statistics/latency.js');
    /** @type {Map<string, number>} */
    const taken = new Map();
    return outcomes.filter(isMeasured).flatMap((outcome) =>
      timesOf(outcome).map(({ kind, explained, latencies }) => {
        const label = `${cellLabel(outcome.cell)} ${kind}`;
        const twins = taken.get(fileName(label)) ?? 0;
        taken.set(fileName(label), twins + 1);
        const model = isOpen(outcome) ? 'open load' : 'closed loops';
        const about = `#[${printable(cellLabel(outcome.cell))}: ${model}, ${explained}; ms, ${latencies.length} launches]`;
        return {
          name: `${fileName(label)}${twins === 0 ? '' : `-${twins + 1}`}.hgrm`,
          mediaType: 'text/plain; charset=utf-8',
          content: `${percentileDistribution(mergeLatencies(latencies))}${about}\n`,
        };
      }),
    );
  },
};
