// Plans the native baseline of each cell, or records why it has none. Cells with equal FloorKeys share a baseline, whatever their codecs.

import { cellLabel } from '../cell/labels.js';
import { resolveTraits } from '../cell/traits.js';
import { groupedBy } from '../format/lists.js';

/** @import { Cell, Floor, FloorRow, Scenario, Transport } from '../types/index.js' */
/** @typedef {Pick<FloorRow, 'mechanism' | 'coalesces' | 'spins' | 'payloadBytes' | 'workers' | 'loops' | 'placement'>} FloorKey */
/** @typedef {{ transports: Map<string, { plugin: Transport }>, scenarios: Map<string, { plugin: Scenario }> }} BaselinePlugins */

export const WARM_UP_MS = 50; // short, because C has no JIT compiler and no garbage collector
export const MEASURE_MS = 200;
/** The approximate duration of one launch of the native program. */
export const FLOOR_LAUNCH_MS = WARM_UP_MS + MEASURE_MS + 30;

/**
 * @param {Cell[]} cells
 * @param {BaselinePlugins} plugins
 * @param {Floor} [known]     the baselines of an interrupted run, whose launches are kept
 * @returns {Floor}
 */
export function plannedFloor(cells, plugins, known) {
  const all = cells.map((cell) => ({ label: cellLabel(cell), of: floorOrWhy(cell, plugins) }));
  const keyed = all.flatMap(({ label, of }) => (typeof of === 'string' ? [] : [{ label, key: of }]));
  const without = all.flatMap(({ label, of }) => (typeof of === 'string' ? [{ label, reason: of }] : []));
  /** @param {FloorKey} key */
  const launchesOf = (key) =>
    known?.rows.find((row) => floorIdentity(row) === floorIdentity(key))?.launches ?? [];
  return {
    rows: [...groupedBy(keyed, ({ key }) => floorIdentity(key)).values()].map((some) => {
      const [{ key }] = some;
      return { ...key, cells: some.map(({ label }) => label), launches: [...launchesOf(key)] };
    }),
    without: [...groupedBy(without, ({ reason }) => reason)].map(([reason, some]) => ({
      reason,
      cells: some.map(({ label }) => label),
    })),
  };
}

/** @param {FloorKey | FloorRow} key */
function floorIdentity({ mechanism, coalesces, spins, payloadBytes, workers, loops, placement }) {
  return [mechanism, coalesces, spins, payloadBytes, workers, loops, placement].join(' ');
}

/**
 * @param {Cell} cell
 * @param {BaselinePlugins} plugins
 * @param {NodeJS.Platform} [platform]
 * @returns {FloorKey | string} a reason if the cell has no baseline
 */
export function floorOrWhy(cell, { transports, scenarios }, platform = process.platform) {
  const { plugin: transport } = /** @type {{ plugin: Transport }} */ (transports.get(cell.transport));
  const { plugin: scenario } = /** @type {{ plugin: Scenario }} */ (scenarios.get(cell.scenario));
  const {
    mechanism,
    coalesces = false,
    isSpinning = false,
    broker,
  } = resolveTraits(transport, cell.settings);
  const { payloadBytes, workers, loops, placement, poll } = cell;
  const spins = isSpinning || poll === 'busy';
  if (!isEcho(scenario)) return `an operation of ${scenario.name} is not a round trip of one payload`;
  if (cell.ratePerSecond !== undefined) return 'under open load its rate is planned';
  if (cell.network !== undefined) return 'it uses an emulated network';
  if (cell.connections !== undefined) return 'its workers have several connections each';
  if (broker !== null) return 'its messages pass a broker';
  if (mechanism === undefined) return 'the native baseline has no program for the mechanism of its transport';
  if (mechanism === 'memory' && !spins && platform !== 'linux')
    return 'sleeping on shared memory needs the futex of Linux';
  return { mechanism, coalesces, spins, payloadBytes, workers, loops, placement };
}

/** @param {Scenario} scenario @returns true if an operation sends one payload to the master and back */
function isEcho({ roundTrips = 1, isByTime, isCold, carries }) {
  return roundTrips === 1 && !isByTime && !isCold && carries === undefined;
}
