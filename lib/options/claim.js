// Each document has a place of its own.

import { refuse } from './quantities.js';
import { REPORTS_BY_FLAG } from './report-flags.js';

/**
 * @param {Record<string, string>} paths   by report: gets one more
 * @param {string} report   its flag, or the name of one of the user's own
 * @param {string} path     '-': stdout
 * @param {import('./quantities.js').Source} source
 * @throws {import('../errors.js').BenchError} where another document goes there already
 */
export function claim(paths, report, path, source) {
  const rival = Object.keys(paths).find((other) => paths[other] === path);
  if (rival !== undefined) {
    const place = path === '-' ? 'stdout' : path;
    const taker = REPORTS_BY_FLAG.has(rival) ? `--${rival}` : `--report ${rival}`;
    refuse(source, `${place} is already taken by ${taker}; two documents cannot share it`);
  }
  if (Object.hasOwn(paths, report)) refuse(source, `the report ${report} is asked for twice; once is enough`);
  paths[report] = path;
}
