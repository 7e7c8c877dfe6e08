// PNG charts: throughput per payload, throughput against payload, latency. Composes only: what is drawn is decided in
// lib/charts/figures.js, how in lib/charts/draw.js, both loaded only where something is drawn.

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'chart',
  summary: 'PNG charts, each with a caption that serves as its alt text',
  option: { flag: 'png', rank: 6, many: { ending: '.png', what: 'pictures' } },
  async render(results, options) {
    const { drawPicture } = await import('../lib/charts/draw.js');
    const { pictureDocuments } = await import('../lib/charts/pictures.js');
    return pictureDocuments(results, options, { ending: '.png', mediaType: 'image/png', draw: drawPicture });
  },
};
