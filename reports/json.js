// The results document, byte for byte as it is saved. All other reports are made from it.

/** @type {import('../lib/types/reports.js').Report} */
export default {
  name: 'json',
  summary: 'every launch with all its data; in the published schema',
  option: { flag: 'json', rank: 1 },
  comparison: {
    summary: 'the comparison with all its numbers',
    async render({ comparison }) {
      const { findFault } = await import('../lib/format/shape-fault.js');
      const { Comparison } = await import('../lib/types/comparisons.js');
      const fault = findFault(Comparison, comparison);
      if (fault !== null) throw new Error(`the comparison does not have its published shape: ${fault}`);
      return `${JSON.stringify(comparison)}\n`;
    },
  },
  async render(results) {
    const { resultsText } = await import('../lib/results/write.js');
    return [{ name: 'results.json', mediaType: 'application/json', content: resultsText(results) }];
  },
};
