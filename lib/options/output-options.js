// Output options of `run` and `report`: paths of documents, and how pictures are drawn. lib/cli/output-paths.js tests whether the paths
// can be written.

import { sep } from 'node:path';
import { quoted } from '../format/printable.js';
import { refuse } from '../format/quantity.js';
import { flagLayer, readFields, readFlag } from './layers.js';
import { OPTION_TABLE, REPORTS_BY_FLAG } from './option-table.js';
import { isOn } from './quantities.js';

/** @import { Source } from '../format/quantity.js' */
/** @import { FurtherColumn, PictureOptions } from '../types/reports.js' */
/** @import { FindFlag, FlagTexts } from './quantities.js' */
/**
 * @typedef {{ report: string, path: string, source: Source }} RequestedOutput   report: a flag, or the name of a user's report; path: '-' is
 *   stdout
 */
/**
 * @typedef {object} Shown
 * @property {Record<string, string>} outputs   report → path, '-' is stdout
 * @property {boolean} [charts]                 false if no charts are saved in the folder of the run
 * @property {'light' | 'dark' | 'both' | null} theme
 * @property {string | null} title
 * @property {PictureOptions} picture
 * @property {boolean} hasNotes
 * @property {FurtherColumn[]} furtherColumns
 * @property {boolean} isQuiet
 */

/** @param {FindFlag} find @returns {Record<string, string>} report → path */
export function outputs(find) {
  const builtIn = [...REPORTS_BY_FLAG.keys()].flatMap((report) => {
    const given = find(report);
    return given ? [{ report, path: given.texts[0], source: given.source }] : [];
  });
  const given = find('report');
  return distinctPaths([...builtIn, ...(given ? userReports(given) : [])]);
}

/** @param {FlagTexts} given   texts: './mine.js=FILE' @returns {RequestedOutput[]} */
function userReports({ texts, source }) {
  return texts.map((text) => {
    const at = text.lastIndexOf('=');
    const [name, path] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || path === '')
      refuse(source, `${quoted(text)} is not a report and its path; write ./mine.js=FILE`);
    if (REPORTS_BY_FLAG.has(name)) refuse(source, `${name} is built in; write --${name} ${path}`);
    return { report: name, path, source };
  });
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
  /** @type {FindFlag} */
  const find = (flag) => flags[flag];
  const shown = /** @type {Shown} */ ({
    ...readFields(find, ({ shapes }) => shapes === 'output'),
    outputs: outputs(find),
  });
  const outDir = readFlag(find, 'out') ?? null;
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
 * @param {RequestedOutput[]} outputs
 * @returns {Record<string, string>} report → path
 * @throws {import('../errors.js').BenchError} if two documents have the same path, or a report is given twice
 */
export function distinctPaths(outputs) {
  for (const [index, { report, path, source }] of outputs.entries()) {
    const earlier = outputs.slice(0, index);
    const rival = earlier.find((other) => other.path === path)?.report;
    if (rival !== undefined) {
      const where = path === '-' ? 'stdout' : path;
      const taker = REPORTS_BY_FLAG.has(rival) ? `--${rival}` : `--report ${rival}`;
      refuse(source, `${where} is already taken by ${taker}; two documents cannot share it`);
    }
    if (earlier.some((other) => other.report === report))
      refuse(source, `the report ${report} is given twice; once is enough`);
  }
  return Object.fromEntries(outputs.map(({ report, path }) => [report, path]));
}
