// The table for the terminal. Said here is what it is called; what it is made of is loaded only where it is shown.

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
