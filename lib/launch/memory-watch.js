// Ends a launch before its processes fill the memory of the machine: what a taker does not take may pile up without end, in
// its sender, in a broker or in itself. It looks a few times a second, and only at launches that may grow so.

import { BenchError } from '../errors.js';
import { residentBytesOf } from '../machine/process-cost.js';
import { formatCount, formatMemory } from '../words/numbers.js';
import { brokersOf } from './assignment.js';

/** @import { Half } from '../types/index.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { Crew } from './crew.js' */
/** @import { MasterProcess } from './master-process.js' */
/** @typedef {{ name: string, read: () => number }} Watched   read: bytes; 0: it is gone, or nobody can tell */

const LOOK_EVERY_MS = 200;

/**
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {MasterProcess} master
 * @returns {Watched[]} processes of the launch; threads are in the memory of the master
 */
function processesOf(assignment, crew, master) {
  const others = [
    ...crew.members.map(({ id, worker }) => ({ name: id, pid: worker.pid })),
    ...brokersOf(assignment),
  ];
  return [
    { name: 'master', read: () => master.residentBytes() || 0 },
    ...others.flatMap(({ name, pid }) =>
      pid === null ? [] : { name, read: () => residentBytesOf(pid) ?? 0 },
    ),
  ];
}

/**
 * @param {{ name: string, bytes: number }[]} grown   by how much, since the watch began
 * @param {number} limitBytes
 * @param {{ whose: string, forMs: number }} seen   whose: processes these are
 * @returns {string}
 */
function growthText(grown, limitBytes, { whose, forMs }) {
  const sum = grown.reduce((total, { bytes }) => total + bytes, 0);
  const greatest = grown.toSorted((one, other) => other.bytes - one.bytes).filter(({ bytes }) => bytes > 0);
  const who = greatest
    .slice(0, 3)
    .map(({ name, bytes }) => `${name} by ${formatMemory(bytes)}`)
    .join(', ');
  return (
    `${whose} grew by ${formatMemory(sum)} within ${formatCount(forMs)} ms (${who}), more than the ` +
    `${formatMemory(limitBytes)} that a launch may, a quarter of what was free`
  );
}

const SHORTER = 'Shorten --warmup and --measure, or make --payload or --connections smaller';

/**
 * @param {{ name: string, bytes: number }[]} grown   by how much, since the watch began
 * @param {number} limitBytes
 * @param {{ forMs: number, counted: number }} seen
 * @returns {string}
 */
export function tooMuchMemory(grown, limitBytes, { forMs, counted }) {
  const what = growthText(grown, limitBytes, { whose: 'its processes', forMs });
  return `${what}; the master had counted ${formatCount(counted)} operations. ${SHORTER}`;
}

/**
 * @param {{ name: string, bytes: number }[]} grown   of workers that a leader on another host has
 * @param {number} limitBytes
 * @param {number} forMs
 * @returns {string}
 */
export function tooMuchOfHost(grown, limitBytes, forMs) {
  return `${growthText(grown, limitBytes, { whose: 'the workers on its host', forMs })}. ${SHORTER}`;
}

/**
 * @param {Watched[]} watched
 * @param {number} limitBytes   by which they may grow together from now on
 * @param {(grown: { name: string, bytes: number }[], forMs: number) => void} onTooMuch   once
 * @returns {() => void} ends the watch
 */
export function watchGrowth(watched, limitBytes, onTooMuch) {
  const sinceMs = performance.now();
  const from = watched.map((one) => ({ ...one, before: one.read() }));
  const timer = setInterval(() => {
    const grown = from.map(({ name, before, read }) => ({ name, bytes: Math.max(0, read() - before) }));
    if (grown.reduce((sum, { bytes }) => sum + bytes, 0) <= limitBytes) return;
    clearInterval(timer);
    onTooMuch(grown, performance.now() - sinceMs);
  }, LOOK_EVERY_MS);
  timer.unref(); // a launch that failed meanwhile ends its process without it
  return () => clearInterval(timer);
}

/**
 * @param {Assignment} assignment
 * @param {Crew} crew    which fails when the limit is passed
 * @param {Half} half
 * @param {MasterProcess} master
 * @returns {() => void} ends the watch
 */
export function watchMemory(assignment, crew, half, master) {
  const { memoryLimitBytes } = assignment;
  if (memoryLimitBytes === null) return () => {};
  return watchGrowth(processesOf(assignment, crew, master), memoryLimitBytes, (grown, forMs) => {
    const seen = { forMs, counted: half.progress() };
    crew.fail?.(new BenchError('MEMORY', tooMuchMemory(grown, memoryLimitBytes, seen)));
  });
}
