// One row per cell with raw numbers. This module declares the report, and loads the code when a document is written.

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
