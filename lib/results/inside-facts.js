// What the instruments of an extra launch recorded of one process → how long it was at work for a round trip, and on what.

import { profileParts } from '../statistics/profile-parts.js';
import { median } from '../statistics/signed-rank.js';

/** @import { Profile, ProfileNode } from '../statistics/profile-parts.js' */
/** @import { InsideFacts } from '../types/explanations.js' */
/**
 * What a process had done and spent so far.
 * @typedef {object} InsideReading
 * @property {number} atMs             of the clock that all share
 * @property {number} operations
 * @property {number} activeMs         its event loop was not waiting
 * @property {number} onTheWayMs       of that, in turns that wrote, until the last write
 * @property {number} afterMs          of that, in the same turns, after the last write
 * @property {number | null} cpuMs     of the thread that runs JavaScript; null: the system does not tell
 * @property {number | null} waitedMs  likewise, ready to run, for a CPU
 * @property {number} userUs           of the whole process
 * @property {number} systemUs
 */
/**
 * @typedef {object} InsideRecord
 * @property {InsideReading[]} readings   in order
 * @property {[atMs: number, ms: number][]} collections   of garbage
 */
/** @typedef {Omit<InsideFacts, 'name' | 'role'>} Facts */

const FEWEST_READINGS = 10;

/**
 * The median of slices of the window: what another program takes of a CPU falls into few of them.
 * @param {InsideRecord} record
 * @param {Profile} profile
 * @param {(frame: ProfileNode['callFrame'], ofCaller: string) => string} partOf   'codec', 'transport', 'harness', or another
 * @param {{ fromMs: number, toMs: number }} window    of the clock that all share
 * @returns {Facts | null} null: the process did too little to tell
 */
export function insideFacts({ readings, collections }, profile, partOf, window) {
  const isWithin = (/** @type {number} */ atMs) => atMs >= window.fromMs && atMs < window.toMs;
  const own = readings.filter(({ atMs }) => isWithin(atMs));
  if (own.length < FEWEST_READINGS) return null;
  const [first, last] = [own[0], own[own.length - 1]];
  const operations = last.operations - first.operations;
  const { samples, shares } = profileParts(profile, partOf, window);
  if (operations === 0 || samples === 0) return null;
  const [user, system] = [last.userUs - first.userUs, last.systemUs - first.systemUs];
  // One that waits for a CPU gets one sample for all of that time.
  const waitedMs = (last.waitedMs ?? 0) - (first.waitedMs ?? 0);
  const wholeUs = (1_000 * (last.atMs - first.atMs - waitedMs)) / operations;
  const usOf = (/** @type {string} */ part) => (shares[part] ?? 0) * wholeUs;
  const collectingMs = collections.filter(([atMs]) => isWithin(atMs)).reduce((sum, [, ms]) => sum + ms, 0);
  return {
    activeUs: typicalUs(own, ({ activeMs }) => activeMs),
    onTheWayUs: typicalUs(own, ({ onTheWayMs }) => onTheWayMs),
    afterUs: typicalUs(own, ({ afterMs }) => afterMs),
    waitedUs: first.waitedMs === null ? null : typicalUs(own, ({ waitedMs }) => waitedMs ?? 0),
    cpuUs: typicalUs(own, ({ cpuMs, userUs, systemUs }) => cpuMs ?? (userUs + systemUs) / 1_000),
    userShare: user + system === 0 ? 1 : user / (user + system),
    collectingUs: (1_000 * collectingMs) / operations,
    codecUs: usOf('codec'),
    transportUs: usOf('transport'),
    harnessUs: usOf('harness'),
    samples,
  };
}

/** @param {InsideReading[]} readings @param {(reading: InsideReading) => number} msOf   so far @returns {number} for an operation of a typical slice */
function typicalUs(readings, msOf) {
  const slices = readings.slice(1).flatMap((reading, index) => {
    const before = readings[index];
    const operations = reading.operations - before.operations;
    return operations === 0 ? [] : [(1_000 * (msOf(reading) - msOf(before))) / operations];
  });
  return median(slices.sort((left, right) => left - right));
}
