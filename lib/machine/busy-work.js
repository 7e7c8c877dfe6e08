// A known amount of work: a chain of dependent integer operations, which neither V8 nor the processor can skip or overlap. It is counted in
// steps, since time also passes while a process waits for a CPU.

import { US_PER_MS } from '../format/units.js';

const CALIBRATION_STEPS = 100_000; // about 0.2 ms: shorter than a time slice of the scheduler
const CALIBRATION_RUNS = 60;

/**
 * @param {number} steps
 * @param {number} seed   an integer
 * @returns {number} the last state of xorshift (Marsaglia 2003), which depends on all steps
 */
export function burn(steps, seed) {
  let state = (seed << 1) | 1; // xorshift stays at 0
  for (let step = 0; step < steps; step += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state >>> 0;
}

/** @type {number | undefined} */
let knownStepsPerUs;

/** @returns {number} steps per µs of an undisturbed core, measured once in this process */
export function stepsPerUs() {
  if (knownStepsPerUs !== undefined) return knownStepsPerUs;
  let bestMs = Infinity;
  for (let run = 0; run < CALIBRATION_RUNS; run += 1) {
    const fromMs = performance.now();
    burn(CALIBRATION_STEPS, run);
    bestMs = Math.min(bestMs, performance.now() - fromMs);
  }
  knownStepsPerUs = CALIBRATION_STEPS / (bestMs * US_PER_MS);
  return knownStepsPerUs;
}
