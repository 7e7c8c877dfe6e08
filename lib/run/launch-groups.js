// Groups of launches that run at the same time, so that a short disturbance of the machine affects all of them. Every launch of a group
// starts and warms up before the first round, and a round gives every launch a slice. Launches warm up one at a time, while others start.

import { availableParallelism } from 'node:os';
import { groupLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import { DISTURBED_SLICE_SHARE } from '../machine/noise.js';
import { fitSlices } from '../plan/timing.js';
import { shuffled } from '../statistics/random.js';
import { sumBy } from '../statistics/sum.js';

/** @import { Cell, Launch, SlicePlan, Slices } from '../types/index.js' */
/** @import { SliceReport, LaunchStep, StepDone } from '../launch/control/protocol.js' */

const MAX_CELLS = 10; // With more cells in a group, a round would last longer than the noise that it should cancel.
// 200 is a round number at which five connections of each process to a broker still fit into 1,024 open files, a usual limit.
const MAX_PROCESSES = 200;
const BYTES_PER_PROCESS = 92e6; // A launch with three processes takes 275 MB.
const SHARE_OF_MEMORY = 0.5; // The rest is left to payloads, brokers and other programs.
/**
 * @template {{ cell: Cell }} Entry
 * @typedef {object} LaunchGroup
 * @property {Entry[]} entries
 * @property {number} part    counted from 0; a table with too many cells for one group has several parts
 * @property {boolean} isSliced   false for a single launch in one window
 */

/**
 * @param {number} memoryBytes   total memory of the machine or its control group; free memory would change the groups of a resumed run
 * @returns {number} number of processes that may run at the same time
 */
export function mostProcessesIn(memoryBytes) {
  return Math.min(MAX_PROCESSES, Math.floor((SHARE_OF_MEMORY * memoryBytes) / BYTES_PER_PROCESS));
}

/**
 * Puts cells that are compared with one reference into one group. If they need several groups, each contains the reference. A cell that
 * is not measured in slices forms a group alone.
 * @template {{ cell: Cell }} Entry
 * @param {Entry[]} entries
 * @param {object} rules
 * @param {(entry: Entry) => boolean} rules.isReference
 * @param {(entry: Entry) => boolean} rules.canBeSliced
 * @param {(entry: Entry) => number} rules.countProcesses   processes per launch
 * @param {number} rules.mostProcesses                      per group; exceeded if a cell alone, or with its reference, needs more
 * @param {number} [rules.variants]   number of adjacent entries that are compared with each other, and therefore belong to one group
 * @returns {LaunchGroup<Entry>[]}
 */
export function planGroups(
  entries,
  { isReference, canBeSliced, countProcesses, mostProcesses, variants = 1 },
) {
  const tables = groupedBy(entries.filter(canBeSliced), ({ cell }) => groupLabel(cell));
  const alone = entries.filter((entry) => !canBeSliced(entry));
  /** @type {LaunchGroup<Entry>[]} */
  const groups = [];
  for (const table of tables.values()) {
    const most = mostProcesses / Math.max(...table.map(countProcesses));
    const mostCells = Math.min(MAX_CELLS, Math.max(1, Math.floor(most)));
    for (const [part, cells] of divideTable(table, { isReference, mostCells, variants }).entries()) {
      const last = groups.at(-1);
      // Small tables share a group.
      const joined = [...(last?.entries ?? []), ...cells];
      const hasRoom = joined.length <= MAX_CELLS && sumBy(joined, countProcesses) <= mostProcesses;
      if (part === 0 && last?.part === 0 && hasRoom) last.entries.push(...cells);
      else groups.push({ entries: cells, part, isSliced: true });
    }
  }
  return [...groups, ...alone.map((entry) => ({ entries: [entry], part: 0, isSliced: false }))];
}

/**
 * @template {{ cell: Cell }} Entry
 * @param {Entry[]} table
 * @param {{ isReference: (entry: Entry) => boolean, mostCells: number, variants: number }} rules
 * @returns {Entry[][]}
 */
function divideTable(table, { isReference, mostCells, variants }) {
  if (table.length <= mostCells) return [table];
  const shared = table.filter(isReference);
  const others = table.filter((entry) => !isReference(entry));
  // Room for one other row, in all variants, is needed, because a reference alone would be compared with nothing.
  const rows = others.length / variants;
  const room = Math.max(1, Math.floor((mostCells - shared.length) / variants));
  const count = Math.ceil(rows / room);
  const size = variants * Math.ceil(rows / count);
  return Array.from({ length: count }, (_, part) => [
    ...shared,
    ...others.slice(part * size, (part + 1) * size),
  ]);
}

/** A launch of a group, which the runner controls step by step. */
export class SlicedLaunch {
  /** @param {number} groupSize */
  constructor(groupSize) {
    this.groupSize = groupSize;
    /** Set when the launch starts. @type {SlicePlan | undefined} */
    this.plan = undefined;
    /** Set when the launch starts. @type {import('../machine/noise.js').NoiseMonitor | undefined} */
    this.noise = undefined;
    this.isOver = false;
    /** Null before the first slice. @type {number | null} */
    this.lastRound = null;
    /** The slices that count, and the last one, which the next slice may replace. @type {Slices} */
    this.slices = { rounds: [], operations: [], windowMs: [], cpuMs: [] };
    /** Sends a step to the controller. Set when the launch starts. @type {(step: LaunchStep) => void} */
    this.send = () => {};
    /** @type {(slice?: SliceReport) => void} */
    this.resolveDone = () => {};
    this.done = this.untilDone();
  }

  /** @returns {Promise<SliceReport | undefined>} resolved when the step is done or the launch has ended; undefined as in `run` */
  untilDone() {
    return new Promise((resolve) => {
      this.resolveDone = resolve;
    });
  }

  /** @param {Pick<StepDone, 'slice' | 'operationMs'>} report   from the controller */
  onStepDone({ slice, operationMs }) {
    if (operationMs !== undefined && this.plan !== undefined) this.plan = fitSlices(this.plan, operationMs);
    this.resolveDone(slice);
  }

  end() {
    this.isOver = true;
    this.resolveDone();
  }

  /** @param {LaunchStep} step @returns {Promise<SliceReport | undefined>} undefined if the step is no slice, or the launch has ended */
  async run(step) {
    if (this.isOver) return undefined;
    this.done = this.untilDone();
    this.send(step);
    return this.done;
  }

  /** @param {number} round @param {boolean} isAgain @returns {Promise<boolean>} true if the slice was disturbed from outside */
  async measureSlice(round, isAgain) {
    const { plan, noise } = this;
    if (plan === undefined) return false;
    const { skipMs } = plan;
    // The load continues until each loop has completed an operation, even if the slice is shorter.
    const measureMs = round === TRIAL ? Math.min(TRIAL_MS, plan.measureMs) : plan.measureMs;
    const dropsLast = isAgain || this.lastRound === TRIAL;
    this.lastRound = round;
    if (dropsLast) noise?.drop();
    noise?.begin();
    const slice = await this.run({ kind: 'slice', skipMs, measureMs, dropsLast });
    if (slice === undefined) return false;
    this.record(slice, round, dropsLast);
    if (isAgain) this.slices.repeated = (this.slices.repeated ?? 0) + 1;
    if (noise === undefined) return false;
    const { othersShare, stealShare, throttledPeriods } = noise.end(slice.spentCpuMs);
    const takenShare = (othersShare ?? 0) + (stealShare ?? 0);
    return takenShare > DISTURBED_SLICE_SHARE || (throttledPeriods ?? 0) > 0;
  }

  /** @param {SliceReport} slice @param {number} round @param {boolean} dropsLast */
  record({ operations, windowMs, cpuMs }, round, dropsLast) {
    const counted = { rounds: round, operations, windowMs, cpuMs };
    for (const name of /** @type {const} */ (['rounds', 'operations', 'windowMs', 'cpuMs'])) {
      if (dropsLast) this.slices[name].pop();
      this.slices[name].push(counted[name]);
    }
  }

  /** Copies the slices so far. @returns {Slices | null} null before the first slice that counts */
  copySlices() {
    const [firstRound = TRIAL] = this.slices.rounds;
    return firstRound === TRIAL ? null : structuredClone(this.slices);
  }
}

/**
 * The next step of a group. `done` of its `rounds` are over; neither includes rounds that do not count.
 * @typedef {{ kind: 'start' | 'warm-up', cell: Cell } | { kind: 'rounds', done: number, rounds: number }} GroupStep
 */
/**
 * @typedef {object} GroupWatch   called between the measurements of the group
 * @property {(cell: Cell, share: number) => void} onShare   called before a launch starts, after its start and its warm-up, and before each
 *   slice, with the completed share of the launch
 * @property {(step: GroupStep) => void} [onStep]
 * @property {() => boolean} [isEnough]   called between rounds that count; true ends the group with the slices so far
 * @property {() => void} [abandon]   ends all launches; called after another function of this object has thrown
 */

/**
 * @typedef {object} Starter
 * @property {Cell} cell
 * @property {boolean} isReference   true if the other cells are compared with it
 * @property {(sliced: SlicedLaunch) => Promise<Launch>} start
 * @property {(launch: Launch) => void} onEnd
 */

/**
 * @param {Starter[]} starters
 * @param {() => number} random
 * @param {GroupWatch} watch
 * @throws the error of the first launch that fails, or of a function of `watch`, once all launches have ended
 */
export async function runGroup(starters, random, watch) {
  const { onShare, onStep = () => {}, abandon = () => {} } = watch;
  const members = starters.map((starter) => ({ ...starter, sliced: new SlicedLaunch(starters.length) }));
  /** @type {Promise<void>[]} */
  const launches = [];
  const waiting = members.values();
  const inTurn = oneAtATime();
  /** @param {typeof members[number]} member */
  const warmUp = async ({ cell, sliced }) => {
    if (sliced.isOver) return;
    onStep({ kind: 'warm-up', cell });
    await sliced.run({ kind: 'warm-up' });
    if (!sliced.isOver) onShare(cell, WARM_SHARE);
  };
  let isAbandoned = false;
  const bringUp = async () => {
    for (const member of waiting) {
      if (isAbandoned) return;
      const { cell, start, onEnd, sliced } = member;
      onShare(cell, 0);
      onStep({ kind: 'start', cell });
      const launch = start(sliced).then(onEnd);
      launches.push(launch);
      const end = () => sliced.end();
      launch.then(end, end);
      await sliced.done;
      if (!sliced.isOver) onShare(cell, START_SHARE);
      await inTurn(() => warmUp(member));
    }
  };
  const starts = Array.from({ length: availableParallelism() }, bringUp);
  try {
    await Promise.all(starts);
    await runRounds(members, random, watch);
  } catch (error) {
    isAbandoned = true;
    abandon();
    await Promise.allSettled(starts);
    await Promise.allSettled(launches);
    throw error;
  }
  for (const { sliced } of members) sliced.run({ kind: 'finish' });
  const ends = await Promise.allSettled(launches);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** @returns {<T>(act: () => Promise<T>) => Promise<T>} a function whose calls run one after the other */
function oneAtATime() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (act) => {
    const own = last.then(act);
    last = own.catch(() => {});
    return own;
  };
}

/** From this many cells on, a single reference has two slices per round, since its noise affects every ratio. */
const MANY_CELLS = 5;
/** The number of the first round, which does not count: after the pause since the warm-up, some launches are 10 % slower. */
const TRIAL = -1;
const TRIAL_MS = 80;
const MAX_REPEATED_SHARE = 1 / 3;
// Progress of a launch, from 0 to 1, when it has started and when it is warm
export const START_SHARE = 0.2;
const WARM_SHARE = 0.5;

/**
 * @param {(Pick<Starter, 'cell' | 'isReference'> & { sliced: SlicedLaunch })[]} members
 * @param {() => number} random
 * @param {GroupWatch} watch
 */
async function runRounds(members, random, { onShare, onStep = () => {}, isEnough = () => false }) {
  /** @param {typeof members[number]} member */
  const countRounds = ({ sliced }) => sliced.plan?.rounds ?? 0;
  const rounds = Math.max(0, ...members.map(countRounds));
  for (let round = TRIAL; round < rounds; round += 1) {
    onStep({ kind: 'rounds', done: Math.max(0, round), rounds });
    if (round > 0 && isEnough()) {
      for (const { sliced } of members) sliced.slices.isCutShort = true;
      return;
    }
    const live = members.filter((member) => !member.sliced.isOver && round < countRounds(member));
    const references = live.filter(({ isReference }) => isReference);
    const isDoubled = live.length >= MANY_CELLS && references.length === 1 && round !== TRIAL;
    /** Members whose last slice was disturbed. @type {Set<typeof live[number]>} */
    const disturbed = new Set();
    for (const member of shuffled(isDoubled ? [...live, ...references] : live, random)) {
      onShare(member.cell, WARM_SHARE + ((1 - WARM_SHARE) * (round - TRIAL)) / (rounds - TRIAL));
      // The second slice of a doubled reference replaces its first one if that was disturbed, since only the last slice can be dropped.
      const isDisturbed = await member.sliced.measureSlice(round, disturbed.has(member));
      if (isDisturbed && round !== TRIAL) disturbed.add(member);
      else disturbed.delete(member);
    }
    // Slices are repeated at most once per round, and only because of disturbances from outside. If many slices are disturbed, the cells
    // are affected equally, so no slice is repeated.
    if (disturbed.size > MAX_REPEATED_SHARE * live.length) continue;
    for (const { sliced } of shuffled([...disturbed], random)) await sliced.measureSlice(round, true);
  }
  if (rounds > 0) onStep({ kind: 'rounds', done: rounds, rounds });
}
