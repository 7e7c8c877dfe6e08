// What `run` and `report` share: where documents go and how they look. Paths are only read here; whether they can be
// written is tried by lib/cli/output-places.js.

import { sep } from 'node:path';
import { quoted } from '../format/quoted.js';
import { FURTHER_COLUMNS } from './flags.js';
import { flagLayer } from './layers.js';
import { REPORTS_BY_FLAG } from './option-table.js';
import { PICTURE_FLAGS, pictureWishes } from './picture-options.js';
import { parseChoice, refuse, splitList } from './quantities.js';

/** @import { Given } from './layers.js' */
/** @typedef {(flag: string) => Given | undefined} Find   the strongest of the layers */

const ALL_COLUMNS = 'all';
export const THEMES = /** @type {const} */ (['light', 'dark']);
/**
 * @typedef {object} Shown
 * @property {Record<string, string>} outputs   report → path, '-' = stdout
 * @property {boolean} [charts]                 absent: they are drawn into the folder of a run
 * @property {'light' | 'dark' | null} theme
 * @property {string | null} title
 * @property {import('../types/reports.js').PictureWishes} picture
 * @property {boolean} hasNotes                  all that belongs to the table, not only what a first look needs
 * @property {import('../types/reports.js').FurtherColumn[]} furtherColumns    of the table
 * @property {boolean} isQuiet
 * @property {boolean | null} colour
 */

/** @param {Given | undefined} given   of a switch @returns {boolean} */
export function isOn(given) {
  return given?.texts[0] === 'true';
}

/** @param {Find} find @returns {Shown} */
export function shown(find) {
  const theme = find('theme');
  const color = find('color');
  return {
    outputs: outputs(find),
    ...(find('charts') && !isOn(find('charts')) && { charts: false }),
    theme: theme ? parseChoice(theme.texts[0], THEMES, theme.source) : null,
    title: find('title')?.texts[0] ?? null,
    picture: pictureWishes(find),
    hasNotes: isOn(find('notes')),
    furtherColumns: furtherColumns(find('columns')),
    isQuiet: isOn(find('quiet')),
    colour: color ? isOn(color) : null,
  };
}

/**
 * @param {Given | undefined} given
 * @returns {import('../types/reports.js').FurtherColumn[]} in the order of the table, each once
 */
function furtherColumns(given) {
  if (given === undefined) return [];
  const { texts, source } = given;
  const names = splitList(texts, source).map((text) =>
    parseChoice(text, [...FURTHER_COLUMNS, ALL_COLUMNS], source),
  );
  return FURTHER_COLUMNS.filter((name) => names.includes(name) || names.includes(ALL_COLUMNS));
}

/** @param {Find} find @returns {Record<string, string>} */
function outputs(find) {
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

/** @param {string} path     of --report @returns {boolean} it takes all the documents of a report */
export function isFolder(path) {
  return path.endsWith('/') || path.endsWith(sep);
}

/**
 * @param {Record<string, unknown>} argv
 * @returns {Shown & { outDir: string | null, isForced: boolean }}   of `report`, which reads flags only
 */
export function reportOptions(argv) {
  const flags = flagLayer(argv);
  const asked = shown((flag) => flags[flag]);
  const outDir = flags.out?.texts[0] ?? null;
  const isDrawn =
    'png' in asked.outputs || 'svg' in asked.outputs || (outDir !== null && asked.charts !== false);
  const idle = PICTURE_FLAGS.find((flag) => flags[flag] !== undefined);
  if (idle !== undefined && !isDrawn)
    refuse(flags[idle].source, 'no picture is drawn; add --png DIR or --svg DIR');
  return {
    ...asked,
    outDir,
    isForced: isOn(flags.force),
  };
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
