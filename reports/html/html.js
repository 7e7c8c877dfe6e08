// One page with the answer, tables, pictures and notes. Its modules are loaded only when it is written.

/** @type {import('../../lib/types/reports.js').Report} */
export default {
  name: 'html',
  summary: 'one self-contained page to open or share; conclusion, sortable tables, charts, notes',
  option: { flag: 'html', rank: 9 },
  comparison: {
    summary: 'the comparison as one self-contained page',
    async render(compared) {
      const { comparisonPage } = await import('./comparison-page.js');
      return comparisonPage(compared);
    },
  },
  async render(results, options) {
    const { pageDocument } = await import('./page-document.js');
    const content = await pageDocument(results, options);
    return [{ name: 'results.html', mediaType: 'text/html; charset=utf-8', content }];
  },
};
