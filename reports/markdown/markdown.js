// Results and comparisons as Markdown. This module declares the report, and loads the code when a document is written.

/** @type {import('../../lib/types/reports.js').Report} */
export default {
  name: 'markdown',
  summary:
    'table to paste into an issue; below its conclusion, with the columns of the screen and of --columns',
  option: { flag: 'markdown', rank: 3 },
  comparison: {
    summary: 'the comparison for a pull request',
    async render({ comparison }) {
      const { comparisonMarkdown } = await import('../../lib/report/compare/comparison-table.js');
      return comparisonMarkdown(comparison);
    },
  },
  async render(results, options) {
    const { markdownDocument } = await import('./markdown-document.js');
    const content = markdownDocument(results, options);
    return [{ name: 'results.md', mediaType: 'text/markdown; charset=utf-8', content }];
  },
};
