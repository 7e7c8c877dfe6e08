// The table for the terminal. This module declares the report, and loads the code when the table is printed.

/** @type {import('../../lib/types/reports.js').Report} */
export default {
  name: 'table',
  summary: 'aligned text that fits the width of the terminal',
  async render(results, options) {
    const { terminalTable } = await import('./terminal-table.js');
    const content = terminalTable(results, options);
    return [{ name: 'table.txt', mediaType: 'text/plain; charset=utf-8', content }];
  },
};
