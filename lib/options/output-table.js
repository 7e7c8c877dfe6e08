// The options that say what comes out, but for those of the built-in reports: these declare their own (report-flags.js).

/** @type {Readonly<Record<string, import('./option-table.js').OptionEntry>>} */
export const OUTPUT_TABLE = Object.freeze({
  out: {
    shapes: 'output',
    summary: 'folder for results.json and the charts',
    value: 'DIR',
    shownDefault: 'ipc-bench-results/<time>',
  },
  report: {
    shapes: 'output',
    summary:
      'a report of your own, a file or a package: ./mine.js=FILE; - is stdout, FOLDER/ takes all its documents',
    value: 'NAME=FILE',
    isList: true,
  },
  notes: {
    shapes: 'output',
    summary: 'all that belongs to the table: the machine, controls, guarantees, flags in full',
  },
  columns: {
    shapes: 'output',
    summary:
      'more columns of the table: mb (MB/s), cpu (of each process), net (CPU net of codec), memory; ' +
      'of open load: service, lag, sends; or all',
    value: 'NAME,...',
    isList: true,
  },
  charts: {
    shapes: 'output',
    summary: 'draw charts into that folder; --no-charts: only what --png asks for',
    shownDefault: 'on',
  },
  theme: { shapes: 'output', summary: 'of the charts: light or dark', value: 'NAME', default: 'light' },
  title: { shapes: 'output', summary: 'of the charts', value: 'TEXT' },
  quiet: { shapes: 'output', summary: 'nothing on stderr but errors' },
  color: { shapes: 'output', summary: 'colours, or --no-color', shownDefault: 'if on a terminal' },
  force: {
    shapes: 'output',
    summary: 'overwrite files; measure however long it takes, and what spins on one CPU',
    isFlagOnly: true,
  },
});

/**
 * What --columns adds to the table of a first look.
 * @type {readonly import('../types/scenarios.js').FurtherColumn[]}
 */
export const FURTHER_COLUMNS = Object.freeze(['mb', 'cpu', 'net', 'memory', 'service', 'lag', 'sends']);
