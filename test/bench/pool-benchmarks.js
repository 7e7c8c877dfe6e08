// The pools' own benchmarks beside the scenario task: `node test/bench/pool-benchmarks.js [ROUNDS]`. Each is repeated in a process of its
// own with the calls that the benchmark in the repository of the library makes, and next to it a launch of this program with as many workers
// and open tasks.

import { spawnSync } from 'node:child_process';
import { measure } from '../../lib/cli/measure.js';

const ROUNDS = Number(process.argv[2] ?? 5);
const ADD = new URL('./raw-pool-worker.mjs', import.meta.url).href;
const [LONG_MS, FIBONACCI] = [3_000, 20];

/** @param {number} n @returns {number} */
function fibonacci(n) {
  return n <= 1 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/** @param {() => Promise<unknown> | unknown} call @param {number} calls @returns {Promise<number>} µs per call, one after the other */
async function timeCalls(call, calls) {
  const fromMs = performance.now();
  for (let done = 0; done < calls; done += 1) await call();
  return ((performance.now() - fromMs) * 1_000) / calls;
}

/** @param {() => unknown} work @returns {Promise<number>} µs that it takes in a warm process */
async function timeWork(work) {
  await timeCalls(work, 1_000);
  return timeCalls(work, 1_000);
}

/**
 * own: µs per call; workers: those of the launch that stands beside it; workUs: of the work in each call.
 * @type {Record<string, { own: () => Promise<number>, workers: string, workUs?: () => Promise<number> }>}
 */
const BENCHMARKS = {
  // benchmark/simple-benchmark.js: as many loops as it takes until a task has to wait, start included.
  piscina: {
    async own() {
      const { Piscina } = await import('piscina');
      const pool = new Piscina({ filename: ADD });
      const fromMs = performance.now();
      let done = 0;
      const loop = async () => {
        while (performance.now() - fromMs < LONG_MS) {
          await pool.run({ a: 4, b: 6 });
          done += 1;
        }
      };
      const loops = [];
      while (pool.queueSize === 0) loops.push(loop());
      await Promise.all(loops);
      console.error(`piscina: ${loops.length} loops, ${pool.threads.length} threads`);
      return (LONG_MS * 1_000) / done;
    },
    workers: '3x1',
  },
  // benchmark.mjs, "task execution": a function is sent as its text, and one call follows the other.
  workerpool: {
    async own() {
      const { default: workerpool } = await import('workerpool');
      const pool = workerpool.pool({ maxWorkers: 4 });
      const call = async () => pool.exec(fibonacci, [FIBONACCI]);
      await timeCalls(call, 100);
      return timeCalls(call, 200);
    },
    workers: '1x1',
    workUs: () => timeWork(() => fibonacci(FIBONACCI)),
  },
};

/** @param {string} transport @param {string} workers @param {number} workUs @returns {Promise<number>} µs per task of a launch */
async function measureTask(transport, workers, workUs) {
  const { outcomes } = await measure({
    transport,
    workers,
    scenario: `task:work=${Math.round(workUs)}`,
    payload: '16',
    launches: 1,
    controls: false,
    placement: 'free',
  }).results;
  const [outcome] = outcomes;
  if (outcome.status !== 'measured') throw new Error(`${transport} was not measured: ${outcome.status}`);
  const rate = outcome.measures[outcome.headline];
  if (rate.kind !== 'value') throw new TypeError('the rate is no value');
  return 1e6 / Number(rate.estimate);
}

/** @param {number[]} values */
function describe(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const shown = [sorted[0], sorted[Math.floor(sorted.length / 2)], /** @type {number} */ (sorted.at(-1))];
  const [low, middle, high] = shown.map((value) => value.toPrecision(3));
  return `${middle} (${low} to ${high})`;
}

const asked = process.env.IPC_BENCH_OWN;
if (asked !== undefined) {
  console.log(await BENCHMARKS[asked].own());
  process.exit(0);
}

for (const [name, { workers, workUs = async () => 0 }] of Object.entries(BENCHMARKS)) {
  const work = await workUs();
  /** @type {{ own: number[], here: number[] }} */
  const times = { own: [], here: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const env = { ...process.env, IPC_BENCH_OWN: name };
    const { stdout } = spawnSync(process.execPath, [import.meta.filename], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    times.own.push(Number(stdout));
    times.here.push(await measureTask(name, workers, work));
  }
  const ratios = times.own.map((own, index) => own / times.here[index]);
  console.log(
    `${name}: its own benchmark ${describe(times.own)} µs per call, task at ${workers} ${describe(times.here)} µs, work ${work.toPrecision(3)} µs, ratio ${describe(ratios)}`,
  );
}
process.exit(0);
