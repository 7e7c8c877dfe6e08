// `ipc-bench run`: options → plan → measuring → documents. Measuring itself is the conductor's.

import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { wantsColour } from '../colour.js';
import { BenchError, ERROR_CODES } from '../errors.js';
import { estimatedRun, refuseEndlessRun } from '../estimate.js';
import { printedConfig } from '../options/print-config.js';
import { resolveOptions } from '../options.js';
import { planCells } from '../plan.js';
import {
  builtinNames,
  isForeign,
  loadCodecs,
  loadScenarios,
  loadTransports,
  whyUnavailable,
} from '../plugins.js';
import { publishedFigures } from '../presets.js';
import { createProgress } from '../progress.js';
import { redactUrl } from '../redact.js';
import { referenceLabel } from '../reference-row.js';
import { deliver, isStdoutTaken, sayWhatIsSaved, write } from './documents.js';
import { dryRunText } from './dry-run.js';
import { nextCommand } from './next-command.js';
import { makeNewFolder, prepareNamedFolder, prepareOutputs, RESULTS_FILE } from './output-places.js';
import { stopSignal } from './stop-signal.js';

/** @typedef {import('./main.js').Host} Host */
/** @typedef {import('../options.js').Resolved} Resolved */
/** @typedef {import('../types.js').Options} Options */
/** @typedef {import('../types.js').Results} Results */

const CELL_FAILED = 3; // 'failed' in EXIT_CODES
const CLASS_ORDER = ['pipe', 'socket', 'memory', 'thread', 'brokerless', 'rpc', 'broker'];

/**
 * @param {Record<string, any>} argv
 * @param {Host} host
 * @returns {Promise<number>}
 */
export async function run(argv, host) {
  const resolved = resolveOptions(argv, {
    environment: host.environment,
    transports: builtinNames('transport'),
    now: new Date(),
    randomSeed: randomInt(2 ** 32),
  });
  const { mode } = resolved;
  if (mode === 'print-config') {
    await write(host.stdout, printedConfig(resolved));
    const { redisUrl } = resolved.options;
    if (redisUrl !== null && redactUrl(redisUrl) !== redisUrl) {
      host.stderr.write('The secrets of --redis-url are left out; give the option again with this file.\n');
    }
    return 0;
  }
  const plugins = await loadPlugins(resolved.options);
  const options = resolved.chosen.has('transport')
    ? resolved.options
    : groupedByClass(resolved.options, plugins.transports);
  const plan = planCells(options, plugins);
  const reference = referenceLabel(options, plan);
  const estimated = estimatedRun(options, plan);
  if (mode === 'dry-run') {
    await write(host.stdout, dryRunText(plan, options, reference, estimated));
    return reference === '' ? ERROR_CODES.NOTHING_TO_RUN : 0;
  }
  if (reference === '') {
    const reasons = [
      ...new Set(plan.map(({ cell, skip }) => `\n  - ${cell.transport}/${cell.codec}: ${skip}`)),
    ];
    throw new BenchError('NOTHING_TO_RUN', `nothing to run, every cell is skipped:${reasons.join('')}`);
  }
  if (!resolved.isForced) refuseEndlessRun(estimated);
  return measure({ ...resolved, options }, { plugins, plan, reference }, host);
}

/**
 * All that is built in comes in the order of the alphabet; people compare pipes with sockets and brokers with brokers.
 * @param {Options} options
 * @param {Awaited<ReturnType<typeof loadTransports>>} loaded
 * @returns {Options}
 */
function groupedByClass(options, loaded) {
  const classOf = (/** @type {string} */ name) =>
    CLASS_ORDER.indexOf(loaded.get(name)?.plugin.traits.class ?? '');
  const transports = options.transports.toSorted((left, right) => classOf(left.name) - classOf(right.name));
  return Object.freeze({ ...options, transports });
}

/**
 * @param {Options} options
 */
async function loadPlugins(options) {
  const transports = await loadTransports(options.transports.map(({ name }) => name));
  const codecs = await loadCodecs(options.codecs);
  const scenarios = await loadScenarios(options.scenarios);
  /** @type {Map<string, string>} */
  const unavailable = new Map();
  for (const { plugin } of transports.values()) {
    const reason = await whyUnavailable(plugin, options.redisUrl);
    if (reason !== null) unavailable.set(plugin.name, reason);
  }
  return { transports, codecs, scenarios, unavailable };
}

/**
 * @param {Resolved} resolved
 * @param {{ plugins: Awaited<ReturnType<typeof loadPlugins>>, plan: import('../types.js').PlannedCell[], reference: string }} planned
 * @param {Host} host
 * @returns {Promise<number>}
 */
async function measure(resolved, { plugins, plan, reference }, host) {
  const { options, chosen, isForced } = resolved;
  const { stderr, environment } = host;
  await prepareOutputs(options.outputs, isForced);
  const outDir = await runFolder(options.outDir, chosen.has('out'), isForced);
  if (!options.isQuiet) {
    const loaded = [plugins.transports, plugins.codecs, plugins.scenarios].flatMap((map) => [
      ...map.values(),
    ]);
    for (const { url, plugin } of loaded.filter(isForeign))
      stderr.write(`${plugin.name} is loaded from ${url}\n`);
  }
  const resultsPath = join(outDir, RESULTS_FILE);
  const stop = stopSignal(host);
  const progress = createProgress({
    stream: stderr,
    isQuiet: options.isQuiet,
    colour: wantsColour(stderr, options.colour, environment),
    isDumb: environment.TERM === 'dumb',
  });
  const { runBenchmark } = await import('../conductor/run.js');
  /** @type {Results} */
  let results;
  try {
    results = await runBenchmark({
      ...{ options, plugins, plan, reference, resultsPath },
      published: publishedFigures(options.preset),
      onProgress: progress.onProgress,
      signal: stop.signal,
    });
  } finally {
    progress.end();
    stop.release();
  }
  // After Ctrl-C the shell is waited for: charts can be drawn from the file at any time.
  const chartFolder = stop.exitCode() === null ? (options.outputs.png ?? outDir) : null;
  const { saved, exitCode } = await deliver(results, { ...options, chartFolder }, host);
  const stream = isStdoutTaken(options.outputs) ? stderr : host.stdout;
  if (!(options.isQuiet && stream === stderr)) {
    await sayWhatIsSaved([resultsPath, ...saved], stream, nextCommand(resolved, resultsPath));
  }
  const hasFailed = results.outcomes.some(({ status }) => status === 'failed');
  return stop.exitCode() ?? (hasFailed ? CELL_FAILED : exitCode);
}

/**
 * @param {string} path
 * @param {boolean} isChosen   the user named it; else it is new, with a number if need be
 * @param {boolean} isForced
 * @returns {Promise<string>}
 */
async function runFolder(path, isChosen, isForced) {
  if (!isChosen) return makeNewFolder(path);
  await prepareNamedFolder(path, isForced);
  return path;
}
