// One row per cell with raw numbers.

/** @type {import('../../lib/types/reports.js').Report} */
export default {
  name: 'csv',
  summary: 'one row per cell with raw numbers, for spreadsheets',
  option: { flag: 'csv', rank: 2 },
  async render(results, { sort }) {
    const { csvText, sortedOutcomes } = await import('./csv-text.js');
    return [
      {
        name: 'results.csv',
        mediaType: 'text/csv; charset=utf-8',
        content: csvText(sortedOutcomes(results, sort), results),
      },
    ];
  },
};
