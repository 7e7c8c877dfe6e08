// Computes how long one process works per round trip, by category: from the counters of one extra launch and the CPU profile of another.

import { US_PER_MS } from '../format/units.js';
import { profileParts } from '../statistics/profile.js';
import { median } from '../statistics/rank-tests.js';
import { sumBy } from '../statistics/sum.js';

/** @import { Profile, ProfileNode } from '../statistics/profile.js' */

/** @import { InsideFacts } from '../types/index.js' */
/**
 * @typedef {object} InsideReading        totals of a process so far
 * @property {number} atMs             from the clock that all processes share
 * @property {number} operations
 * @property {number} activeMs         time in which its event loop was not waiting
 * @property {number} onTheWayMs       part of activeMs: until the last write, in iterations that wrote
 * @property {number} afterMs          part of activeMs: after the last write, in the same iterations
 * @property {number | null} cpuMs     of the thread that runs JavaScript; null if the system does not report it
 * @property {number | null} waitedMs  time in which that thread was ready but had no CPU; null as cpuMs
 * @property {number} userUs           of the whole process
 * @property {number} systemUs
 */
/**
 * @typedef {object} InsideRecord
 * @property {InsideReading[]} readings   in chronological order
 * @property {[atMs: number, ms: number][]} collections   garbage collections
 */
/** @typedef {{ fromMs: number, toMs: number }} Window   times of the clock that all processes share */
/**
 * Returns the category of a function, given the category of its caller: 'codec', 'transport', 'harness' or another name.
 * @typedef {(frame: ProfileNode['callFrame'], ofCaller: string) => string} PartOf
 */
/** @typedef {{ first: InsideReading, last: InsideReading, all: InsideReading[], operations: number }} ProfileSlices */
/** @typedef {Omit<InsideFacts, 'name' | 'role'>} ProcessFacts */

const MIN_READINGS = 10;

/**
 * Joins the records of one process from two launches. One launch times the iterations of its event loop. The other samples its functions,
 * which slows everything down.
 * @param {{ record: InsideRecord, window: Window }} iterations   from the launch that times iterations
 * @param {{ record: InsideRecord, profile: Profile, window: Window }} functions   from the launch that samples functions
 * @param {PartOf} partOf
 * @returns {ProcessFacts | null} null if the process did too little
 */
export function insideFacts(iterations, functions, partOf) {
  const own = readingsIn(iterations);
  const sampled = functionsIn(functions, partOf);
  if (own === null || sampled === null) return null;
  const { all, operations } = own;
  // The kernel samples CPU time only a few hundred times per second, so the CPU times of both launches are added.
  const user = spentIn(own, 'userUs') + spentIn(sampled.own, 'userUs');
  const system = spentIn(own, 'systemUs') + spentIn(sampled.own, 'systemUs');
  const collectionsMs = iterations.record.collections.flatMap(([atMs, ms]) =>
    isWithin(iterations.window, atMs) ? [ms] : [],
  );
  // The median ignores collections that took long because another program had the CPU.
  const collectingMs = collectionsMs.length === 0 ? 0 : collectionsMs.length * median(collectionsMs);
  return {
    activeUs: typicalUs(all, ({ activeMs }) => activeMs),
    onTheWayUs: typicalUs(all, ({ onTheWayMs }) => onTheWayMs),
    afterUs: typicalUs(all, ({ afterMs }) => afterMs),
    cpuUs: typicalUs(all, ({ cpuMs, userUs, systemUs }) => cpuMs ?? (userUs + systemUs) / US_PER_MS),
    userShare: user + system === 0 ? 1 : user / (user + system),
    collectingUs: (US_PER_MS * collectingMs) / operations,
    ...sampled.facts,
  };
}

/** @param {ProfileSlices} own @param {'userUs' | 'systemUs'} what */
const spentIn = ({ first, last }, what) => last[what] - first[what];

/**
 * @param {{ record: InsideRecord, profile: Profile, window: Window }} functions
 * @param {PartOf} partOf
 * @returns {{ own: ProfileSlices, facts: Pick<ProcessFacts, 'codecUs' | 'transportUs' | 'harnessUs' | 'samples'> } | null} null without
 *   samples, or as in `readingsIn`
 */
function functionsIn({ record, profile, window }, partOf) {
  const own = readingsIn({ record, window });
  const { samples, shares } = profileParts(profile, partOf, window);
  if (own === null || samples === 0) return null;
  const { first, last, operations } = own;
  // A thread that waits for a CPU gets a single sample for the whole wait.
  const waitedMs = (last.waitedMs ?? 0) - (first.waitedMs ?? 0);
  const wholeUs = (US_PER_MS * (last.atMs - first.atMs - waitedMs)) / operations;
  /** @param {string} part */
  const usOf = (part) => (shares[part] ?? 0) * wholeUs;
  const facts = {
    codecUs: usOf('codec'),
    transportUs: usOf('transport'),
    harnessUs: usOf('harness'),
    samples,
  };
  return { own, facts };
}

/** @param {Window} window @param {number} atMs */
const isWithin = ({ fromMs, toMs }, atMs) => atMs >= fromMs && atMs < toMs;

/**
 * @param {{ record: InsideRecord, window: Window }} launch
 * @returns {ProfileSlices | null} null if there are too few readings or no operations
 */
function readingsIn({ record, window }) {
  const all = record.readings.filter(({ atMs }) => isWithin(window, atMs));
  if (all.length < MIN_READINGS) return null;
  const [first, last] = [all[0], all[all.length - 1]];
  const operations = last.operations - first.operations;
  return operations === 0 ? null : { first, last, all, operations };
}

/**
 * Finds the slice of the median operation, not the median slice: on a busy machine, CPU time that other programs take affects many slices,
 * but few operations.
 * @param {InsideReading[]} readings
 * @param {(reading: InsideReading) => number} msOf   returns a running total in ms
 * @returns {number} µs per operation in that slice; 0 if no slice has operations
 */
function typicalUs(readings, msOf) {
  const slices = readings.slice(1).flatMap((reading, index) => {
    const before = readings[index];
    const operations = reading.operations - before.operations;
    return operations === 0
      ? []
      : [{ operations, us: (US_PER_MS * (msOf(reading) - msOf(before))) / operations }];
  });
  const half = sumBy(slices, ({ operations }) => operations) / 2;
  let upTo = 0;
  for (const { operations, us } of slices.toSorted((left, right) => left.us - right.us)) {
    upTo += operations;
    if (upTo >= half) return us;
  }
  return 0;
}
