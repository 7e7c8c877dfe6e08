// `ipc-bench run`: options → plan → measuring → documents. Measuring itself is the conductor's.

import { dirname, join } from 'node:path';
import { seriesLabel } from '../cell/labels.js';
import { BenchError, ERROR_CODES, exitCode } from '../errors.js';
import { resolve } from '../options/options.js';
import { printedConfig } from '../options/print-config.js';
import { REPORTS_BY_FLAG } from '../options/report-flags.js';
import { refuseEndlessRun } from '../plan/duration-estimate.js';
import { isForeign } from '../plugins/builtins.js';
import { withClaims } from '../results/claim-outputs.js';
import { plannedGapNotes } from '../verdicts/gaps.js';
import { messageLines } from '../verdicts/message-words.js';
import { durationText } from '../words/duration.js';
import { groupedBy, listed } from '../words/lists.js';
import { redactUrl } from '../words/redact.js';
import { deliver, isStdoutTaken, sayWhatIsSaved, withCharts } from './documents.js';
import { dryRunText } from './dry-run.js';
import { measureSides } from './measure-sides.js';
import { nextCommand } from './next-command.js';
import { openRunFolder, prepareOutputs, RESULTS_FILE } from './output-places.js';
import { loadOwnReports } from './own-reports.js';
import { prepared, surroundingsOf } from './prepared.js';
import { writeOut } from './write-out.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Plan, Results } from '../types/index.js' */
/** @import { Host, Output } from './main.js' */
/** @import { Prepared } from './prepared.js' */

/** @param {Record<string, any>} argv @param {Host} host @returns {Promise<number>} */
export async function run(argv, host) {
  if ([argv['print-config']].flat().at(-1)) return printConfig(argv, host);
  const asked = await prepared(argv, surroundingsOf(host.environment));
  if (asked.mode === 'dry-run') return printPlan(asked, host);
  refuseIdleRun(asked.plan);
  if (!asked.isForced) refuseEndlessRun(asked.plan.estimate);
  return withClaims(async (claims) => {
    const places = await openPlaces(asked, claims);
    if (!asked.options.isQuiet) announce(asked, places, host.stderr);
    const side = { ...asked, resultsPath: places.resultsPath, isContinued: asked.continues !== null };
    const measured = await measureSides([side], asked.options, host).finally(places.release);
    return deliverRun(asked, { ...measured, resultsPath: places.resultsPath }, host);
  });
}

/** @param {Record<string, any>} argv @param {Host} host @returns {Promise<number>} */
async function printConfig(argv, { stdout, stderr, environment }) {
  const resolved = await resolve(argv, surroundingsOf(environment));
  await writeOut(stdout, printedConfig(resolved));
  const hidden = Object.entries(resolved.options.brokerUrls).filter(([, url]) => redactUrl(url) !== url);
  if (hidden.length > 0) {
    const names = hidden.map(([name]) => name).join(', ');
    stderr.write(`The secrets of broker URLs are left out (${names}); give them again with this file.\n`);
  }
  return 0;
}

/** @param {Prepared} asked @param {Host} host @returns {Promise<number>} */
async function printPlan({ plan, options }, { stdout }) {
  await writeOut(stdout, dryRunText(plan, options));
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
async function openPlaces({ options, chosen, continues, isForced }, claims) {
  const ownReports = await loadOwnReports(options.outputs);
  const how = { isForced, claims };
  await prepareOutputs(options.outputs, how);
  const place =
    continues === null
      ? await openRunFolder(options, chosen.has('out'), how)
      : { outDir: dirname(continues), release: async () => {} };
  // A run may be continued before it has ended: then its turn is waited for, and its results are read again.
  if (continues !== null && options.lock === 'ignore') await claims.add(continues);
  return { release: place.release, resultsPath: join(place.outDir, RESULTS_FILE), ownReports };
}

/** @param {Prepared} asked @param {{ ownReports: { name: string, url: string }[] }} places @param {Output} stderr */
function announce({ options, plugins, plan }, { ownReports }, stderr) {
  sayWhoseCodeRuns(plugins, ownReports, stderr);
  for (const line of [...messageLines(options.messageFile), ...plan.warnings]) stderr.write(`${line}\n`);
  for (const line of plannedGapNotes(plan)) stderr.write(`${line}\n`);
  if (options.open?.slo) stderr.write(`${sweepTimeText(plan)}\n`);
}

/**
 * @param {Prepared} asked
 * @param {{ results: Results[], resultsPath: string, stoppedWith: number | null }} measured   no results where it was
 *   stopped before there were any
 * @param {Host} host
 * @returns {Promise<number>}
 */
async function deliverRun(
  { options, config, chosen, agentTexts, plan },
  { results: [results], resultsPath, stoppedWith },
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
  const { saved, exitCode: unsaved } = await deliver(results, { ...options, outputs }, host);
  const stream = isStdoutTaken(outputs) ? host.stderr : host.stdout;
  if (!(options.isQuiet && stream === host.stderr)) {
    await sayWhatIsSaved(
      [resultsPath, ...saved],
      stream,
      nextCommand({ options, config, chosen, agentTexts, plan }, resultsPath),
    );
  }
  const hasFailed = results.outcomes.some(({ status }) => status === 'failed');
  return stoppedWith ?? (hasFailed ? exitCode('failed') : unsaved);
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
  const what = `for its search and the full launches that confirm what it finds`;
  return cells === 1
    ? `This sweep takes at most about ${each}, ${what}; --max-time sets it`
    : `This sweep takes at most about ${durationText(ms)}: ${each} for each of ${cells} cells, ${what}; --max-time sets the time of a cell`;
}
