// The charts as SVG: for pages, slides and print, at any size. Composes only, as chart.js does.

/** @param {import('../lib/charts/pictures.js').Picture[]} pictures */
async function documentsOf(pictures) {
  const { svgOf } = await import('../lib/charts/svg.js');
  const { pictureDocuments } = await import('../lib/charts/pictures.js');
  return pictureDocuments(pictures, { ending: '.svg', mediaType: 'image/svg+xml', draw: svgOf });
}

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'svg',
  summary: 'SVG charts, whose text stays text',
  option: { flag: 'svg', rank: 7, many: { ending: '.svg', what: 'pictures' } },
  comparison: {
    summary: 'SVG of the comparison: ratios around 1',
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
