// Output options of `run` and `report`: paths of documents, and how they are drawn. lib/cli/documents.js tests whether the paths can be
// written.

import { sep } from 'node:path';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { flagLayer, readFields, readFlag } from './layers.js';
import { OPTION_TABLE, REPORTS_BY_FLAG } from './option-table.js';
import { isOn } from './quantities.js';

/** @import { Find, Given } from './quantities.js' */
/**
 * @typedef {object} Shown
 * @property {Record<string, string>} outputs   report → path, '-' is stdout
 * @property {boolean} [charts]                 false if no charts are saved in the folder of the run
 * @property {'light' | 'dark' | 'both' | null} theme
 * @property {string | null} title
 * @property {import('../types/reports.js').PictureOptions} picture
 * @property {boolean} hasNotes
 * @property {import('../types/reports.js').FurtherColumn[]} furtherColumns
 * @property {boolean} isQuiet
 */

/** @param {Find} find */
export function outputs(find) {
  /** @type {Record<string, string>} */
  const paths = {};
  for (const flag of REPORTS_BY_FLAG.keys()) {
    const given = find(flag);
    if (given) claim(paths, flag, given.texts[0], given.source);
  }
  const userReports = find('report');
  for (const text of userReports?.texts ?? []) {
    const { source } = /** @type {Given} */ (userReports);
    const at = text.lastIndexOf('=');
    const [name, path] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || path === '')
      refuse(source, `${quoted(text)} is not a report and its place; write ./mine.js=FILE`);
    if (REPORTS_BY_FLAG.has(name)) refuse(source, `${name} is built in; write --${name} ${path}`);
    claim(paths, name, path, source);
  }
  return paths;
}

/** @param {string} path */
export function isFolder(path) {
  return path.endsWith('/') || path.endsWith(sep);
}

/**
 * @param {Record<string, unknown>} argv
 * @returns {Shown & { outDir: string | null, baseline: string | null, isForced: boolean }} the options of `report`, read from flags only
 */
export function reportOptions(argv) {
  const flags = flagLayer(argv);
  const find = (/** @type {string} */ flag) => flags[flag];
  const shown = /** @type {Shown} */ ({
    ...readFields(find, ({ shapes }) => shapes === 'output'),
    outputs: outputs(find),
  });
  const outDir = flags.out?.texts[0] ?? null;
  const isDrawn =
    ['png', 'svg', 'captions'].some((flag) => flag in shown.outputs) ||
    (outDir !== null && shown.charts !== false);
  const idle = Object.keys(flags).find((flag) => OPTION_TABLE[flag].partOf === 'picture');
  if (idle !== undefined && !isDrawn)
    refuse(flags[idle].source, 'no picture is drawn; add --png DIR or --svg DIR');
  const baseline = readFlag(find, 'save-baseline') ?? null;
  return { ...shown, outDir, baseline, isForced: isOn(flags.force) };
}

/**
 * Registers the path of a document. Two documents cannot have the same path.
 * @param {Record<string, string>} paths   report → path
 * @param {string} report   a flag, or the name of a user's report
 * @param {string} path     '-' is stdout
 * @param {import('../format/quantity.js').Source} source
 * @throws {import('../errors.js').BenchError}
 */
export function claim(paths, report, path, source) {
  const rival = Object.keys(paths).find((other) => paths[other] === path);
  if (rival !== undefined) {
    const place = path === '-' ? 'stdout' : path;
    const taker = REPORTS_BY_FLAG.has(rival) ? `--${rival}` : `--report ${rival}`;
    refuse(source, `${place} is already taken by ${taker}; two documents cannot share it`);
  }
  if (Object.hasOwn(paths, report)) refuse(source, `the report ${report} is given twice; once is enough`);
  paths[report] = path;
}
