// The options that say what comes out, but for those of the built-in reports: these declare their own (report-flags.js).

import { PICTURE_TABLE } from './picture-table.js';
import { shaping } from './shaping.js';

export const OUTPUT_TABLE = shaping('output', {
  out: {
    summary: 'folder for results.json and the charts',
    value: 'DIR',
    shownDefault: 'ipc-bench-results/<time>',
  },
  report: {
    summary:
      'a report of your own, a file or a package: ./mine.js=FILE; - is stdout, FOLDER/ takes all its documents',
    value: 'NAME=FILE',
    isList: true,
  },
  notes: {
    summary: 'all that belongs to the table: the machine, controls, guarantees, flags in full',
  },
  columns: {
    summary:
      'more columns of the table: mb (MB/s), cpu (of each process), net (CPU net of codec), memory, ' +
      'floor (its interval, and CPU of C); of open load: service, lag, sends; or all',
    value: 'NAME,...',
    isList: true,
  },
  charts: {
    summary: 'draw charts into that folder; --no-charts: only what --png asks for',
    shownDefault: 'on',
  },
  theme: { summary: 'of the charts: light or dark', value: 'NAME', default: 'light' },
  title: { summary: 'of the charts', value: 'TEXT' },
  ...PICTURE_TABLE,
  quiet: { summary: 'nothing on stderr but errors' },
  color: { summary: 'colours, or --no-color', shownDefault: 'if on a terminal' },
  force: {
    summary: 'overwrite files; measure however long it takes, and what spins on one CPU',
    isFlagOnly: true,
  },
});

/**
 * What --columns adds to the table of a first look.
 * @type {readonly import('../types/reports.js').FurtherColumn[]}
 */
export const FURTHER_COLUMNS = Object.freeze([
  'mb',
  'cpu',
  'net',
  'memory',
  'floor',
  'service',
  'lag',
  'sends',
]);
