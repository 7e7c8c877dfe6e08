// What a run notes besides its launches, so that its rows can be compared fairly: controls, and what each transport
// promises.

import { measureControls } from '../controls.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Results} Results */

/**
 * @param {Results} results     gets its `transports`, and its `controls` unless it has them already
 * @param {object} run
 * @param {import('../types.js').Options} run.options
 * @param {import('./assign.js').LoadedPlugins} run.plugins
 * @param {Cell[]} run.cells    that will be measured
 * @param {number[] | null} run.cpus
 * @param {AbortSignal} run.signal
 */
export async function noteFairness(results, { options, plugins, cells, cpus, signal }) {
  const names = [...new Set(cells.map(({ transport }) => transport))];
  results.transports = Object.fromEntries(names.map((name) => [name, factsOf(plugins, name)]));
  if (options.controls === false || results.controls !== undefined) return;
  results.controls = await measureControls(cells, plugins, { cpus, seed: options.seed, signal });
}

/**
 * @param {import('./assign.js').LoadedPlugins} plugins
 * @param {string} name
 * @returns {import('../types.js').TransportFacts}
 */
function factsOf({ transports }, name) {
  const { traits } = /** @type {{ plugin: import('../types.js').Transport }} */ (transports.get(name)).plugin;
  const { guarantee, broker, messagesPerRoundTrip = null } = traits;
  return { class: traits.class, guarantee, broker, messagesPerRoundTrip };
}
