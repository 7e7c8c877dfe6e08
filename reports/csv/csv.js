// One row per cell with raw numbers.

/** @type {import('../../lib/types/reports.js').Report} */
export default {
  name: 'csv',
  summary: 'one row per cell with raw numbers, for spreadsheets',
  option: { flag: 'csv', rank: 2 },
  async render(results) {
    const { csvText } = await import('./csv-text.js');
    return [
      {
        name: 'results.csv',
        mediaType: 'text/csv; charset=utf-8',
        content: csvText(results.outcomes, results),
      },
    ];
  },
};
