// One line per launch in the format of Go's benchmarks. The format itself is in lib/tables/benchstat.js.

import { benchstatText } from '../lib/tables/benchstat.js';

/** @type {import('../lib/types/scenarios.js').Report} */
export default {
  name: 'benchstat',
  summary: 'one line per launch, for benchstat and other readers of Go benchmarks',
  option: { flag: 'benchstat', rank: 4 },
  comparison: {
    summary: 'launches of both sides, for benchstat -col side',
    render: ({ old, new: fresh }) =>
      [old, fresh].map(({ name, results }) => benchstatText(results, { side: name })).join('\n'),
  },
  render: (results) => [
    { name: 'results.bench.txt', mediaType: 'text/plain; charset=utf-8', content: benchstatText(results) },
  ],
};
