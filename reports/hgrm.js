// Writes latency histograms in the text format of wrk2 and of the plotter of HdrHistogram, one file per cell and kind of time. Times are in
// milliseconds. See https://hdrhistogram.github.io/HdrHistogram/plotFiles.html.

import { cellLabel } from '../lib/cell/labels.js';
import { printable } from '../lib/format/printable.js';

/** @param {string} text @returns {string} valid in file names on all platforms */
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
  option: { flag: 'hgrm', rank: 10, many: { ending: '.hgrm', what: 'histograms' } },
  async render({ outcomes }) {
    // Every command loads this file for its flag, so the code of histograms is loaded only here.
    const { percentileDistribution } = await import('../lib/statistics/latency.js');
    const { isOpen } = await import('../lib/report/findings/groups.js');
    const { isMeasured } = await import('../lib/results/measured-outcomes.js');
    const { listAllTimes } = await import('../lib/report/text/time-words.js');
    /** @type {Map<string, number>} */
    const taken = new Map();
    return outcomes.filter(isMeasured).flatMap((outcome) =>
      listAllTimes(outcome).map(({ kind, explained, latencies }) => {
        const label = `${cellLabel(outcome.cell)} ${kind}`;
        const twins = taken.get(fileName(label)) ?? 0;
        taken.set(fileName(label), twins + 1);
        const model = isOpen(outcome) ? 'open load' : 'closed loops';
        const about = `#[${printable(cellLabel(outcome.cell))}: ${model}, ${explained}; ms, ${latencies.length} launches]`;
        return {
          name: `${fileName(label)}${twins === 0 ? '' : `-${twins + 1}`}.hgrm`,
          mediaType: 'text/plain; charset=utf-8',
          content: `${percentileDistribution(latencies)}${about}\n`,
        };
      }),
    );
  },
};
