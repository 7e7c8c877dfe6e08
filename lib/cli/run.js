// `ipc-bench run`: options → plan → measuring → documents. Measuring itself is the conductor's.

import { randomInt } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { seriesLabel } from '../cell/labels.js';
import { BenchError, ERROR_CODES, exitCode } from '../errors.js';
import { cpusToPlan } from '../machine/placement.js';
import { resolveOptions } from '../options/options.js';
import { publishedFigures } from '../options/presets.js';
import { printedConfig } from '../options/print-config.js';
import { argvToResume } from '../options/resumed-options.js';
import { refuseStrangeBrokers } from '../options/strange-brokers.js';
import { estimatedRun, refuseEndlessRun } from '../plan/duration-estimate.js';
import { planCells } from '../plan/plan.js';
import { referenceLabel } from '../plan/reference-row.js';
import { withoutGroups } from '../plan/transport-groups.js';
import { isForeign } from '../plugins/builtins.js';
import { durationText } from '../words/duration.js';
import { redactUrl } from '../words/redact.js';
import { deliver, isStdoutTaken, sayWhatIsSaved, write } from './documents.js';
import { dryRunText } from './dry-run.js';
import { loadPlugins } from './load-plugins.js';
import { measureSides } from './measure-sides.js';
import { nextCommand } from './next-command.js';
import {
  makeNewFolder,
  prepareNamedFolder,
  prepareOutputs,
  RESULTS_FILE,
  refuseOldProfiles,
} from './output-places.js';
import { loadOwnReports } from './own-reports.js';

/** @import { Resolved } from '../options/options.js' */
/** @import { Options } from '../types/plans.js' */
/** @import { Host } from './main.js' */

/**
 * @param {Record<string, any>} argv
 * @param {Host} host
 * @returns {Promise<number>}
 */
export async function run(argv, host) {
  const isContinued = argv.resume !== undefined;
  const resolved = resolveOptions(isContinued ? await argvToResume(argv) : argv, {
    environment: host.environment,
    now: new Date(),
    randomSeed: randomInt(2 ** 32),
  });
  const { mode } = resolved;
  if (mode === 'print-config') {
    await write(host.stdout, printedConfig(resolved));
    const hidden = Object.entries(resolved.options.brokerUrls).filter(([, url]) => redactUrl(url) !== url);
    if (hidden.length > 0) {
      const names = hidden.map(([name]) => name).join(', ');
      host.stderr.write(
        `The secrets of broker URLs are left out (${names}); give them again with this file.\n`,
      );
    }
    return 0;
  }
  const options = await withoutGroups(resolved.options);
  const plugins = await loadPlugins(options);
  await refuseStrangeBrokers(options.brokerUrls, plugins.transports.values());
  const plan = planCells(options, plugins, resolved.isForced ? null : cpusToPlan());
  const reference = referenceLabel(options, plan);
  const estimated = estimatedRun(options, plan);
  if (mode === 'dry-run') {
    await write(host.stdout, dryRunText(plan, options, reference, estimated));
    return reference === '' ? ERROR_CODES.NOTHING_TO_RUN : 0;
  }
  if (reference === '') {
    const reasons = [...new Set(plan.map(({ cell, skip }) => `\n  - ${seriesLabel(cell)}: ${skip}`))];
    throw new BenchError('NOTHING_TO_RUN', `nothing to run, every cell is skipped:${reasons.join('')}`);
  }
  if (!resolved.isForced) refuseEndlessRun(estimated);
  const continued = isContinued ? String(argv.resume) : null;
  return measure(resolved, { options, plugins, plan, reference, continued }, host);
}

/**
 * @param {Resolved} resolved    as they were asked for: groups of transports are groups here
 * @param {{ options: Options, plugins: Awaited<ReturnType<typeof loadPlugins>>, plan: import('../types/plans.js').PlannedCell[], reference: string, continued: string | null }} planned
 * @param {Host} host
 * @returns {Promise<number>}
 */
async function measure(resolved, { options, plugins, plan, reference, continued }, host) {
  const { chosen, isForced } = resolved;
  const { stderr } = host;
  const ownReports = await loadOwnReports(options.outputs);
  await prepareOutputs(options.outputs, isForced);
  const outDir =
    continued === null ? await runFolder(options, chosen.has('out'), isForced) : dirname(continued);
  if (!options.isQuiet) sayWhoseCodeRuns(plugins, ownReports, stderr);
  if (!options.isQuiet && options.open?.slo) stderr.write(`${sweepTimeText(options, plan)}\n`);
  const resultsPath = continued ?? join(outDir, RESULTS_FILE);
  const published = publishedFigures(options.preset);
  const isContinued = continued !== null;
  const side = { options, plugins, plan, reference, published, resultsPath, isContinued };
  const measured = await measureSides([side], options, host).finally(async () => {
    if (!chosen.has('out') && !isContinued) await rmdir(outDir).catch(() => {}); // only while nothing is in it
  });
  const { stoppedWith } = measured;
  const results = measured.results.at(0);
  if (results === undefined) return Number(stoppedWith);
  // After Ctrl-C the shell is waited for: charts can be drawn from the file at any time.
  const usualFolder = options.charts === false ? null : outDir;
  const chartFolder = stoppedWith === null ? (options.outputs.png ?? usualFolder) : null;
  const { saved, exitCode: unsaved } = await deliver(results, { ...options, chartFolder }, host);
  const stream = isStdoutTaken(options.outputs) ? stderr : host.stdout;
  if (!(options.isQuiet && stream === stderr)) {
    await sayWhatIsSaved([resultsPath, ...saved], stream, nextCommand(resolved, resultsPath));
  }
  const hasFailed = results.outcomes.some(({ status }) => status === 'failed');
  return stoppedWith ?? (hasFailed ? exitCode('failed') : unsaved);
}

/**
 * @param {Awaited<ReturnType<typeof loadPlugins>>} plugins
 * @param {{ name: string, url: string }[]} reports    of the user's own
 * @param {import('./main.js').Output} stderr
 */
function sayWhoseCodeRuns({ transports, codecs, scenarios }, reports, stderr) {
  const loaded = [...transports.values(), ...codecs.values(), ...scenarios.values()].filter(isForeign);
  const foreign = [...loaded.map(({ plugin, url }) => ({ name: plugin.name, url })), ...reports];
  for (const { name, url } of foreign) stderr.write(`${name} is loaded from ${url}\n`);
}

/**
 * @param {Options} options
 * @param {import('../types/plans.js').PlannedCell[]} plan
 * @returns {string} how long a sweep may take
 */
function sweepTimeText(options, plan) {
  const cells = plan.filter(({ skip }) => skip === null).length;
  const { ms } = estimatedRun(options, plan);
  const each = durationText(ms / cells);
  const what = `for its search and the full launches that confirm what it finds`;
  return cells === 1
    ? `This sweep takes at most about ${each}, ${what}; --max-time sets it`
    : `This sweep takes at most about ${durationText(ms)}: ${each} for each of ${cells} cells, ${what}; --max-time sets the time of a cell`;
}

/**
 * @param {Options} options
 * @param {boolean} isChosen   the user named it; else it is new, with a number if need be
 * @param {boolean} isForced
 * @returns {Promise<string>}
 */
async function runFolder({ outDir, profile }, isChosen, isForced) {
  if (!isChosen) return makeNewFolder(outDir);
  await prepareNamedFolder(outDir, isForced);
  if (profile) await refuseOldProfiles(outDir, isForced);
  return outDir;
}
