// `ipc-bench compare --run A=... B=...`: measures two variants in the same groups, saves a results file for each, and compares them
// pair by pair.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { cellLabel, isOfRow } from '../cell/labels.js';
import { BenchError, exitCode } from '../errors.js';
import { COMMAND, COMMAND_ON_HOSTS, flagText, shellWord } from '../format/flag-text.js';
import { formatCount } from '../format/numbers.js';
import { printable, quoted } from '../format/printable.js';
import { shownPaths } from '../format/redact.js';
import { COMMON_FLAGS, compareOptions, parseVariants } from '../options/compare-options.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { longestMs, refuseEndlessRun, runTimeText } from '../plan/duration-estimate.js';
import { alignedSides, pairedCells } from '../report/compare/match-cells.js';
import { plannedGapSentences } from '../report/text/conclusion.js';
import { effectText, minEffectText } from '../report/text/phrases/comparison-phrases.js';
import { withClaims } from '../results/claim-outputs.js';
import { sumBy } from '../statistics/sum.js';
import { plannedDetectableRatio } from '../statistics/verdict.js';
import { showComparison } from './compare.js';
import { printSaved } from './documents.js';
import { measureSides, showFault } from './measuring.js';
import { openRunFolder, prepareOutputs, RESULTS_FILE } from './output-paths.js';
import { listInputs, preparedSides, readSurroundings } from './prepare.js';
import { writeOut } from './process-io.js';
import { dryRunText } from './run.js';

/** @import { VariantRequest } from '../options/compare-options.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Host } from './main.js' */
/** @import { PreparedOptions } from './prepare.js' */

const LAUNCHES_TO_COMPARE = '10'; // With fewer, for example 6, only large differences are detected.

/** @param {Record<string, any>} argv @param {Host} host */
export function compareRun(argv, host) {
  return withClaims((claims) => measureAndCompare(argv, host, claims));
}

/** @param {Record<string, any>} argv @param {Host} host @param {OutputClaims} claims */
async function measureAndCompare(argv, host, claims) {
  const options = compareOptions(argv);
  // In `--run A=x B=y`, B=y is an operand.
  const requests = parseVariants([argv.run, ...(argv.files ?? [])].flat());
  const sides = await preparedVariants(requests, argv, options.controls, host);
  const [{ options: common, chosen }] = sides;
  const [one, other] = sides.map(({ plan }) => plan.estimate);
  const ms = one.ms + other.ms;
  // Both variants share one time limit.
  const most = common.stop && { mostMs: longestMs(common.stop, ms, Math.max(one.ofEach, other.ofEach)) };
  const slowMs = sumBy([one, other], (estimate) => estimate.slowMs ?? estimate.ms);
  const total = { launches: one.launches + other.launches, ofEach: one.ofEach, ms, slowMs, ...most };
  if (sides[0].mode === 'dry-run') {
    await writeOut(host.stdout, planText(requests, sides, total, options.minEffect));
    return 0;
  }
  if (!options.isForced) refuseEndlessRun(total);
  const how = { isForced: options.isForced, claims };
  claims.protect(sides.flatMap((side) => listInputs(side, argv)));
  await prepareOutputs(options.outputs, how, { isComparison: true });
  const files = requests.map(({ name }) => `${name}.json`);
  const taken = [RESULTS_FILE, ...files];
  const { outDir, release } = await openRunFolder(common, chosen.has('out'), how, taken);
  const paths = files.map((name) => join(outDir, name));
  if (!common.isQuiet) {
    const text = requests.map(({ name, written }) => `${name}: ${written}\n`).join('');
    const least = common.stop === undefined ? '' : 'at least ';
    const warnings = [...new Set(sides.flatMap(({ plan }) => plan.warnings))];
    host.stderr.write(warnings.map((line) => `${line}\n`).join(''));
    host.stderr.write(`${text}${least}${total.launches} launches, ${runTimeText(total)}\n`);
    const gaps = new Set(sides.flatMap(({ plan }) => plannedGapSentences(plan)));
    for (const line of gaps) host.stderr.write(`${line}\n`);
  }
  const shared = { command: typedCommand(requests, argv), runId: randomBytes(8).toString('hex') };
  const measured = sides.map(({ options: sideOptions, plugins, plan }, index) => {
    const { name, written } = requests[index];
    return {
      options: sideOptions,
      plugins,
      plan,
      resultsPath: paths[index],
      variant: { name, written: shownPaths(written), ...shared },
    };
  });
  const { results, stoppedWith, fault } = await measureSides(measured, common, host).finally(release);
  if (results.length > 0 && fault === null && !common.isQuiet) await printSaved(paths, host.stderr);
  const shownFiles = paths.map((path) => shellWord(shownPaths(path))).join(' ');
  const next = `what is saved: ${COMMAND} compare ${shownFiles}`;
  if (stoppedWith !== null) {
    if (fault !== null) showFault(fault, next, host);
    return stoppedWith;
  }
  const failures = results.flatMap(listFailures);
  for (const failure of failures) host.stderr.write(`${failure}\n`);
  const [old, newSide] = alignedSides(results[0], results[1]).map((aligned, index) => ({
    name: requests[index].name,
    source: requests[index].written || requests[index].name,
    results: aligned,
  }));
  const compared = await showComparison(old, newSide, 'interleaved', options, host);
  if (fault !== null) return showFault(fault, next, host);
  return failures.length > 0 ? compared || exitCode('failed') : compared;
}

/**
 * Formats the command as the user typed it, without secrets, outputs and names of private folders.
 * @param {VariantRequest[]} requests
 * @param {Record<string, any>} argv
 * @returns {string}
 */
function typedCommand(requests, argv) {
  const variants = requests.map(({ name, written }) => shellWord(`${name}=${written}`, 'linux'));
  const flags = [...COMMON_FLAGS, 'min-effect', 'control', 'fail-on'].filter((flag) => {
    const { shapes = 'run', isOnce, isUnsaved } = OPTION_TABLE[flag] ?? {};
    return argv[flag] !== undefined && shapes !== 'output' && !isOnce && !isUnsaved;
  });
  const typed = flags.map((flag) => flagText(flag, argv[flag], 'linux'));
  const command = argv['master-on'] === undefined ? COMMAND : COMMAND_ON_HOSTS;
  return shownPaths([command, 'compare --run', ...variants, ...typed].join(' '));
}

/**
 * @param {VariantRequest[]} requests
 * @param {Record<string, any>} argv
 * @param {string[]} controls
 * @param {Host} host
 * @returns {Promise<PreparedOptions[]>} one per variant; each cell of one plan has a counterpart in the other
 */
async function preparedVariants(requests, argv, controls, { environment }) {
  const common = Object.fromEntries([...COMMON_FLAGS, 'force'].map((flag) => [flag, argv[flag]]));
  const sides = await preparedSides(
    requests.map(({ tree, argv: variant }) => ({ argv: { ...common, ...variant }, tree, controls })),
    { ...readSurroundings(environment), defaults: { launches: LAUNCHES_TO_COMPARE } },
  );
  for (const [index, { plan }] of sides.entries()) {
    if (plan.reference !== '') continue;
    const reasons = [...new Set(plan.cells.map(({ skip }) => skip))].join('; ');
    const what = `nothing to run of ${requests[index].name}, every cell is skipped: ${reasons}`;
    throw new BenchError('NOTHING_TO_RUN', what);
  }
  refuseUnfitControls(controls, requests, sides);
  const [one, other] = sides.map(({ plan }) => plan.cells.map(({ cell }) => cell));
  pairedCells(one, other, { old: requests[0].name, new: requests[1].name });
  return sides;
}

/** @param {string[]} controls @param {VariantRequest[]} requests @param {PreparedOptions[]} sides @throws {BenchError} BAD_ARGUMENT */
function refuseUnfitControls(controls, requests, sides) {
  const refuse = (/** @type {string} */ why) => {
    throw new BenchError('BAD_ARGUMENT', `--control: ${why}`);
  };
  for (const [index, { plan }] of sides.entries()) {
    const { name } = requests[index];
    for (const row of controls) {
      const cells = plan.cells.filter(({ cell }) => isOfRow(cell, row));
      if (cells.some(({ skip }) => skip === null)) continue;
      const reasons = [...new Set(cells.map(({ skip }) => skip))].join('; ');
      refuse(`${quoted(row)} cannot be measured in ${name}: ${printable(reasons)}. Choose another row.`);
    }
    if (plan.cells.every(({ cell }) => controls.some((row) => isOfRow(cell, row))))
      refuse(`all rows of ${name} are controls. Choose rows that neither variant compares.`);
  }
}

// Assumed standard deviations of log ratios between groups. On a quiet machine, a row compared with itself had 0.017. The simulated machine
// `loud` of test/simulation/noisy-host.js has 0.05 for two rows of usual noise.
const NOISE = Object.freeze([
  { machine: 'a quiet machine', deviation: 0.02 },
  { machine: 'a noisy one', deviation: 0.06 },
]);

/**
 * @param {VariantRequest[]} requests
 * @param {PreparedOptions[]} sides
 * @param {import('../types/plans.js').RunEstimate} total
 * @param {number} minEffect
 */
function planText(requests, sides, total, minEffect) {
  const [{ plan, options }] = sides;
  const cells = plan.cells.filter(({ skip }) => skip === null).length;
  const parts = sides.map((side, index) => {
    const { name, written } = requests[index];
    return `${name}: ${written}\n${dryRunText(side, 'paired with those of the other variant')}`;
  });
  const least = options.stop === undefined ? '' : 'at least ';
  const found = NOISE.map(({ machine, deviation }) => {
    const ratio = plannedDetectableRatio(options.launches, cells, deviation);
    return `${effectText(ratio)} on ${machine}`;
  });
  return `${parts.join('\n')}
${least}${formatCount(total.launches)} launches in ${least}${formatCount(options.launches)} repetitions, ${runTimeText(total)}.
The least difference that is detected with 80 % power: about ${found.join(', ')}. --min-effect is ${minEffectText(minEffect)}.
`;
}

/** @param {import('../types/results-file.js').Results} results @returns {string[]} one line for each cell that failed */
function listFailures({ variant, outcomes }) {
  return outcomes.flatMap((outcome) => {
    if (outcome.status !== 'failed') return [];
    return [printable(`${variant?.name}: ${cellLabel(outcome.cell)} failed: ${outcome.message}`)];
  });
}
