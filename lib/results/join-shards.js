// The shards of one run → the results that the whole run would have given: the same launches in the same blocks, and all
// that follows from them computed anew. Whether they are shards of one run is why-not-joined.js.

import { cellLabel } from '../cell/labels.js';
import { joinedControls, joinedWakeUp } from './calibration-rows.js';
import { isNotLaunched, summariseResults } from './summarise.js';

/** @import { Floor, JoinedShard, Launch, PlannedCell, Results, Shard } from '../types/index.js' */
/** @typedef {Results & { options: { shard: Shard } }} ShardResults */

/**
 * @param {ShardResults[]} parts   of one run, each once, in any order; some may be missing
 * @returns {Results} the same bytes for the same parts: its times are theirs
 */
export function joinShards(parts) {
  const shards = parts.toSorted((one, other) => one.options.shard.index - other.options.shard.index);
  // One that was stopped before its first launch had ended does not know its cells.
  const first = shards.find(({ outcomes }) => outcomes.length > 0) ?? shards[0];
  const { continuedAt: _times, ...facts } = first;
  const { shard, ...options } = first.options;
  const isWhole = shards.length === shard.count && shards.every(({ status }) => status === 'complete');
  const instants = shards.flatMap(({ startedAt, updatedAt }) => [startedAt, updatedAt]).sort();
  const wakeUp = joinedWakeUp(shards.map(({ machine }) => machine?.wakeUp));
  const controls = joinedControls(shards.flatMap((each) => each.controls ?? []));
  const { launches: plannedLaunches, quick } = options;
  const { scenarios, reference } = first;
  const circumstances = { plannedLaunches, quick, wakeUpUs: wakeUp?.costUs ?? null, controls, scenarios };
  return {
    ...facts,
    status: isWhole ? 'complete' : 'interrupted',
    startedAt: instants[0],
    updatedAt: instants[instants.length - 1],
    environment: { ...first.environment, brokers: mergeBrokers(shards) },
    options,
    ...(first.machine && { machine: { wakeUp } }),
    ...(controls && { controls }),
    ...(first.floor && { floor: joinedFloor(shards, first.floor) }),
    outcomes: summariseResults(recoverPlan(first), launchesByCell(shards), reference, circumstances),
    shards: shards.map(joinedShard),
  };
}

/** @param {ShardResults} results @returns {JoinedShard} what stays its own */
function joinedShard({ options: { shard }, status, startedAt, updatedAt, ...results }) {
  const { continuedAt, environment, machine, controls } = results;
  return {
    ...shard,
    status,
    startedAt,
    updatedAt,
    environment,
    ...(continuedAt && { continuedAt }),
    ...(machine && { machine }),
    ...(controls && { controls }),
  };
}

/** @param {Results} results @returns {PlannedCell[]} that its outcomes are of */
function recoverPlan({ outcomes }) {
  return outcomes.map((outcome) =>
    outcome.status === 'skipped' && !isNotLaunched(outcome)
      ? { cell: outcome.cell, skip: outcome.reason, ...(outcome.isImpossible && { isImpossible: true }) }
      : { cell: outcome.cell, skip: null },
  );
}

/** @param {Results[]} shards @returns {Map<string, Launch[]>} by cellLabel, in the order of the blocks */
function launchesByCell(shards) {
  /** @type {Map<string, Launch[]>} */
  const byCell = new Map();
  for (const outcome of shards.flatMap(({ outcomes }) => outcomes)) {
    const label = cellLabel(outcome.cell);
    const own = outcome.status === 'skipped' ? [] : outcome.launches;
    byCell.set(label, [...(byCell.get(label) ?? []), ...own]);
  }
  for (const launches of byCell.values()) launches.sort((one, other) => one.block - other.block);
  return byCell;
}

/** @param {Results[]} shards @returns {Results['environment']['brokers']} those that any of them had */
function mergeBrokers(shards) {
  return Object.assign({}, ...shards.toReversed().map(({ environment }) => environment.brokers));
}

/** @param {Results[]} shards @param {Floor} floor   of the first of them @returns {Floor} with the launches of all, in the order of the blocks */
function joinedFloor(shards, { rows, without }) {
  const all = shards.flatMap(({ floor }) => floor?.rows ?? []);
  return {
    rows: rows.map((row) => {
      const same = all.filter(({ cells }) => cells[0] === row.cells[0]);
      const launches = same.flatMap((other) => other.launches);
      return { ...row, launches: launches.sort((one, other) => one.block - other.block) };
    }),
    without,
  };
}
