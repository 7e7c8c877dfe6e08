// The charts as SVG: for pages, slides and print, at any size. Composes only, as chart.js does.

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'svg',
  summary: 'SVG charts, whose text stays text',
  option: { flag: 'svg', rank: 7, many: { ending: '.svg', what: 'pictures' } },
  async render(results, options) {
    const { svgOf } = await import('../lib/charts/svg.js');
    const { pictureDocuments } = await import('../lib/charts/pictures.js');
    return pictureDocuments(results, options, { ending: '.svg', mediaType: 'image/svg+xml', draw: svgOf });
  },
};
