// `npm run bench:repeats`: how often does the interval of a run hold what other runs of the same cells find? Measures the same table again and
// again. For each ratio and run, the truth is taken to be the geometric mean of the other runs.
//   npm run bench:repeats -- --runs 20 --transport pipe,unix,tcp --launches 3

import { parseArgs } from 'node:util';
import { seriesLabel } from '../../lib/cell/labels.js';
import { preparedSides, readSurroundings } from '../../lib/cli/prepare.js';
import { runBenchmark } from '../../lib/run/interleaved-run.js';
import { median } from '../../lib/statistics/rank-tests.js';
import { sum, sumBy } from '../../lib/statistics/sum.js';

/** @typedef {{ row: string, estimate: number, own: [number, number], printed: [number, number] }} Ratio */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    transport: { type: 'string', default: 'pipe,unix,tcp' },
    codec: { type: 'string', default: 'json,string,v8' },
    launches: { type: 'string', default: '3' },
    workers: { type: 'string', default: '2x4' },
    payload: { type: 'string', default: '1000' },
  },
});
const { runs: runsText, ...argv } = values;
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

/** @param {number} seed @returns {Promise<{ ratios: Ratio[], ms: number }>} */
async function measure(seed) {
  const [side] = await preparedSides(
    [{ argv: { ...argv, seed: String(seed), controls: false, quiet: true }, tree: null }],
    readSurroundings(process.env),
  );
  const beganMs = performance.now();
  const { outcomes } = await runBenchmark({
    ...side,
    resultsPath: null,
    onProgress() {},
    signal: stop.signal,
  });
  const ratios = outcomes.flatMap((outcome) => {
    const { status } = outcome;
    if (status !== 'measured' || outcome.ratio === null || !outcome.ratio.simultaneous) return [];
    const { estimate, low, high, simultaneous } = outcome.ratio;
    return /** @type {Ratio} */ ({
      row: seriesLabel(outcome.cell),
      estimate,
      own: [low, high],
      printed: [simultaneous.low, simultaneous.high],
    });
  });
  return { ratios, ms: performance.now() - beganMs };
}

/** @param {Ratio[]} all   of one row, one for each run */
function summarise(all) {
  const logs = all.map(({ estimate }) => Math.log(estimate));
  const total = sum(logs);
  const holds = (/** @type {'own' | 'printed'} */ which) =>
    all.filter(({ [which]: [low, high] }, run) => {
      const others = Math.exp((total - logs[run]) / (all.length - 1));
      return low <= others && others <= high;
    }).length;
  const mean = total / all.length;
  const spread = Math.sqrt(sumBy(logs, (log) => (log - mean) ** 2) / (all.length - 1));
  const width = median(all.map(({ own: [low, high] }) => Math.sqrt(high / low) - 1));
  return {
    ratio: Math.exp(mean),
    spread,
    width,
    own: holds('own'),
    printed: holds('printed'),
    runs: all.length,
  };
}

/** @type {Map<string, Ratio[]>} */
const byRow = new Map();
/** @type {number[]} */
const lengthsMs = [];
for (let run = 1; run <= Number(runsText); run += 1) {
  const { ratios, ms } = await measure(run);
  lengthsMs.push(ms);
  for (const ratio of ratios) byRow.set(ratio.row, [...(byRow.get(ratio.row) ?? []), ratio]);
  process.stderr.write(`run ${run} of ${runsText}: ${(ms / 1_000).toFixed(0)} s\n`);
}
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
console.log(
  `${runsText} runs of ${argv.launches} launches, Node ${process.versions.node}, ${median(lengthsMs).toFixed(0)} ms each`,
);
console.log(
  '| row | mean ratio | spread of runs | half-width | own interval holds the others | printed one |',
);
console.log('| --- | --- | --- | --- | --- | --- |');
const rows = [...byRow].map(([row, all]) => ({ row, ...summarise(all) }));
for (const { row, ratio, spread, width, own, printed, runs } of rows) {
  const shares = `${own} of ${runs} | ${printed} of ${runs}`;
  console.log(`| ${row} | ${ratio.toFixed(3)} | ${percent(spread)} | ±${percent(width)} | ${shares} |`);
}
const all = sumBy(rows, ({ runs }) => runs);
const [own, printed] = [sumBy(rows, (row) => row.own), sumBy(rows, (row) => row.printed)];
console.log(
  `all: own ${own} of ${all} (${percent(own / all)}), printed ${printed} of ${all} (${percent(printed / all)})`,
);
