// The charts as SVG: for pages, slides and print, at any size. Composes only, as chart.js does.

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'svg',
  summary: 'SVG charts, whose text stays text',
  option: { flag: 'svg', rank: 7, many: { ending: '.svg', what: 'pictures' } },
  async render(results, options) {
    const { picturesOf, warningOf } = await import('../lib/charts/pictures.js');
    const { svgOf } = await import('../lib/charts/svg.js');
    const documents = [];
    for (const picture of picturesOf(results, options)) {
      const { name, altText } = picture.figure;
      const content = await svgOf(picture);
      documents.push({
        name: `${name}.svg`,
        mediaType: 'image/svg+xml',
        content,
        caption: altText,
        ...warningOf(picture),
      });
    }
    return documents;
  },
};
