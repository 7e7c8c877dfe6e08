// `ipc-bench run`: options → plan → measuring (lib/run) → documents.

import { dirname, join } from 'node:path';
import { isSweep } from '../cell/axes.js';
import { groupLabel, seriesLabel, sloLabel } from '../cell/labels.js';
import { BenchError, ERROR_CODES, exitCode } from '../errors.js';
import { COMMAND, flagText, shellWord } from '../format/flag-text.js';
import { groupedBy, listed } from '../format/lists.js';
import { durationText, formatCount, formatPercent } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { redactUrl } from '../format/redact.js';
import { AGENT_FLAGS } from '../options/host-options.js';
import { OPTION_TABLE, REPORTS_BY_FLAG } from '../options/option-table.js';
import { resolve } from '../options/options.js';
import { printedConfig } from '../options/print-config.js';
import { launchesOfEach, refuseEndlessRun, runTimeText } from '../plan/duration-estimate.js';
import { expectedSlices } from '../plan/timing.js';
import { isForeign } from '../plugins/builtins.js';
import { plannedGapNotes } from '../report/text/gaps.js';
import { evaluateLimit } from '../report/text/gate.js';
import { messageLines } from '../report/text/message-words.js';
import { withClaims } from '../results/claim-outputs.js';
import { writeResults } from '../results/write.js';
import { isMeasuredInSlices } from '../run/assign.js';
import {
  deliver,
  isStdoutTaken,
  loadOwnReports,
  openRunFolder,
  prepareBaseline,
  prepareOutputs,
  RESULTS_FILE,
  sayWhatIsSaved,
  withCharts,
} from './documents.js';
import { measureSides } from './measuring.js';
import { prepared, readSurroundings } from './prepare.js';
import { writeOut } from './process-io.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */

/** @import { Options, Plan, Results } from '../types/index.js' */
/** @import { Host, Output } from './main.js' */

/** @import { Prepared } from './prepare.js' */

/** @param {Record<string, any>} argv @param {Host} host */
export async function run(argv, host) {
  if ([argv['print-config']].flat().at(-1)) return printConfig(argv, host);
  const asked = await prepared(argv, readSurroundings(host.environment));
  if (asked.mode === 'dry-run') return printPlan(asked, host);
  refuseIdleRun(asked.plan);
  if (!asked.isForced) refuseEndlessRun(asked.plan.estimate);
  return withClaims(async (claims) => {
    const places = await openPlaces(asked, claims);
    if (!asked.options.isQuiet) announce(asked, places, host.stderr);
    const side = { ...asked, resultsPath: places.resultsPath, isContinued: asked.continues !== null };
    const measured = await measureSides([side], asked.options, host).finally(places.release);
    return deliverRun(asked, { ...measured, ...places }, host);
  });
}

/** @param {Record<string, any>} argv @param {Host} host */
async function printConfig(argv, { stdout, stderr, environment }) {
  const resolved = await resolve(argv, readSurroundings(environment));
  await writeOut(stdout, printedConfig(resolved));
  const hidden = Object.entries(resolved.options.brokerUrls).filter(([, url]) => redactUrl(url) !== url);
  if (hidden.length > 0) {
    const names = hidden.map(([name]) => name).join(', ');
    stderr.write(`The secrets of broker URLs are left out (${names}); give them again with this file.\n`);
  }
  return 0;
}

/** @param {Prepared} asked @param {Host} host @returns {Promise<number>} */
export async function printPlan(asked, { stdout }) {
  const { plan, options } = asked;
  const total = `${lengthText(plan.estimate, options)} ${aimText(options, plan.reference)}`;
  await writeOut(stdout, dryRunText(asked, total));
  return plan.reference === '' ? ERROR_CODES.NOTHING_TO_RUN : 0;
}

/** @param {Plan} plan */
function refuseIdleRun({ cells, reference }) {
  if (reference !== '') return;
  const reasons = [...groupedBy(cells, ({ skip }) => skip)].map(([skip, some]) => {
    const rows = [...new Set(some.map(({ cell }) => seriesLabel(cell)))];
    return `\n  - ${listed(rows)}: ${skip}`;
  });
  throw new BenchError('NOTHING_TO_RUN', `nothing to run, every cell is skipped:${reasons.join('')}`);
}

/** @param {Prepared} asked @param {OutputClaims} claims */
async function openPlaces({ options, chosen, continues, isForced, baseline }, claims) {
  const ownReports = await loadOwnReports(options.outputs);
  const how = { isForced, claims };
  await prepareOutputs(options.outputs, how);
  const baselineFile = await prepareBaseline(baseline, how);
  const place =
    continues === null
      ? await openRunFolder(options, chosen.has('out'), how)
      : { outDir: dirname(continues), release: async () => {} };
  // A run may be continued before it has ended: then its turn is waited for, and its results are read again.
  if (continues !== null && options.lock === 'ignore') await claims.add(continues);
  return { release: place.release, resultsPath: join(place.outDir, RESULTS_FILE), baselineFile, ownReports };
}

/** @param {Prepared} asked @param {{ ownReports: { name: string, url: string }[] }} places @param {Output} stderr */
export function announce({ options, plugins, plan }, { ownReports }, stderr) {
  sayWhoseCodeRuns(plugins, ownReports, stderr);
  for (const line of [...messageLines(options.messageFile), ...plan.warnings]) stderr.write(`${line}\n`);
  for (const line of plannedGapNotes(plan)) stderr.write(`${line}\n`);
  if (isSweep(options.open)) stderr.write(`${sweepTimeText(plan)}\n`);
}

/**
 * @param {Prepared} asked
 * @param {{ results: Results[], resultsPath: string, baselineFile: string | null, stoppedWith: number | null }} measured   no results where it was
 *   stopped before there were any
 * @param {Host} host
 */
async function deliverRun(
  { options, config, chosen, agentTexts, plan },
  { results: [results], resultsPath, baselineFile, stoppedWith },
  host,
) {
  if (results === undefined) return Number(stoppedWith);
  const asked = Object.entries(withCharts(options, dirname(resultsPath)));
  // After Ctrl-C the shell is waited for: charts can be drawn from the file at any time.
  const isDrawn = (/** @type {string} */ flag) =>
    REPORTS_BY_FLAG.get(flag)?.option?.many?.what === 'pictures';
  const outputs = Object.fromEntries(
    asked.filter(([flag, path]) => stoppedWith === null || path === '-' || !isDrawn(flag)),
  );
  const { saved, elements, exitCode: unsaved } = await deliver(results, { ...options, outputs }, host);
  // What was stopped is no measure of what comes later.
  if (baselineFile !== null && stoppedWith === null) {
    await writeResults(baselineFile, results);
    saved.push(baselineFile);
  }
  const stream = isStdoutTaken(outputs) ? host.stderr : host.stdout;
  if (!(options.isQuiet && stream === host.stderr)) {
    const next = nextCommand({ options, config, chosen, agentTexts, plan }, resultsPath);
    await sayWhatIsSaved([resultsPath, ...saved], stream, { elements, next });
  }
  const limit = evaluateLimit(results);
  if (limit.lines.length > 0) await writeOut(stream, `\n${limit.lines.join('\n')}\n`);
  const hasFailed = results.outcomes.some(({ status }) => status === 'failed');
  return stoppedWith ?? (hasFailed ? exitCode('failed') : unsaved || limit.exitCode);
}

/**
 * @param {Prepared['plugins']} plugins
 * @param {{ name: string, url: string }[]} reports    of the user's own
 * @param {Output} stderr
 */
function sayWhoseCodeRuns({ transports, codecs, scenarios, onward }, reports, stderr) {
  const all = [transports, codecs, scenarios, onward].flatMap((some) => [...some.values()]);
  const loaded = all.filter(isForeign);
  const foreign = [...loaded.map(({ plugin, url }) => ({ name: plugin.name, url })), ...reports];
  for (const { name, url } of foreign) stderr.write(`${name} is loaded from ${url}\n`);
}

/** @param {Plan} plan @returns {string} how long a sweep may take */
function sweepTimeText({ cells: planned, estimate: { ms } }) {
  const cells = planned.filter(({ skip }) => skip === null).length;
  const each = durationText(ms / cells);
  const what = `for its search and the launches at rates around what it finds`;
  return cells === 1
    ? `This sweep takes at most about ${each}, ${what}; --max-time sets it`
    : `This sweep takes at most about ${durationText(ms)}: ${each} for each of ${cells} cells, ${what}; --max-time sets the time of a cell`;
}

// The text of --dry-run: every cell in the order of the plan, the reasons of those that are skipped, the time it takes.

/** @param {Prepared['options']} options @param {import('../types/index.js').Cell} cell @param {Prepared['plugins']} plugins @returns {string} nothing where slices are as long as planned */
function longSlicesText(options, cell, { scenarios }) {
  const { plugin = {} } = scenarios.get(cell.scenario) ?? {};
  const { rounds, measureMs } = expectedSlices(options, cell, plugin);
  if (measureMs <= (options.sliceMs ?? measureMs)) return '';
  const length = `about ${formatCount(measureMs)} ms, for the length of its operations`;
  return rounds === 1 ? `  in one window of ${length}` : `  in slices of ${length}`;
}

/**
 * @param {Pick<Prepared, 'plan' | 'options' | 'plugins'>} asked
 * @param {string} length   of what is measured, in words
 */
export function dryRunText({ plan: { cells, warnings }, options, plugins }, length) {
  const parts = { options, plugins, cpus: null };
  const inWindows = cells.filter(({ cell, skip }) => skip === null && !isMeasuredInSlices(cell, parts));
  const width = Math.max(0, ...cells.map(({ cell }) => seriesLabel(cell).length));
  /** @type {Map<string, string>} reason → the first row that is skipped for it */
  const firstSkipped = new Map();
  const measured = cells.filter(({ skip }) => skip === null).length;
  const isMixed = inWindows.length < measured;
  const lines = cells.map((planned) => {
    const { cell, skip } = planned;
    const line = `${seriesLabel(cell).padEnd(width)}  ${groupLabel(cell)}`;
    if (skip === null && inWindows.includes(planned)) return isMixed ? `${line}  in one window` : line;
    if (skip === null) return `${line}${longSlicesText(options, cell, plugins)}`;
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
 * @returns {string} how many launches there will be, and how long they take
 */
function lengthText(estimate, options) {
  const launches = `${formatCount(estimate.launches)} launches`;
  const time = runTimeText(estimate);
  const { open, seed, stop } = options;
  if (isSweep(open))
    return `up to about ${launches} (${options.launches} of each rate, seed ${seed}), at most ${time}.`;
  const ofEach = `(${launchesOfEach(options)} of each, seed ${seed})`;
  if (stop === undefined) return `${launches} ${ofEach}, ${time}.`;
  const { maxTimeMs, targetError, mostLaunches } = stop;
  const isAuto = mostLaunches !== undefined;
  if (isAuto && estimate.ms >= maxTimeMs) return `${launches} ${ofEach}, ${time}.`;
  const goal = isAuto
    ? `every ratio is clear of 1 or known to ± ${formatPercent(targetError)}, at most ${mostLaunches} of each`
    : `every 95 % interval is within ± ${formatPercent(targetError)}`;
  const until =
    estimate.ms >= maxTimeMs
      ? `These are the fewest, and they take longer than --max-time ${durationText(maxTimeMs)} allows: no more are made.`
      : `More are made until ${goal}, or ${durationText(maxTimeMs)} are over.`;
  return `at least ${launches} ${ofEach}, ${time}. ${until}`;
}

/** @param {import('../types/plans.js').Options} options @param {string} reference @returns {string} what the launches are for */
function aimText({ open, quick }, reference) {
  const noVerdict = quick ? ' A quick run gives no verdict.' : '';
  if (open === undefined) return `Ratios refer to ${reference}.${noVerdict}`;
  const limit = open.slo === null ? '' : sloLabel(open.slo);
  if (!isSweep(open))
    return `Open load, ${open.arrivals} arrivals${limit && `, limit ${limit}`}.${noVerdict}`;
  return `Open load, ${open.arrivals} arrivals: the rate that 9 of 10 launches sustain within ${limit} is searched.${noVerdict}`;
}

// The command that a reader of these results most likely wants next, after what it is for: interactive zsh takes a comment
// behind a command for its arguments.
// What is measured stays chosen, and what is needed for it; the rest of the command line is about this run only.
const NEEDED = ['runtime-path', ...AGENT_FLAGS];
const KEPT = Object.keys(OPTION_TABLE).filter(
  (flag) => OPTION_TABLE[flag].shapes === 'cell' || NEEDED.includes(flag),
);
const SWEEP = { payload: '10..100k*10' };

/**
 * @param {Pick<import('./prepare.js').Prepared, 'options' | 'config' | 'chosen' | 'agentTexts' | 'plan'>} asked
 * @param {string} resultsPath
 * @param {NodeJS.Platform} [platform]   whose shells are to take it
 * @returns {string} 'enough launches for a verdict: npx ipc-bench'
 */
export function nextCommand({ options, config, chosen, agentTexts, plan }, resultsPath, platform) {
  const command = (/** @type {Record<string, string>} */ replaced) => {
    const kept = Object.entries({ ...config, ...agentTexts }).filter(([flag]) => chosen.has(flag));
    const said = { ...Object.fromEntries(kept), ...replaced };
    const flags = KEPT.filter((flag) => said[flag] !== undefined);
    return [COMMAND, ...flags.map((flag) => flagText(flag, said[flag], platform))].join(' ');
  };
  const path = shellWord(resultsPath, platform);
  const toPaste = `a table to paste: ${COMMAND} report ${path} --markdown -`;
  if (isSweep(options.open)) return toPaste; // what a sweep found is the end of a question
  if (options.quick) return `enough launches for a verdict: ${command({})}`;
  if (options.payloadBytes.length === 1 && dependsOnPayload(options, plan))
    return `how it changes with the size: ${command(SWEEP)}`;
  return toPaste;
}

/** @param {Options} options @param {Plan} plan @returns {boolean} --payload changes something: no file and no scenario decides it alone */
function dependsOnPayload({ messageFile, payloadBytes }, { cells }) {
  if (messageFile !== undefined) return false;
  return cells.some(({ cell, skip }) => skip === null && payloadBytes.includes(cell.payloadBytes));
}
