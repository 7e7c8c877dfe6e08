// Turns results into documents: the table or another document on stdout, and files. The reports render the content. Before anything is
// measured, the paths are claimed and tested.

import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { makeFolders } from '../children/run-directory.js';
import { BenchError, canvasFault, exitCodeFor } from '../errors.js';
import { groupedBy } from '../format/lists.js';
import { darkName, pictureElement } from '../format/picture-element.js';
import { printable, quoted } from '../format/printable.js';
import { shownPaths } from '../format/redact.js';
import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { RESULTS_FOLDER } from '../options/options.js';
import { isFolder } from '../options/output-options.js';
import { isForeign } from '../plugins/builtins.js';
import { callPlugin } from '../plugins/plugin-call.js';
import { loadReport, loadReports } from '../plugins/plugins.js';
import { JOINT, MAX_WIDTH, wrapped } from '../report/columns/aligned.js';
import { tryToWrite } from '../results/atomic-file.js';
import { isClaim } from '../results/claim-outputs.js';
import { assertWritable, writeDocument } from '../results/write.js';
import { errorText, readColumns, wantsColour, writeOut } from './process-io.js';
import { stepReporter } from './slow-steps.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Shown } from '../options/output-options.js' */
/** @import { Document, ReportOptions, Results } from '../types/index.js' */
/** @import { Host, Output } from './main.js' */
/**
 * @typedef {Omit<Shown, 'charts' | 'theme'> & { theme: 'light' | 'dark' | 'both', impliedFlag?: string }} Wanted
 *   impliedFlag: a flag that is set by default, so it is no error if the library that draws its pictures cannot be loaded
 */

const PNG = 'png';
const DRAWN = [PNG, 'svg', 'html', 'captions']; // documents with pictures
const JSON_FLAG = 'json'; // Its document of a run is the results file.

/**
 * Tries all documents even if one fails, because the measurement took longer than rendering does.
 * @param {Results} results
 * @param {Wanted} wanted
 * @param {Host} host
 */
export async function deliver(results, wanted, host) {
  const { outputs, impliedFlag, theme, title, picture, hasNotes, furtherColumns, isQuiet } = wanted;
  const { stdout, stderr, environment } = host;
  const isInBothThemes = theme === 'both';
  /** @type {ReportOptions} */
  const style = {
    theme: isInBothThemes ? 'light' : theme,
    picture: isInBothThemes ? { ...picture, isInBothThemes } : picture,
    furtherColumns,
    ...(title === null ? {} : { title }),
  };
  /** @type {string[]} */
  const saved = [];
  const printed = new Set();
  /** HTML for pages with pictures in both themes. @type {string[]} */
  const elements = [];
  let exitCode = 0;
  const attempt = async (/** @type {() => Promise<string[] | void>} */ work, isImplied = false) => {
    try {
      saved.push(...((await work()) ?? []));
    } catch (error) {
      const text = errorText(error);
      const isMissed = !isImplied || canvasFault(error) === null;
      if (!printed.has(text) && (isMissed || !isQuiet)) stderr.write(`${text}\n`);
      printed.add(text); // several documents may fail for the same reason
      if (isMissed) exitCode ||= exitCodeFor(error);
    }
  };
  const report = isQuiet ? () => {} : stepReporter([results], stderr);
  if (!isStdoutTaken(outputs)) {
    report('Making the table');
    const screen = {
      colour: wantsColour(stdout, environment),
      columns: readColumns({ columns: stdout.columns ?? MAX_WIDTH }),
    };
    await attempt(async () => {
      const [table] = await rendered('table', results, { ...style, ...screen, hasNotes });
      await writeOut(stdout, table.content);
    });
  }
  await prepareToDraw(outputs);
  for (const [flag, path] of Object.entries(outputs)) {
    const builtIn = REPORTS_BY_FLAG.get(flag);
    const isMany = builtIn?.option?.many !== undefined || isFolder(path);
    report(`Making ${builtIn === undefined ? `--report ${printable(flag)}` : `--${flag}`}`);
    await attempt(async () => {
      const picturePlace = picturePlaceFor(path, outputs);
      const options = { ...style, ...picturePlace };
      const documents =
        builtIn === undefined
          ? await renderedByOthers(flag, results, options)
          : await rendered(builtIn.name, results, options);
      const warnings = isQuiet ? [] : documents.flatMap(({ warning }) => warning ?? []);
      for (const warning of warnings) stderr.write(`--${flag}: ${warning}\n`);
      if (documents.length === 0 && !isMany) {
        const next = 'its render() must return at least one { name, mediaType, content }';
        throw new BenchError('BAD_PLUGIN', `the report ${flag} made no document: ${next}`);
      }
      const files = await placeDocuments(documents, path, isMany, stdout);
      if (isInBothThemes && outputs.captions === undefined)
        elements.push(...pictureElements(documents, files));
      return files;
    }, flag === impliedFlag);
  }
  return { saved, elements, exitCode };
}

/** @param {Document[]} documents @param {string[]} files @returns {string[]} One HTML element for each picture in both themes. */
function pictureElements(documents, files) {
  return documents.flatMap(({ name, caption: alt = '', widthPx }, index) => {
    const { name: stem, ext } = parse(name);
    const dark = documents.findIndex((other) => other.name === `${darkName(stem)}${ext}`);
    if (files.length === 0 || dark === -1) return [];
    return pictureElement({ light: files[index], dark: files[dark] }, alt, widthPx);
  });
}

/**
 * Adds charts beside the results, unless --png or --no-charts is given.
 * @param {{ outputs: Record<string, string>, charts?: boolean }} wanted
 * @param {string | null} folder   the folder of the run; null adds no charts
 * @returns {Record<string, string>}
 */
export function withCharts({ outputs, charts }, folder) {
  return folder === null || charts === false ? outputs : { ...outputs, png: outputs.png ?? folder };
}

/**
 * Returns the folder of the pictures, relative to the document at `path`, and the ending of their names.
 * @param {string} path
 * @param {Record<string, string>} outputs
 * @returns {Pick<ReportOptions, 'picturePlace'>}
 */
function picturePlaceFor(path, { png, svg }) {
  const place = [png, svg].find((folder) => folder !== undefined && folder !== '-');
  if (place === undefined) return {};
  const folder = relative(path === '-' ? '.' : dirname(path), place)
    .split(sep)
    .join('/');
  return { picturePlace: { folder, ending: place === png ? '.png' : '.svg' } };
}

/** @param {Record<string, string>} outputs @returns {boolean} true if a document, and thus nothing else, is written to stdout */
export function isStdoutTaken(outputs) {
  return Object.values(outputs).includes('-');
}

/** @param {string} name @param {Results} results @param {ReportOptions} options */
async function rendered(name, results, options) {
  const report = await loadReport(name);
  return report.render(results, options);
}

/**
 * @param {string} name   a report that is not built in
 * @param {Results} results
 * @param {ReportOptions} options
 * @returns {Promise<Document[]>}
 * @throws {BenchError} BAD_PLUGIN
 */
async function renderedByOthers(name, results, options) {
  const what = `the report ${printable(name)}`;
  let documents;
  try {
    documents = await callPlugin(what, 'rendered', () => rendered(name, results, options));
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
 * @param {string} path         a folder if `isMany`; '-' is stdout, which gets the first document
 * @param {boolean} isMany
 * @param {Output} stdout
 * @returns {Promise<string[]>}
 */
async function placeDocuments(documents, path, isMany, stdout) {
  if (path === '-') {
    if (documents.length > 0) await writeOut(stdout, documents[0].content);
    return [];
  }
  const files = isMany ? documents.map(({ name }) => join(path, checkedName(name))) : [path];
  for (const [index, file] of files.entries()) await writeDocument(file, documents[index].content);
  return files;
}

/**
 * @param {Record<string, string>} outputs   flag → path
 * @param {(report: import('../types/reports.js').Report) => string | Document[] | Promise<string | Document[]> | undefined} render
 * @param {Output} stdout
 * @param {Output} [stderr]
 * @returns {Promise<string[]>}
 */
export async function saveDocuments(outputs, render, stdout, stderr) {
  const saved = [];
  await prepareToDraw(outputs);
  for (const [flag, path] of Object.entries(outputs)) {
    const report = REPORTS_BY_FLAG.get(flag);
    const made = (report && (await render(report))) ?? '';
    const isMany = typeof made !== 'string';
    const documents = isMany ? made : [{ name: '', content: made }];
    for (const document of documents)
      if ('warning' in document) stderr?.write(`--${flag}: ${document.warning}\n`);
    saved.push(...(await placeDocuments(documents, path, isMany, stdout)));
  }
  return saved;
}

/**
 * @param {unknown} name   untrusted: a third-party report or a results file may set it
 * @returns {string} the same name, which contains no folder
 * @throws {BenchError} BAD_PLUGIN for any other value
 */
function checkedName(name) {
  const isName = typeof name === 'string' && name !== '' && !/^\.{1,2}$|[/\\\0]/.test(name);
  if (isName) return name;
  const why = 'a report names a document without a folder';
  throw new BenchError('BAD_PLUGIN', `${quoted(String(name))} is not a name of a document: ${why}.`);
}

/**
 * @param {string[]} paths
 * @param {Output} stream
 * @param {{ elements?: string[], next?: string }} [further]   `elements` is HTML for the user's own page; `next` is a purpose and a command
 */
export async function printSaved(paths, stream, { elements = [], next } = {}) {
  const columns = readColumns(stream, MAX_WIDTH);
  const lines = [...groupedBy(paths.map(shownPaths), dirname)].flatMap(([folder, files]) => {
    if (files.length === 1) return [`Saved ${files[0]}`];
    const place = folder === '.' ? '' : `${folder.replaceAll(' ', JOINT)}: `;
    return wrapped(`Saved ${place}${files.map((path) => basename(path)).join(', ')}`, columns);
  });
  const pasted = elements.length === 0 ? [] : ['To paste into Markdown or HTML:', ...elements];
  await writeOut(stream, `${[...lines, ...pasted, ...(next ? [`Next, ${next}`] : [])].join('\n')}\n`);
}

// Before anything is measured, the run claims its folder and the paths of its documents, and tests whether it can write to them. It
// overwrites files of an earlier run, except a baseline, only with --force. It never overwrites files of a run that is still active, files
// that it reads, or measurements by a document.

/** @typedef {{ isForced: boolean, claims: OutputClaims }} How */

export const RESULTS_FILE = 'results.json';
export const BASELINES_FOLDER = join(RESULTS_FOLDER, 'baselines');
/** @type {Readonly<Record<string, string>>} */
const UNMAKEABLE = Object.freeze({
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its place',
  ENOENT: 'its file system takes no folders there',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOSPC: 'no space is left',
});
const USER_DOCUMENTS = { flag: '--report', ending: '', what: 'files' };

/** @param {Record<string, string>} outputs   flag → path @param {How} how */
export async function prepareOutputs(outputs, how) {
  for (const [flag, path] of Object.entries(outputs)) {
    const many = REPORTS_BY_FLAG.get(flag)?.option?.many;
    if (flag === PNG) await loadCanvas();
    if (path === '-') continue;
    else if (many !== undefined) await prepareFolder(path, { flag: `--${flag}`, ...many }, how);
    else if (isFolder(path)) await prepareFolder(path, USER_DOCUMENTS, how);
    else {
      const kind = flag === JSON_FLAG ? 'results' : 'document';
      await prepareFile(path, REPORTS_BY_FLAG.has(flag) ? `--${flag}` : `--report ${flag}`, how, kind);
    }
  }
}

/** @param {Record<string, string>} outputs   flag → path, for documents of a comparison @param {How} how */
export async function prepareComparisonOutputs(outputs, how) {
  for (const [flag, path] of Object.entries(outputs)) {
    const { option, comparison } = REPORTS_BY_FLAG.get(flag) ?? {};
    if (flag === PNG) await loadCanvas();
    if (path === '-') continue;
    else if (comparison?.isMany && option?.many) {
      await prepareFolder(path, { flag: `--${flag}`, ...option.many }, how);
    } else await prepareFile(path, `--${flag}`, how);
  }
}

/** @throws {Error} if PNG files cannot be drawn on this machine */
async function loadCanvas() {
  const ruler = await import('../report/charts/pictures/text-ruler.js');
  await ruler.probeCanvas();
  ruler.loadCanvas();
}

/** @param {Record<string, string>} outputs   flag → path */
async function prepareToDraw(outputs) {
  if (!DRAWN.some((flag) => Object.hasOwn(outputs, flag))) return;
  const { probeCanvas } = await import('../report/charts/pictures/text-ruler.js');
  await probeCanvas();
}

/** @param {string} path @param {string} flag @param {How} how @param {import('../results/write.js').SavedKind} [kind] */
async function prepareFile(path, flag, { isForced, claims }, kind) {
  await claims.add(path, flag);
  await assertWritable(path, { overwrite: isForced, kind });
}

/**
 * @param {Pick<import('../types/plans.js').Options, 'outDir' | 'profile'>} options
 * @param {boolean} isChosen   --out names the folder; without it, a new folder is created
 * @param {How} how
 * @param {string[]} [files]   names of the files that the run writes
 * @returns {Promise<{ outDir: string, release: () => Promise<void> }>} `release` removes the folder if it is new and empty
 */
export async function openRunFolder({ outDir, profile }, isChosen, how, files) {
  if (!isChosen) {
    const made = await makeNewFolder(outDir);
    return { outDir: made, release: () => rmdir(made).catch(() => {}) };
  }
  await prepareNamedFolder(outDir, how, files);
  if (profile) await refuseOldProfiles(outDir, how);
  return { outDir, release: async () => {} };
}

/** @param {string} path @param {How} how @param {string[]} [files] */
export async function prepareNamedFolder(path, { isForced, claims }, files = [RESULTS_FILE]) {
  await makeFolder(path, '--out');
  for (const name of files) {
    const file = join(path, name);
    await claims.add(file, '--out');
    const found = await stat(file).catch(() => null);
    if (found !== null && !isForced) throw inTheWay(path, 'results', '--out');
    await assertWritable(file, { overwrite: true, kind: 'results' });
  }
}

/** Permits replacing an existing baseline. @param {string | null} name @param {How} how @returns {Promise<string | null>} its path */
export async function prepareBaseline(name, { claims }) {
  if (name === null) return null;
  const path = join(BASELINES_FOLDER, `${name}.json`);
  await makeFolder(BASELINES_FOLDER, '--save-baseline');
  await claims.add(path, '--save-baseline');
  await assertWritable(path, { overwrite: 'results', kind: 'results' });
  return path;
}

/** @param {string} path   the folder of a run with --profile @param {How} how */
async function refuseOldProfiles(path, { isForced }) {
  const { PROFILES_FOLDER } = await import('../run/diagnostics/diagnostic-launches.js');
  const found = await readdir(join(path, PROFILES_FOLDER)).catch(() => []);
  if (found.length > 0 && !isForced) throw inTheWay(path, 'profiles', '--out');
}

/**
 * @param {string} path   a folder for several documents
 * @param {{ flag: string, ending: string, what: string }} kind
 * @param {How} how
 */
async function prepareFolder(path, { flag, ending, what }, { isForced, claims }) {
  const document = join(path, `document${ending}`);
  await makeFolder(path, flag);
  await claims.add(document, flag);
  const found = (await readdir(path)).filter((name) => name.endsWith(ending) && !isClaim(name));
  if (found.length > 0 && !isForced) throw inTheWay(path, what, flag);
  await tryToWrite(document);
}

/** @param {string} path @returns {Promise<string>} the path, with a number appended if another run of the same second uses it */
async function makeNewFolder(path) {
  await makeFolder(dirname(path), '--out');
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? path : `${path}-${count}`;
    try {
      await mkdir(candidate);
      return candidate;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST')
        throw unmakeable(path, '--out', error);
    }
  }
}

/** @param {string} path @param {string} flag */
async function makeFolder(path, flag) {
  try {
    await makeFolders(path);
  } catch (error) {
    throw unmakeable(path, flag, error);
  }
}

/** @param {string} path @param {string} flag @param {unknown} cause */
function unmakeable(path, flag, cause) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
  const why = UNMAKEABLE[code ?? ''] ?? code;
  const message = `the folder ${printable(path)} cannot be made (${why}); name one that you can write to with ${flag} DIR`;
  return new BenchError('OUTPUT_UNWRITABLE', message, { cause });
}

/** @param {string} path @param {string} what @param {string} flag */
function inTheWay(path, what, flag) {
  const next = `name another folder with ${flag}, or add --force to overwrite`;
  return new BenchError('OUTPUT_EXISTS', `${printable(path)} holds ${what} already; ${next}`);
}

/**
 * Loads the user's reports before anything is measured, so that their faults are found at once.
 * @param {Record<string, string>} outputs    report → path
 * @returns {Promise<{ name: string, url: string }[]>} the reports that are third-party code
 */
export async function loadUserReports(outputs) {
  const named = Object.keys(outputs).filter((name) => !REPORTS_BY_FLAG.has(name));
  const loaded = await loadReports(named);
  return [...loaded.values()].filter(isForeign).map(({ plugin, url }) => ({ name: plugin.name, url }));
}
