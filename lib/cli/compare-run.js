// `ipc-bench compare --run A=... B=...`: measures two variants in the same blocks, saves a results file of each, and
// compares them as `compare` does with saved runs, but pair by pair.

import { randomBytes, randomInt } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cellLabel } from '../cell/labels.js';
import { alignedTo, pairedCells } from '../compare/pair-variants.js';
import { BenchError, exitCode } from '../errors.js';
import { cpusToPlan } from '../machine/placement.js';
import { compareOptions } from '../options/compare-options.js';
import { resolveOptions } from '../options/options.js';
import { refuseStrangeBrokers } from '../options/strange-brokers.js';
import { COMMON_FLAGS, parseVariants } from '../options/variants.js';
import { estimatedRun, refuseEndlessRun } from '../plan/duration-estimate.js';
import { planCells } from '../plan/plan.js';
import { referenceLabel } from '../plan/reference-row.js';
import { withoutGroups } from '../plan/transport-groups.js';
import { builtinNames } from '../plugins/builtins.js';
import { durationText } from '../words/duration.js';
import { printable } from '../words/printable.js';
import { showComparison } from './compare.js';
import { sayWhatIsSaved } from './documents.js';
import { loadPlugins } from './load-plugins.js';
import { measureSides } from './measure-sides.js';
import { makeNewFolder, prepareNamedFolder, prepareOutputs, refuseOldProfiles } from './output-places.js';
import { optionsOfTree } from './tree.js';

/** @import { Resolved } from '../options/options.js' */
/** @import { VariantRequest } from '../options/variants.js' */
/** @import { Host } from './main.js' */
/** @typedef {Awaited<ReturnType<typeof preparedSide>>} PreparedSide */

const LAUNCHES_TO_COMPARE = '10'; // M-24: with 6 only large differences can be told

/**
 * @param {Record<string, any>} argv
 * @param {Host} host
 * @returns {Promise<number>}
 */
export async function compareRun(argv, host) {
  const options = compareOptions(argv);
  // A shell hands `--run A=x B=y` over as an option and an operand.
  const requests = parseVariants([argv.run, ...(argv.files ?? [])].flat());
  const surroundings = {
    environment: host.environment,
    now: new Date(),
    randomSeed: randomInt(2 ** 32),
  };
  const sides = [];
  for (const request of requests) sides.push(await preparedSide(request, argv, surroundings));
  const [{ resolved }] = sides;
  const loaded = sides.flatMap(({ plugins }) => [...plugins.transports.values()]);
  await refuseStrangeBrokers(resolved.options.brokerUrls, loaded);
  const cellsOf = (/** @type {PreparedSide} */ { plan }) => plan.map(({ cell }) => cell);
  pairedCells(cellsOf(sides[0]), cellsOf(sides[1]), { old: requests[0].name, new: requests[1].name });
  const estimated = sides.map(({ options: own, plan }) => estimatedRun(own, plan));
  const total = { launches: 0, ms: 0 };
  for (const { launches, ms } of estimated) {
    total.launches += launches;
    total.ms += ms;
  }
  if (!options.isForced) refuseEndlessRun(total);
  await prepareOutputs(options.outputs, options.isForced);
  const outDir = await folderOf(resolved, options.isForced);
  const paths = requests.map(({ name }) => join(outDir, `${name}.json`));
  if (!resolved.options.isQuiet) {
    const text = requests.map(({ name, written }) => `${name}: ${written}\n`).join('');
    host.stderr.write(`${text}${total.launches} launches, about ${durationText(total.ms)}\n`);
  }
  const runId = randomBytes(8).toString('hex');
  const measured = sides.map((side, place) => {
    const { name, written } = requests[place];
    return { ...side, published: null, resultsPath: paths[place], variant: { name, written, runId } };
  });
  const { results, stoppedWith } = await measureSides(measured, resolved.options, host).finally(async () => {
    if (!resolved.chosen.has('out')) await rmdir(outDir).catch(() => {}); // only while nothing is in it
  });
  if (results.length > 0 && !resolved.options.isQuiet) await sayWhatIsSaved(paths, host.stderr);
  if (stoppedWith !== null) return stoppedWith;
  const failures = results.flatMap(failuresOf);
  for (const failure of failures) host.stderr.write(`${failure}\n`);
  const [old, fresh] = [results[0], alignedTo(results[0], results[1])].map((some, place) => ({
    name: requests[place].name,
    source: requests[place].written || requests[place].name,
    results: some,
  }));
  const compared = await showComparison(old, fresh, 'interleaved', options, host);
  return failures.length > 0 ? compared || exitCode('failed') : compared;
}

/**
 * @param {VariantRequest} request
 * @param {Record<string, any>} argv
 * @param {import('../options/options.js').Surroundings} surroundings
 */
async function preparedSide({ name, tree, argv: own }, argv, surroundings) {
  const common = Object.fromEntries(COMMON_FLAGS.map((flag) => [flag, argv[flag]]));
  const asked = { ...common, ...own };
  let resolved = resolveOptions(asked, surroundings);
  if (!resolved.chosen.has('launches') && !resolved.options.quick) {
    resolved = resolveOptions({ ...asked, launches: LAUNCHES_TO_COMPARE }, surroundings);
  }
  const builtin = {
    transport: builtinNames('transport'),
    codec: builtinNames('codec'),
    scenario: builtinNames('scenario'),
  };
  const { options, folder } = optionsOfTree(await withoutGroups(resolved.options), tree, builtin);
  const plugins = await loadPlugins(options, folder);
  const plan = planCells(options, plugins, argv.force === true ? null : cpusToPlan());
  if (plan.every(({ skip }) => skip !== null)) {
    const reasons = [...new Set(plan.map(({ skip }) => skip))].join('; ');
    throw new BenchError('NOTHING_TO_RUN', `nothing to run of ${name}, every cell is skipped: ${reasons}`);
  }
  return { resolved, options, plugins, plan, reference: referenceLabel(options, plan) };
}

/**
 * @param {Resolved} resolved
 * @param {boolean} isForced
 * @returns {Promise<string>}
 */
async function folderOf({ options, chosen }, isForced) {
  if (!chosen.has('out')) return makeNewFolder(options.outDir);
  await prepareNamedFolder(options.outDir, isForced);
  if (options.profile) await refuseOldProfiles(options.outDir, isForced);
  return options.outDir;
}

/** @param {import('../types/results-file.js').Results} results @returns {string[]} one line for each cell that failed */
function failuresOf({ variant, outcomes }) {
  return outcomes.flatMap((outcome) => {
    if (outcome.status !== 'failed') return [];
    return [printable(`${variant?.name}: ${cellLabel(outcome.cell)} failed: ${outcome.message}`)];
  });
}
