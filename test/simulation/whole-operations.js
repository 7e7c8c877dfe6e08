// npm run simulate: prints bias and coverage of rates of closed loops in slices of few operations, by the code that counts and estimates
// real ones, as in whole-operations.txt. Seeded, so that the text does not change.

import { LoopSums } from '../../lib/measure/meter.js';
import { modelLaunches } from '../../lib/results/launch-model.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { sumBy } from '../../lib/statistics/sum.js';
import { percent, print } from './printed-table.js';

/** @import { MeasuredLaunch } from '../../lib/types/index.js' */

const SEED = 20261127;
const TIMES = 1_000;
const SLICE_MS = 65;
const SKIP_MS = 15;
const ROUNDS = 7;
const FRESH = 0.03; // standard deviation between launches of the same work

/** Distributions of the length of an operation, with a mean of 1. @type {Record<string, (random: () => number, normal: () => number) => number>} */
const LENGTHS = {
  'fixed, 1 %': (random) => 1 + 0.02 * (random() - 0.5),
  exponential: (random) => -Math.log(1 - random()),
  // The standard deviation is 1.5 times the mean.
  'heavy-tailed (lognormal)': (_random, normal) => Math.exp(1.0857 * normal() - 1.0857 ** 2 / 2),
};

/** @param {() => number} random */
const normalFrom = (random) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * @param {() => number} drawMs   length of the next operation
 * @param {number} loops
 * @returns {{ operations: number, windowMs: number, ofLoops: { n: number, ms: number }[] }}
 */
function sliceOf(drawMs, loops) {
  const ofLoops = Array.from({ length: loops }, () => {
    let startMs = 0;
    while (startMs < SKIP_MS) startMs += drawMs();
    const fromMs = startMs;
    let n = 0;
    for (; startMs < fromMs + SLICE_MS; n += 1) startMs += drawMs();
    return { n, ms: startMs - fromMs };
  });
  const operations = sumBy(ofLoops, ({ n }) => n);
  return { operations, windowMs: operations / sumBy(ofLoops, ({ n, ms }) => n / ms), ofLoops };
}

/**
 * @param {(random: () => number, normal: () => number) => number} length
 * @param {{ random: () => number, operationMs: number, loops: number, group: number }} launch
 * @returns {MeasuredLaunch}
 */
function launchOf(length, { random, operationMs, loops, group }) {
  const normal = normalFrom(random);
  const meanMs = operationMs * Math.exp(FRESH * normal());
  const slices = Array.from({ length: ROUNDS }, () => sliceOf(() => meanMs * length(random, normal), loops));
  const sums = new LoopSums(loops);
  for (const { ofLoops } of slices) {
    const slice = new LoopSums(loops);
    for (const [loop, { n, ms }] of ofLoops.entries()) {
      slice.operations[loop] = n;
      slice.ms[loop] = ms;
    }
    sums.add(slice);
  }
  const { operations, windowMs } = sums.report();
  const perMs = operations / windowMs;
  return /** @type {any} */ ({
    group,
    values: { rate: perMs },
    slices: {
      rounds: slices.map((_, round) => round),
      operations: slices.map(({ operations }) => operations),
      windowMs: slices.map(({ windowMs }) => windowMs),
    },
  });
}

const readRate = (/** @type {MeasuredLaunch} */ { values }) => /** @type {any} */ (values).rate;

/**
 * Compares a row with another one that is a third faster.
 * @param {(random: () => number, normal: () => number) => number} length
 * @param {{ perSlice: number, loops: number, launches: number }} cell
 */
function simulated(length, { perSlice, loops, launches }) {
  const random = seededRandom(SEED + perSlice + loops + launches);
  const operationMs = SLICE_MS / perSlice;
  const logs = { rate: 0, ratio: 0 };
  let hits = 0;
  const times = perSlice > 100 ? TIMES / 5 : TIMES;
  for (let time = 0; time < times; time += 1) {
    const rows = [1, 0.75].map((factor) =>
      Array.from({ length: launches }, (_, group) =>
        launchOf(length, { random, operationMs: factor * operationMs, loops, group }),
      ),
    );
    const model = modelLaunches(rows, readRate, { isRate: true });
    const ratio = model.ratioOf(1, 0);
    if (ratio === null) throw new Error('both rows have rates');
    logs.rate += Math.log(((model.valueOf(0)?.estimate ?? 0) * operationMs) / loops);
    logs.ratio += Math.log(ratio.estimate * 0.75);
    hits += Number(ratio.low <= 1 / 0.75 && 1 / 0.75 <= ratio.high);
  }
  return {
    rate: Math.expm1(logs.rate / times),
    ratio: Math.expm1(logs.ratio / times),
    coverage: hits / times,
  };
}

console.log(`Simulated rows, seed ${SEED}, ${TIMES} of each kind (a fifth of that with 1,000 operations in a slice). Each launch has ${ROUNDS} slices
of ${SLICE_MS} ms, whose first ${SKIP_MS} ms do not count; launches differ by ${percent(FRESH, 0)}. Each loop counts the operations that begin in its slice, whole.
`);
for (const [name, length] of Object.entries(LENGTHS)) {
  const rows = [1, 4].flatMap((loops) =>
    [1, 2, 5, 20, 1_000].flatMap((perSlice) =>
      [3, 6].map((launches) => {
        const { rate, ratio, coverage } = simulated(length, { perSlice, loops, launches });
        return [
          `${loops}`,
          `${perSlice}`,
          `${launches}`,
          percent(rate, 2),
          percent(ratio, 2),
          percent(coverage),
        ];
      }),
    ),
  );
  print(
    `${name} (wanted: a bias of at most 1 %, coverage of 94 to 97 %).`,
    ['loops', 'operations in a slice', 'launches', 'bias of the rate', 'bias of the ratio', 'coverage'],
    rows,
  );
}
