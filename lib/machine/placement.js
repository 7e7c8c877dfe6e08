// Reads which CPUs are usable, and assigns them to the processes of a launch. Placement has a greater effect than any transport, so it is
// either set or reported as free.

import { availableParallelism } from 'node:os';
import { canPin } from '../children/launcher.js';
import { windowsAffinity } from '../children/windows-affinity.js';
import { readSystemFile } from './kernel-text.js';

/** @import { PlacementMode } from '../types/index.js' */
/** @import { SystemFileReader } from './kernel-text.js' */
/**
 * Facts of the machine that a plan depends on.
 * @typedef {object} CpusToPlan
 * @property {boolean} canPin
 * @property {number} usableCpus
 * @property {import('./limits.js').ConnectionRoom} [room]   without it, the number of connections is not checked
 * @property {number} [freeBytes]   free memory; without it, the memory that a launch needs is not checked
 * @property {string | null} [whyNoNetwork]   why --network does not work; null if it works, or if no cell has a network
 */
/**
 * CPU numbers of each process.
 * @typedef {{ master: number[], workers: number[][], others?: Record<string, number[]>, brokers: number[][] }} CpuSets   others: of processes
 *   between master and workers, by id in the launch, such as 'relay'
 */

/** @returns CPUs in the order of use, or null if processes cannot be pinned */
export function pinnableCpus() {
  return canPin() ? (readTopology()?.siblingsLast ?? null) : null;
}

/** @returns {CpusToPlan} */
export function cpusToPlan() {
  const cpus = pinnableCpus();
  return { canPin: cpus !== null, usableCpus: cpus?.length ?? availableParallelism() };
}

/**
 * `split`: the master alone on a CPU; brokers, processes between master and workers, and workers round robin on the others, SMT siblings
 * last. `same`: all on one CPU.
 * @param {PlacementMode} mode
 * @param {number} workers
 * @param {number} brokers   number of private brokers
 * @param {number[] | null} cpus   usable CPUs in the order of use, from pinnableCpus(); null if processes cannot be pinned
 * @param {string[]} [between]   ids of processes between master and workers
 * @returns {CpuSets | null} null if the scheduler places them
 */
export function chooseCpuSets(mode, workers, brokers, cpus, between = []) {
  if (mode === 'free' || cpus === null || cpus.length === 0) return null;
  const [first, ...rest] = cpus;
  const shared = mode === 'same' || rest.length === 0 ? [first] : rest;
  let taken = 0;
  const next = () => [shared[taken++ % shared.length]];
  const ofBrokers = Array.from({ length: brokers }, next);
  const others = Object.fromEntries(between.map((id) => [id, next()]));
  return {
    master: [first],
    workers: Array.from({ length: workers }, next),
    brokers: ofBrokers,
    ...(between.length > 0 && { others }),
  };
}

/**
 * Selects the pacing of open load. Spinning is exact but takes a whole core, so it requires a separate CPU for each process.
 * @param {CpuSets | null} cpuSets   null if the scheduler places the processes
 * @param {number} processes   number of processes of a launch, including brokers
 * @param {number} usableCpus
 */
export function pacingAt(cpuSets, processes, usableCpus) {
  if (cpuSets === null) return processes <= usableCpus ? 'spin' : 'tick';
  const taken = takenBy(cpuSets);
  return new Set(taken).size === taken.length ? 'spin' : 'tick';
}

/** @param {CpuSets} cpuSets @returns CPUs; a CPU occurs once per process on it */
export function takenBy({ master, workers, others = {}, brokers }) {
  return [...master, ...brokers.flat(), ...Object.values(others).flat(), ...workers.flat()];
}

const MAX_CPU = 65_535; // above the maximum of all kernels: NR_CPUS_RANGE_END is 8,192

/**
 * @param {string | null} text    such as '0-3,8,10-11'
 * @returns {number[] | null} ascending, or null if it is not a list of CPUs
 */
export function parseCpuList(text) {
  if (text === null || text.trim() === '') return null;
  const cpus = new Set();
  for (const part of text.trim().split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
    if (match === null) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last > MAX_CPU) return null;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((left, right) => left - right);
}

const ONLINE = '/sys/devices/system/cpu/online';

/** @param {SystemFileReader} read @returns {number[] | null} ascending; null if unknown */
export function readOnlineCpus(read) {
  return parseCpuList(read(ONLINE));
}

/**
 * @param {string | null} status    /proc/self/status
 * @param {string | null} online    /sys/devices/system/cpu/online
 * @returns {number[] | null} the online CPUs of the affinity mask; null if unknown
 */
export function parseUsableCpus(status, online) {
  const allowed = parseCpuList(/^Cpus_allowed_list:[ \t]*(\S+)/m.exec(status ?? '')?.[1] ?? null);
  const onlineCpus = parseCpuList(online);
  if (allowed === null || onlineCpus === null) return allowed;
  // The mask of an unbound process includes CPUs that could be plugged in later.
  const usable = allowed.filter((cpu) => onlineCpus.includes(cpu));
  return usable.length === 0 ? null : usable;
}

/**
 * @param {number[]} cpus
 * @param {SystemFileReader} read
 * @returns first threads of all cores before second ones; cores of a socket stay together, since crossing to another socket costs more than
 *   any difference between transports
 */
function orderForPlacement(cpus, read) {
  /** @type {Map<number, number>} */
  const usedThreads = new Map();
  const threads = cpus.map((cpu) => {
    const folder = `/sys/devices/system/cpu/cpu${cpu}/topology`;
    const core = parseCpuList(read(`${folder}/thread_siblings_list`))?.[0] ?? cpu;
    const thread = usedThreads.get(core) ?? 0;
    usedThreads.set(core, thread + 1);
    const socket = Number(read(`${folder}/physical_package_id`) ?? 0);
    return { cpu, thread, socket: Number.isFinite(socket) ? socket : 0 };
  });
  threads.sort(
    (left, right) => left.thread - right.thread || left.socket - right.socket || left.cpu - right.cpu,
  );
  return threads.map((each) => each.cpu);
}

/** @param {number[][]} cores   CPUs by core */
export function orderCores(cores) {
  const most = Math.max(...cores.map(({ length }) => length));
  const siblingsLast = Array.from({ length: most }, (_, thread) =>
    cores.flatMap((cpus) => cpus.slice(thread, thread + 1)),
  ).flat();
  return { usableCpus: siblingsLast.toSorted((left, right) => left - right), siblingsLast };
}

/**
 * @param {SystemFileReader} [read]
 * @returns {{ usableCpus: number[], siblingsLast: number[] } | null} `usableCpus` ascending, `siblingsLast` in the order in which to place
 *   processes; null if unknown
 */
export function readTopology(read = readSystemFile) {
  const usableCpus = parseUsableCpus(read('/proc/self/status'), read(ONLINE));
  if (usableCpus !== null) return { usableCpus, siblingsLast: orderForPlacement(usableCpus, read) };
  const cores = read === readSystemFile ? (windowsAffinity()?.readCores() ?? []) : [];
  return cores.length === 0 ? null : orderCores(cores);
}
