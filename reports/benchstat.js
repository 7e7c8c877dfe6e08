// One line per launch in the format of Go's benchmarks. The code of the format is in lib/report/columns/exchange-formats.js,
// which is loaded only when a document is written.

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'benchstat',
  summary: 'one line per launch, for benchstat and other tools for Go benchmarks',
  option: { flag: 'benchstat', rank: 4 },
  comparison: {
    summary: 'launches of both sides, for benchstat -col side',
    async render({ old, new: fresh }) {
      const { benchstatText } = await import('../lib/report/columns/exchange-formats.js');
      return [old, fresh].map(({ name, results }) => benchstatText(results, { side: name })).join('\n');
    },
  },
  async render(results) {
    const { benchstatText } = await import('../lib/report/columns/exchange-formats.js');
    const content = benchstatText(results);
    return [{ name: 'results.bench.txt', mediaType: 'text/plain; charset=utf-8', content }];
  },
};
