// Runs in CI, alone.
// A codec that computes for 5 ms with each message is found at each end that decodes messages, in each scenario, its CPU time within 10 %.
// The same codec asleep for 5 ms paces its launch alike, and is not found.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import { DECODE_MS } from '../fixtures/blocking-codec.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

/** @import { Cell, Scenario } from '../../lib/types/index.js' */

const US_PER_MS = 1_000;
const TOLERANCE = 0.1;
const ATTEMPTS = 10; // the hypervisor may take a CPU meanwhile, which the kernel counts as CPU time
const TIMING = { warmupMs: 600, measureMs: 600 };
const DEADLINES = { replyMs: 10_000, finishMs: 15_000 };
// As fast as it can, a stream hands over many messages at once, which are one stretch.
const PACED = { ratePerSecond: 50 };
const BOTH = ['main', 'worker'];

/** @type {[scenario: string, ends: string[], cell?: Partial<Cell>][]} */
const SCENARIOS = [
  ['round-trip', BOTH],
  ['round-trip', ['main'], PACED],
  ['stream', ['main'], PACED],
  ['fan-out', ['worker'], PACED],
  ['queue', BOTH],
  ['relay', BOTH],
  ['task', BOTH],
  ['records', BOTH],
  ['connect', BOTH],
];

/**
 * @param {string} scenario
 * @param {string} codec
 * @param {Partial<Cell>} cell
 * @returns {Promise<(measure: string) => number>} reads a measure of a launch, in ms
 */
async function launched(scenario, codec, cell) {
  const { end, spec } = await launchWithKnownCosts({
    scenario,
    cell: { codec, workers: 1, loops: 1, ...cell },
    timing: TIMING,
    deadlines: DEADLINES,
  });
  assert.ok(end.kind === 'done', JSON.stringify(end));
  const { reports, costs } = end.fields;
  const { default: plugin } = await import(`../../scenarios/${scenario}.js`);
  const { measures } = countedBy(/** @type {Scenario} */ (plugin));
  return (name) => {
    const found = measures.find((measure) => measure.name === name)?.read(reports, spec.cell, costs);
    return Number(found) / US_PER_MS;
  };
}

/**
 * The CPU time of the codec is the difference of the two launches. The longest block of the launch that sleeps is another one, such as a
 * garbage collection, so it only has to be much shorter.
 * @param {string} name
 * @param {number} computingMs
 * @param {number} asleepMs
 */
function isFound(name, computingMs, asleepMs) {
  const isWithin = (/** @type {number} */ ms) => Math.abs(ms / DECODE_MS - 1) <= TOLERANCE;
  if (!/longest/i.test(name)) return isWithin(computingMs - asleepMs);
  return computingMs >= (1 - TOLERANCE) * DECODE_MS && asleepMs <= DECODE_MS / 2;
}

describe('code that blocks an event loop', {
  skip: process.platform !== 'linux' && 'needs the CPU time of threads',
}, () => {
  for (const [scenario, ends, cell = {}] of SCENARIOS) {
    it(`is found in ${scenario}${cell.ratePerSecond ? ' under open load' : ''}: ${ends}`, async () => {
      const names = ends.flatMap((end) =>
        end === 'main' ? ['mainCpu', 'longestBlock'] : ['workerMainCpu', 'workerLongestBlock'],
      );
      const left = new Map(names.map((name) => [name, /** @type {number[][]} */ ([])]));
      for (let attempt = 1; left.size > 0; attempt += 1) {
        assert.ok(attempt <= ATTEMPTS, JSON.stringify([...left]));
        const computing = await launched(scenario, '../fixtures/blocking-codec.js', cell);
        const asleep = await launched(scenario, '../fixtures/blocking-codec.js?sleeps', cell);
        for (const [name, found] of left) {
          found.push([computing(name), asleep(name)]);
          if (isFound(name, computing(name), asleep(name))) left.delete(name);
        }
      }
    });
  }
});
