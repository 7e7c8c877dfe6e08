// Writes the documents of results and comparisons to stdout and to files, and prints which files were saved. The reports render the
// content; output-paths.js claims and tests the paths before anything is measured.

import { basename, dirname, join, parse, relative, sep } from 'node:path';
import { BenchError, canvasFault, exitCodeFor } from '../errors.js';
import { groupedBy } from '../format/lists.js';
import { darkName, pictureElement } from '../format/picture-element.js';
import { printable, quoted } from '../format/printable.js';
import { shownPaths } from '../format/redact.js';
import { JOINT, MAX_WIDTH, wrapped } from '../format/wrapped.js';
import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { isFolder } from '../options/output-options.js';
import { isForeign } from '../plugins/builtins.js';
import { callPlugin } from '../plugins/plugin-call.js';
import { loadReport, loadReports } from '../plugins/plugins.js';
import { writeDocument } from '../results/write.js';
import { errorText, readColumns, wantsColour, writeOut } from './process-io.js';
import { stepReporter } from './slow-steps.js';

/** @import { Shown } from '../options/output-options.js' */
/** @import { Compared, Document, ReportOptions } from '../types/reports.js' */
/** @import { Results } from '../types/index.js' */
/** @import { Host, OutputStream } from './main.js' */
/**
 * @typedef {Omit<Shown, 'charts' | 'theme'> & { theme: 'light' | 'dark' | 'both', impliedFlag?: string }} Wanted
 *   impliedFlag: a flag that is set by default, so it is no error if the library that draws its pictures cannot be loaded
 */
/**
 * The document that one report is to make, or several documents.
 * @typedef {object} DocumentRequest
 * @property {string} flag
 * @property {string} name      '--csv', 'the table'
 * @property {string} path      '-' is stdout, which gets the first document
 * @property {boolean} isMany   `path` is a folder
 * @property {boolean} [isImplied]   requested by default, so nothing is printed if it makes no document
 * @property {() => Promise<Document[]>} render
 */
/**
 * @typedef {{ flag: string, files: string[], elements: string[], fault?: unknown }} WrittenDocuments
 *   elements: HTML for pages with pictures in both themes; fault: why there are no files
 */
/**
 * @typedef {{ stdout: OutputStream, stderr: OutputStream, isQuiet?: boolean, onStep: (step: string) => void }} Watcher
 *   onStep: called with a description before each report is rendered
 */

const DRAWN = ['png', 'svg', 'html', 'captions']; // documents with pictures

/**
 * @param {Results} results
 * @param {Wanted} wanted
 * @param {Host} host
 * @returns {Promise<{ saved: string[], elements: string[], exitCode: number }>} `saved`: paths of the files; `elements`: HTML to paste
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
  const requests = Object.entries(outputs).map(([flag, path]) => {
    const builtIn = REPORTS_BY_FLAG.get(flag);
    const options = { ...style, ...linksToPictures(path, outputs) };
    return {
      flag,
      name: builtIn === undefined ? `--report ${printable(flag)}` : `--${flag}`,
      path,
      isMany: builtIn?.option?.many !== undefined || isFolder(path),
      isImplied: flag === impliedFlag,
      render: () =>
        builtIn === undefined
          ? renderedByOthers(flag, results, options)
          : rendered(builtIn.name, results, options),
    };
  });
  const screen = {
    colour: wantsColour(stdout, environment),
    columns: readColumns({ columns: stdout.columns ?? MAX_WIDTH }),
  };
  const table = {
    flag: 'table',
    name: 'the table',
    path: '-',
    isMany: false,
    render: () => rendered('table', results, { ...style, ...screen, hasNotes }),
  };
  const onStep = isQuiet ? () => {} : stepReporter([results], stderr);
  const all = isStdoutTaken(outputs) ? requests : [table, ...requests];
  const written = await writeDocuments(all, { stdout, stderr, isQuiet, onStep });
  const hasElements = isInBothThemes && outputs.captions === undefined;
  return {
    saved: written.flatMap(({ files }) => files),
    elements: hasElements ? written.flatMap(({ elements }) => elements) : [],
    exitCode: printFaults(written, stderr, { impliedFlag, isQuiet }),
  };
}

/**
 * @param {Record<string, string>} outputs   flag → path
 * @param {Compared} compared
 * @param {Watcher} watcher
 * @returns {Promise<{ saved: string[], exitCode: number }>}
 */
export async function deliverComparison(outputs, compared, watcher) {
  const requests = Object.entries(outputs).flatMap(([flag, path]) => {
    const { comparison } = REPORTS_BY_FLAG.get(flag) ?? {};
    if (comparison === undefined) return [];
    const { isMany = false } = comparison;
    const render = async () => {
      const made = await comparison.render(compared);
      return typeof made === 'string' ? [{ name: '', mediaType: '', content: made }] : made;
    };
    return [{ flag, name: `--${flag}`, path, isMany, render }];
  });
  const written = await writeDocuments(requests, watcher);
  return { saved: written.flatMap(({ files }) => files), exitCode: printFaults(written, watcher.stderr) };
}

/**
 * Continues after a failed document, because the results may have taken long to measure.
 * @param {DocumentRequest[]} requests
 * @param {Watcher} watcher
 * @returns {Promise<WrittenDocuments[]>}
 */
async function writeDocuments(requests, { stdout, stderr, isQuiet = false, onStep }) {
  const all = [];
  for (const request of requests) {
    const { flag, name, isImplied, render } = request;
    onStep(`Making ${name}`);
    try {
      if (DRAWN.includes(flag)) await probeCanvas();
      const documents = await render();
      const isMissing = documents.length === 0 && request.isMany && !isImplied;
      const warnings = isMissing
        ? ['no document is made, since there is nothing to show']
        : documents.flatMap(({ warning }) => warning ?? []);
      if (!isQuiet) for (const warning of warnings) stderr.write(`${name}: ${warning}\n`);
      const files = await writeOutput(documents, request, stdout);
      all.push({ flag, files, elements: pictureElements(documents, files) });
    } catch (fault) {
      all.push({ flag, files: [], elements: [], fault });
    }
  }
  return all;
}

async function probeCanvas() {
  const ruler = await import('../report/charts/pictures/text-ruler.js');
  await ruler.probeCanvas();
}

/**
 * @param {WrittenDocuments[]} written
 * @param {OutputStream} stderr
 * @param {Pick<Wanted, 'impliedFlag'> & { isQuiet?: boolean }} [wanted]
 * @returns {number} exit code of the first fault, or 0; the implied flag may fail because its library cannot be loaded
 */
function printFaults(written, stderr, { impliedFlag, isQuiet } = {}) {
  const faulty = written.filter((one) => 'fault' in one);
  const missed = faulty.filter(({ flag, fault }) => flag !== impliedFlag || canvasFault(fault) === null);
  const texts = (isQuiet ? missed : faulty).map(({ fault }) => errorText(fault));
  // Several documents may fail for the same reason.
  for (const text of new Set(texts)) stderr.write(`${text}\n`);
  return missed.length === 0 ? 0 : exitCodeFor(missed[0].fault);
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
 * @returns {Pick<ReportOptions, 'pictureLinks'>}
 */
function linksToPictures(path, { png, svg }) {
  const pictures = [png, svg].find((folder) => folder !== undefined && folder !== '-');
  if (pictures === undefined) return {};
  const folder = relative(path === '-' ? '.' : dirname(path), pictures)
    .split(sep)
    .join('/');
  return { pictureLinks: { folder, ending: pictures === png ? '.png' : '.svg' } };
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
  /** @param {any} content */
  const isContent = (content) => typeof content === 'string' || content instanceof Uint8Array;
  if (Array.isArray(documents) && documents.every((one) => isContent(one?.content))) return documents;
  const next =
    'its render() must return a list of { name, mediaType, content }, with a string or bytes as the content';
  throw new BenchError('BAD_PLUGIN', `${what} made no documents: ${next}.`);
}

/**
 * @param {Document[]} documents
 * @param {DocumentRequest} request
 * @param {OutputStream} stdout
 * @returns {Promise<string[]>} paths of the files
 */
async function writeOutput(documents, { flag, path, isMany }, stdout) {
  if (documents.length === 0 && !isMany) {
    const next = 'its render() must return at least one { name, mediaType, content }';
    throw new BenchError('BAD_PLUGIN', `the report ${flag} made no document: ${next}`);
  }
  if (path === '-') {
    if (documents.length > 0) await writeOut(stdout, documents[0].content);
    return [];
  }
  const files = isMany ? documents.map(({ name }) => join(path, checkedName(name))) : [path];
  for (const [index, file] of files.entries()) await writeDocument(file, documents[index].content);
  return files;
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
 * @param {OutputStream} stream
 * @param {{ elements?: string[], next?: string }} [further]   `elements` is HTML for the user's own page; `next` is a purpose and a command
 */
export async function printSaved(paths, stream, { elements = [], next } = {}) {
  const columns = readColumns(stream, MAX_WIDTH);
  const lines = [...groupedBy(paths.map(shownPaths), dirname)].flatMap(([folder, files]) => {
    if (files.length === 1) return [`Saved ${files[0]}`];
    const prefix = folder === '.' ? '' : `${folder.replaceAll(' ', JOINT)}: `;
    return wrapped(`Saved ${prefix}${files.map((path) => basename(path)).join(', ')}`, columns);
  });
  const pasted = elements.length === 0 ? [] : ['To paste into Markdown or HTML:', ...elements];
  await writeOut(stream, `${[...lines, ...pasted, ...(next ? [`Next, ${next}`] : [])].join('\n')}\n`);
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
