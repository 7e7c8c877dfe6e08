// One entry per cell for the action that draws benchmarks over commits. The format is in lib/format.

import { githubActionBenchmarkText } from '../lib/tables/github-action-benchmark.js';

/** @type {import('../lib/types/scenarios.js').Report} */
export default {
  name: 'github-action-benchmark',
  summary: 'one entry per cell, for that action with tool: customBiggerIsBetter',
  render: (results) => [
    {
      name: 'github-action-benchmark.json',
      mediaType: 'application/json',
      content: githubActionBenchmarkText(results),
    },
  ],
};
