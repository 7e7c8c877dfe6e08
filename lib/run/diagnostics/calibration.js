// The controls of a run: what its numbers would be with no transport at all, what its codecs cost alone, and what the
// clock costs. Measured once, one short process after the other. What they say about a cell is judged elsewhere.

import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { CONTROL_KEYS, picked } from '../../cell/axes.js';
import { transportLabel } from '../../cell/labels.js';
import { runtimeArgs } from '../../cell/launch-roles.js';
import { labelParts, settingsLabel } from '../../cell/settings.js';
import { resolveTraits } from '../../cell/traits.js';
import { waitForChildMessage } from '../../children/child-messages.js';
import { startFlags } from '../../children/tier-up.js';
import { plannedFloor } from '../../plan/planned-baseline.js';
import { joinedControls } from '../../results/calibration-rows.js';
import { countedBy } from '../../scenario/measures/usual-measures.js';
import { seedFrom } from '../../statistics/random.js';
import { cellsToMeasure } from '../run-groups.js';

/** @import { LoadedPlugins } from '../../plugins/plugins.js' */
/** @import { Cell, ControlRow, Controls, ControlTask as Task, FoundRuntime, MeasuredControl as Measured, MessageFile, Options, PlannedCell, Results, Scenario, ScenarioFacts, Transport, TransportFacts } from '../../types/index.js' */
/** @typedef {Omit<ControlRow, 'codecUs' | 'checkUs' | 'nullUs'>} ControlKey */

const MEASURER_PATH = fileURLToPath(new URL('./calibration-process.js', import.meta.url));
const DEADLINE_MS = 15_000; // 250 ms on a quiet machine, seconds for payloads of 16 MiB

/**
 * @param {Cell[]} cells
 * @param {LoadedPlugins} plugins
 * @param {object} run
 * @param {number[] | null} run.cpus     in the order in which launches use them; null: nothing can be pinned
 * @param {number} run.seed
 * @param {AbortSignal} run.signal
 * @param {MessageFile} [run.messageFile]
 * @param {'early' | 'usual'} [run.tierUp]
 * @param {(task: Task, found: FoundRuntime | null) => Promise<Measured | null>} [run.measure]   one of them; absent: on this host
 * @returns {Promise<Controls>} without what could not be measured
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
    const found = playsAll(key.runtime, plugins);
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
 * @param {FoundRuntime | null} found   null: this Node
 * @param {{ cpus: number[] | null, signal: AbortSignal }} place
 * @returns {Promise<Measured | null>} null: it could not be measured
 */
export function calibrateHere(task, found, { cpus, signal }) {
  const placing = {
    cpus: cpus === null ? null : [cpus[0]],
    nodeFlags: startFlags(task.tierUp),
    ...(found && { program: { command: found.path, args: runtimeArgs(found, task.tierUp) } }),
  };
  return waitForChildMessage(MEASURER_PATH, [JSON.stringify(task)], placing, DEADLINE_MS, signal);
}

/**
 * @param {string | undefined} runtime   of a cell
 * @param {LoadedPlugins} plugins
 * @returns null: this Node; undefined: not one alone, or one that runs no modules: requester and
 *   responder of a control are in one process
 */
function playsAll(runtime, { runtimes }) {
  if (runtime === undefined) return null;
  const every = runtimes?.choices.find((choice) => choice.runtime === runtime)?.every ?? undefined;
  return every?.runtime.speaks === 'modules' ? every : undefined;
}

/** @param {Scenario} scenario @returns its load has an end, and its answer is its question */
function hasControls({ isByTime, carries }) {
  return !isByTime && carries === undefined;
}

/** @param {Cell[]} cells @returns each combination once */
function uniqueKeys(cells) {
  const keys = cells.map((cell) => /** @type {ControlKey} */ (picked(cell, CONTROL_KEYS)));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

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

/** @param {import('../../plugins/plugins.js').LoadedPlugins} plugins @param {Cell[]} cells @returns {Results['scenarios']} */
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

/** @param {import('../../plugins/plugins.js').LoadedPlugins} plugins @param {Cell[]} cells */
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

/** @param {Transport} transport @param {Cell['settings']} settings @returns {TransportFacts} */
function describeTransport(transport, settings) {
  const traits = resolveTraits(transport, settings);
  const { guarantee, broker, messagesPerRoundTrip = null, direction } = traits;
  const { durability, order, loss, isSpinning, acknowledgementWindow } = traits;
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
    ...(acknowledgementWindow && { acknowledgementWindow }),
    ...(transport.look && { look: transport.look }),
  };
}
