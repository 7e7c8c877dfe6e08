// Measures all rows that could do what is needed: a run like any other, with a results file.

import { join } from 'node:path';
import { transportLabel } from '../cell/labels.js';
import { inReadingOrder } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { counted, listed } from '../format/lists.js';
import { durationText } from '../format/numbers.js';
import { OPTION_TABLE } from '../options/option-table.js';
import { windowForSlo } from '../plan/timing.js';
import { fittingTransports } from '../report/recommend/fitting.js';
import { plannedGapNotes } from '../report/text/gaps.js';
import { openRunFolder, RESULTS_FILE } from './documents.js';
import { measureSides } from './measuring.js';
import { prepared, readSurroundings } from './prepare.js';

/** @import { RecommendOptions } from '../options/recommend-options.js' */

/** @import { Source, Transport } from '../types/index.js' */
/** @import { Host } from './main.js' */

/** @import { Prepared } from './prepare.js' */
/**
 * @typedef {object} Measuring
 * @property {Source[]} sources
 * @property {string[]} paths
 * @property {string} outDir
 * @property {number | null} stoppedWith   the exit code; null: it came to its end
 */

const USUAL_CODECS = 'json,binary'; // what everybody writes, and what is written for speed
const MOST_TRANSPORTS_OF_TWO_CODECS = 6; // of more, two codecs would take longer than most wait
const USUAL_WINDOW_MS = 400;
const USUAL_ARRIVALS = 'poisson'; // as from independent clients

/**
 * @param {Record<string, any>} argv
 * @param {RecommendOptions} options
 * @param {Map<string, { plugin: Transport }>} builtin
 * @param {Host} host
 * @param {import('../results/claim-outputs.js').OutputClaims} claims
 */
export async function measureToRecommend(argv, options, builtin, host, claims) {
  const asked = runArgv(argv, options, builtin);
  const first = await preparedFirst(asked, host);
  refuseLongRun(first, options);
  const how = { isForced: options.isForced, claims };
  const { outDir, release } = await openRunFolder(first.options, first.chosen.has('out'), how);
  /** @type {Measuring} */
  const measuring = { sources: [], paths: [], outDir, stoppedWith: null };
  try {
    sayWhatIsMeasured(first, options, host);
    await measureRound(first, measuring, host);
  } finally {
    await release();
  }
  return measuring;
}

/**
 * @param {Record<string, any>} argv
 * @param {RecommendOptions} options
 * @param {Map<string, { plugin: Transport }>} builtin
 * @returns {Record<string, any>} of a run
 */
function runArgv(argv, { request, isForced }, builtin) {
  const { ratePerSecond, payloadBytes, needs, slo } = request;
  const {
    rate: _rate,
    json: _json,
    'max-time': _time,
    slo: _slo,
    png: _png,
    payload: _payload,
    ...kept
  } = argv;
  const windowMs = windowForSlo(slo, ratePerSecond ?? undefined);
  const transports = argv.transport === undefined ? fittingLabels(builtin, needs) : null;
  const codecs = (transports?.length ?? 0) > MOST_TRANSPORTS_OF_TWO_CODECS ? 'json' : USUAL_CODECS;
  return {
    ...kept,
    ...(isForced && { force: true }),
    ...(payloadBytes !== null && { payload: String(payloadBytes) }),
    ...(ratePerSecond !== null && {
      rate: String(ratePerSecond),
      arrivals: argv.arrivals ?? USUAL_ARRIVALS,
    }),
    ...(argv.measure === undefined && windowMs > USUAL_WINDOW_MS && { measure: `${windowMs}ms` }),
    ...(transports !== null && { transport: transports.join(',') }),
    ...(argv.codec === undefined && { codec: codecs }),
  };
}

/**
 * @param {Map<string, { plugin: Transport }>} builtin
 * @param {string[]} needs
 * @returns {string[]} as --transport takes them: without a need those that a run measures, since all would take an hour
 */
function fittingLabels(builtin, needs) {
  const usual = String(OPTION_TABLE.transport.default).split(',');
  const all = inReadingOrder(builtin).filter(({ name }) => needs.length > 0 || usual.includes(name));
  const labels = fittingTransports(all, needs).map(({ transport: { name }, settings }) =>
    transportLabel({ transport: name, settings }),
  );
  if (labels.length > 0) return labels;
  throw new BenchError(
    'NO_EVIDENCE',
    `--need ${needs.join(', ')}: no built-in transport meets all of these; leave one out, or name your own with --transport`,
  );
}

/** @param {Record<string, any>} argv @param {Host} host @returns {Promise<Prepared & { argv: Record<string, any> }>} */
async function preparedRound(argv, { environment }) {
  return { ...(await prepared(argv, readSurroundings(environment))), argv };
}

/**
 * @param {Record<string, any>} argv
 * @param {Host} host
 * @returns {ReturnType<typeof preparedRound>} by closed loops where the scenario knows no open load
 */
async function preparedFirst({ rate, arrivals, ...argv }, host) {
  const first = await preparedRound(rate === undefined ? argv : { ...argv, rate, arrivals }, host);
  if (first.plan.reference !== '') return first;
  const closed = rate === undefined ? first : await preparedRound(argv, host);
  if (closed.plan.reference !== '') return closed;
  const reasons = [...new Set(closed.plan.cells.map(({ skip }) => skip))];
  throw new BenchError(
    'NO_EVIDENCE',
    `nothing that meets the needs can be measured here: ${listed(reasons.map(String))}`,
  );
}

/** @param {Prepared['plan']} plan @returns {number} that are to be measured */
const rowsOf = ({ cells }) => cells.filter(({ skip }) => skip === null).length;

/** @param {Prepared} first @param {RecommendOptions} options */
function refuseLongRun({ plan }, { maxTimeMs }) {
  if (plan.estimate.ms <= maxTimeMs) return;
  const next = 'name fewer with --transport or --codec, or give it a longer --max-time';
  throw new BenchError(
    'TOO_MANY_CELLS',
    `${rowsOf(plan)} rows would take about ${durationText(plan.estimate.ms)}, more than ${durationText(maxTimeMs)}; ${next}`,
  );
}

/** @param {Prepared} first @param {RecommendOptions} options @param {Host} host */
function sayWhatIsMeasured({ plan }, { isQuiet }, { stderr }) {
  if (isQuiet) return;
  stderr.write(`Measuring ${counted(rowsOf(plan), 'row', 'rows')}, about ${durationText(plan.estimate.ms)}.\n`);
  for (const line of plannedGapNotes(plan)) stderr.write(`${line}\n`);
}

/** @param {Prepared} round @param {Measuring} measuring   gets its results, and whether it was stopped @param {Host} host */
async function measureRound({ options, plugins, plan }, measuring, host) {
  const { sources, paths, outDir } = measuring;
  const resultsPath = join(outDir, RESULTS_FILE);
  const { results, stoppedWith } = await measureSides(
    [{ options, plugins, plan, resultsPath }],
    { ...options, live: false },
    host,
  );
  measuring.stoppedWith = stoppedWith;
  if (results.length === 0) return;
  paths.push(resultsPath);
  sources.push({ name: resultsPath, results: results[0] });
}
