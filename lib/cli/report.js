// `ipc-bench report`: renders the documents of saved results, byte for byte as the run did if the flags are the same, or the
// table of recorded traffic. It loads no transport.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { BenchError } from '../errors.js';
import { printable } from '../format/printable.js';
import { MAX_WIDTH } from '../format/wrapped.js';
import { reportOptions } from '../options/output-options.js';
import { readTraffic } from '../record/saved-traffic.js';
import { isTrafficFile } from '../record/traffic-file.js';
import { withFindings } from '../report/findings/index.js';
import { withClaims } from '../results/claim-outputs.js';
import { readResults } from '../results/read.js';
import { writeResults } from '../results/write.js';
import { deliver, isStdoutTaken, loadUserReports, printSaved, withCharts } from './documents.js';
import {
  latestResults,
  prepareBaseline,
  prepareNamedFolder,
  prepareOutputs,
  RESULTS_FILE,
  savedPath,
} from './output-paths.js';
import { doubtWriter, readColumns, wantsColour, writeOut } from './process-io.js';
import { reportReading } from './slow-steps.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Results } from '../types/index.js' */
/** @import { Host } from './main.js' */

/** @param {Record<string, any>} argv @param {Host} host */
export async function report(argv, host) {
  const files = (argv.files ?? []).map(savedPath);
  const options = reportOptions(argv);
  const { outDir, outputs, baseline } = options;
  const hasOutputs = outDir !== null || baseline !== null || Object.keys(outputs).length > 0;
  if (files.length === 0) {
    const latest = latestResults().at(-1);
    if (latest === undefined) {
      const next = 'measure with npx ipc-bench, or name the results.json of a run';
      throw new BenchError('BAD_ARGUMENT', `report needs a run, and there is none in this folder; ${next}`);
    }
    if (!options.isQuiet) host.stderr.write(`The latest run: ${latest}\n`);
    files.push(latest);
  }
  if (files.length > 1 && hasOutputs) {
    const next = 'name one file at a time, or leave out the paths to see all tables';
    throw new BenchError(
      'BAD_ARGUMENT',
      `${files.length} files cannot share one place to be written to; ${next}`,
    );
  }
  if (hasOutputs) refuseDocumentsOfTraffic(files);
  let exitCode = 0;
  for (const [index, file] of files.entries()) {
    if (files.length > 1) await writeOut(host.stdout, `${index === 0 ? '' : '\n'}${file}\n`);
    exitCode ||= await reportOn(file, options, host);
  }
  return exitCode;
}

/** @param {string} file @param {ReturnType<typeof reportOptions>} options @param {Host} host */
async function reportOn(file, options, host) {
  if (isTrafficFile(file)) return showTraffic(file, host);
  if (!options.isQuiet) reportReading([file], host.stderr);
  const results = withFindings(await readResults(file, doubtWriter(host)));
  return withClaims((claims) => {
    claims.protect([file]);
    return showResults(results, options, host, claims);
  });
}

/** @param {string[]} files */
function refuseDocumentsOfTraffic(files) {
  const file = files.find(isTrafficFile);
  if (file === undefined) return;
  const next = 'leave out --out, --save-baseline and the flags of documents';
  throw new BenchError(
    'BAD_ARGUMENT',
    `${printable(file)} is recorded traffic, which has a table only; ${next}`,
  );
}

/** @param {string} file @param {Host} host @returns {Promise<number>} exit code */
async function showTraffic(file, { stdout, environment }) {
  const traffic = readTraffic(file);
  const { trafficTable } = await import('../report/columns/traffic-table.js');
  const isColoured = wantsColour(stdout, environment);
  /** @param {string} _format @param {string} text */
  const styled = (_format, text) => (isColoured ? styleText('dim', text, { validateStream: false }) : text);
  await writeOut(
    stdout,
    trafficTable(traffic, { columns: readColumns({ columns: stdout.columns ?? MAX_WIDTH }), styled }),
  );
  return 0;
}

/**
 * @param {Results} results
 * @param {ReturnType<typeof reportOptions>} options
 * @param {Host} host
 * @param {OutputClaims} claims
 * @returns {Promise<number>} exit code
 */
async function showResults(results, options, host, claims) {
  const { outDir, outputs, theme, title, isQuiet, isForced, baseline } = options;
  const foreign = await loadUserReports(outputs);
  if (!isQuiet) for (const { name, url } of foreign) host.stderr.write(`${name} is loaded from ${url}\n`);
  claims.protect(foreign.map(({ url }) => fileURLToPath(url)));
  const how = { isForced, claims };
  await prepareOutputs(outputs, how);
  if (outDir !== null) await prepareNamedFolder(outDir, how);
  const baselineFile = await prepareBaseline(baseline, how);
  const wanted = {
    ...options,
    outputs: withCharts(options, outDir),
    theme: theme ?? results.options.theme,
    title: title ?? results.options.title,
  };
  const { saved, elements, exitCode } = await deliver(results, wanted, host);
  if (outDir !== null) {
    const path = join(outDir, RESULTS_FILE);
    await writeResults(path, results);
    saved.unshift(path);
  }
  if (baselineFile !== null) {
    await writeResults(baselineFile, results);
    saved.push(baselineFile);
  }
  const stream = isStdoutTaken(outputs) ? host.stderr : host.stdout;
  if (saved.length > 0 && !(isQuiet && stream === host.stderr)) await printSaved(saved, stream, { elements });
  return exitCode;
}
