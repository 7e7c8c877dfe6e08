// The charts as SVG: for pages, slides and print, at any size. Composes only, as chart.js does.

/** @param {import('../lib/report/charts/render/pictures.js').Picture[]} pictures */
async function drawDocuments(pictures) {
  const { renderSvg } = await import('../lib/report/charts/render/svg.js');
  const { pictureDocuments } = await import('../lib/report/charts/render/pictures.js');
  return pictureDocuments(pictures, { ending: '.svg', mediaType: 'image/svg+xml', draw: renderSvg });
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'svg',
  summary: 'SVG charts with selectable text',
  option: { flag: 'svg', rank: 7, many: { ending: '.svg', what: 'pictures' } },
  comparison: {
    summary: 'SVG of the comparison: ratios around 1',
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
