// Collects the facts about plug-ins that results contain, so that a report does not need the plug-ins themselves.

import { isDeepStrictEqual } from 'node:util';
import { picked } from '../cell/axes.js';
import { transportLabel } from '../cell/labels.js';
import { labelParts, settingsLabel } from '../cell/settings.js';
import { resolveTraits } from '../cell/traits.js';
import { countedBy } from '../workload/measures/usual-measures.js';

/** @import { LoadedPlugins } from '../plugins/plugins.js' */
/** @import { Cell, Results, Scenario, ScenarioFacts, Transport, TransportFacts } from '../types/index.js' */

/**
 * @param {LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @param {boolean} hasObjects   whether messages are objects, which some codecs cannot carry
 * @returns {Pick<Results, 'transports' | 'codecs' | 'scenarios'>}
 */
export function factsOfPlugins(plugins, cells, hasObjects) {
  return {
    transports: factsOfTransports(plugins, cells),
    codecs: factsOfCodecs(plugins, cells, hasObjects),
    scenarios: factsOfScenarios(plugins, cells),
  };
}

/** @param {LoadedPlugins} plugins @param {Cell[]} cells @returns {Results['scenarios']} */
function factsOfScenarios({ scenarios }, cells) {
  const measured = new Set(cells.map(({ scenario }) => scenario));
  return Object.fromEntries(
    [...scenarios.values()].flatMap(({ plugin }) => {
      if (!measured.has(plugin.name)) return [];
      const { operation, measures } = countedBy(
        plugin,
        cells.filter(({ scenario }) => scenario === plugin.name),
      );
      const facts = measures.map(({ read: _read, ...measure }) => measure);
      const described = { ...plugin, pieces: describePieces(plugin) };
      const further = /** @type {Partial<ScenarioFacts>} */ (
        picked(described, ['roundTrips', 'addsTo', 'pieces'])
      );
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

/** @param {LoadedPlugins} plugins @param {Cell[]} cells */
function factsOfTransports({ transports }, cells) {
  /** @type {Record<string, TransportFacts>} */
  const facts = {};
  for (const cell of cells) {
    const { plugin } = /** @type {{ plugin: Transport }} */ (transports.get(cell.transport));
    facts[plugin.name] ??= describeTransport(plugin, {});
    const ofCell = describeTransport(plugin, cell.settings);
    if (!isDeepStrictEqual(ofCell, facts[plugin.name])) facts[transportLabel(cell)] = ofCell;
  }
  return facts;
}

/**
 * @param {LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @param {boolean} hasObjects   whether messages are objects, which some codecs cannot carry
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

const TRANSPORT_FACTS = [
  ...['class', 'guarantee', 'broker', 'messagesPerRoundTrip', 'direction', 'reach'],
  ...['durability', 'order', 'loss', 'isSpinning', 'acknowledgementWindow', 'requestsAtOnce', 'look'],
];

/** @param {Transport} transport @param {Cell['settings']} settings @returns {TransportFacts} */
function describeTransport({ look, ...transport }, settings) {
  const traits = resolveTraits(transport, settings);
  const { messagesPerRoundTrip = null, isSpinning } = traits;
  const described = { ...traits, messagesPerRoundTrip, isSpinning: isSpinning || undefined, look };
  const facts = picked(described, TRANSPORT_FACTS);
  return /** @type {TransportFacts} */ (facts);
}
