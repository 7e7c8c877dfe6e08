// PNG charts: throughput per payload, throughput against payload, latency. Composes only: what is drawn is decided in
// lib/report/charts/figures/figures.js, how in lib/report/charts/render/png.js, both loaded only where something is drawn.

/** @param {import('../lib/report/charts/render/pictures.js').Picture[]} pictures */
async function drawDocuments(pictures) {
  const { drawPicture } = await import('../lib/report/charts/render/png.js');
  const { pictureDocuments } = await import('../lib/report/charts/render/pictures.js');
  return pictureDocuments(pictures, { ending: '.png', mediaType: 'image/png', draw: drawPicture });
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'chart',
  summary: 'PNG charts into a folder; each has a caption that serves as its alt text',
  option: { flag: 'png', rank: 6, many: { ending: '.png', what: 'pictures' } },
  comparison: {
    summary: 'PNG of the comparison: ratios around 1',
    isMany: true,
    async render({ comparison }) {
      const { comparisonPictures } = await import('../lib/report/compare/comparison-figures.js');
      return drawDocuments(comparisonPictures(comparison));
    },
  },
  async render(results, options) {
    const { makePictures } = await import('../lib/report/charts/render/pictures.js');
    return drawDocuments(makePictures(results, options));
  },
};
