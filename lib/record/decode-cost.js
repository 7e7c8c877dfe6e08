// Times the deserialisation of the sampled messages of a channel, after the program has ended.

import { deserialize, serialize } from 'node:v8';
import { NS_PER_US } from '../format/units.js';
import { seedFrom } from '../statistics/random.js';
import { median } from '../statistics/rank-tests.js';
import { makeValue } from './shaped-values.js';
import { WeightedHistogram } from './weighted-histogram.js';

/** @import { MessageShape as Shape } from '../types/shape-limits.js' */
/** @import { SavedHistogram } from './weighted-histogram.js' */
/** @typedef {{ shape: Shape } | { value: any }} Sampled */

const ROUNDS = 5;
const WARM_UP_MS = 20;
const MAX_MS = 1_000; // time of a channel after which no further round begins

/** @param {Sampled} sampled @param {number} index @returns {any} */
function makeSampled(sampled, index) {
  if ('value' in sampled) return sampled.value;
  const { shape } = sampled;
  if (typeof shape === 'object' && shape !== null && 'y' in shape) return new Uint8Array(shape.y);
  return makeValue(shape, seedFrom(index));
}

/**
 * @param {Sampled[]} sample
 * @param {'json' | 'v8'} serialisation
 * @returns {SavedHistogram} µs, a value for each message: the median of several rounds
 */
export function timeDecoding(sample, serialisation) {
  const decodes = sample.map((sampled, index) => {
    const value = makeSampled(sampled, index);
    if (serialisation === 'json') {
      const text = JSON.stringify(value);
      return () => JSON.parse(text);
    }
    const clone = serialize(value);
    return () => deserialize(clone);
  });
  const warmUntil = performance.now() + WARM_UP_MS;
  while (decodes.length > 0 && performance.now() < warmUntil) for (const decode of decodes) decode();
  const until = performance.now() + MAX_MS;
  /** @type {number[][]} */
  const times = decodes.map(() => []);
  for (let round = 0; round < ROUNDS && (round === 0 || performance.now() < until); round += 1)
    decodes.forEach((decode, index) => {
      const began = process.hrtime.bigint();
      decode();
      times[index].push(Number(process.hrtime.bigint() - began) / NS_PER_US);
    });
  const all = new WeightedHistogram();
  for (const each of times) all.record(median(each));
  return all.save();
}
