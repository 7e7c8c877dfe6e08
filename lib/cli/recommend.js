// `ipc-bench recommend`: what is needed → which row to take, why, and where that changes. From saved results, or measuring
// what it takes.

import { traitsOf } from '../cell/traits.js';
import { recommendOptions } from '../options/recommend-options.js';
import { builtinNames } from '../plugins/builtins.js';
import { loadTransports } from '../plugins/plugins.js';
import { decide } from '../recommend/decide.js';
import { evidenceFor } from '../recommend/evidence.js';
import { recommendationSentences } from '../recommend/recommendation-words.js';
import { readResults } from '../results/read.js';
import { GREATEST_WIDTH, wrapped } from '../tables/aligned.js';
import { factsOf } from '../verdicts/kinds.js';
import { writeOut } from './write-out.js';

/** @import { Cell } from '../types/plans.js' */
/** @import { KnownTraits, Source } from '../types/recommendations.js' */
/** @import { Transport } from '../types/transports.js' */
/** @import { Host } from './main.js' */

/** @param {Record<string, any>} argv @param {Host} host @returns {Promise<number>} */
export async function recommend(argv, host) {
  const options = recommendOptions(argv);
  const sources = await Promise.all(
    options.from.map(async (name) => ({ name, results: await readResults(name) })),
  );
  const transports = new Map(
    [...(await loadTransports(builtinNames('transport')))].map(([name, { plugin }]) => [name, plugin]),
  );
  const evidence = evidenceFor(sources, options.request, (cell, source) =>
    knownTraits(cell, source, transports),
  );
  const recommendation = decide(evidence, options.request);
  const columns = Math.min(host.stdout.columns ?? GREATEST_WIDTH, GREATEST_WIDTH);
  const lines = recommendationSentences(recommendation).flatMap((text) => wrapped(text, columns));
  await writeOut(host.stdout, `${lines.join('\n')}\n`);
  return 0;
}

/**
 * What the run noted of a transport holds; of a built-in one the rest is known here.
 * @param {Cell} cell
 * @param {Source} source
 * @param {Map<string, Transport>} transports
 * @returns {KnownTraits}
 */
function knownTraits(cell, { results }, transports) {
  const transport = transports.get(cell.transport);
  return { ...(transport && traitsOf(transport, cell.settings)), ...factsOf(results, cell) };
}
