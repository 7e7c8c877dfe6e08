// Error rates of the verdicts of `compare`, over many simulated comparisons and by the code that compares real runs.

import { exitCode } from '../../lib/errors.js';
import { comparedRows } from '../../lib/report/compare/compare-results.js';
import { evaluateGate } from '../../lib/report/compare/gate.js';
import { separateTest } from '../../lib/statistics/ratio.js';
import { noiseFrom } from '../fixtures/noise.js';
import { simulatedPairs } from './machine.js';

/** @import { ComparedRow, ComparisonDesign as Design } from '../../lib/types/index.js' */
/** @import { Machine } from './machine.js' */
/** @typedef {{ seed: number, times: number }} Effort */

const MIN_EFFECT = 0.05;
const SLOWER = exitCode('slower');

/**
 * @param {Effort} effort
 * @param {Design} design
 * @param {Machine} machine
 * @param {(rows: ComparedRow[]) => boolean} happened
 * @returns {number} the share of comparisons in which it happened
 */
function shareOf({ seed, times }, design, machine, happened) {
  const noise = noiseFrom(seed);
  let count = 0;
  for (let time = 0; time < times; time++) {
    const pairs = simulatedPairs(noise, design, machine);
    if (happened(comparedRows(pairs, { design, minEffect: MIN_EFFECT }))) count++;
  }
  return count / times;
}

/**
 * A-F1: a cell against itself, each comparison for itself.
 * @param {Effort} effort @param {Design} design @param {Machine} machine
 */
export function falsePositives(effort, design, machine) {
  return shareOf(effort, design, machine, ([{ p }]) => p !== null && p <= 0.05);
}

/**
 * A-F2: any cell of a matrix called faster or slower, although none is.
 * @param {Effort} effort @param {Design} design @param {Machine} machine
 */
export function anyFalseAlarm(effort, design, machine) {
  const isAlarm = (/** @type {ComparedRow} */ { verdict }) => verdict === 'faster' || verdict === 'slower';
  return shareOf(effort, design, machine, (rows) => rows.some(isAlarm));
}

/**
 * What A-F2 would be without the correction: any p of at most 0.05.
 * @param {Effort} effort @param {Design} design @param {Machine} machine
 */
export function anyStar(effort, design, machine) {
  return shareOf(effort, design, machine, (rows) => rows.some(({ p }) => p !== null && p <= 0.05));
}

/**
 * A-F3: a build that fails although nothing is slower.
 * @param {Effort} effort @param {Design} design @param {Machine} machine
 */
export function falseFailures(effort, design, machine) {
  return shareOf(effort, design, machine, (rows) => {
    const comparison = /** @type {any} */ ({
      rows,
      controls: [],
      missing: [],
      design,
      machineDifferences: [],
      isForced: false,
    });
    return evaluateGate(comparison, ['slower']).exitCode === SLOWER;
  });
}

/**
 * A-F4: the interval holds the true ratio.
 * @param {Effort} effort @param {Design} design @param {Machine & { ratio: number }} machine
 */
export function coverage(effort, design, machine) {
  const { ratio: truth } = machine;
  return shareOf(effort, design, machine, ([{ ratio }]) => ratio.low <= truth && truth <= ratio.high);
}

/**
 * One comparison states what it can find; another one looks for a difference of that size.
 * @param {Effort} effort
 * @param {Design} design
 * @param {Machine} machine
 * @returns {number} the share that finds it
 */
export function powerAtDetectable({ seed, times }, design, machine) {
  const noise = noiseFrom(seed);
  let found = 0;
  for (let time = 0; time < times; time++) {
    const rules = { design, minEffect: MIN_EFFECT };
    const [{ detectableRatio }] = comparedRows(simulatedPairs(noise, design, machine), rules);
    const ratio = detectableRatio ?? 1;
    const [{ p }] = comparedRows(simulatedPairs(noise, design, { ...machine, ratio }), rules);
    if (p !== null && p <= 0.05) found++;
  }
  return found / times;
}

/**
 * What many tools do: windows of one process taken for independent samples.
 * @param {Effort} effort
 * @param {Machine} machine
 * @returns {number} the share of false positives
 */
export function falsePositivesOfWindows({ seed, times }, machine) {
  const noise = noiseFrom(seed);
  let count = 0;
  for (let time = 0; time < times; time++) {
    const [{ windows }] = simulatedPairs(noise, 'separate', machine);
    if (Number(separateTest(windows).p) <= 0.05) count++;
  }
  return count / times;
}
