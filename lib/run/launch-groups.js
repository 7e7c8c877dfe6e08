// Groups of launches that live at the same time: what disturbs the machine for a moment then meets all of them alike. Each launch of a group
// starts and warms up before the first round; a round gives every launch one slice.

import { availableParallelism } from 'node:os';
import { groupLabel } from '../cell/labels.js';
import { groupedBy } from '../format/lists.js';
import { DISTURBED_SLICE_SHARE } from '../machine/noise.js';
import { fitSlices } from '../plan/timing.js';
import { shuffled } from '../statistics/random.js';
import { sumBy } from '../statistics/sum.js';

/** @import { Cell, Launch, SlicePlan, Slices } from '../types/index.js' */
/** @import { SliceReport, Step, StepDone } from '../launch/control/protocol.js' */

const MOST_CELLS = 10; // of a group: a round of more would be longer than the noise that it is to cancel
// Each connection of a worker takes a file descriptor of a broker, and the usual limit is 1,024 of them.
const MOST_PROCESSES = 200;
const BYTES_PER_PROCESS = 92e6; // a launch of three takes 275 MB
const SHARE_OF_MEMORY = 0.5; // the rest is for payloads, brokers and other programs
/**
 * @template {{ cell: Cell }} Entry
 * @typedef {object} Group
 * @property {Entry[]} entries
 * @property {number} part    counted from 0; a table with more cells than a group holds has several
 * @property {boolean} isSliced   or a single launch in one window
 */

/**
 * @param {number} memoryBytes   of the machine, or of its control group: what is free now would make other groups when a run is resumed
 * @returns {number} how many processes may live at the same time
 */
export function mostProcessesIn(memoryBytes) {
  return Math.min(MOST_PROCESSES, Math.floor((SHARE_OF_MEMORY * memoryBytes) / BYTES_PER_PROCESS));
}

/**
 * Cells that are compared with one reference are in one group; where they are too many for one, the reference is in each.
 * @template {{ cell: Cell }} Entry
 * @param {Entry[]} entries
 * @param {object} rules
 * @param {(entry: Entry) => boolean} rules.isReference
 * @param {(entry: Entry) => boolean} rules.canBeSliced
 * @param {(entry: Entry) => number} rules.countProcesses   of its launch
 * @param {number} rules.mostProcesses                      of a group; a launch that has more is a group by itself
 * @returns {Group<Entry>[]}
 */
export function planGroups(entries, { isReference, canBeSliced, countProcesses, mostProcesses }) {
  const tables = groupedBy(entries.filter(canBeSliced), ({ cell }) => groupLabel(cell));
  const alone = entries.filter((entry) => !canBeSliced(entry));
  /** @type {Group<Entry>[]} */
  const groups = [];
  for (const table of tables.values()) {
    const most = mostProcesses / Math.max(...table.map(countProcesses));
    const mostCells = Math.min(MOST_CELLS, Math.max(1, Math.floor(most)));
    for (const [part, cells] of divideTable(table, isReference, mostCells).entries()) {
      const last = groups.at(-1);
      // Small tables share a group.
      const joined = [...(last?.entries ?? []), ...cells];
      const hasRoom = joined.length <= MOST_CELLS && sumBy(joined, countProcesses) <= mostProcesses;
      if (part === 0 && last?.part === 0 && hasRoom) last.entries.push(...cells);
      else groups.push({ entries: cells, part, isSliced: true });
    }
  }
  return [...groups, ...alone.map((entry) => ({ entries: [entry], part: 0, isSliced: false }))];
}

/**
 * @template {{ cell: Cell }} Entry
 * @param {Entry[]} table
 * @param {(entry: Entry) => boolean} isReference
 * @param {number} mostCells
 * @returns {Entry[][]}
 */
function divideTable(table, isReference, mostCells) {
  if (table.length <= mostCells) return [table];
  const shared = table.filter(isReference);
  const others = table.filter((entry) => !isReference(entry));
  // A reference without a row beside it would be measured for nothing.
  const room = Math.max(1, mostCells - shared.length);
  const count = Math.ceil(others.length / room);
  const size = Math.ceil(others.length / count);
  return Array.from({ length: count }, (_, part) => [
    ...shared,
    ...others.slice(part * size, (part + 1) * size),
  ]);
}

/** A launch of a group, as the runner leads it: one step after the other. */
export class SlicedLaunch {
  /** @param {number} groupSize */
  constructor(groupSize) {
    this.groupSize = groupSize;
    /** Set when it starts. @type {SlicePlan | undefined} */
    this.plan = undefined;
    /** Set when it starts. @type {import('../machine/noise.js').SliceNoiseWatch | undefined} */
    this.noise = undefined;
    this.isOver = false;
    /** Of its last slice. @type {number | null} */
    this.lastRound = null;
    /** That count, and the last one. @type {Slices} */
    this.slices = { rounds: [], operations: [], windowMs: [], cpuMs: [] };
    /** Sends a step to the controller; set when it starts. @type {(step: Step) => void} */
    this.send = () => {};
    /** @type {(slice?: SliceReport) => void} */
    this.resolveDone = () => {};
    this.done = this.untilDone();
  }

  /** @returns {Promise<SliceReport | undefined>} when its step is done, or the launch has ended */
  untilDone() {
    return new Promise((resolve) => {
      this.resolveDone = resolve;
    });
  }

  /** @param {Pick<StepDone, 'slice' | 'operationMs'>} report   of the controller */
  onStepDone({ slice, operationMs }) {
    if (operationMs !== undefined && this.plan !== undefined) this.plan = fitSlices(this.plan, operationMs);
    this.resolveDone(slice);
  }

  /** The launch has ended. */
  end() {
    this.isOver = true;
    this.resolveDone();
  }

  /** @param {Step} step @returns {Promise<SliceReport | undefined>} undefined also if the launch has ended */
  async run(step) {
    if (this.isOver) return undefined;
    this.done = this.untilDone();
    this.send(step);
    return this.done;
  }

  /** @param {number} round @param {boolean} isAgain @returns {Promise<boolean>} something outside of the launch disturbed the slice */
  async measureSlice(round, isAgain) {
    const { plan, noise } = this;
    if (plan === undefined) return false;
    const { skipMs } = plan;
    // The load goes on until each loop has completed an operation, however short the slice is.
    const measureMs = round === TRIAL ? Math.min(TRIAL_MS, plan.measureMs) : plan.measureMs;
    const dropsLast = isAgain || this.lastRound === TRIAL;
    this.lastRound = round;
    const endSlice = noise?.begin(dropsLast);
    const slice = await this.run({ kind: 'slice', skipMs, measureMs, dropsLast });
    if (slice === undefined) return false;
    this.record(slice, round, dropsLast);
    if (isAgain) this.slices.repeated = (this.slices.repeated ?? 0) + 1;
    if (endSlice === undefined) return false;
    const { othersShare, stealShare, throttledPeriods } = endSlice(slice.spentCpuMs);
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

  /** @returns {Slices | null} a copy of those so far; null before the first one that counts */
  copySlices() {
    const [firstRound = TRIAL] = this.slices.rounds;
    return firstRound === TRIAL ? null : structuredClone(this.slices);
  }
}

/**
 * What a group does next.
 * @typedef {{ kind: 'start' | 'warm-up', cell: Cell } | { kind: 'rounds', done: number, rounds: number }} GroupStep   rounds that count
 */
/**
 * @typedef {object} GroupWatch   called while nothing of the group is measured
 * @property {(cell: Cell, share: number) => void} onShare   of the work of its launch that is done, before and after each piece
 * @property {(step: GroupStep) => void} [onStep]
 * @property {() => boolean} [isEnough]   after each round that counts; true ends the group with the slices that it has
 */

/**
 * @typedef {object} Starter
 * @property {Cell} cell
 * @property {boolean} isReference   the others are compared with it
 * @property {(sliced: SlicedLaunch) => Promise<Launch>} start
 * @property {(launch: Launch) => void} onEnd
 */

/**
 * @param {Starter[]} starters
 * @param {() => number} random
 * @param {GroupWatch} watch
 * @throws the error of the first launch that throws, once all have ended
 */
export async function runGroup(starters, random, watch) {
  const { onShare, onStep = () => {} } = watch;
  const members = starters.map((starter) => ({ ...starter, sliced: new SlicedLaunch(starters.length) }));
  /** @type {Promise<void>[]} */
  const launches = [];
  const waiting = members.values();
  const startOneByOne = async () => {
    for (const { cell, start, onEnd, sliced } of waiting) {
      onShare(cell, 0);
      onStep({ kind: 'start', cell });
      const launch = start(sliced).then(onEnd);
      launches.push(launch);
      const end = () => sliced.end();
      launch.then(end, end);
      await sliced.done;
      if (!sliced.isOver) onShare(cell, START_SHARE);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, startOneByOne));
  for (const { cell, sliced } of shuffled(members, random)) {
    if (sliced.isOver) continue;
    onShare(cell, START_SHARE);
    onStep({ kind: 'warm-up', cell });
    await sliced.run({ kind: 'warm-up' });
    if (!sliced.isOver) onShare(cell, WARM_SHARE);
  }
  await runRounds(members, random, watch);
  for (const { sliced } of members) sliced.run({ kind: 'finish' });
  const ends = await Promise.allSettled(launches);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The reference has two slices in each round of so many cells, since its noise is in every ratio. */
const MANY_CELLS = 5;
/** The first round does not count: the launches have rested since they warmed up, and some of them are slower by 10 % in it. */
const TRIAL = -1;
const TRIAL_MS = 80;
const MOST_REPEATED_SHARE = 1 / 3;
export const START_SHARE = 0.2; // of what a launch takes: its start, and then its warm-up
const WARM_SHARE = 0.5;

/** @param {(Pick<Starter, 'cell' | 'isReference'> & { sliced: SlicedLaunch })[]} members @param {() => number} random @param {GroupWatch} watch */
async function runRounds(members, random, { onShare, onStep = () => {}, isEnough = () => false }) {
  const countRounds = (/** @type {typeof members[number]} */ { sliced }) => sliced.plan?.rounds ?? 0;
  const rounds = Math.max(0, ...members.map(countRounds));
  for (let round = TRIAL; round < rounds; round += 1) {
    onStep({ kind: 'rounds', done: Math.max(0, round), rounds });
    if (round > 0 && isEnough()) return;
    const live = members.filter((member) => !member.sliced.isOver && round < countRounds(member));
    const references = live.filter(({ isReference }) => isReference);
    const isDoubled = live.length >= MANY_CELLS && references.length === 1 && round !== TRIAL;
    /** Those whose last slice was disturbed. @type {Set<typeof live[number]>} */
    const disturbed = new Set();
    for (const member of shuffled(isDoubled ? [...live, ...references] : live, random)) {
      onShare(member.cell, WARM_SHARE + ((1 - WARM_SHARE) * (round - TRIAL)) / (rounds - TRIAL));
      const isDisturbed = await member.sliced.measureSlice(round, false);
      if (isDisturbed && round !== TRIAL) disturbed.add(member);
      else disturbed.delete(member);
    }
    // Chosen by what was seen outside of the launches, and at most once in a round. What disturbs most of a round meets all cells alike.
    if (disturbed.size > MOST_REPEATED_SHARE * live.length) continue;
    for (const { sliced } of shuffled([...disturbed], random)) await sliced.measureSlice(round, true);
  }
  if (rounds > 0) onStep({ kind: 'rounds', done: rounds, rounds });
}
