// A main process with one pool, which is a child of the test process, because some pools let an error of a worker end it, or keep
// it alive. It reports the outcome of the tasks of each test.

import { setTimeout as sleep } from 'node:timers/promises';
import { resolveTraits, settingDefaults } from '../../lib/cell/traits.js';
import { FIRST_ID } from '../../lib/workload/messages/message-ids.js';
import { handOverPlan } from '../../lib/workload/messages/tasks.js';
import { patiently } from './deadline.js';

/** @import { PoolFailures, TaskPool, Transport } from '../../lib/types/index.js' */
/** @typedef {'done' | 'rejected' | 'hung' | 'wrong'} Fate   wrong: it got the result of another task */

const WORKERS = 2;
// After so long without the end of a task, one hangs; shorter if the pool declares that tasks hang.
const [DECLARED_MS, UNEXPECTED_MS] = [400, patiently(10_000)];
const QUEUE = 2;

const [, , source, written, largeBytes, manyTasks] = process.argv;
const MANY = Number(manyTasks);
/** @type {{ default: Transport }} */
const { default: transport } = await import(source);
const settings = { ...settingDefaults(transport), ...JSON.parse(written) };
handOverPlan({
  cell: { payloadBytes: 8, content: undefined, loops: 1 },
  seed: 1,
  messageFile: null,
  steps: 0,
  workUs: 0,
  resultBytes: 0,
  isFaulty: true,
});
const declared = /** @type {PoolFailures | undefined} */ (transport.failures?.(settings));
const hangs = declared !== undefined && Object.values(declared).includes('hung');
const settleMs = hangs ? DECLARED_MS : UNEXPECTED_MS;
setInterval(() => {}, 1_000); // until its parent kills it, so that workers that a pool leaves would be orphans
process.on('uncaughtException', () => {}); // of a worker, whose failure is tested

let id = FIRST_ID;

/** @param {TaskPool} pool @param {string} payload @param {AbortSignal} [signal] @returns {Promise<Fate>} */
async function submit(pool, payload, signal) {
  try {
    const result = await pool.run({ id: id++, payload }, signal);
    return result.payload === payload ? 'done' : 'wrong';
  } catch {
    return 'rejected';
  }
}

/** @param {Record<string, string | number | boolean>} [more] @returns {Promise<TaskPool>} each of whose workers has done a task */
async function open(more = {}) {
  const { pool } = await transport.listen(
    /** @type {any} */ ({ workers: WORKERS, settings: { ...settings, ...more } }),
  );
  await Promise.all(Array.from({ length: 2 * WORKERS }, () => submit(/** @type {TaskPool} */ (pool), 'a')));
  return /** @type {TaskPool} */ (pool);
}

/** @param {Promise<Fate>[]} tasks @returns {Promise<Fate[]>} when nothing has ended for a while */
async function fates(tasks) {
  /** @type {Fate[]} */
  const found = tasks.map(() => 'hung');
  let seen = 0;
  for (const [index, task] of tasks.entries()) {
    task.then((fate) => {
      found[index] = fate;
      seen += 1;
    });
  }
  for (let before = -1; seen < tasks.length && seen !== before; ) {
    before = seen;
    await Promise.race([Promise.all(tasks), sleep(settleMs, undefined, { ref: false })]);
  }
  return found;
}

/** @param {string} fault */
async function trial(fault) {
  const pool = await open();
  const [own, ...others] = await fates(
    [fault, 'b', 'c', 'd', 'e', 'f'].map((payload) => submit(pool, payload)),
  );
  const later = await fates(['g', 'h', 'i', 'j'].map((payload) => submit(pool, payload)));
  return { own, others, later };
}

async function tryCancelling() {
  const pool = await open();
  const [running, waiting] = [new AbortController(), new AbortController()];
  const tasks = [
    submit(pool, 'rest', running.signal),
    submit(pool, 'rest'),
    submit(pool, 'b'),
    submit(pool, 'rest', waiting.signal),
  ];
  setTimeout(() => {
    running.abort();
    waiting.abort();
  }, 50);
  const [ofRunning, , , ofWaiting] = await Promise.all(tasks);
  return { running: ofRunning, waiting: ofWaiting };
}

async function tryFullQueue() {
  if (settings.maxQueue === undefined) return null;
  const pool = await open({ maxQueue: QUEUE });
  return Promise.all(['rest', 'rest', 'b', 'c', 'd', 'e'].map((payload) => submit(pool, payload)));
}

async function tryMany() {
  const pool = await open();
  const many = await Promise.all(Array.from({ length: MANY }, (_, index) => submit(pool, `task ${index}`)));
  const large = await submit(pool, 'x'.repeat(Number(largeBytes)));
  return { many: many.filter((fate) => fate === 'done').length, large };
}

/** @param {boolean} transfer @returns {Promise<{ sent: number, result: number } | null>} lengths after a task of bytes; null: its setting does not exist */
async function tryBytes(transfer) {
  if (
    transfer &&
    (settings.transfer === undefined || resolveTraits(transport, settings).class !== 'thread-pool')
  )
    return null;
  const pool = await open({ ...(settings.transfer !== undefined && { transfer }) });
  const payload = new Uint8Array(Number(largeBytes)).fill(7);
  const result = await pool.run({ id: id++, payload: /** @type {any} */ (payload) });
  const returned = /** @type {any} */ (result.payload);
  const isWhole = returned instanceof Uint8Array && returned.every((byte) => byte === 7);
  return { sent: payload.length, result: isWhole ? returned.length : -1 };
}

const clones = transport.serialisesWith?.(settings) ?? transport.serialises?.[0];
const trials = {
  many: await tryMany(),
  ...(clones !== 'json' && { copied: await tryBytes(false), transferred: await tryBytes(true) }),
  throws: await trial('throw'),
  ...(transport.traits.class !== 'inline' && {
    crashes: await trial('crash'),
    exits: await trial('exit'),
    cancel: await tryCancelling(),
    fullQueue: await tryFullQueue(),
  }),
};
process.send?.(trials, () => process.send?.({ isOver: true }));
