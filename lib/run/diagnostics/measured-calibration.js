// What a run notes besides its launches, so that its rows can be compared fairly: controls, and what each transport
// promises.

import { isDeepStrictEqual } from 'node:util';
import { transportLabel } from '../../cell/labels.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { resolveTraits } from '../../cell/traits.js';
import { plannedFloor } from '../../plan/planned-baseline.js';
import { joinedControls } from '../../results/calibration-rows.js';
import { countedBy } from '../../scenario/measures/usual-measures.js';
import { cellsToMeasure } from '../blocks.js';
import { calibrate } from './calibration.js';

/** @import { Cell, Options, PlannedCell, Results, Scenario, ScenarioFacts, Transport, TransportFacts } from '../../types/index.js' */

/**
 * @param {Results} results     gets its `transports`, its `controls` unless it has them already, and which `floor` each cell has
 * @param {object} run
 * @param {Options} run.options
 * @param {import('../../plugins/plugins.js').LoadedPlugins} run.plugins
 * @param {PlannedCell[]} run.plan
 * @param {number[] | null} run.cpus
 * @param {AbortSignal} run.signal
 * @param {import('../interleaved-run.js').Across} [run.across]   absent: on this host
 */
export async function recordFairness(results, { options, plugins, plan, cpus, signal, across }) {
  const cells = plan.map(({ cell }) => cell);
  results.transports = factsOfCells(plugins, cells);
  results.codecs = factsOfCodecs(plugins, cells, options.messageFile?.format === 'json');
  results.scenarios = factsOfScenarios(plugins, cells);
  if (options.floor) results.floor = plannedFloor(cellsToMeasure(plan), plugins, results.floor);
  if (options.controls === false || results.controls !== undefined) return;
  // Of what rests and of what is cold, loops without a transport tell nothing.
  const warm = cellsToMeasure(plan).filter(({ scenario }) => !plugins.scenarios.get(scenario)?.plugin.isCold);
  const { seed, tierUp, messageFile } = options;
  const run = { cpus, seed, signal, messageFile, tierUp };
  if (across === undefined) {
    results.controls = await calibrate(warm, plugins, run);
    return;
  }
  const byHost = await across.measureControls(warm, plugins, run);
  for (const [host, facts] of Object.entries(results.hosts ?? {})) facts.controls = byHost[host];
  results.controls = joinedControls(Object.values(byHost));
}

/**
 * @param {import('../../plugins/plugins.js').LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @returns {Results['scenarios']}
 */
function factsOfScenarios({ scenarios }, cells) {
  const asked = new Set(cells.map(({ scenario }) => scenario));
  return Object.fromEntries(
    [...scenarios.values()].flatMap(({ plugin }) => {
      if (!asked.has(plugin.name)) return [];
      const { operation, measures } = countedBy(
        plugin,
        cells.filter(({ scenario }) => scenario === plugin.name),
      );
      const facts = measures.map(({ read: _read, ...measure }) => measure);
      const { roundTrips, addsTo } = plugin;
      const pieces = describePieces(plugin);
      const further = {
        ...(roundTrips !== undefined && { roundTrips }),
        ...(addsTo && { addsTo }),
        ...(pieces && { pieces }),
      };
      return [[plugin.name, { operation, measures: facts, ...further }]];
    }),
  );
}

/** @param {Scenario} scenario @returns {ScenarioFacts['pieces']} */
function describePieces({ name, settings = {}, carries, chosen = {} }) {
  const pieces = carries?.(chosen).pieces;
  if (pieces === undefined) return undefined;
  const { name: base, written } = labelParts(name);
  const others = Object.entries(written).filter(([key]) => !settings[key].isQuantity);
  return { ...pieces, question: settingsLabel(base, Object.fromEntries(others)) };
}

/**
 * @param {import('../../plugins/plugins.js').LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @returns {Record<string, TransportFacts>}
 */
function factsOfCells({ transports }, cells) {
  /** @type {Record<string, TransportFacts>} */
  const facts = {};
  for (const cell of cells) {
    const { plugin } = /** @type {{ plugin: Transport }} */ (transports.get(cell.transport));
    facts[plugin.name] ??= describeTransport(plugin, {});
    const own = describeTransport(plugin, cell.settings);
    if (!isDeepStrictEqual(own, facts[plugin.name])) facts[transportLabel(cell)] = own;
  }
  return facts;
}

/**
 * @param {import('../../plugins/plugins.js').LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @param {boolean} hasObjects   to be carried: which codecs carry texts matters
 * @returns {NonNullable<Results['codecs']>}
 */
function factsOfCodecs({ codecs }, cells, hasObjects) {
  const names = [...new Set(cells.map(({ codec }) => codec))];
  return Object.fromEntries(
    names.flatMap((name) => {
      const plugin = codecs.get(name)?.plugin;
      if (plugin === undefined) return [];
      const { look, values } = plugin;
      const facts = {
        ...(look && { look }),
        ...(hasObjects && values === undefined && { carriesTexts: /** @type {true} */ (true) }),
      };
      return Object.keys(facts).length === 0 ? [] : [[name, facts]];
    }),
  );
}

/**
 * @param {Transport} transport
 * @param {Cell['settings']} settings
 * @returns {TransportFacts}
 */
function describeTransport(transport, settings) {
  const traits = resolveTraits(transport, settings);
  const { guarantee, broker, messagesPerRoundTrip = null, direction } = traits;
  const { durability, order, loss, isSpinning } = traits;
  return {
    class: traits.class,
    guarantee,
    broker,
    messagesPerRoundTrip,
    direction,
    ...(traits.reach && { reach: traits.reach }),
    ...(durability && { durability }),
    ...(order && { order }),
    ...(loss && { loss }),
    ...(isSpinning && { isSpinning }),
    ...(transport.look && { look: transport.look }),
  };
}
