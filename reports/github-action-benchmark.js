// One entry per cell for the action that draws benchmarks over commits. The format is in lib/format.

import { cellLabel } from '../lib/cell/labels.js';
import { verdictText } from '../lib/compare/comparison-words.js';
import { githubActionBenchmarkText } from '../lib/tables/github-action-benchmark.js';
import { formatRatioInterval } from '../lib/words/numbers.js';

/** @type {import('../lib/types/scenarios.js').Report} */
export default {
  name: 'github-action-benchmark',
  summary: 'one entry per cell, for that action with tool: customBiggerIsBetter',
  option: { flag: 'github-action-benchmark', rank: 5 },
  comparison: {
    summary: 'the new side, for that action (customBiggerIsBetter)',
    render({ comparison, new: fresh }) {
      const rows = new Map(comparison.rows.map((row) => [cellLabel(row.cell), row]));
      return githubActionBenchmarkText(fresh.results, (cell) => {
        const row = rows.get(cellLabel(cell));
        if (row === undefined) return null;
        return `${formatRatioInterval(row.ratio)} of ${comparison.old.name}: ${verdictText(row, comparison.minEffect)}`;
      });
    },
  },
  render: (results) => [
    {
      name: 'github-action-benchmark.json',
      mediaType: 'application/json',
      content: githubActionBenchmarkText(results),
    },
  ],
};
