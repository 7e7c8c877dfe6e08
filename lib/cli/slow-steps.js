// Reports the steps of work that takes more than about two seconds. A step blocks the event loop, so it is reported before it begins: if
// the results are large, or if the earlier steps have already taken more than two seconds.

import { statSync } from 'node:fs';
import { formatMemory } from '../format/numbers.js';
import { printable } from '../format/printable.js';

/** @import { Results } from '../types/index.js' */
/** @import { OutputStream } from './main.js' */

const SLOW_MS = 2_000;
const SLOW_BYTES = 8 * 2 ** 20; // results of this size take about 2 s to read and to show
const BYTES_PER_LAUNCH = 5_000;

/** @param {string[]} files   results that will be read @param {OutputStream} stderr */
export function reportReading(files, stderr) {
  for (const file of files) {
    const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (size >= SLOW_BYTES) stderr.write(`Reading ${printable(file)} (${formatMemory(size)})\n`);
  }
}

/**
 * @param {Results[]} all
 * @param {OutputStream} stderr
 * @returns {(step: string) => void} to be called before each step with its description
 */
export function stepReporter(all, stderr) {
  const launches = all.flatMap(({ outcomes }) =>
    outcomes.flatMap((outcome) => (outcome.status === 'skipped' ? [] : outcome.launches)),
  );
  const isLarge = launches.length * BYTES_PER_LAUNCH >= SLOW_BYTES;
  const beganMs = performance.now();
  return (step) => {
    if (isLarge || performance.now() - beganMs > SLOW_MS) stderr.write(`${step}\n`);
  };
}
