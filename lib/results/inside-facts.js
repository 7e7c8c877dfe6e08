// Readings and samples of one process in an extra launch → its time at work for a round trip, by what it worked on.

import { US_PER_MS } from '../format/units.js';
import { profileParts } from '../statistics/profile.js';
import { median } from '../statistics/rank-tests.js';
import { sumBy } from '../statistics/sum.js';

/** @import { Profile, ProfileNode } from '../statistics/profile.js' */

/** @import { InsideFacts } from '../types/index.js' */
/**
 * @typedef {object} InsideReading        totals of a process so far
 * @property {number} atMs             of the clock that all share
 * @property {number} operations
 * @property {number} activeMs         its event loop was not waiting
 * @property {number} onTheWayMs       of that, in iterations that wrote, until the last write
 * @property {number} afterMs          of that, in the same iterations, after the last write
 * @property {number | null} cpuMs     of the thread that runs JavaScript; null if the system does not report it
 * @property {number | null} waitedMs  of that thread, ready to run, for a CPU
 * @property {number} userUs           of the whole process
 * @property {number} systemUs
 */
/**
 * @typedef {object} InsideRecord
 * @property {InsideReading[]} readings   in order
 * @property {[atMs: number, ms: number][]} collections   of garbage
 */
/** @typedef {{ fromMs: number, toMs: number }} Window   of the clock that all share */
/** @typedef {(frame: ProfileNode['callFrame'], ofCaller: string) => string} PartOf   'codec', 'transport', 'harness' or another part */
/** @typedef {{ first: InsideReading, last: InsideReading, all: InsideReading[], operations: number }} Slices */
/** @typedef {Omit<InsideFacts, 'name' | 'role'>} Facts */

const FEWEST_READINGS = 10;

/**
 * Of one process in two launches: one times the iterations of its event loop, the other samples its functions, which makes
 * everything slower.
 * @param {{ record: InsideRecord, window: Window }} turns
 * @param {{ record: InsideRecord, profile: Profile, window: Window }} functions
 * @param {PartOf} partOf
 * @returns {Facts | null} null if the process did too little
 */
export function insideFacts(turns, functions, partOf) {
  const own = readingsIn(turns);
  const sampled = functionsIn(functions, partOf);
  if (own === null || sampled === null) return null;
  const { all, operations } = own;
  // The system samples CPU time some hundred times a second, so both launches are taken together.
  const user = spentIn(own, 'userUs') + spentIn(sampled.own, 'userUs');
  const system = spentIn(own, 'systemUs') + spentIn(sampled.own, 'systemUs');
  const collectionsMs = turns.record.collections.flatMap(([atMs, ms]) =>
    isWithin(turns.window, atMs) ? [ms] : [],
  );
  // Some samples last long, while another program has the CPU.
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

/** @param {Slices} own @param {'userUs' | 'systemUs'} what */
const spentIn = ({ first, last }, what) => last[what] - first[what];

/**
 * @param {{ record: InsideRecord, profile: Profile, window: Window }} functions
 * @param {PartOf} partOf
 * @returns {{ own: Slices, facts: Pick<Facts, 'codecUs' | 'transportUs' | 'harnessUs' | 'samples'> } | null}
 */
function functionsIn({ record, profile, window }, partOf) {
  const own = readingsIn({ record, window });
  const { samples, shares } = profileParts(profile, partOf, window);
  if (own === null || samples === 0) return null;
  const { first, last, operations } = own;
  // A thread that waits for a CPU gets one sample for all of that time.
  const waitedMs = (last.waitedMs ?? 0) - (first.waitedMs ?? 0);
  const wholeUs = (US_PER_MS * (last.atMs - first.atMs - waitedMs)) / operations;
  const usOf = (/** @type {string} */ part) => (shares[part] ?? 0) * wholeUs;
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

/** @param {{ record: InsideRecord, window: Window }} launch @returns {Slices | null} null if they are too few */
function readingsIn({ record, window }) {
  const all = record.readings.filter(({ atMs }) => isWithin(window, atMs));
  if (all.length < FEWEST_READINGS) return null;
  const [first, last] = [all[0], all[all.length - 1]];
  const operations = last.operations - first.operations;
  return operations === 0 ? null : { first, last, all, operations };
}

/**
 * The slice of the median operation: CPU time that another program takes falls into few operations, though into many slices on a
 * crowded machine.
 * @param {InsideReading[]} readings
 * @param {(reading: InsideReading) => number} msOf   so far
 * @returns {number} ms for an operation of that slice
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
