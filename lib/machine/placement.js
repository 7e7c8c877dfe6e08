// Which process of a launch runs on which CPU. Placement is worth more than any transport, so that it is chosen, never
// left to chance without saying so.

import { availableParallelism } from 'node:os';
import { canPin } from '../children/launcher.js';
import { windowsAffinity } from '../children/windows-affinity.js';
import { readSystemFile } from './kernel-text.js';

/** @import { PlacementMode } from '../types/index.js' */
/** @import { SystemFileReader } from './kernel-text.js' */
/**
 * What a plan has to know of the machine.
 * @typedef {object} CpusToPlan
 * @property {boolean} canPin
 * @property {number} usableCpus
 * @property {import('./limits.js').ConnectionRoom} [room]   absent: any number of connections
 * @property {number} [freeBytes]   of memory; absent: however much a launch needs
 * @property {string | null} [whyNoNetwork]   of its own between two processes; null or absent: it can be made
 */
/** @typedef {{ master: number[], workers: number[][], others?: Record<string, number[]>, brokers: number[][] }} Places   others: by id */

/** @returns in the order in which to use them; null where nothing can be pinned */
export function cpusToPlaceOn() {
  return canPin() ? (readTopology()?.siblingsLast ?? null) : null;
}

/** @returns {CpusToPlan} what a plan has to know of them */
export function cpusToPlan() {
  const cpus = cpusToPlaceOn();
  return { canPin: cpus !== null, usableCpus: cpus?.length ?? availableParallelism() };
}

/**
 * `split`: the master on a CPU of its own; brokers, then what stands between master and workers, then the workers, round
 * robin over the others, SMT siblings last. `same`: all on one.
 * @param {PlacementMode} mode
 * @param {number} workers
 * @param {number} brokers             that we place
 * @param {number[] | null} cpus       in the order in which to use them; null: nothing can be pinned here
 * @param {string[]} [between]         ids of processes between master and workers
 * @returns {Places | null} null: the scheduler places
 */
export function choosePlaces(mode, workers, brokers, cpus, between = []) {
  if (mode === 'free' || cpus === null || cpus.length === 0) return null;
  const [first, ...rest] = cpus;
  const turn = mode === 'same' || rest.length === 0 ? [first] : rest;
  let taken = 0;
  const next = () => [turn[taken++ % turn.length]];
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
 * How open load is paced. Spinning is exact, but takes a whole core: only where each worker has one to itself it takes
 * nothing from what is measured.
 * @param {Places | null} places
 * @param {number} processes           of a launch, with its brokers
 * @param {number} usableCpus
 */
export function pacingAt(places, processes, usableCpus) {
  if (places === null) return processes <= usableCpus ? 'spin' : 'tick';
  const taken = takenBy(places);
  return new Set(taken).size === taken.length ? 'spin' : 'tick';
}

/** @param {Places} places @returns CPUs, as often as there are processes on them */
export function takenBy({ master, workers, others = {}, brokers }) {
  return [...master, ...brokers.flat(), ...Object.values(others).flat(), ...workers.flat()];
}

// Which CPUs this process may use, and in which order processes should be put on them. It pins nothing itself.
// More CPUs than any kernel supports (NR_CPUS_RANGE_END is 8,192): a longer list is damage, not a machine.
const GREATEST_CPU = 65_535;

/**
 * @param {string | null} text    as the kernel writes lists of CPUs: '0-3,8,10-11'
 * @returns {number[] | null} ascending; null where it is no such list
 */
export function parseCpuList(text) {
  if (text === null || text.trim() === '') return null;
  const cpus = new Set();
  for (const part of text.trim().split(',')) {
    const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part);
    if (match === null) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (last < first || last > GREATEST_CPU) return null;
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].sort((left, right) => left - right);
}

/**
 * @param {string | null} status    /proc/self/status
 * @param {string | null} online    /sys/devices/system/cpu/online
 * @returns {number[] | null} the affinity mask
 */
export function parseUsableCpus(status, online) {
  const allowed = parseCpuList(/^Cpus_allowed_list:[ \t]*(\S+)/m.exec(status ?? '')?.[1] ?? null);
  const onlineCpus = parseCpuList(online);
  if (allowed === null || onlineCpus === null) return allowed;
  // The mask of an unbound process also names CPUs that could be plugged in some day; nothing can run there.
  const usable = allowed.filter((cpu) => onlineCpus.includes(cpu));
  return usable.length === 0 ? null : usable;
}

/**
 * @param {number[]} cpus
 * @param {SystemFileReader} read
 * @returns one thread of every core first, second threads after all of them; the cores of one socket
 *     stay together, since crossing to another socket costs more than anything measured here
 */
function orderForPlacement(cpus, read) {
  /** @type {Map<number, number>} */
  const usedThreads = new Map();
  const places = cpus.map((cpu) => {
    const folder = `/sys/devices/system/cpu/cpu${cpu}/topology`;
    const core = parseCpuList(read(`${folder}/thread_siblings_list`))?.[0] ?? cpu;
    const thread = usedThreads.get(core) ?? 0;
    usedThreads.set(core, thread + 1);
    const socket = Number(read(`${folder}/physical_package_id`) ?? 0);
    return { cpu, thread, socket: Number.isFinite(socket) ? socket : 0 };
  });
  places.sort(
    (left, right) => left.thread - right.thread || left.socket - right.socket || left.cpu - right.cpu,
  );
  return places.map((place) => place.cpu);
}

/** @param {number[][]} cores   the CPUs of each @returns one thread of every core first, second threads after all of them */
export function orderCores(cores) {
  const most = Math.max(...cores.map(({ length }) => length));
  const siblingsLast = Array.from({ length: most }, (_, thread) =>
    cores.flatMap((cpus) => cpus.slice(thread, thread + 1)),
  ).flat();
  return { usableCpus: siblingsLast.toSorted((left, right) => left - right), siblingsLast };
}

/**
 * @param {SystemFileReader} [read]
 * @returns {{ usableCpus: number[], siblingsLast: number[] } | null} `usableCpus` ascending, `siblingsLast` the same
 *     CPUs in the order in which to place processes; null where the system does not say
 */
export function readTopology(read = readSystemFile) {
  const usableCpus = parseUsableCpus(read('/proc/self/status'), read('/sys/devices/system/cpu/online'));
  if (usableCpus !== null) return { usableCpus, siblingsLast: orderForPlacement(usableCpus, read) };
  const cores = read === readSystemFile ? (windowsAffinity()?.readCores() ?? []) : [];
  return cores.length === 0 ? null : orderCores(cores);
}
