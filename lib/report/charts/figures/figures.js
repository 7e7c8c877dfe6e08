// Results → figures: which charts there are, and everything they say, as plain data. Pure; draw.js makes pictures of it.

import { isMeasured } from '../../text/groups.js';
import { drawable } from '../render/drawable.js';
import { hasTimes } from '../text/chart-words.js';
import { countsFigures } from './counts-figure.js';
import { crossoverFigures } from './crossover-figure.js';
import { explainedFigures } from './explained-figures.js';
import { FIGURE_PX } from './figure.js';
import { latencyFigure } from './latency-figure.js';
import { partsFigures } from './parts-figure.js';
import { payloadFigures } from './payload-figure.js';
import { percentileFigure } from './percentile-figure.js';
import { byRate, rateFigure } from './rate-figure.js';
import { runtimesFigure } from './runtimes-figure.js';
import { byPayload, makeSlices } from './series.js';
import { throughputFigure } from './throughput-figure.js';

/** @import { ReportOptions, Results } from '../../../types/index.js' */
/** @import { Figure } from './figure.js' */
/** @typedef {Required<Pick<ReportOptions, 'theme' | 'title'>> & { widthPx: number }} Wishes */

/**
 * @param {Results} results
 * @param {ReportOptions & { widthPx?: number }} [options]
 * @returns {Figure[]} those that were made for the same delivery, if they were
 */
export function makeFigures(results, { theme = 'light', title = '', widthPx = FIGURE_PX, figures } = {}) {
  const key = JSON.stringify([theme, title, widthPx]);
  const made = figures?.get(key) ?? newFigures(results, { theme, title, widthPx });
  figures?.set(key, made);
  return made;
}

/** @param {Results} given @param {Wishes} wishes @returns {Figure[]} */
function newFigures(given, { theme, title, widthPx }) {
  const results = drawable(given);
  return makeSlices(results).flatMap((slice) => {
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
