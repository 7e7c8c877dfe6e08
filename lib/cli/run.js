// `ipc-bench run`: plans and measures (lib/run), and renders the documents.

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSweep } from '../cell/axes.js';
import { groupLabel, seriesLabel, sloLabel } from '../cell/labels.js';
import { BenchError, ERROR_CODES, exitCode } from '../errors.js';
import { COMMAND, shellWord } from '../format/flag-text.js';
import { groupedBy, listed } from '../format/lists.js';
import { durationText, formatCount, formatPercent } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { REPORTS_BY_FLAG } from '../options/option-table.js';
import { flagsToRepeat } from '../options/resumed-run.js';
import { refuseEndlessRun, runTimeText } from '../plan/duration-estimate.js';
import { expectedSlices } from '../plan/timing.js';
import { isForeign } from '../plugins/builtins.js';
import { evaluateLimit } from '../report/compare/gate.js';
import { plannedGapSentences } from '../report/text/conclusion.js';
import { messageLines } from '../report/text/message-words.js';
import { nextCommand } from '../report/text/next-command.js';
import { withClaims } from '../results/claim-outputs.js';
import { writeResults } from '../results/write.js';
import { prepareCell } from '../run/assign.js';
import { deliver, isStdoutTaken, loadUserReports, printSaved, withCharts } from './documents.js';
import { measureSides, showFault } from './measuring.js';
import { openRunFolder, prepareBaseline, prepareOutputs, RESULTS_FILE } from './output-paths.js';
import { listInputs, prepared, readSurroundings } from './prepare.js';
import { endAtSignal, writeOut } from './process-io.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Plan } from '../types/index.js' */
/** @import { Host, OutputStream } from './main.js' */
/** @import { PreparedOptions } from './prepare.js' */

/** @param {Record<string, any>} argv @param {Host} host */
export async function run(argv, host) {
  const planned = await prepared(argv, readSurroundings(host.environment));
  if (planned.mode === 'dry-run') return printPlan(planned, host);
  refuseIdleRun(planned.plan);
  if (!planned.isForced) refuseEndlessRun(planned.plan.estimate);
  return withClaims(async (claims) => {
    const outputs = await openOutputs(planned, argv, claims);
    if (!planned.options.isQuiet) announce(planned, outputs, host.stderr);
    const side = { ...planned, resultsPath: outputs.resultsPath, isContinued: planned.continues !== null };
    const measured = await measureSides([side], planned.options, host).finally(outputs.release);
    return deliverRun(planned, { ...measured, ...outputs }, host);
  });
}

/** @param {PreparedOptions} planned @param {Host} host @returns {Promise<number>} */
export async function printPlan(planned, { stdout }) {
  const { plan, options } = planned;
  const measured = plan.cells.filter(({ skip }) => skip === null);
  const tables = [...groupedBy(measured, ({ cell }) => groupLabel(cell)).values()];
  const reference = tables.some((rows) => rows.length > 1) ? plan.reference : null;
  const aims = [lengthText(plan.estimate, options, reference), ...aimTexts(options, reference)];
  const total = aims.join(' ');
  await writeOut(stdout, dryRunText(planned, total));
  return plan.reference === '' ? ERROR_CODES.NOTHING_TO_RUN : 0;
}

/** @param {Plan} plan */
function refuseIdleRun({ cells, reference }) {
  if (reference !== '') return;
  const reasons = [...groupedBy(cells, ({ skip }) => skip)].map(([skip, skipped]) => {
    const rows = [...new Set(skipped.map(({ cell }) => seriesLabel(cell)))];
    return `\n  - ${listed(rows)}: ${skip}`;
  });
  throw new BenchError('NOTHING_TO_RUN', `nothing to run, every cell is skipped:${reasons.join('')}`);
}

/** @param {PreparedOptions} planned @param {Record<string, any>} argv @param {OutputClaims} claims */
async function openOutputs(planned, argv, claims) {
  const { options, chosen, continues, isForced, baseline } = planned;
  // A continued run reads its results again once it holds the lock, since another run may have written to them meanwhile. With --lock
  // ignore there is no lock, so this run claims the file.
  if (continues !== null && options.lock === 'ignore') await claims.add(continues);
  const userReports = await loadUserReports(options.outputs);
  claims.protect([...listInputs(planned, argv), ...userReports.map(({ url }) => fileURLToPath(url))]);
  const how = { isForced, claims };
  await prepareOutputs(options.outputs, how);
  const baselineFile = await prepareBaseline(baseline, how);
  const folder =
    continues === null
      ? await openRunFolder(options, chosen.has('out'), how)
      : { outDir: dirname(continues), release: async () => {} };
  return {
    release: folder.release,
    resultsPath: continues ?? join(folder.outDir, RESULTS_FILE),
    baselineFile,
    userReports,
  };
}

/** @param {PreparedOptions} planned @param {{ userReports: { name: string, url: string }[] }} outputs @param {OutputStream} stderr */
export function announce({ options, plugins, plan }, { userReports }, stderr) {
  printThirdPartyCode(plugins, userReports, stderr);
  for (const line of [...messageLines(options.messageFile), ...plan.warnings]) stderr.write(`${line}\n`);
  for (const line of plannedGapSentences(plan)) stderr.write(`${line}\n`);
  if (isSweep(options.open)) stderr.write(`${sweepTimeText(plan)}\n`);
}

/**
 * @param {PreparedOptions} planned
 * @param {Awaited<ReturnType<typeof measureSides>> & { resultsPath: string, baselineFile: string | null }} measured
 * @param {Host} host
 */
async function deliverRun(
  planned,
  { results: [results], resultsPath, baselineFile, stoppedWith, fault },
  host,
) {
  if (results === undefined) return Number(stoppedWith);
  const { options } = planned;
  // If the results could not be saved, as on a full disk, the default charts are left out.
  const all = Object.entries(withCharts(options, fault === null ? dirname(resultsPath) : null));
  // After Ctrl-C no charts are drawn, so that the shell returns at once; `report` can draw them later.
  /** @param {string} flag */
  const isDrawn = (flag) => REPORTS_BY_FLAG.get(flag)?.option?.many?.what === 'pictures';
  const outputs = Object.fromEntries(
    all.filter(([flag, path]) => stoppedWith === null || path === '-' || !isDrawn(flag)),
  );
  const report = `${COMMAND} report ${shellWord(resultsPath)}`;
  const release =
    fault === null
      ? endAtSignal(host, `stopped before all documents were written; the results are saved: ${report}`)
      : () => {};
  const {
    saved,
    elements,
    exitCode: undelivered,
  } = await deliver(
    results,
    { ...options, outputs, ...(options.outputs.png === undefined && { impliedFlag: 'png' }) },
    host,
  ).finally(release);
  // An interrupted run is not saved as a baseline.
  if (baselineFile !== null && stoppedWith === null && fault === null) {
    await writeResults(baselineFile, results);
    saved.push(baselineFile);
  }
  const stream = isStdoutTaken(outputs) ? host.stderr : host.stdout;
  if (fault === null) saved.unshift(resultsPath);
  if (saved.length > 0 && !(options.isQuiet && stream === host.stderr)) {
    const next =
      fault === null
        ? nextCommand({ ...planned, toRepeat: await flagsToRepeat(planned.config) }, results, resultsPath)
        : undefined;
    await printSaved(saved, stream, { elements, next });
  }
  const limit = evaluateLimit(results);
  if (limit.lines.length > 0) await writeOut(stream, `\n${limit.lines.join('\n')}\n`);
  if (fault !== null) {
    const begun = { ...results, status: /** @type {const} */ ('interrupted') };
    const code = showFault(fault, nextCommand(planned, begun, resultsPath), host);
    return stoppedWith ?? code;
  }
  if (stoppedWith !== null) return stoppedWith;
  const statuses = new Set(results.outcomes.map(({ status }) => status));
  if (statuses.has('failed')) return exitCode('failed');
  // The search of a sweep skips the cells for which it finds no rate.
  return undelivered || (statuses.has('measured') ? limit.exitCode : exitCode('nothing'));
}

/**
 * @param {PreparedOptions['plugins']} plugins
 * @param {{ name: string, url: string }[]} reports
 * @param {OutputStream} stderr
 */
function printThirdPartyCode({ transports, codecs, scenarios, onward }, reports, stderr) {
  const all = [transports, codecs, scenarios, onward].flatMap((plugins) => [...plugins.values()]);
  const loaded = all.filter(isForeign);
  const foreign = [...loaded.map(({ plugin, url }) => ({ name: plugin.name, url })), ...reports];
  for (const { name, url } of foreign) stderr.write(`${name} is loaded from ${url}\n`);
}

/** @param {Plan} plan */
function sweepTimeText({ cells: planned, estimate: { ms } }) {
  const cells = planned.filter(({ skip }) => skip === null).length;
  const perCell = durationText(ms / cells);
  const what = `for its search and the launches at rates around what it finds`;
  return cells === 1
    ? `This sweep takes at most about ${perCell}, ${what}; --max-time sets it`
    : `This sweep takes at most about ${durationText(ms)}: ${perCell} for each of ${cells} cells, ${what}; --max-time sets the time of a cell`;
}

/**
 * @param {PreparedOptions['options']} options
 * @param {import('../types/index.js').Cell} cell
 * @param {PreparedOptions['plugins']} plugins
 * @returns {string} '  in slices of about 250 ms, for the length of its operations'; '' unless slices are longer than planned
 */
function longSlicesText(options, cell, { scenarios }) {
  const { plugin = {} } = scenarios.get(cell.scenario) ?? {};
  const { rounds, measureMs } = expectedSlices(options, cell, plugin);
  if (measureMs <= (options.sliceMs ?? measureMs)) return '';
  const length = `about ${formatCount(measureMs)} ms, for the length of its operations`;
  return rounds === 1 ? `  in one window of ${length}` : `  in slices of ${length}`;
}

/**
 * @param {import('../types/index.js').Cell} cell
 * @param {{ measureMs: number }} timing
 * @param {boolean} isMixed   whether other cells are measured in slices
 * @returns {string} '  in one window', with its length under open load, where it depends on the rate; '' if all cells are measured so
 */
function windowText(cell, timing, isMixed) {
  if (cell.ratePerSecond !== undefined) return `  in one window of ${durationText(timing.measureMs)}`;
  return isMixed ? '  in one window' : '';
}

/**
 * Lists the cells in the order of the plan, and the reasons of skipped cells.
 * @param {Pick<PreparedOptions, 'plan' | 'options' | 'plugins'>} planned
 * @param {string} length   end of the last line, such as the duration of the run
 */
export function dryRunText({ plan: { cells, warnings }, options, plugins }, length) {
  const parts = { options, plugins, cpus: null };
  const rows = cells.map(({ cell, skip }) =>
    skip === null ? { cell, skip, timing: prepareCell(cell, parts).spec.timing } : { cell, skip },
  );
  const measured = rows.filter(({ skip }) => skip === null).length;
  const isMixed = rows.some(({ timing }) => timing?.slices !== undefined);
  const width = Math.max(0, ...cells.map(({ cell }) => seriesLabel(cell).length));
  /** @type {Map<string, string>} reason → first row that is skipped for it */
  const firstSkipped = new Map();
  const lines = rows.map(({ cell, skip, timing }) => {
    const line = `${seriesLabel(cell).padEnd(width)}  ${groupLabel(cell)}`;
    if (skip === null)
      return (
        line + (timing.slices ? longSlicesText(options, cell, plugins) : windowText(cell, timing, isMixed))
      );
    const first = firstSkipped.get(skip);
    if (first !== undefined) return `${line}  skipped, as ${first}`;
    firstSkipped.set(skip, seriesLabel(cell));
    return `${line}  skipped: ${printable(skip)}`;
  });
  const total =
    measured === 0
      ? 'Nothing to run: every cell is skipped.'
      : `${measured} of ${cells.length} cells, ${length}`;
  return `${[...lines, '', ...messageLines(options.messageFile), ...warnings, total].join('\n')}\n`;
}

/**
 * @param {import('../types/plans.js').RunEstimate} estimate
 * @param {import('../types/plans.js').Options} options
 * @param {string | null} reference   null if no table has a row to compare with another
 */
function lengthText(estimate, options, reference) {
  const launches = `${formatCount(estimate.launches)} launches`;
  const time = runTimeText(estimate);
  const { open, seed, stop } = options;
  if (isSweep(open))
    return `up to about ${launches} (${options.launches} of each rate, seed ${seed}), at most ${time}.`;
  const ofEach = `(${estimate.ofEach} of each, seed ${seed})`;
  if (stop === undefined) return `${launches} ${ofEach}, ${time}.`;
  const { maxTimeMs, targetError, mostLaunches } = stop;
  const isAuto = mostLaunches !== undefined;
  if (isAuto && estimate.ms >= maxTimeMs) return `${launches} ${ofEach}, ${time}.`;
  const aim = isAuto
    ? `every ${reference === null ? 'estimate is' : 'ratio is clear of 1 or'} known to ± ${formatPercent(targetError)}, at most ${mostLaunches} of each`
    : `every 95 % interval is within ± ${formatPercent(targetError)}`;
  const until =
    estimate.ms >= maxTimeMs
      ? `These already take longer than --max-time ${durationText(maxTimeMs)}, so no launches are added.`
      : `Launches are added until ${aim}, or ${durationText(maxTimeMs)} are over.`;
  return `at least ${launches} ${ofEach}, ${time}. ${until}`;
}

/**
 * @param {import('../types/plans.js').Options} options
 * @param {string | null} reference   null if no table has a row to compare with another
 * @returns {string[]} sentences
 */
function aimTexts({ open, quick }, reference) {
  const noVerdict = quick ? ['A quick run gives no verdict.'] : [];
  if (open === undefined)
    return [...(reference === null ? [] : [`Ratios refer to ${reference}.`]), ...noVerdict];
  const limit = open.slo === null ? '' : sloLabel(open.slo);
  const load = `Open load, ${open.arrivals} arrivals`;
  return isSweep(open)
    ? [`${load}: the rate that 9 of 10 launches sustain within ${limit} is searched.`, ...noVerdict]
    : [`${load}${limit && `, limit ${limit}`}.`, ...noVerdict];
}
