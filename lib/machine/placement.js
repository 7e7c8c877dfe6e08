// Which process of a launch runs on which CPU. Placement is worth more than any transport, so that it is chosen, never
// left to chance without saying so.

import { availableParallelism } from 'node:os';
import { canPin } from '../children/launcher.js';
import { readTopology } from './cpu-topology.js';

/** @import { PlacementMode } from '../types/index.js' */
/**
 * What a plan has to know of the machine.
 * @typedef {object} CpusToPlan
 * @property {boolean} canPin
 * @property {number} usableCpus
 * @property {import('./connection-room.js').ConnectionRoom} [room]   absent: any number of connections
 * @property {number} [freeBytes]   of memory; absent: however much a launch needs
 * @property {string | null} [whyNoNetwork]   of its own between two processes; null or absent: it can be made
 */
/** @typedef {{ master: number[], workers: number[][], others?: Record<string, number[]>, brokers: number[][] }} Places   others: by id */

/** @returns {number[] | null} in the order in which to use them; null where nothing can be pinned */
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
 * @returns {'spin' | 'tick'}
 */
export function pacingAt(places, processes, usableCpus) {
  if (places === null) return processes <= usableCpus ? 'spin' : 'tick';
  const taken = takenBy(places);
  return new Set(taken).size === taken.length ? 'spin' : 'tick';
}

/** @param {Places} places @returns {number[]} CPUs, as often as there are processes on them */
export function takenBy({ master, workers, others = {}, brokers }) {
  return [...master, ...brokers.flat(), ...Object.values(others).flat(), ...workers.flat()];
}
