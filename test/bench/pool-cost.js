// What this program adds to a pool: `node test/bench/pool-cost.js`. For each pool two of them live side by side, one under the endpoint
// of the scenario task, one under a loop of a few lines that verifies nothing. They are measured in slices, and paired.

import { settingDefaults } from '../../lib/cell/traits.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { TaskProducer } from '../../lib/scenario/endpoints/task-endpoint.js';
import { Meter } from '../../lib/scenario/load/meter.js';
import { handOverPlan, Tasks } from '../../lib/scenario/messages/tasks.js';

/** @import { TaskPool, Transport } from '../../lib/types/index.js' */

const WORKERS = 2;
const LOOPS = 4;
const PAYLOAD_BYTES = 1_000;
const ROUNDS = Number(process.argv[2] ?? 60);
const [SKIP_MS, SLICE_MS] = [20, 100];
const RAW_WORKER = new URL('./raw-pool-worker.mjs', import.meta.url).href;

/** Each as the README of the library has it. @type {Record<string, () => Promise<(task: any) => Promise<any>>>} */
const RAW = {
  async piscina() {
    const { Piscina } = await import('piscina');
    const pool = new Piscina({ filename: RAW_WORKER, minThreads: WORKERS, maxThreads: WORKERS });
    return (task) => pool.run(task);
  },
  async tinypool() {
    const { default: Tinypool } = await import('tinypool');
    const pool = new Tinypool({ filename: RAW_WORKER, minThreads: WORKERS, maxThreads: WORKERS });
    return (task) => pool.run(task);
  },
};

const plan = {
  cell: { payloadBytes: PAYLOAD_BYTES, content: undefined, loops: LOOPS },
  seed: 1,
  messageFile: null,
  steps: 0,
  workUs: 0,
  resultBytes: 0,
};
handOverPlan(plan);

/** @param {string} name @returns {Promise<() => Promise<number>>} one slice of the scenario, in tasks */
async function ownSlices(name) {
  /** @type {{ default: Transport }} */
  const { default: transport } = await import(builtinUrl('transport', name));
  const settings = settingDefaults(transport);
  const { pool } = await transport.listen(/** @type {any} */ ({ workers: WORKERS, settings }));
  const meter = new Meter();
  const codec = {
    encode: (/** @type {any} */ message) => message,
    decode: (/** @type {any} */ wire) => wire,
  };
  const parts = {
    meter,
    channels: {},
    payloadsOf: () => new Tasks(plan).payloads,
    replyMs: 10_000,
    taskPlan: plan,
  };
  const cell = /** @type {any} */ ({ workers: WORKERS, loops: LOOPS });
  const producer = new TaskProducer(cell, codec, { ...parts, pool: () => /** @type {TaskPool} */ (pool) });
  await producer.ready();
  return async () => {
    const fromMs = performance.now() + SKIP_MS;
    const ends = { onCounted: () => meter.rest() };
    const { operations, windowMs } = await meter.runSlice(
      producer,
      { fromMs, toMs: fromMs + SLICE_MS },
      ends,
    );
    meter.settleSlice(false);
    return (operations * SLICE_MS) / windowMs;
  };
}

/** @param {string} name @returns {Promise<() => Promise<number>>} */
async function rawSlices(name) {
  const run = await RAW[name]();
  const payload = 'x'.repeat(PAYLOAD_BYTES);
  return async () => {
    const fromMs = performance.now() + SKIP_MS;
    const toMs = fromMs + SLICE_MS;
    let tasks = 0;
    const loop = async () => {
      for (let id = 0; performance.now() < toMs; id += 1) {
        await run({ id, payload });
        const nowMs = performance.now();
        if (nowMs >= fromMs && nowMs < toMs) tasks += 1;
      }
    };
    await Promise.all(Array.from({ length: WORKERS * LOOPS }, loop));
    return tasks;
  };
}

/** @param {() => Promise<number>} slice @returns {Promise<{ tasks: number, us: number }>} us: CPU time of this process for each task */
async function measured(slice) {
  const before = process.cpuUsage();
  const tasks = await slice();
  const { user, system } = process.cpuUsage(before);
  return { tasks, us: ((user + system) * SLICE_MS) / (SKIP_MS + SLICE_MS) / tasks };
}

/** @param {number[]} ratios @returns {string} their median, with its interval by ranks: its binomial is near enough to a normal distribution */
function median(ratios) {
  const sorted = ratios.toSorted((one, other) => one - other);
  const half = 0.98 / Math.sqrt(sorted.length);
  const [low, middle, high] = [0.5 - half, 0.5, 0.5 + half].map((share) =>
    sorted[Math.floor(share * (sorted.length - 1))].toFixed(3),
  );
  return `${middle} (95 %: ${low} to ${high})`;
}

for (const name of Object.keys(RAW)) {
  const sides = [await ownSlices(name), await rawSlices(name)];
  for (let warmUp = 0; warmUp < 10; warmUp += 1) for (const slice of sides) await slice();
  /** @type {{ tasks: number, us: number }[][]} */
  const pairs = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const isTurned = round % 2 === 1;
    const pair = [];
    for (const slice of isTurned ? sides.toReversed() : sides) pair.push(await measured(slice));
    pairs.push(isTurned ? pair.reverse() : pair);
  }
  const rate = median(pairs.map(([own, raw]) => own.tasks / raw.tasks));
  const cpu = median(pairs.map(([own, raw]) => own.us / raw.us));
  console.log(
    `${name}: rate ${rate}, CPU time per task ${cpu}, against the raw loop in ${ROUNDS} pairs of slices`,
  );
}
process.exit(0);
