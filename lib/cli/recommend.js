// `ipc-bench recommend`: recommends rows that meet the requirements. It measures them, reads saved results, or replays recorded
// traffic.

import { join } from 'node:path';
import { transportLabel } from '../cell/labels.js';
import { inReadingOrder } from '../cell/traits.js';
import { BenchError, exitCode } from '../errors.js';
import { COMMAND, flagText, shellWord } from '../format/flag-text.js';
import { counted, groupedBy, listed } from '../format/lists.js';
import { shownPaths } from '../format/redact.js';
import { MAX_WIDTH, wrapped } from '../format/wrapped.js';
import { RECOMMEND_TABLE, recommendOptions } from '../options/recommend-options.js';
import { refuseEndlessRun, runTimeText } from '../plan/duration-estimate.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';
import { recommendFrom } from '../report/recommend/decide.js';
import { fittingTransports, knownTraits } from '../report/recommend/fitting.js';
import { recommendationFindings, scopeFindings } from '../report/recommend/recommendation-findings.js';
import { recommendationSentences } from '../report/text/conclusion.js';
import { nextCommand } from '../report/text/next-command.js';
import { withClaims } from '../results/claim-outputs.js';
import { isMeasured } from '../results/measured-outcomes.js';
import { readResults } from '../results/read.js';
import { printSaved } from './documents.js';
import { measureSides, showFault } from './measuring.js';
import { openRunFolder, RESULTS_FILE, savedPath } from './output-paths.js';
import { listInputs, prepared, readSurroundings } from './prepare.js';
import { doubtWriter, openDocument, readColumns, showText } from './process-io.js';
import { announce, printPlan } from './run.js';
import { reportReading } from './slow-steps.js';

/** @import { RecommendOptions } from '../options/recommend-options.js' */
/** @import { OutputClaims } from '../results/claim-outputs.js' */
/** @import { Results, Transport } from '../types/index.js' */
/** @import { Host } from './main.js' */
/** @import { PreparedOptions } from './prepare.js' */
/** @typedef {Map<string, { plugin: Transport }>} Builtin */

const CODECS_OF_OBJECTS = 'json,msgpack,v8';
const ONE_CODEC = 'json';
const MAX_TRANSPORTS_OF_SEVERAL_CODECS = 6; // More transports with several codecs would take too long.
const USUAL_ARRIVALS = 'poisson'; // the arrivals of independent clients

/** @param {Record<string, any>} argv @param {Host} host */
export function recommend(argv, host) {
  return withClaims((claims) => recommendBy(argv, host, claims));
}

/** @param {Record<string, any>} argv @param {Host} host @param {OutputClaims} claims */
async function recommendBy(argv, host, claims) {
  const options = recommendOptions(argv);
  const { from, traffic = null } = options;
  const inputs = [...(from === null ? [] : [savedPath(from)]), ...(traffic === null ? [] : [traffic])];
  await openDocument(argv, 'json', inputs);
  claims.protect(inputs);
  if (traffic !== null) {
    const { recommendTraffic } = await import('./recommend-traffic.js');
    return recommendTraffic(argv, { ...options, path: traffic }, host, claims);
  }
  const builtin = await loadTransports(builtinNames('transport'));
  return from === null
    ? recommendMeasuring(argv, options, builtin, host, claims)
    : recommendSaved(argv, from, options, builtin, host);
}

/** @param {Record<string, any>} argv @param {string} from @param {RecommendOptions} options @param {Builtin} builtin @param {Host} host */
async function recommendSaved(argv, from, options, builtin, host) {
  refuseIdle(argv);
  const path = savedPath(from);
  if (!options.isQuiet) reportReading([path], host.stderr);
  const results = await readResults(path, doubtWriter(host));
  try {
    return await showRecommendation(results, options, builtin, host);
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'NO_EVIDENCE') throw error;
    const flags = ['need', 'slo', 'max-block'].filter((flag) => argv[flag] !== undefined);
    const command = [COMMAND, 'recommend', ...flags.map((flag) => flagText(flag, argv[flag]))].join(' ');
    throw new BenchError('NO_EVIDENCE', `${error.message}\nThis would measure it: ${command}`, {
      cause: error,
    });
  }
}

/** Refuses flags that have no effect on saved results. @param {Record<string, any>} argv */
function refuseIdle(argv) {
  const { _: _words, $0: _program, ...given } = argv;
  const used = [...Object.keys(RECOMMEND_TABLE), 'slo', 'force', 'quiet'];
  const idle = Object.keys(given).find((flag) => given[flag] !== undefined && !used.includes(flag));
  if (idle === undefined) return;
  const next = 'leave it out, or leave out --from to measure';
  throw new BenchError('BAD_ARGUMENT', `--${idle} changes nothing about saved results; ${next}`);
}

/**
 * @param {Record<string, any>} argv
 * @param {RecommendOptions} options
 * @param {Builtin} builtin
 * @param {Host} host
 * @param {OutputClaims} claims
 */
async function recommendMeasuring(argv, options, builtin, host, claims) {
  const planned = await prepareFor(argv, options, builtin, host);
  if (planned.mode === 'dry-run') return printPlan(planned, host);
  refuseNothing(planned.plan);
  if (!planned.isForced) refuseEndlessRun(planned.plan.estimate);
  claims.protect(listInputs(planned, argv));
  const how = { isForced: options.isForced, claims };
  const { outDir, release } = await openRunFolder(planned.options, planned.chosen.has('out'), how);
  if (!options.isQuiet) {
    announce(planned, { userReports: [] }, host.stderr);
    const rows = planned.plan.cells.filter(({ skip }) => skip === null).length;
    host.stderr.write(`Measuring ${counted(rows, 'row', 'rows')}, ${runTimeText(planned.plan.estimate)}.\n`);
  }
  const resultsPath = join(outDir, RESULTS_FILE);
  const { results, stoppedWith, fault } = await measureSides(
    [{ ...planned, resultsPath }],
    { ...planned.options, isRanked: false },
    host,
  ).finally(release);
  if (results.length === 0) return Number(stoppedWith);
  if (!options.isQuiet && fault === null) {
    const next = `its table: ${COMMAND} report ${shellWord(shownPaths(resultsPath))}`;
    await printSaved([resultsPath], host.stderr, { next });
  }
  if (stoppedWith !== null && !results[0].outcomes.some(isMeasured)) return stoppedWith;
  const slo = planned.options.open?.slo ?? null;
  const code = await showRecommendation(results[0], { ...options, slo }, builtin, host);
  if (fault === null) return stoppedWith ?? code;
  const begun = { ...results[0], status: /** @type {const} */ ('interrupted') };
  const exit = showFault(fault, nextCommand(planned, begun, resultsPath), host);
  return stoppedWith ?? exit;
}

/**
 * @param {Record<string, any>} argv
 * @param {RecommendOptions} options
 * @param {Builtin} builtin
 * @param {Host} host
 * @returns {Promise<PreparedOptions>} transports, codecs and arrivals that argv leaves open fit the needs, the messages and the rate
 */
async function prepareFor(argv, { needs }, builtin, { environment }) {
  const { json: _json, need: _need, 'max-block': _maxBlock, ...kept } = argv;
  const surroundings = readSurroundings(environment);
  const usual = await prepared(kept, surroundings);
  const { options, chosen } = usual;
  const labels = needs.length > 0 && !chosen.has('transport') ? fittingLabels(builtin, needs) : [];
  const hasObjects = options.messageFile !== undefined && options.messageFile.format !== 'text';
  const isLong = labels.length > MAX_TRANSPORTS_OF_SEVERAL_CODECS;
  const changes = {
    ...(labels.length > 0 && { transport: labels.join(',') }),
    ...(!chosen.has('codec') &&
      (isLong ? { codec: ONE_CODEC } : hasObjects ? { codec: CODECS_OF_OBJECTS } : {})),
    ...(options.open !== undefined && !chosen.has('arrivals') && { arrivals: USUAL_ARRIVALS }),
  };
  return Object.keys(changes).length === 0 ? usual : prepared({ ...kept, ...changes }, surroundings);
}

/**
 * Finds all built-in transports that meet the needs.
 * @param {Builtin} builtin
 * @param {string[]} needs   at least one
 * @returns {string[]} labels
 * @throws {BenchError} NO_EVIDENCE if there are none
 */
function fittingLabels(builtin, needs) {
  const labels = fittingTransports(inReadingOrder(builtin), needs).map(({ transport: { name }, settings }) =>
    transportLabel({ transport: name, settings }),
  );
  if (labels.length > 0) return labels;
  throw new BenchError(
    'NO_EVIDENCE',
    `--need ${needs.join(', ')}: no built-in transport meets all of these; leave one out, or name your own with --transport`,
  );
}

/** @param {PreparedOptions['plan']} plan */
function refuseNothing({ cells, reference }) {
  if (reference !== '') return;
  const reasons = [...new Set(cells.map(({ skip }) => skip))];
  throw new BenchError(
    'NO_EVIDENCE',
    `nothing that meets the needs can be measured here: ${listed(reasons.map(String))}`,
  );
}

/**
 * @param {Results} results
 * @param {RecommendOptions} options
 * @param {Builtin} builtin
 * @param {Host} host
 * @returns {Promise<number>} exit code
 * @throws {BenchError} NO_EVIDENCE if no row is measured, or no measured row meets the needs
 */
async function showRecommendation(results, { needs, slo, maxBlockMs, jsonPath }, builtin, { stdout }) {
  refuseNoRows(results);
  const requirements = { needs, slo: slo ?? results.options.open?.slo ?? null, maxBlockMs };
  const recommendation = recommendFrom(results, requirements, (cell) => knownTraits(results, cell, builtin));
  const answers = recommendation.chains.flat();
  if (
    answers.every(({ choice, isInconclusive, broken }) => !choice && !isInconclusive && broken.length === 0)
  ) {
    const reasons = recommendation.leftOut.map(({ why, names }) => `\n  - ${names.join(', ')}: ${why}`);
    throw new BenchError('NO_EVIDENCE', `nothing that was measured meets the needs:${reasons.join('')}`);
  }
  const fitting = fittingTransports(transportsBeside(results, builtin), needs);
  const findings = [
    ...recommendationFindings(recommendation, results, requirements),
    ...scopeFindings(
      recommendation,
      results,
      fitting.map(({ transport: { name } }) => name),
    ),
  ];
  const sentences = recommendationSentences(findings, results);
  const columns = readColumns(stdout, MAX_WIDTH);
  const text = sentences.flatMap((sentence) => wrapped(sentence, columns)).join('\n');
  const document = JSON.stringify({ ...requirements, findings, sentences }, null, 2);
  await showText(`${text}\n`, `${document}\n`, jsonPath, stdout);
  const isUndecided =
    answers.every(({ choice }) => choice === null) && answers.some((one) => one.isInconclusive);
  return isUndecided ? exitCode('inconclusive') : 0;
}

/** @param {Results} results */
function refuseNoRows({ outcomes }) {
  if (outcomes.some(isMeasured)) return;
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'failed' ? outcome.message : []));
  const causes = failures.length === 0 ? '' : `: ${listed([...groupedBy(failures, String).keys()], 2)}`;
  throw new BenchError('NO_EVIDENCE', `these results have no measured row${causes}`);
}

/**
 * Selects the built-in transports for messages, except costly ones, that support the platform of the results.
 * @param {Results} results
 * @param {Builtin} builtin
 * @returns {Transport[]}
 */
function transportsBeside({ environment: { platform } }, builtin) {
  return inReadingOrder(builtin).filter(
    ({ traits }) => !traits.isCostly && !traits.startsWorkers && traits.platforms.includes(platform),
  );
}
