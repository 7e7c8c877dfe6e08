// What a run notes besides its launches, so that its rows can be compared fairly: controls, and what each transport
// promises.

import { isDeepStrictEqual } from 'node:util';
import { transportLabel } from '../cell/labels.js';
import { traitsOf } from '../cell/traits.js';
import { measureControls } from '../controls/controls.js';
import { tierUpFlags } from '../processes/tier-up.js';
import { cellsToMeasure } from './blocks.js';

/** @import { Cell } from '../types/plans.js' */
/** @import { Results, TransportFacts } from '../types/results-file.js' */
/** @import { Transport } from '../types/transports.js' */

/**
 * @param {Results} results     gets its `transports`, and its `controls` unless it has them already
 * @param {object} run
 * @param {import('../types/plans.js').Options} run.options
 * @param {import('../plugins/plugins.js').LoadedPlugins} run.plugins
 * @param {import('../types/plans.js').PlannedCell[]} run.plan
 * @param {number[] | null} run.cpus
 * @param {AbortSignal} run.signal
 */
export async function noteFairness(results, { options, plugins, plan, cpus, signal }) {
  results.transports = factsOfCells(
    plugins,
    plan.map(({ cell }) => cell),
  );
  if (options.controls === false || results.controls !== undefined) return;
  results.controls = await measureControls(cellsToMeasure(plan), plugins, {
    cpus,
    seed: options.seed,
    signal,
    nodeFlags: tierUpFlags(options.tierUp),
  });
}

/**
 * @param {import('../plugins/plugins.js').LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @returns {Record<string, TransportFacts>}
 */
function factsOfCells({ transports }, cells) {
  /** @type {Record<string, TransportFacts>} */
  const facts = {};
  for (const cell of cells) {
    const { plugin } = /** @type {{ plugin: Transport }} */ (transports.get(cell.transport));
    facts[plugin.name] ??= factsOf(traitsOf(plugin, {}));
    const own = factsOf(traitsOf(plugin, cell.settings));
    if (!isDeepStrictEqual(own, facts[plugin.name])) facts[transportLabel(cell)] = own;
  }
  return facts;
}

/**
 * @param {import('../types/transports.js').Traits} traits
 * @returns {TransportFacts}
 */
function factsOf(traits) {
  const { guarantee, broker, messagesPerRoundTrip = null, direction } = traits;
  const { durability, order, loss, isSpinning } = traits;
  return {
    ...{ class: traits.class, guarantee, broker, messagesPerRoundTrip, direction },
    ...(durability && { durability }),
    ...(order && { order }),
    ...(loss && { loss }),
    ...(isSpinning && { isSpinning }),
  };
}
