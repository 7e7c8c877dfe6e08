// Results and comparisons as Markdown. Said here is by which flag; what they are made of is loaded only where it is written.

/** @type {import('../../lib/types/reports.js').Report} */
export default {
  name: 'markdown',
  summary: 'table to paste into an issue; with conclusion and environment',
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
