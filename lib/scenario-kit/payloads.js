// What the loops send: different payloads in turn, so that an answer to another question cannot pass for the right one.

import { workerOf } from '../cell/connections.js';
import { seededRandom, seedFrom } from '../statistics/random.js';
import { CONTENTS } from './contents.js';

const POOL_MAX_BYTES = 33_554_432; // two payloads of 16 MiB: memory must not decide what is measured

/**
 * @param {number} seed
 * @param {Pick<import('../types/plans.js').Cell, 'payloadBytes' | 'content'>} cell   ascii without a content
 * @param {number} loops   of this worker: each open question should carry a payload of its own
 * @returns {string[]} at least two, different where so few bytes can be, each exactly `payloadBytes` long in UTF-8
 */
export function makePayloads(seed, { payloadBytes, content }, loops) {
  const random = seededRandom(seed);
  const affordable = Math.max(2, Math.floor(POOL_MAX_BYTES / payloadBytes));
  const makePayload = CONTENTS[/** @type {import('../types/plans.js').ContentKind} */ (content ?? 'ascii')];
  const payloads = [];
  for (let i = 0; i < Math.min(affordable, 2 * loops + 1); i += 1)
    payloads.push(makePayload(random, payloadBytes, i));
  return payloads;
}

/**
 * @param {number} seed   of the launch
 * @param {import('../types/plans.js').Cell} cell
 * @returns {(id: string) => string[]} those of one worker, over whichever of its connections: any process of the launch can
 *   make them
 */
export function payloadsIn(seed, cell) {
  /** @type {Map<string, string[]>} thousands of connections would fill the memory with payloads */
  const made = new Map();
  return (id) => {
    const worker = workerOf(id);
    const payloads = made.get(worker) ?? makePayloads(seedFrom(seed, worker), cell, cell.loops);
    made.set(worker, payloads);
    return payloads;
  };
}
