// PNG charts: throughput per payload, throughput against payload, latency. Composes only: what is drawn is decided in
// lib/charts/figures.js, how in lib/charts/draw.js.

import { drawFigure } from '../lib/charts/draw.js';
import { figuresOf } from '../lib/charts/figures.js';

/** @type {import('../lib/types/scenarios.js').Report} */
export default {
  name: 'chart',
  summary: 'PNG charts, each with a caption that serves as its alt text',
  async render(results, options) {
    const documents = [];
    for (const figure of figuresOf(results, options)) {
      const content = await drawFigure(figure);
      documents.push({
        name: `${figure.name}.png`,
        mediaType: 'image/png',
        content,
        caption: figure.altText,
      });
    }
    return documents;
  },
};
