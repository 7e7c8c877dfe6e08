// PNG charts: throughput per payload, throughput against payload, latency. Composes only: what is drawn is decided in
// lib/charts/figures.js, how in lib/charts/draw.js, both loaded only where something is drawn.

/** @param {import('../lib/charts/pictures.js').Picture[]} pictures */
async function documentsOf(pictures) {
  const { drawPicture } = await import('../lib/charts/draw.js');
  const { pictureDocuments } = await import('../lib/charts/pictures.js');
  return pictureDocuments(pictures, { ending: '.png', mediaType: 'image/png', draw: drawPicture });
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'chart',
  summary: 'PNG charts, each with a caption that serves as its alt text',
  option: { flag: 'png', rank: 6, many: { ending: '.png', what: 'pictures' } },
  comparison: {
    summary: 'PNG of the comparison: ratios around 1',
    isMany: true,
    async render({ comparison }) {
      const { comparisonPictures } = await import('../lib/compare/comparison-figures.js');
      return documentsOf(comparisonPictures(comparison));
    },
  },
  async render(results, options) {
    const { picturesOf } = await import('../lib/charts/pictures.js');
    return documentsOf(picturesOf(results, options));
  },
};
