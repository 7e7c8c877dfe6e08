// `ipc-bench report`: saved results → the documents of the run, byte for byte. Loads no transport, measures nothing.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { RESULTS_FOLDER } from '../options/options.js';
import { reportOptions } from '../options/output-options.js';
import { isTrafficFile, readTraffic } from '../record/traffic-file.js';
import { GREATEST_WIDTH } from '../report/columns/aligned.js';
import { withClaims } from '../results/claim-outputs.js';
import { readResults } from '../results/read.js';
import { writeResults } from '../results/write.js';
import {
  deliver,
  isStdoutTaken,
  loadOwnReports,
  prepareNamedFolder,
  prepareOutputs,
  RESULTS_FILE,
  sayWhatIsSaved,
  withCharts,
} from './documents.js';
import { wantsColour, writeOut } from './process-io.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */

/** @import { Results } from '../types/index.js' */
/** @import { Host } from './main.js' */

/** @param {Record<string, any>} argv @param {Host} host */
export async function report(argv, host) {
  /** @type {string[]} */
  const files = argv.files ?? [];
  const options = reportOptions(argv);
  const hasPlaces = options.outDir !== null || Object.keys(options.outputs).length > 0;
  if (files.length === 0) {
    const next = `name the results.json of a run, as in npx ipc-bench report ${latestResults() ?? 'ipc-bench-results/*/results.json'}`;
    throw new BenchError('BAD_ARGUMENT', `report needs a file; ${next}`);
  }
  if (files.length > 1 && hasPlaces) {
    const next = 'name one file at a time, or leave out the paths to see all tables';
    throw new BenchError(
      'BAD_ARGUMENT',
      `${files.length} files cannot share one place to be written to; ${next}`,
    );
  }
  refuseDocumentsOfTraffic(files, options);
  let exitCode = 0;
  for (const [index, file] of files.entries()) {
    if (files.length > 1) await writeOut(host.stdout, `${index === 0 ? '' : '\n'}${file}\n`);
    exitCode ||= await reportOn(file, options, host);
  }
  return exitCode;
}

/** @returns {string | undefined} of the runs whose place nobody has chosen: their folders are named by their time */
function latestResults() {
  const runs = existsSync(RESULTS_FOLDER) ? readdirSync(RESULTS_FOLDER).sort() : [];
  const files = runs.map((run) => join(RESULTS_FOLDER, run, RESULTS_FILE));
  return files.findLast((file) => existsSync(file));
}

/** @param {string} file @param {ReturnType<typeof reportOptions>} options @param {Host} host */
async function reportOn(file, options, host) {
  if (isTrafficFile(file)) return showTraffic(file, options, host);
  return (await showSaved(await readResults(file), options, host)).exitCode;
}

/** @param {string[]} files @param {ReturnType<typeof reportOptions>} options */
function refuseDocumentsOfTraffic(files, { outDir, outputs }) {
  const file = files.find(isTrafficFile);
  if (file === undefined || (outDir === null && Object.keys(outputs).length === 0)) return;
  const next = 'leave out --out and the flags of documents';
  throw new BenchError(
    'BAD_ARGUMENT',
    `${printable(file)} is recorded traffic, of which there is a table only; ${next}`,
  );
}

/** @param {string} file @param {ReturnType<typeof reportOptions>} options @param {Host} host @returns {Promise<number>} the exit code */
async function showTraffic(file, { colour }, { stdout, environment }) {
  const { trafficTable } = await import('../report/columns/traffic-table.js');
  const isColoured = wantsColour(stdout, colour, environment);
  const styled = (/** @type {string} */ _look, /** @type {string} */ text) =>
    isColoured ? styleText('dim', text, { validateStream: false }) : text;
  await writeOut(
    stdout,
    trafficTable(readTraffic(file), { columns: stdout.columns ?? GREATEST_WIDTH, styled }),
  );
  return 0;
}

/** @param {Results} results @param {ReturnType<typeof reportOptions>} options @param {Host} host */
export function showSaved(results, options, host) {
  return withClaims((claims) => shown(results, options, host, claims));
}

/** @param {Results} results @param {ReturnType<typeof reportOptions>} options @param {Host} host @param {OutputClaims} claims */
async function shown(results, options, host, claims) {
  const { outDir, outputs, theme, title, isQuiet, isForced } = options;
  const foreign = await loadOwnReports(outputs);
  if (!isQuiet) for (const { name, url } of foreign) host.stderr.write(`${name} is loaded from ${url}\n`);
  const how = { isForced, claims };
  await prepareOutputs(outputs, how);
  if (outDir !== null) await prepareNamedFolder(outDir, how);
  const wanted = {
    ...options,
    outputs: withCharts(options, outDir),
    theme: theme ?? results.options.theme,
    title: title ?? results.options.title,
  };
  const { saved, exitCode } = await deliver(results, wanted, host);
  if (outDir !== null) {
    const path = join(outDir, RESULTS_FILE);
    await writeResults(path, results);
    saved.unshift(path);
  }
  const stream = isStdoutTaken(outputs) ? host.stderr : host.stdout;
  if (saved.length > 0 && !(isQuiet && stream === host.stderr)) await sayWhatIsSaved(saved, stream);
  return { saved, exitCode };
}
