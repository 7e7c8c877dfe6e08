// The calibration of a run: loops without a transport, the cost of codecs alone, and the cost of the clock. Short processes measure it
// once, one after the other. results/calibration-rows.js evaluates it.

import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { CONTROL_KEYS, picked } from '../../cell/axes.js';
import { transportLabel } from '../../cell/labels.js';
import { runtimeArgs } from '../../cell/launch-roles.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { resolveTraits } from '../../cell/traits.js';
import { waitForChildMessage } from '../../children/child-messages.js';
import { plannedFloor } from '../../plan/planned-baseline.js';
import { joinedControls } from '../../results/calibration-rows.js';
import { seedFrom } from '../../statistics/random.js';
import { countedBy } from '../../workload/measures/usual-measures.js';
import { cellsToMeasure } from '../run-groups.js';

/** @import { LoadedPlugins } from '../../plugins/plugins.js' */
/** @import { Cell, ControlRow, Controls, ControlTask as Task, FoundRuntime, MeasuredControl as Measured, MessageFile, Options, PlannedCell, Results, Scenario, ScenarioFacts, Transport, TransportFacts } from '../../types/index.js' */
/** @typedef {Omit<ControlRow, 'codecUs' | 'checkUs' | 'nullUs' | 'spread'>} ControlKey */

const MEASURER_PATH = fileURLToPath(new URL('./calibration-process.js', import.meta.url));
const DEADLINE_MS = 15_000; // A task takes 0.5 to 1 s of CPU time, and several seconds for payloads of 16 MiB.

/**
 * @param {Cell[]} cells
 * @param {LoadedPlugins} plugins
 * @param {object} run
 * @param {number[] | null} run.cpus     in the order in which launches use them; null if processes cannot be pinned
 * @param {number} run.seed
 * @param {AbortSignal} run.signal
 * @param {MessageFile} [run.messageFile]
 * @param {'early' | 'usual'} [run.tierUp]
 * @param {(task: Task, found: FoundRuntime | null) => Promise<Measured | null>} [run.measure]   see calibrateHere, the default
 * @returns {Promise<Controls>} Tasks that fail are omitted.
 */
export async function calibrate(cells, plugins, run) {
  const { seed, signal, messageFile, measure = (task, found) => calibrateHere(task, found, run) } = run;
  /** @type {ControlRow[]} */
  const rows = [];
  /** @type {Controls['timer']} */
  let timer = null;
  for (const key of uniqueKeys(cells)) {
    signal.throwIfAborted();
    const codec = plugins.codecs.get(key.codec);
    const scenario = plugins.scenarios.get(key.scenario);
    if (codec === undefined || scenario === undefined || !hasControls(scenario.plugin)) continue;
    const found = findSoleRuntime(key.runtime, plugins);
    if (found === undefined) continue;
    const task = {
      codecUrl: codec.url,
      scenarioUrl: scenario.url,
      settings: scenario.plugin.chosen ?? {},
      ...key,
      seed: seedFrom(seed, 'controls'),
      withTimer: timer === null && found === null,
      tierUp: run.tierUp,
      messageFile,
    };
    const measured = await measure(task, found);
    if (measured === null) continue;
    timer ??= measured.timer;
    rows.push({ ...key, ...measured.row });
  }
  return { timer, rows };
}

/**
 * @param {Task} task
 * @param {FoundRuntime | null} found   null for this Node
 * @param {{ cpus: number[] | null, signal: AbortSignal }} place   cpus: the first one is used; null if processes cannot be pinned
 * @returns {Promise<Measured | null>} null if it failed
 */
export function calibrateHere(task, found, { cpus, signal }) {
  const placing = {
    cpus: cpus === null ? null : [cpus[0]],
    ...(found && { program: { command: found.path, args: runtimeArgs(found) } }),
  };
  return waitForChildMessage(MEASURER_PATH, [JSON.stringify(task)], placing, DEADLINE_MS, signal);
}

/**
 * The requester and the responder of a calibration share a process, so all roles need the same runtime, which must run modules.
 * @param {string | undefined} runtime   as a cell names it; undefined for this Node
 * @param {LoadedPlugins} plugins
 * @returns null for this Node; undefined if there is no such runtime
 */
function findSoleRuntime(runtime, { runtimes }) {
  if (runtime === undefined) return null;
  const every = runtimes?.choices.find((choice) => choice.runtime === runtime)?.every ?? undefined;
  return every?.runtime.protocol === 'modules' ? every : undefined;
}

/** @param {Scenario} scenario @returns false if the load always ends by the clock, or if messages have no payload */
function hasControls({ isByTime, carries }) {
  return !isByTime && carries === undefined;
}

/** @param {Cell[]} cells */
function uniqueKeys(cells) {
  const keys = cells.map((cell) => /** @type {ControlKey} */ (picked(cell, CONTROL_KEYS)));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

/**
 * @param {Results} results     `transports`, `codecs` and `scenarios` are set; `floor` with --floor; `controls` unless they are set
 *   already or switched off
 * @param {object} run
 * @param {Options} run.options
 * @param {import('../../plugins/plugins.js').LoadedPlugins} run.plugins
 * @param {PlannedCell[]} run.plan
 * @param {number[] | null} run.cpus   see calibrate
 * @param {AbortSignal} run.signal
 * @param {import('../interleaved-run.js').RunHosts} [run.across]   set for a run on several hosts
 */
export async function recordFairness(results, { options, plugins, plan, cpus, signal, across }) {
  const cells = plan.map(({ cell }) => cell);
  results.transports = factsOfCells(plugins, cells);
  results.codecs = factsOfCodecs(plugins, cells, options.messageFile?.format === 'json');
  results.scenarios = factsOfScenarios(plugins, cells);
  if (options.floor) results.floor = plannedFloor(cellsToMeasure(plan), plugins, results.floor);
  if (options.controls === false || results.controls !== undefined) return;
  // Loops without a transport are warm, so they cannot be compared with cold starts.
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

/** @param {import('../../plugins/plugins.js').LoadedPlugins} plugins @param {Cell[]} cells @returns {Results['scenarios']} */
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

/** @param {import('../../plugins/plugins.js').LoadedPlugins} plugins @param {Cell[]} cells */
function factsOfCells({ transports }, cells) {
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
 * @param {import('../../plugins/plugins.js').LoadedPlugins} plugins
 * @param {Cell[]} cells
 * @param {boolean} hasObjects   set if messages are objects, which some codecs cannot carry
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
