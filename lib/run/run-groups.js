// The loop of a run. Each repetition launches every cell once, and a reference once per group that it is in: groups run one after the other
// in shuffled order, and the results are saved after each. Several results files can be measured in the same groups, which makes variants
// comparable.

import { cellLabel, seriesLabel } from '../cell/labels.js';
import { memoryBytes } from '../machine/limits.js';
import { QUICK } from '../options/flags.js';
import { hasRate } from '../results/failed-outcome.js';
import { summariseResults } from '../results/summarise.js';
import { sustainedRate } from '../results/sustained-rate.js';
import { leastRepetitions } from '../statistics/log-model.js';
import { seededRandom, seedFrom, shuffled } from '../statistics/random.js';
import { sum, sumBy } from '../statistics/sum.js';
import { interimTables } from './interim.js';
import { mostProcessesIn, planGroups, runGroup, START_SHARE } from './launch-groups.js';
import { knownRatios, settlingNeeds, stopDecision } from './stop-rule.js';

/** @import { Cell, Launch, Options, PlannedCell, Progress, Results } from '../types/index.js' */
/** @import { SlicedLaunch } from './launch-groups.js' */
/**
 * One results file that the run fills.
 * @typedef {object} RunSide
 * @property {Options} options               launches, seed and stop are equal in all sides
 * @property {PlannedCell[]} plan
 * @property {string} reference
 * @property {import('../results/write.js').ResultsFile} file
 * @property {Results} results               Existing launches are kept.
 * @property {import('./cell-runner.js').CellRunner} runner
 * @property {import('./diagnostics/native-baseline.js').BaselineLaunches | null} [floor]   set if a native baseline is measured
 */
/**
 * @typedef {object} RunCell
 * @property {RunSide} side
 * @property {Cell} cell
 * @property {number} mostLaunches
 * @property {Launch[]} launches   completed launches
 * @property {{ group: number, sliced: SlicedLaunch }} [underWay]   a current launch in slices
 */
/**
 * @typedef {object} RunWatch
 * @property {(progress: Progress) => void} onProgress
 * @property {AbortSignal} signal
 * @property {RunEnd} ending            `signal` is aborted when the signal of `ending` is
 * @property {() => void} [abandon]       aborts `signal` after an error of onProgress or onInterim
 * @property {(interim: import('./interim.js').Interim) => void} [onInterim]   called between measurements
 */

// A run with --quick ends before a repetition after which it would exceed this time per cell: about 14 s for the nine default cells, without
// its start and its end.
const QUICK_MS_PER_CELL = 1_500;
const STOP_DEADLINE_MS = 5_000; // A stopped run waits at most this long for the end of the round under way.
const FAILURES_UNTIL_GIVEN_UP = 2; // per cell, because a failure may take as long as a deadline

/** @param {PlannedCell[]} plan */
export function cellsToMeasure(plan) {
  return plan.filter(({ skip }) => skip === null).map(({ cell }) => cell);
}

/** @param {RunSide[]} sides @param {RunWatch} watch @returns {Promise<boolean>} false if the run was stopped early */
export async function runGroups(sides, watch) {
  const { onProgress, signal, ending, abandon, onInterim } = watch;
  const [{ options }] = sides;
  // The variants of a row are next to each other, so that they are measured in one group.
  const bySide = sides.map(listEntries);
  const rows = Math.max(...bySide.map((own) => own.length));
  const entries = Array.from({ length: rows }, (_, row) => bySide.flatMap((own) => own[row] ?? [])).flat();
  const groups = planGroups(entries, {
    isReference: ({ side, cell }) => seriesLabel(cell) === side.reference,
    canBeSliced: ({ side, cell }) => side.runner.canBeSliced(cell),
    countProcesses: ({ side, cell }) => side.runner.countProcesses(cell),
    mostProcesses: mostProcessesIn(memoryBytes()),
    variants: sides.length,
  });
  const launchesPerRepetition = sumBy(groups, (group) => group.entries.length);
  const partsPerRepetition = Math.max(1, ...groups.map(({ part }) => part + 1));
  const clock = runClock(sides);
  const track = new LaunchTracker(launchesPerRepetition, options.launches, onProgress);
  try {
    for (let repetition = 0; ; repetition += 1) {
      // The stop rule judges whole repetitions.
      if (ending.hasCutShort) return false;
      // Groups are numbered through all repetitions. The first parts of all tables share a number, as do the second ones.
      const firstGroup = repetition * partsPerRepetition;
      const hasBegun = entries.some(({ launches }) => launches.some(({ group }) => group >= firstGroup));
      if (!hasBegun && isOver(sides, entries, repetition, clock.elapsedMs())) break;
      const random = seededRandom(seedFrom(options.seed, 'repetition', repetition));
      let order = repetition * launchesPerRepetition;
      for (const [index, group] of shuffled([...groups.entries()], random)) {
        if (ending.isStopped()) return false;
        signal.throwIfAborted();
        const ownRandom = seededRandom(seedFrom(options.seed, `group ${index}`, repetition));
        const how = { group: firstGroup + group.part, order, random: ownRandom, track };
        const onStep = (/** @type {import('./launch-groups.js').GroupStep | null} */ step) =>
          onInterim?.({
            progress: track.now(),
            step,
            tables: interimTables(sides, entries, group.entries, settlingNeeds(options.stop, repetition + 1)),
          });
        await runEntries(group, how, { onStep, ending, abandon });
        for (const side of sides) await save(side, entries, clock);
        onStep(null);
        order += group.entries.length;
      }
    }
    return true;
  } finally {
    for (const side of sides) summarise(side, entries, clock);
    track.end();
  }
}

/** Ends a stopped run: launches in slices after the round under way, with the slices that count, and all others at once. */
export class RunEnd {
  #controller = new AbortController();
  #isInRounds = false;
  /** @type {NodeJS.Timeout | undefined} */
  #deadline;

  /** @param {AbortSignal} stop */
  constructor(stop) {
    this.stop = stop;
    /** @type {AbortSignal} */
    this.signal = this.#controller.signal;
    this.hasCutShort = false;
    stop.addEventListener('abort', this.#onStop);
    if (stop.aborted) this.#onStop();
  }

  #onStop = () => {
    if (this.#isInRounds) this.#deadline = setTimeout(this.#abort, STOP_DEADLINE_MS);
    else this.#abort();
  };

  #abort = () => this.#controller.abort(this.stop.reason);

  isStopped() {
    return this.stop.aborted;
  }

  /** Called only if the group has slices that count. @returns {boolean} true if the group ends now */
  cutsShort() {
    if (!this.stop.aborted) return false;
    this.hasCutShort = true;
    return true;
  }

  /** @param {import('./launch-groups.js').GroupStep | null} step   null between groups */
  follow(step) {
    this.#isInRounds = step?.kind === 'rounds';
    if (this.stop.aborted && !this.#isInRounds) this.#abort();
  }

  release() {
    clearTimeout(this.#deadline);
    this.stop.removeEventListener('abort', this.#onStop);
  }
}

/**
 * @param {import('./launch-groups.js').LaunchGroup<RunCell>} group
 * @param {{ group: number, order: number, random: () => number, track: LaunchTracker }} how   `order`: order of its first launch
 * @param {{ onStep: (step: import('./launch-groups.js').GroupStep) => void, ending: RunEnd, abandon?: () => void }} watch
 */
async function runEntries(
  { entries, isSliced },
  { group, order, random, track },
  { onStep, ending, abandon },
) {
  /** @type {import('./launch-groups.js').Starter[]} */
  const starters = [];
  for (const [index, entry] of shuffled(entries, random).entries()) {
    const { side, cell, launches, mostLaunches } = entry;
    // Every entry draws a number, even if it is not launched, so that the others draw the same numbers in a resumed run.
    const drawn = random();
    const earlier = launches.findIndex((launch) => launch.group === group);
    const kept = launches[earlier];
    const isCutShort = kept?.status === 'measured' && kept.slices?.isCutShort === true;
    const isKept = kept !== undefined && !isCutShort;
    const failures = launches.filter((launch) => !hasRate(launch)).length;
    if (isKept || failures >= FAILURES_UNTIL_GIVEN_UP || launches.length >= mostLaunches) {
      const last = kept ?? launches.at(-1);
      track.endLaunch(cell, last !== undefined && !hasRate(last));
      continue;
    }
    await side.floor?.before(cell, group);
    starters.push({
      cell,
      isReference: seriesLabel(cell) === side.reference,
      start(sliced) {
        if (isSliced) entry.underWay = { group, sliced };
        return side.runner.run(cell, group, order + index, () => drawn, {}, isSliced ? sliced : undefined);
      },
      onEnd(launch) {
        entry.underWay = undefined;
        if (isCutShort) launches[earlier] = launch;
        else launches.push(launch);
        track.endLaunch(cell, !hasRate(launch));
      },
    });
  }
  ending.follow(null);
  await runGroup(starters, random, {
    onShare: (cell, share) => track.report(cell, share),
    onStep(step) {
      ending.follow(step);
      onStep(step);
    },
    isEnough: () => ending.cutsShort(),
    abandon,
  });
  ending.follow(null);
}

/** @param {RunSide} side @returns {RunCell[]} */
function listEntries(side) {
  const known = new Map(side.results.outcomes.map((outcome) => [cellLabel(outcome.cell), outcome]));
  const measured = side.plan.filter(({ skip }) => skip === null);
  return measured.map(({ cell, launches: mostLaunches = Infinity }) => {
    const outcome = known.get(cellLabel(cell));
    return {
      side,
      cell,
      mostLaunches,
      launches: outcome === undefined || outcome.status === 'skipped' ? [] : [...outcome.launches],
    };
  });
}

/**
 * Decides whether the run ends. For an adaptive run, it records the reason in the results.
 * @param {RunSide[]} sides
 * @param {RunCell[]} entries
 * @param {number} repetitions   number of completed repetitions
 * @param {number} elapsedMs
 */
function isOver(sides, entries, repetitions, elapsedMs) {
  const [{ options }] = sides;
  if (isQuickEnough(options, entries.length, repetitions, elapsedMs)) return true;
  if (options.stop === undefined) return repetitions >= options.launches;
  const launches = entries.flatMap((entry) => entry.launches.filter(hasRate));
  const areSliced = launches.every(({ slices }) => slices !== undefined);
  const progress = {
    repetitions,
    leastRepetitions: leastRepetitions(options.launches, areSliced),
    elapsedMs,
    known: knownRatios(sides, entries),
  };
  const decision = stopDecision(options.stop, progress);
  for (const { results } of sides) results.stopRule = { ...decision, repetitions, elapsedMs };
  return decision.endedBy !== null;
}

/**
 * Ends a quick run of default length early on a slow machine, with fewer launches.
 * @param {Options} options
 * @param {number} cells
 * @param {number} repetitions   number of completed repetitions
 * @param {number} elapsedMs   duration of these repetitions
 */
function isQuickEnough({ quick, launches }, cells, repetitions, elapsedMs) {
  if (!quick || launches !== Number(QUICK.launches) || repetitions === 0) return false;
  return elapsedMs + elapsedMs / repetitions > QUICK_MS_PER_CELL * cells;
}

/** @param {RunSide} side @param {RunCell[]} entries @param {ReturnType<typeof runClock>} clock */
async function save(side, entries, clock) {
  summarise(side, entries, clock);
  await side.file.save(side.results);
}

/** @param {RunSide} side @param {RunCell[]} entries @param {ReturnType<typeof runClock>} clock */
function summarise(side, entries, clock) {
  const { results, options, plan, reference } = side;
  const launchesByCell = new Map(
    entries.flatMap((entry) => (entry.side === side ? [[cellLabel(entry.cell), entry.launches]] : [])),
  );
  const wakeUpUs = results.machine?.wakeUp?.costUs ?? null;
  const { controls, scenarios } = results;
  const { launches: plannedLaunches, quick } = options;
  const circumstances = { plannedLaunches, quick, wakeUpUs, controls, scenarios };
  results.outcomes = summariseResults(plan, launchesByCell, reference, circumstances);
  for (const sweep of results.sweeps ?? []) sweep.sustained = sustainedRate(sweep, results.outcomes);
  results.updatedAt = new Date().toISOString();
  if (results.stopRule) results.stopRule.elapsedMs = clock.elapsedMs();
}

/** Counts from the start of the run, with the measuring time of the run that is resumed. @param {RunSide[]} sides */
function runClock([{ results }]) {
  const beganMs = performance.now() - (results.stopRule?.elapsedMs ?? 0);
  return { elapsedMs: () => performance.now() - beganMs };
}

/** Counts the completed launches of a run, and estimates how long the remaining ones take. */
export class LaunchTracker {
  /** @param {number} launchesPerRepetition @param {number} minRepetitions @param {(progress: Progress) => void} onProgress */
  constructor(launchesPerRepetition, minRepetitions, onProgress) {
    this.launchesPerRepetition = launchesPerRepetition;
    this.minRepetitions = minRepetitions;
    this.onProgress = onProgress;
    this.beganMs = performance.now();
    this.launchesDone = 0;
    /** Number of launches of the run that is resumed; null before the first launch of this one. @type {number | null} */
    this.keptLaunches = null;
    this.failed = 0;
    this.repetition = 0;
    /** Completed share of the current launch of each cell. @type {Map<Cell, number>} */
    this.shares = new Map();
    /** @type {Cell | null} */
    this.current = null;
  }

  /**
   * Called before a launch starts, after its start and its warm-up, and before each slice.
   * @param {Cell} cell
   * @param {number} share   completed share of the launch, from 0 to 1
   */
  report(cell, share) {
    this.keptLaunches ??= this.launchesDone;
    this.repetition = Math.floor(this.launchesDone / this.launchesPerRepetition);
    this.shares.set(cell, share);
    this.current = cell;
    this.onProgress(this.read('launch', cell));
  }

  /** @param {Cell} cell @param {boolean} hasFailed */
  endLaunch(cell, hasFailed) {
    this.launchesDone += 1;
    if (hasFailed) this.failed += 1;
    this.shares.delete(cell);
  }

  now() {
    return this.read('launch', this.current);
  }

  end() {
    this.onProgress(this.read('end', null));
  }

  /** @param {'launch' | 'end'} phase @param {Cell | null} cell @returns {Progress} */
  read(phase, cell) {
    const { launchesDone, failed, repetition, launchesPerRepetition } = this;
    const elapsedMs = performance.now() - this.beganMs;
    const repetitions = Math.max(this.minRepetitions, repetition + 1);
    const launchesTotal = launchesPerRepetition * repetitions;
    const shareOfCurrent = sum([...this.shares.values()]);
    const doneNow = launchesDone - (this.keptLaunches ?? 0) + shareOfCurrent;
    const left = launchesTotal - launchesDone - shareOfCurrent;
    // The first starts take longest, because files and code are not yet in caches.
    const isKnown = doneNow > 0 && doneNow >= Math.min(1, START_SHARE * launchesPerRepetition);
    const etaMs = isKnown ? (elapsedMs / doneNow) * left : null;
    return { phase, repetition, repetitions, cell, launchesDone, launchesTotal, failed, elapsedMs, etaMs };
  }
}
