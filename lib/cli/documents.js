// Results → documents where they were asked for: the table and the words on stdout, or one document there alone, and
// files. What is in a document is said by its report.

import { basename, dirname, join, relative, sep } from 'node:path';
import { BenchError, exitCodeFor } from '../errors.js';
import { wantsColour } from '../format/colour.js';
import { groupedBy } from '../format/lists.js';
import { printable } from '../format/printable.js';
import { quoted } from '../format/quoted.js';
import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { isFolder } from '../options/output-options.js';
import { callPlugin } from '../plugins/plugin-call.js';
import { loadReport } from '../plugins/plugins.js';
import { GREATEST_WIDTH, JOINT, wrapped } from '../report/columns/aligned.js';
import { writeAtomically } from '../results/atomic-file.js';
import { errorText } from './error-text.js';
import { writeOut } from './write-out.js';

/** @import { Document, FurtherColumn, ReportOptions, Results } from '../types/index.js' */
/** @import { Host, Output } from './main.js' */
/**
 * @typedef {object} Wanted
 * @property {Record<string, string>} outputs     flag → path, '-' = stdout
 * @property {'light' | 'dark'} theme
 * @property {string | null} title
 * @property {boolean | null} colour
 * @property {import('../types/reports.js').PictureWishes} picture
 * @property {boolean} hasNotes                   of the table
 * @property {FurtherColumn[]} furtherColumns   of the table
 * @property {boolean} isQuiet
 */

/**
 * Every document is tried, whatever becomes of the others: the measurement took longer than any of them.
 * @param {Results} results
 * @param {Wanted} wanted
 * @param {Host} host
 * @returns {Promise<{ saved: string[], exitCode: number }>}
 */
export async function deliver(results, wanted, host) {
  const { outputs, theme, title, picture, colour, hasNotes, furtherColumns, isQuiet } = wanted;
  const { stdout, stderr, environment } = host;
  const look = { theme, picture, figures: new Map(), ...(title === null ? {} : { title }) };
  /** @type {string[]} */
  const saved = [];
  let exitCode = 0;
  const attempt = async (/** @type {() => Promise<string[] | void>} */ work) => {
    try {
      saved.push(...((await work()) ?? []));
    } catch (error) {
      stderr.write(`${errorText(error)}\n`);
      exitCode ||= exitCodeFor(error);
    }
  };
  if (!isStdoutTaken(outputs)) {
    const screen = { colour: wantsColour(stdout, colour, environment), columns: stdout.columns };
    await attempt(async () => {
      const [table] = await rendered('table', results, { ...look, ...screen, hasNotes, furtherColumns });
      await writeOut(stdout, table.content);
    });
  }
  for (const [flag, path] of Object.entries(outputs)) {
    const report = REPORTS_BY_FLAG.get(flag);
    const isMany = report?.option?.many !== undefined || isFolder(path);
    await attempt(async () => {
      const picturePlace = picturePlaceFor(path, outputs);
      const seen = { ...look, ...picturePlace };
      const documents =
        report === undefined
          ? await renderedByOthers(flag, results, seen)
          : await rendered(report.name, results, seen);
      const warnings = isQuiet ? [] : documents.flatMap(({ warning }) => warning ?? []);
      for (const warning of warnings) stderr.write(`--${flag}: ${warning}\n`);
      if (documents.length === 0 && !isMany) {
        const next = 'its render() must return at least one { name, mediaType, content }';
        throw new BenchError('BAD_PLUGIN', `the report ${flag} made no document: ${next}`);
      }
      return placeDocuments(documents, path, isMany, stdout);
    });
  }
  return { saved, exitCode };
}

/**
 * @param {{ outputs: Record<string, string>, charts?: boolean }} wanted
 * @param {string | null} folder    of a run; null: there is none
 * @returns {Record<string, string>} charts lie beside the results, unless they have a place of their own or nobody wants them
 */
export function withCharts({ outputs, charts }, folder) {
  return folder === null || charts === false ? outputs : { ...outputs, png: outputs.png ?? folder };
}

/**
 * @param {string} path      of a document
 * @param {Record<string, string>} outputs
 * @returns {Pick<ReportOptions, 'picturePlace'>} where it finds the pictures
 */
function picturePlaceFor(path, { png, svg }) {
  const place = [png, svg].find((folder) => folder !== undefined && folder !== '-');
  if (place === undefined) return {};
  const folder = relative(path === '-' ? '.' : dirname(path), place)
    .split(sep)
    .join('/');
  return { picturePlace: { folder, ending: place === png ? '.png' : '.svg' } };
}

/** @param {Record<string, string>} outputs @returns {boolean} a document goes to stdout, so that nothing else may */
export function isStdoutTaken(outputs) {
  return Object.values(outputs).includes('-');
}

/** @param {string} name @param {Results} results @param {ReportOptions} look */
async function rendered(name, results, look) {
  const report = await loadReport(name);
  return report.render(results, look);
}

/**
 * @param {string} name   of a report that is not built in
 * @param {Results} results
 * @param {ReportOptions} look
 * @returns {Promise<Document[]>}
 * @throws {BenchError} BAD_PLUGIN, whatever is wrong with it
 */
async function renderedByOthers(name, results, look) {
  const what = `the report ${printable(name)}`;
  let documents;
  try {
    documents = await callPlugin(what, 'rendered', () => rendered(name, results, look));
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    const why = printable(cause instanceof Error ? cause.message : String(cause));
    throw new BenchError('BAD_PLUGIN', `${what} cannot be rendered: ${why}`, { cause });
  }
  const isContent = (/** @type {any} */ content) =>
    typeof content === 'string' || content instanceof Uint8Array;
  if (Array.isArray(documents) && documents.every((one) => isContent(one?.content))) return documents;
  const next =
    'its render() must return a list of { name, mediaType, content }, with a string or bytes as the content';
  throw new BenchError('BAD_PLUGIN', `${what} made no documents: ${next}.`);
}

/**
 * @param {Pick<Document, 'name' | 'content'>[]} documents
 * @param {string} path         of a folder, where they may be many; '-': stdout, which takes the first
 * @param {boolean} isMany
 * @param {Output} stdout
 * @returns {Promise<string[]>} the files
 */
export async function placeDocuments(documents, path, isMany, stdout) {
  if (path === '-') {
    if (documents.length > 0) await writeOut(stdout, documents[0].content);
    return [];
  }
  const files = isMany ? documents.map(({ name }) => join(path, checkedName(name))) : [path];
  for (const [index, file] of files.entries()) await writeAtomically(file, documents[index].content);
  return files;
}

/**
 * @param {unknown} name   of a document, from a report of whomever, of results from wherever
 * @returns {string} that leads out of no folder
 */
function checkedName(name) {
  const isName = typeof name === 'string' && name !== '' && !/^\.{1,2}$|[/\\\0]/.test(name);
  if (isName) return name;
  const why = 'a report names a document without a folder';
  throw new BenchError('BAD_PLUGIN', `${quoted(String(name))} is no name of a document: ${why}.`);
}

/** @param {string[]} paths @param {Output} stream @param {string} [next]   what for, and a command to try */
export async function sayWhatIsSaved(paths, stream, next) {
  const columns = Math.min(stream.columns ?? GREATEST_WIDTH, GREATEST_WIDTH);
  const lines = [...groupedBy(paths, dirname)].flatMap(([folder, own]) => {
    if (own.length === 1) return [`Saved ${own[0]}`];
    const place = folder === '.' ? '' : `${folder.replaceAll(' ', JOINT)}: `;
    return wrapped(`Saved ${place}${own.map((path) => basename(path)).join(', ')}`, columns);
  });
  await writeOut(stream, `${[...lines, ...(next ? [`Next, ${next}`] : [])].join('\n')}\n`);
}
