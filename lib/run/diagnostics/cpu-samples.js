// Takes samples of the CPU time of a piece of work. Unlike the time on the clock, CPU time does not grow while other programs use the CPU.

import { US_PER_MS } from '../../format/units.js';

/** @typedef {(count: number) => void | Promise<void>} SampledWork   repeats the work */

const WARM_UP_CPU_US = 100 * US_PER_MS; // V8 optimises a loop of microseconds within 60 to 90 ms of CPU time
const SAMPLE_US = 20 * US_PER_MS; // With 10 ms, a sample often has one collection of garbage more than another.
const SAMPLES = 5;
const SAMPLES_OF_LONG_WORK = 3; // if a repetition is longer than the warm-up, as with messages of many megabytes

/**
 * Warms up, and then takes several samples.
 * @param {SampledWork} work
 * @returns {Promise<number[]>} µs of CPU time per repetition, ascending; 0 if the clock of CPU times is too coarse
 */
export async function sampleCpuUs(work) {
  let count = 1;
  let spentUs = 0;
  let lastUs = 0;
  while (spentUs < WARM_UP_CPU_US) {
    lastUs = await measureCpuUs(work, count);
    spentUs += lastUs;
    if (spentUs < WARM_UP_CPU_US && lastUs < SAMPLE_US / 2) count *= 2;
  }
  const perSample = Math.max(1, Math.round((SAMPLE_US * count) / lastUs));
  const samples = [];
  const wanted = lastUs / count > WARM_UP_CPU_US ? SAMPLES_OF_LONG_WORK : SAMPLES;
  for (let sample = 0; sample < wanted; sample += 1)
    samples.push((await measureCpuUs(work, perSample)) / perSample);
  return samples.sort((left, right) => left - right);
}

/** @param {SampledWork} work @param {number} count @returns {Promise<number>} µs of all repetitions */
async function measureCpuUs(work, count) {
  const before = process.cpuUsage();
  await work(count);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** @param {number[]} samples   ascending @returns {number} difference of the extremes as a share of the greatest; 1 if all are 0 */
export function computeSpread(samples) {
  const [least, greatest] = [samples[0], samples[samples.length - 1]];
  return greatest > 0 ? 1 - least / greatest : 1;
}
