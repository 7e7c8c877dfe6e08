// Results → figures: which charts there are, and everything they say, as plain data. Pure; draw.js makes pictures of it.

import { isMeasured } from '../verdicts/groups.js';
import { hasTimes } from './chart-words.js';
import { countsFigures } from './counts-figure.js';
import { crossoverFigures } from './crossover-figure.js';
import { drawable } from './drawable.js';
import { explainedFigures } from './explained-figures.js';
import { FIGURE_PX } from './figure.js';
import { latencyFigure } from './latency-figure.js';
import { partsFigures } from './parts-figure.js';
import { payloadFigures } from './payload-figure.js';
import { percentileFigure } from './percentile-figure.js';
import { byRate, rateFigure } from './rate-figure.js';
import { runtimesFigure } from './runtimes-figure.js';
import { byPayload, slicesOf } from './series.js';
import { throughputFigure } from './throughput-figure.js';

/**
 * @param {import('../types/results-file.js').Results} given
 * @param {import('../types/reports.js').ReportOptions & { widthPx?: number }} [options]
 * @returns {import('./figure.js').Figure[]}
 */
export function figuresOf(given, { theme = 'light', title = '', widthPx = FIGURE_PX } = {}) {
  const results = drawable(given);
  return slicesOf(results).flatMap((slice) => {
    const sheet = { results, slice, theme, title, widthPx };
    const payloads = byPayload(slice.outcomes);
    if (slice.model === 'open') {
      return payloads.flatMap((ofPayload) => [
        ...(byRate(ofPayload).length > 1 ? rateFigure(sheet, ofPayload) : []),
        ...countsFigures(sheet, ofPayload),
        ...percentileFigure(sheet, ofPayload),
      ]);
    }
    const measured = payloads.filter((ofPayload) => ofPayload.some(isMeasured));
    const timed = measured.filter((ofPayload) => ofPayload.filter(isMeasured).every(hasTimes));
    return [
      ...payloads.map((ofPayload) => throughputFigure(sheet, ofPayload)),
      ...measured.flatMap((ofPayload) => runtimesFigure(sheet, ofPayload)),
      ...payloads.flatMap((ofPayload) => partsFigures(sheet, ofPayload)),
      ...payloads.flatMap((ofPayload) => explainedFigures(sheet, ofPayload)),
      ...(measured.length > 1 ? payloadFigures(sheet) : []),
      ...crossoverFigures(sheet),
      ...measured.flatMap((ofPayload) => countsFigures(sheet, ofPayload)),
      ...timed.map((ofPayload) => latencyFigure(sheet, ofPayload)),
    ];
  });
}
