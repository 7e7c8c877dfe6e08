// Groups of launches that live side by side and are measured in turns: what disturbs the machine for a moment then meets all of them
// alike. Each starts and warms up before the first round; in a round, each has one slice.

import { availableParallelism } from 'node:os';
import { groupLabel } from '../cell/labels.js';
import { DISTURBED_SLICE_SHARE } from '../machine/noise.js';
import { fitSlices } from '../plan/timing.js';
import { shuffled } from '../statistics/random.js';
import { sumBy } from '../statistics/sum.js';

/** @import { Cell, Launch, SlicePlan, Slices } from '../types/index.js' */
/** @import { SliceReport, Turn, Turned } from '../launch/control/protocol.js' */
/** @import { TurnNoise } from '../machine/noise.js' */

/** How many cells live side by side at the most: a round of more would be longer than the noise that it is to cancel. */
const MOST_CELLS = 10;
// Each connection of a worker takes a file descriptor of a broker, and the usual limit is 1,024 of them.
const MOST_PROCESSES = 200;
const BYTES_PER_PROCESS = 92e6; // a launch of three takes 275 MB
const SHARE_OF_MEMORY = 0.5; // the rest is for payloads, brokers and other programs
/**
 * @template {{ cell: Cell }} Entry
 * @typedef {object} Group
 * @property {Entry[]} entries
 * @property {number} chunk    of its table, from 0
 * @property {boolean} isSliced   false: a single launch, in one window
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
 * @param {object} judge
 * @param {(entry: Entry) => boolean} judge.isReference
 * @param {(entry: Entry) => boolean} judge.canBeSliced
 * @param {(entry: Entry) => number} judge.countProcesses   of its launch
 * @param {number} judge.mostProcesses                      of a group; a launch that has more is a group of its own
 * @returns {Group<Entry>[]}
 */
export function planGroups(entries, { isReference, canBeSliced, countProcesses, mostProcesses }) {
  /** @type {Map<string, Entry[]>} */
  const tables = new Map();
  for (const entry of entries.filter(canBeSliced)) {
    const label = groupLabel(entry.cell);
    tables.set(label, [...(tables.get(label) ?? []), entry]);
  }
  const alone = entries.filter((entry) => !canBeSliced(entry));
  /** @type {Group<Entry>[]} */
  const groups = [];
  for (const table of tables.values()) {
    const most = mostProcesses / Math.max(...table.map(countProcesses));
    const mostCells = Math.min(MOST_CELLS, Math.max(1, Math.floor(most)));
    for (const [chunk, chunked] of chunksOf(table, isReference, mostCells).entries()) {
      const last = groups.at(-1);
      // Small tables share a group.
      const joined = [...(last?.entries ?? []), ...chunked];
      const hasRoom = joined.length <= MOST_CELLS && sumBy(joined, countProcesses) <= mostProcesses;
      if (chunk === 0 && last?.chunk === 0 && hasRoom) last.entries.push(...chunked);
      else groups.push({ entries: chunked, chunk, isSliced: true });
    }
  }
  return [...groups, ...alone.map((entry) => ({ entries: [entry], chunk: 0, isSliced: false }))];
}

/**
 * @template {{ cell: Cell }} Entry
 * @param {Entry[]} table
 * @param {(entry: Entry) => boolean} isReference
 * @param {number} mostCells
 * @returns {Entry[][]}
 */
function chunksOf(table, isReference, mostCells) {
  if (table.length <= mostCells) return [table];
  const shared = table.filter(isReference);
  const others = table.filter((entry) => !isReference(entry));
  // A reference without a row beside it would be measured for nothing.
  const room = Math.max(1, mostCells - shared.length);
  const count = Math.ceil(others.length / room);
  const size = Math.ceil(others.length / count);
  return Array.from({ length: count }, (_, chunk) => [
    ...shared,
    ...others.slice(chunk * size, (chunk + 1) * size),
  ]);
}

// How a launch of a group takes turns with the others.

export class LaunchTurns {
  /** @param {number} groupSize */
  constructor(groupSize) {
    this.groupSize = groupSize;
    /** @type {SlicePlan | undefined} */
    this.plan = undefined;
    /** @type {TurnNoise | undefined} */
    this.noise = undefined;
    this.isOver = false;
    /** Of its last slice. @type {number | null} */
    this.lastRound = null;
    /** That its controller has told of, and still counts. @type {Slices} */
    this.slices = { rounds: [], operations: [], windowMs: [], cpuMs: [] };
    /** @type {(order: Turn) => void} */
    this.send = () => {};
    this.next = this.untilHeard();
  }

  /** @returns {Promise<SliceReport | undefined>} */
  untilHeard() {
    return new Promise((resolve) => {
      this.heard = resolve;
    });
  }

  /** The launch has had its turn, and waits for the next one. @param {Pick<Turned, 'slice' | 'operationMs'>} report */
  hear({ slice, operationMs }) {
    if (operationMs !== undefined && this.plan !== undefined) this.plan = fitSlices(this.plan, operationMs);
    this.heard?.(slice);
  }

  /** The launch has ended, or will be measured without turns. */
  end() {
    this.isOver = true;
    this.heard?.(undefined);
  }

  /** @param {Turn} order @returns {Promise<SliceReport | undefined>} once it has been followed, or the launch has ended */
  async take(order) {
    if (this.isOver) return undefined;
    this.next = this.untilHeard();
    this.send(order);
    return this.next;
  }

  /** @param {number} round @param {boolean} isAgain @returns {Promise<boolean>} something outside of the launch disturbed the slice */
  async measureSlice(round, isAgain) {
    const { plan, noise } = this;
    if (plan === undefined) return false;
    const { skipMs } = plan;
    // The load goes on until each loop has completed an operation, however short the slice is.
    const measureMs = round === REHEARSAL ? Math.min(REHEARSAL_MS, plan.measureMs) : plan.measureMs;
    const dropsLast = isAgain || this.lastRound === REHEARSAL;
    this.lastRound = round;
    const endTurn = noise?.begin(dropsLast);
    const slice = await this.take({
      kind: 'slice',
      round,
      skipMs,
      measureMs,
      dropsLast,
    });
    if (slice !== undefined) this.record(slice, round, dropsLast);
    if (slice === undefined || endTurn === undefined) return false;
    const { othersShare, stealShare, throttledPeriods } = endTurn(slice.turnCpuMs);
    const takenShare = (othersShare ?? 0) + (stealShare ?? 0);
    return takenShare > DISTURBED_SLICE_SHARE || (throttledPeriods ?? 0) > 0;
  }

  /** As the controller does. @param {SliceReport} slice @param {number} round @param {boolean} dropsLast */
  record({ operations, windowMs, cpuMs }, round, dropsLast) {
    const counted = { rounds: round, operations, windowMs, cpuMs };
    for (const name of /** @type {const} */ (['rounds', 'operations', 'windowMs', 'cpuMs'])) {
      if (dropsLast) this.slices[name].pop();
      this.slices[name].push(counted[name]);
    }
  }

  /** @returns {Slices | null} so far, copied; null: of no round that counts */
  sliced() {
    const { rounds, operations, windowMs, cpuMs } = this.slices;
    if (rounds.length === 0 || rounds[0] === REHEARSAL) return null;
    return {
      rounds: [...rounds],
      operations: [...operations],
      windowMs: [...windowMs],
      cpuMs: [...cpuMs],
    };
  }
}

/**
 * What a group does next, told while nothing of it is measured.
 * @typedef {{ kind: 'start' | 'warm-up', cell: Cell } | { kind: 'rounds', done: number, rounds: number }} GroupStep   done: of the
 *   rounds that count
 */
/**
 * @typedef {object} GroupWatch
 * @property {(cell: Cell, share: number) => void} onShare   of the work of its launch that is done, before each further piece
 * @property {(step: GroupStep) => void} [onStep]
 * @property {() => boolean} [isEnough]   asked after each round that counts: the group ends with the slices that it has
 */

/**
 * @typedef {object} Starter
 * @property {Cell} cell
 * @property {boolean} isReference   the others are compared with it
 * @property {(turns: LaunchTurns) => Promise<Launch>} start
 * @property {(launch: Launch) => void} onEnd
 */

/**
 * @param {Starter[]} starters
 * @param {() => number} random
 * @param {GroupWatch} watch
 * @throws what the first of them throws, once all have ended
 */
export async function runGroup(starters, random, watch) {
  const { onShare, onStep = () => {} } = watch;
  const members = starters.map((starter) => ({ ...starter, turns: new LaunchTurns(starters.length) }));
  /** @type {Promise<void>[]} */
  const launches = [];
  const waiting = members.values();
  const startOneByOne = async () => {
    for (const { cell, start, onEnd, turns } of waiting) {
      onShare(cell, 0);
      onStep({ kind: 'start', cell });
      const launch = start(turns).then(onEnd);
      launches.push(launch);
      const end = () => turns.end();
      launch.then(end, end);
      await turns.next;
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, startOneByOne));
  for (const { cell, turns } of shuffled(members, random)) {
    if (turns.isOver) continue;
    onShare(cell, START_SHARE);
    onStep({ kind: 'warm-up', cell });
    await turns.take({ kind: 'warm-up' });
  }
  await runRounds(members, random, watch);
  for (const { turns } of members) turns.take({ kind: 'finish' });
  const ends = await Promise.allSettled(launches);
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The reference has two slices in each round of so many cells, since its noise is in every ratio. */
const MANY_CELLS = 5;
/** The round that does not count: the launches have rested since they warmed up, and some of them are slower by 10 % in it. */
const REHEARSAL = -1;
const REHEARSAL_MS = 80;
const MOST_REPEATED_SHARE = 1 / 3;
const START_SHARE = 0.2; // of what a launch takes: its start, and then its warm-up
const WARM_SHARE = 0.5;

/** @param {(Pick<Starter, 'cell' | 'isReference'> & { turns: LaunchTurns })[]} members @param {() => number} random @param {GroupWatch} watch */
async function runRounds(members, random, { onShare, onStep = () => {}, isEnough = () => false }) {
  const rounds = Math.max(0, ...members.map(({ turns }) => turns.plan?.rounds ?? 0));
  for (let round = REHEARSAL; round < rounds; round += 1) {
    onStep({ kind: 'rounds', done: Math.max(0, round), rounds });
    if (round > 0 && isEnough()) return;
    const own = members.filter(({ turns }) => !turns.isOver && round < (turns.plan?.rounds ?? 0));
    const references = own.filter(({ isReference }) => isReference);
    const isDoubled = own.length >= MANY_CELLS && references.length === 1 && round !== REHEARSAL;
    /** Those whose last slice was disturbed. @type {Set<typeof own[number]>} */
    const disturbed = new Set();
    for (const member of shuffled(isDoubled ? [...own, ...references] : own, random)) {
      onShare(member.cell, WARM_SHARE + ((1 - WARM_SHARE) * (round - REHEARSAL)) / (rounds - REHEARSAL));
      const isDisturbed = await member.turns.measureSlice(round, false);
      if (isDisturbed && round !== REHEARSAL) disturbed.add(member);
      else disturbed.delete(member);
    }
    // Chosen by what was seen outside of the launches, and at most once in a round. What disturbs most of a round meets all cells alike.
    if (disturbed.size > MOST_REPEATED_SHARE * own.length) continue;
    for (const { turns } of shuffled([...disturbed], random)) await turns.measureSlice(round, true);
  }
  if (rounds > 0) onStep({ kind: 'rounds', done: rounds, rounds });
}
