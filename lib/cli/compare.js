// `ipc-bench compare`: compares two saved runs with lib/report/compare, prints the table, writes the documents and the summary of a GitHub
// step, and evaluates the gate.

import { appendFile, stat } from 'node:fs/promises';
import { BenchError } from '../errors.js';
import { formatCount } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { MAX_WIDTH, wrapped } from '../format/wrapped.js';
import { COMMON_FLAGS, compareOptions } from '../options/compare-options.js';
import { isOneFileTwice } from '../report/compare/comparability.js';
import { compareResults } from '../report/compare/compare-results.js';
import { comparedFinding } from '../report/compare/comparison-findings.js';
import { comparisonMarkdown, comparisonTable } from '../report/compare/comparison-table.js';
import { differenceLines, warningLines } from '../report/compare/comparison-words.js';
import { evaluateGate } from '../report/compare/gate.js';
import { alignedSides, areInterleaved } from '../report/compare/match-cells.js';
import { phrase } from '../report/text/phrase-table.js';
import { withClaims } from '../results/claim-outputs.js';
import { readResults } from '../results/read.js';
import { deliverComparison, isStdoutTaken, printSaved } from './documents.js';
import { latestResults, prepareOutputs, savedPath } from './output-paths.js';
import { doubtWriter, readColumns, wantsColour, writeOut } from './process-io.js';
import { reportReading, stepReporter } from './slow-steps.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { SideResults } from '../report/compare/compare-results.js' */
/** @import { CompareOptions } from '../options/compare-options.js' */
/** @import { Comparison, ComparisonDesign, Results } from '../types/index.js' */
/** @import { Host } from './main.js' */

/** @param {Record<string, any>} argv @param {Host} host */
export function compare(argv, host) {
  return withClaims((claims) => compareSaved(argv, host, claims));
}

/** @param {Record<string, any>} argv @param {Host} host @param {OutputClaims} claims */
async function compareSaved(argv, host, claims) {
  const options = compareOptions(argv);
  refuseIdle(argv);
  const words = argv.files ?? [];
  const files = findFiles(words);
  if (words.length < 2) host.stderr.write(`The latest runs: ${files.map(printable).join(' and ')}\n`);
  claims.protect(files);
  reportReading(files, host.stderr);
  const [old, newSide] = await Promise.all(files.map((file) => readResults(file, doubtWriter(host))));
  if (isOneFileTwice(old, newSide) && !options.isForced) {
    const next = 'name another run, or add --force to compare it with itself';
    throw new BenchError('NOT_COMPARABLE', `${files.join(' and ')} hold the same run: ${next}`);
  }
  await prepareOutputs(options.outputs, { isForced: options.isForced, claims }, { isComparison: true });
  const isInterleaved = areInterleaved(old, newSide);
  const [before, after] = isInterleaved ? alignedSides(old, newSide) : [old, newSide];
  const sideOf = (
    /** @type {string} */ name,
    /** @type {string} */ source,
    /** @type {Results} */ results,
  ) => ({
    name: (isInterleaved && results.variant?.name) || name,
    source: isInterleaved ? `${source} (${results.variant?.written})` : source,
    results,
  });
  return showComparison(
    sideOf('old', files[0], before),
    sideOf('new', files[1], after),
    isInterleaved ? 'interleaved' : 'separate',
    options,
    host,
  );
}

/** @param {string[]} words   paths or names of baselines @returns {string[]} Two paths. The latest runs replace missing ones. */
function findFiles(words) {
  const files = words.length > 2 ? [] : words.map(savedPath);
  const latest = words.length < 2 ? latestResults().slice(words.length - 2) : [];
  if (files.length + latest.length === 2) return [...files, ...latest];
  const found =
    words.length < 2 ? `, and ${formatCount(latest.length)} of them can be found in this folder` : '';
  const next =
    'name the old results.json and the new one, as in npx ipc-bench compare old.json new.json, or measure two variants with --run';
  throw new BenchError('BAD_ARGUMENT', `compare takes two runs, not ${words.length}${found}; ${next}`);
}

/** Refuses flags of `run`, which have no effect on saved runs. @param {Record<string, any>} argv */
function refuseIdle(argv) {
  const idle = COMMON_FLAGS.find((flag) => argv[flag] !== undefined);
  if (idle === undefined) return;
  const next = 'it belongs to compare --run A=... B=..., which measures';
  throw new BenchError('BAD_ARGUMENT', `--${idle} changes nothing about saved runs; ${next}`);
}

/**
 * @param {SideResults} old
 * @param {SideResults} newSide
 * @param {ComparisonDesign} design
 * @param {CompareOptions} options
 * @param {Host} host
 * @returns {Promise<number>} exit code
 */
export async function showComparison(old, newSide, design, options, host) {
  const { minEffect, failOn, controls, outputs, isForced } = options;
  const { stdout, stderr, environment } = host;
  const report = stepReporter([old.results, newSide.results], stderr);
  report('Comparing');
  const comparison = compareResults(old, newSide, { design, minEffect, controls, isForced });
  const gate = evaluateGate(comparison, failOn);
  const isTaken = isStdoutTaken(outputs);
  const safe = isOnGithub(environment) ? withoutWorkflowCommands : (/** @type {string} */ text) => text;
  if (!isTaken) {
    const screen = { colour: wantsColour(stdout, environment), columns: readColumns(stdout) };
    await writeOut(stdout, safe(comparisonTable(comparison, screen)));
  }
  const compared = { comparison, old, new: newSide };
  const watcher = { stdout, stderr, onStep: report };
  const { saved, exitCode } = await deliverComparison(outputs, compared, watcher);
  if (saved.length > 0) await printSaved(saved, isTaken ? stderr : stdout);
  const whyNoSummary = await addToStepSummary((bytes) => comparisonMarkdown(comparison, bytes), environment);
  if (whyNoSummary !== null) stderr.write(`ipc-bench: ${whyNoSummary}\n`);
  const undecided = gate.exitCode === 0 && gate.why !== null ? [gate.why] : [];
  if (isOnGithub(environment))
    stderr.write(warningAnnotations([...makeAnnotations(comparison), ...undecided]));
  if (gate.why !== null) {
    const stream = isTaken ? stderr : stdout;
    const lines = wrapped(safe(gate.why), readColumns(stream, MAX_WIDTH));
    await writeOut(stream, `\n${lines.join('\n')}\n`);
  }
  return exitCode || gate.exitCode;
}

/** @param {Comparison} comparison @returns {string[]} messages of annotations for the build */
function makeAnnotations(comparison) {
  const { findings } = comparison;
  const slower = findings.filter(
    ({ kind, verdict, numbers }) => kind === 'side-differs' && verdict === 'worse' && numbers.beyond === 1,
  );
  const hasMore = Number(comparedFinding(comparison).numbers.slowerBeyond) > slower.length;
  const found = findings.filter(
    (finding) =>
      finding.kind === 'control-moved' ||
      slower.includes(finding) ||
      (hasMore && finding.kind === 'more-rows' && finding.names.verdict === 'slower'),
  );
  return [
    ...found.map((finding) => phrase(finding, false).join(' ')),
    ...differenceLines(comparison),
    ...warningLines(comparison),
  ];
}

// For GitHub Actions: a summary on the page of the build, and annotations. The exit code does not depend on them.

/** @typedef {Record<string, string | undefined>} ComparedEnvironment */

// GitHub rejects a larger summary. Source: GitHub Docs, "Adding a job summary", step limits.
const MAX_SUMMARY_BYTES = 2 ** 20;
// GitHub shows ten annotations of each kind per step.
const MAX_ANNOTATIONS = 10;

/** @param {ComparedEnvironment} environment */
function isOnGithub({ GITHUB_ACTIONS }) {
  return GITHUB_ACTIONS === 'true';
}

/**
 * @param {(greatestBytes: number) => string} markdown   renders at most this many bytes
 * @param {ComparedEnvironment} environment
 * @returns {Promise<string | null>} the reason if the summary could not be added, else null
 */
async function addToStepSummary(markdown, { GITHUB_STEP_SUMMARY: path }) {
  if (!path) return null;
  try {
    const found = await stat(path).catch(() => null);
    const text = markdown(MAX_SUMMARY_BYTES - (found?.size ?? 0) - 1);
    if (text === '') return 'the summary of this step is full: nothing was added to it';
    await appendFile(path, `\n${text}`);
    return null;
  } catch (error) {
    return `nothing was added to the summary of this step: ${printable(/** @type {Error} */ (error).message)}`;
  }
}

/**
 * Formats the messages as workflow commands. Source: GitHub Docs, "Workflow commands", setting a warning message.
 * @param {string[]} messages
 */
function warningAnnotations(messages) {
  const lines = messages.slice(0, MAX_ANNOTATIONS).map((message) => {
    const text = printable(message).replaceAll('%', '%25');
    return `::warning title=ipc-bench::${text}\n`;
  });
  return lines.join('');
}

/**
 * Disarms lines that look like a workflow command, which the runner of GitHub would execute: a results file may contain them.
 * @param {string} text
 */
function withoutWorkflowCommands(text) {
  return text.replace(/^(\s*):(?=:)/gm, '$1: ').replaceAll('##[', '# #[');
}
