// `npm run bench:slices`: is a cell as fast in slices, while others have their slices in between, as in one window? Each launch is measured
// both ways in turn, so that what its processes are cancels: as many short slices as a window is long, then the window. Another launch
// keeps the machine busy in between: after a rest of the whole machine, everything is some 10 % slower for a while. What is printed is
// the ratio of the rates, and of CPU time per round trip, which is the better witness on a crowded machine.
//   npm run bench:slices -- --transport all --codec json --payload 1MB --pairs 6

import { parseArgs } from 'node:util';
import { seriesLabel } from '../../lib/cell/labels.js';
import { openScratch } from '../../lib/children/run-directory.js';
import { preparedSides, readSurroundings } from '../../lib/cli/prepare.js';
import { readEnvironment } from '../../lib/machine/environment.js';
import { pinnableCpus } from '../../lib/machine/placement.js';
import { BrokerPool } from '../../lib/run/brokers/broker-pool.js';
import { CellRunner } from '../../lib/run/cell-runner.js';
import { SlicedLaunch } from '../../lib/run/launch-groups.js';
import { sum, sumBy } from '../../lib/statistics/sum.js';

/** @import { Cell } from '../../lib/types/index.js' */
/** @typedef {{ operations: number, windowMs: number, cpuMs: number }} Counted */

const { values } = parseArgs({
  options: {
    transport: { type: 'string', default: 'all' },
    codec: { type: 'string', default: 'json' },
    payload: { type: 'string', default: '100' },
    workers: { type: 'string', default: '2x4' },
    placement: { type: 'string', default: 'split' },
    slice: { type: 'string', default: '80' },
    slices: { type: 'string', default: '8' },
    between: { type: 'string', default: '3' },
    pairs: { type: 'string', default: '6' },
  },
});
const [sliceMs, slices, between, pairs] = ['slice', 'slices', 'between', 'pairs'].map((name) =>
  Number(values[/** @type {'slice'} */ (name)]),
);
const SKIP_MS = 15;

const { transport, codec, workers, payload, placement } = values;
const argv = {
  ...{ transport, codec, workers, payload, placement },
  ...{ slice: `${sliceMs}ms`, lock: 'ignore', quiet: true },
};
const [{ options, plugins, plan }] = await preparedSides([{ argv, tree: null }], readSurroundings({}));
const scratch = await openScratch();
const { signal } = new AbortController();
const brokers = new BrokerPool(scratch.path, { signal });
const environment = { ...readEnvironment({ pinning: true }), brokers: {} };
const runner = new CellRunner({
  options,
  plugins,
  environment,
  cpus: pinnableCpus(),
  scratch,
  brokers,
  signal,
});

/** Every launch of this bench waits for many slices of others. */
const PATIENCE = 100;

/** @param {Cell} cell @param {number} order */
async function warmLaunch(cell, order) {
  const sliced = new SlicedLaunch(PATIENCE);
  const launch = runner.run(cell, 0, order, Math.random, {}, sliced);
  const end = () => sliced.end();
  launch.then(end, end);
  await sliced.done;
  await sliced.run({ kind: 'warm-up' });
  return { sliced, launch };
}

/** @param {SlicedLaunch} sliced @param {number} measureMs @returns {Promise<Counted>} */
async function measureOnce(sliced, measureMs) {
  const told = await sliced.run({ kind: 'slice', skipMs: SKIP_MS, measureMs, dropsLast: false });
  return told ?? { operations: 0, windowMs: measureMs, cpuMs: 0 };
}

const cells = plan.cells.filter(({ skip }) => skip === null).map(({ cell }) => cell);
const sliced = cells.filter((cell) => runner.canBeSliced(cell));
const other = await warmLaunch(sliced[0], 0);

/** @param {SlicedLaunch} sliced @param {number} measureMs @returns {Promise<Counted>} after slices of another launch */
async function slice(sliced, measureMs) {
  for (let count = 0; count < between; count += 1) await measureOnce(other.sliced, sliceMs);
  return measureOnce(sliced, measureMs);
}

/** @param {Counted[]} counted */
const rateOf = (counted) =>
  sumBy(counted, ({ operations }) => operations) / sumBy(counted, ({ windowMs }) => windowMs);
/** @param {Counted[]} counted */
const cpuOf = (counted) =>
  sumBy(counted, ({ cpuMs }) => cpuMs) / sumBy(counted, ({ operations }) => operations);

/** @param {number[]} ratios @returns {string} mean of the logarithms, with its standard error */
function ratioText(ratios) {
  const logs = ratios.map(Math.log);
  const mean = sum(logs) / logs.length;
  const error = Math.sqrt(sumBy(logs, (log) => (log - mean) ** 2) / (logs.length - 1) / logs.length);
  return `${Math.exp(mean).toFixed(3)} ±${(100 * error).toFixed(1)} %`;
}

/** @param {Cell} cell @param {number} order */
async function compareCell(cell, order) {
  const { sliced, launch } = await warmLaunch(cell, order);
  await slice(sliced, sliceMs);
  /** @type {{ rate: number[], cpu: number[] }} */
  const ratios = { rate: [], cpu: [] };
  for (let pair = 0; pair < pairs && !sliced.isOver; pair += 1) {
    /** @type {Counted[]} */
    const short = [];
    /** @type {Counted[]} */
    const long = [];
    const inSlices = async () => {
      for (let index = 0; index < slices; index += 1) short.push(await slice(sliced, sliceMs));
    };
    const inWindow = async () => void long.push(await slice(sliced, sliceMs * slices));
    for (const measure of pair % 2 === 0 ? [inSlices, inWindow] : [inWindow, inSlices]) await measure();
    ratios.rate.push(rateOf(short) / rateOf(long));
    ratios.cpu.push(cpuOf(short) / cpuOf(long));
  }
  sliced.run({ kind: 'finish' });
  const ended = await launch;
  const told = ended.status === 'measured' ? '' : `  ${ended.message}`;
  console.log(
    `${seriesLabel(cell).padEnd(28)} rate ${ratioText(ratios.rate)}   CPU time ${ratioText(ratios.cpu)}${told}`,
  );
}

try {
  for (const [order, cell] of cells.entries()) {
    if (sliced.includes(cell)) await compareCell(cell, 1 + order);
    else console.log(`${seriesLabel(cell).padEnd(28)} is measured in one window`);
  }
  other.sliced.run({ kind: 'finish' });
  await other.launch;
} finally {
  await brokers.close();
  await scratch.remove();
}
