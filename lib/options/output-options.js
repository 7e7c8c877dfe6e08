// What `run` and `report` share: where documents go and how they look. Paths are only read here; whether they can be
// written is tried by lib/cli/documents.js.

import { sep } from 'node:path';
import { quoted } from '../format/printable.js';
import { flagLayer, readFields, readFlag } from './layers.js';
import { REPORTS_BY_FLAG } from './option-table.js';
import { PICTURE_FLAGS, pictureWishes } from './picture-options.js';
import { isOn, refuse } from './quantities.js';

/** @import { Find, Given } from './quantities.js' */
/**
 * @typedef {object} Shown
 * @property {Record<string, string>} outputs   report → path, '-' = stdout
 * @property {boolean} [charts]                 absent: they are drawn into the folder of a run
 * @property {'light' | 'dark' | 'both' | null} theme
 * @property {string | null} title
 * @property {import('../types/reports.js').PictureWishes} picture
 * @property {boolean} hasNotes                  all that belongs to the table, not only what a first look needs
 * @property {import('../types/reports.js').FurtherColumn[]} furtherColumns    of the table
 * @property {boolean} isQuiet
 * @property {boolean | null} colour
 */

/** @param {Find} find */
export function outputs(find) {
  /** @type {Record<string, string>} */
  const paths = {};
  for (const flag of REPORTS_BY_FLAG.keys()) {
    const given = find(flag);
    if (given) claim(paths, flag, given.texts[0], given.source);
  }
  const own = find('report');
  for (const text of own?.texts ?? []) {
    const { source } = /** @type {Given} */ (own);
    const at = text.lastIndexOf('=');
    const [name, path] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1 || path === '')
      refuse(source, `${quoted(text)} is not a report and its place; write ./mine.js=FILE`);
    if (REPORTS_BY_FLAG.has(name)) refuse(source, `${name} is built in; write --${name} ${path}`);
    claim(paths, name, path, source);
  }
  return paths;
}

/** @param {string} path   of --report @returns {boolean} it takes all the documents of a report */
export function isFolder(path) {
  return path.endsWith('/') || path.endsWith(sep);
}

/**
 * @param {Record<string, unknown>} argv
 * @returns {Shown & { outDir: string | null, baseline: string | null, isForced: boolean }}   of `report`, which reads flags only
 */
export function reportOptions(argv) {
  const flags = flagLayer(argv);
  const find = (/** @type {string} */ flag) => flags[flag];
  const asked = /** @type {Shown} */ ({
    ...readFields(find, ({ shapes }) => shapes === 'output'),
    outputs: outputs(find),
    picture: pictureWishes((flag) => readFlag(find, flag)),
  });
  const outDir = flags.out?.texts[0] ?? null;
  const isDrawn =
    'png' in asked.outputs || 'svg' in asked.outputs || (outDir !== null && asked.charts !== false);
  const idle = PICTURE_FLAGS.find((flag) => flags[flag] !== undefined);
  if (idle !== undefined && !isDrawn)
    refuse(flags[idle].source, 'no picture is drawn; add --png DIR or --svg DIR');
  const baseline = readFlag(find, 'save-baseline') ?? null;
  return { ...asked, outDir, baseline, isForced: isOn(flags.force) };
}

/**
 * Each document has a place of its own.
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
