// `ipc-bench recommend`: what is needed → which row to take, and why. From saved results, or measuring what it takes.

import { inReadingOrder, resolveTraits } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { COMMAND, flagText } from '../format/flag-text.js';
import { RECOMMEND_TABLE, recommendOptions } from '../options/recommend-options.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';
import { GREATEST_WIDTH, wrapped } from '../report/columns/aligned.js';
import { decide } from '../report/recommend/decide.js';
import { evidenceFor } from '../report/recommend/evidence.js';
import { fittingTransports, transportsOfSystems } from '../report/recommend/fitting.js';
import {
  recommendationJson,
  recommendationSentences,
  scopeSentences,
} from '../report/recommend/recommendation-words.js';
import { transportFacts } from '../report/text/transport-kinds.js';
import { withClaims } from '../results/claim-outputs.js';
import { readResults } from '../results/read.js';
import { prepareOutputs, sayWhatIsSaved } from './documents.js';
import { openDocument, showText } from './process-io.js';
import { savedPath } from './saved-runs.js';

/** @import { OutputClaims } from '../results/claim-outputs.js' */

/** @import { RecommendOptions } from '../options/recommend-options.js' */
/** @import { Cell, KnownTraits, Recommendation, Source, Transport } from '../types/index.js' */

/** @import { Host } from './main.js' */

/** @typedef {Map<string, { plugin: Transport }>} Builtin */

/** @param {Record<string, any>} argv @param {Host} host */
export function recommend(argv, host) {
  return withClaims((claims) => recommendBy(argv, host, claims));
}

/** @param {Record<string, any>} argv @param {Host} host @param {OutputClaims} claims */
async function recommendBy(argv, host, claims) {
  const options = recommendOptions(argv);
  await openDocument(argv);
  const { pngDir, htmlPath, isForced } = options;
  const outputs = { ...(pngDir !== null && { png: pngDir }), ...(htmlPath !== null && { html: htmlPath }) };
  await prepareOutputs(outputs, { isForced, claims });
  if (options.traffic !== undefined) {
    const { recommendTraffic } = await import('./recommend-traffic.js');
    return recommendTraffic(argv, { ...options, path: options.traffic }, host, claims);
  }
  const builtin = await loadTransports(builtinNames('transport'));
  return options.from.length > 0
    ? recommendFromFiles(argv, options, builtin, host)
    : recommendMeasuring(argv, options, builtin, host, claims);
}

/** @param {Record<string, any>} argv @param {RecommendOptions} options @param {Builtin} builtin @param {Host} host */
async function recommendFromFiles(argv, options, builtin, host) {
  refuseIdle(argv);
  const { from } = options;
  const sources = await Promise.all(
    from.map(async (name) => ({ name, results: await readResults(savedPath(name)) })),
  );
  const recommendation = evident(() => decided(sources, options, builtin), argv);
  await show(recommendation, sources, options, builtin, host);
  return 0;
}

/**
 * @param {Record<string, any>} argv
 * @param {RecommendOptions} options
 * @param {Builtin} builtin
 * @param {Host} host
 * @param {OutputClaims} claims
 */
async function recommendMeasuring(argv, options, builtin, host, claims) {
  const { measureToRecommend } = await import('./recommend-measuring.js');
  const { sources, paths, stoppedWith } = await measureToRecommend(argv, options, builtin, host, claims);
  const recommendation = unlessNoEvidence(() => decided(sources, options, builtin));
  if (recommendation !== null) await show(recommendation, sources, options, builtin, host);
  if (paths.length > 0 && !options.isQuiet) await sayWhatIsSaved(paths, host.stderr);
  if (stoppedWith !== null) return stoppedWith;
  if (recommendation === null) decided(sources, options, builtin); // throws, with the reason
  return 0;
}

/** @param {Source[]} sources @param {RecommendOptions} options @param {Builtin} builtin */
function decided(sources, { request }, builtin) {
  const traitsFor = (/** @type {Cell} */ cell, /** @type {Source} */ { results }) => {
    const transport = builtin.get(cell.transport)?.plugin;
    // What the run noted of a transport holds; the rest of a built-in one is known here.
    return /** @type {KnownTraits} */ ({
      ...(transport && resolveTraits(transport, cell.settings)),
      ...transportFacts(results, cell),
    });
  };
  const recommendation = decide(evidenceFor(sources, request, traitsFor), request);
  const { choice, broken, leftOut } = recommendation;
  if (choice !== null || broken.length > 0) return recommendation;
  const reasons = leftOut.map(({ why, names }) => `\n  - ${names.join(', ')}: ${why}`);
  throw new BenchError('NO_EVIDENCE', `nothing that was measured meets the needs:${reasons.join('')}`);
}

/**
 * @param {() => Recommendation} work
 * @param {Record<string, any>} argv
 * @throws {BenchError} NO_EVIDENCE, with the command that would measure it
 */
function evident(work, argv) {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'NO_EVIDENCE') throw error;
    const flags = [...Object.keys(RECOMMEND_TABLE), 'workers', 'scenario'].filter(
      (flag) => flag !== 'from' && argv[flag] !== undefined,
    );
    const command = [COMMAND, 'recommend', ...flags.map((flag) => flagText(flag, argv[flag]))].join(' ');
    throw new BenchError('NO_EVIDENCE', `${error.message}\nThis would measure it: ${command}`, {
      cause: error,
    });
  }
}

/** @param {() => Recommendation} work @returns {Recommendation | null} null: it was interrupted, or all launches failed */
function unlessNoEvidence(work) {
  try {
    return work();
  } catch (error) {
    if (error instanceof BenchError && error.code === 'NO_EVIDENCE') return null;
    throw error;
  }
}

/** @param {Record<string, any>} argv   with --from, nothing is measured: what would shape that is refused */
function refuseIdle(argv) {
  const { _: _words, $0: _program, ...given } = argv;
  const shown = [...Object.keys(RECOMMEND_TABLE), 'workers', 'scenario', 'force', 'quiet', 'color'];
  const idle = Object.keys(given).find((flag) => given[flag] !== undefined && !shown.includes(flag));
  const unused = idle ?? ['max-time'].find((flag) => given[flag] !== undefined);
  if (unused === undefined) return;
  const next = 'leave it out, or leave out --from to measure';
  throw new BenchError('BAD_ARGUMENT', `--${unused} changes nothing about saved results; ${next}`);
}

/**
 * @param {Recommendation} recommendation
 * @param {Source[]} sources
 * @param {RecommendOptions} options
 * @param {Builtin} builtin
 * @param {Host} host
 */
async function show(recommendation, sources, { request, jsonPath }, builtin, { stdout }) {
  const transports = inReadingOrder(builtin).filter(({ traits }) => traits.isCostly !== true);
  const here = transportsOfSystems(transports, sources);
  const fitting = fittingTransports(here, request.needs).map(({ transport: { name } }) => name);
  const columns = Math.min(stdout.columns ?? GREATEST_WIDTH, GREATEST_WIDTH);
  const sentences = [
    ...recommendationSentences(recommendation),
    ...scopeSentences(recommendation, sources, fitting),
  ];
  const text = sentences.flatMap((sentence) => wrapped(sentence, columns)).join('\n');
  const document = JSON.stringify(recommendationJson(recommendation, sentences), null, 2);
  await showText(`${text}\n`, `${document}\n`, jsonPath, stdout);
}
