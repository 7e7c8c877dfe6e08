// One entry per cell for the action that draws benchmarks over commits. The code of the format is in
// lib/report/columns/exchange-formats.js, which is loaded only when a document is written.

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'github-action-benchmark',
  summary: 'one entry per cell, for that action with tool: customBiggerIsBetter',
  option: { flag: 'github-action-benchmark', rank: 5 },
  comparison: {
    summary: 'the new side, for that action (customBiggerIsBetter)',
    async render({ comparison, new: fresh }) {
      const { cellLabel } = await import('../lib/cell/labels.js');
      const { verdictText } = await import('../lib/report/compare/comparison-words.js');
      const { githubActionBenchmarkText } = await import('../lib/report/columns/exchange-formats.js');
      const { formatRatioInterval } = await import('../lib/format/numbers.js');
      const rows = new Map(comparison.rows.map((row) => [cellLabel(row.cell), row]));
      return githubActionBenchmarkText(fresh.results, (cell) => {
        const row = rows.get(cellLabel(cell));
        if (row === undefined) return null;
        return `${formatRatioInterval(row.ratio)} of ${comparison.old.name}: ${verdictText(row, comparison.minEffect)}`;
      });
    },
  },
  async render(results) {
    const { githubActionBenchmarkText } = await import('../lib/report/columns/exchange-formats.js');
    const content = githubActionBenchmarkText(results);
    return [{ name: 'github-action-benchmark.json', mediaType: 'application/json', content }];
  },
};
