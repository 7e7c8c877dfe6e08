// What the independent programs share: the plan in the environment, pinning, closed loops, and measured slices. They import nothing of
// lib/, so that a fault there cannot be on both sides of a comparison.

import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} LoadPlan
 * @property {number} loops
 * @property {number} payloadBytes
 * @property {boolean} isChecked   each response is matched, compared and timed, and its loop is resumed by a promise, as in ipc-bench
 * @property {{ responder: number, requester: number } | null} cpus   null if processes are not pinned
 * @property {string} [net]        of `sockets.js`: tcp or unix
 * @property {boolean} [isReusing]   of `sockets.js`: memory of frames is used again
 * @property {string} [pattern]    of `zeromq.js`: router-dealer or req-rep
 * @property {'json' | 'advanced'} [serialization]   of `process-send.js`
 * @property {string} folder       a private folder for sockets
 * @property {boolean} [isServer]  of `http.js`: another program sends the requests
 * @property {string} [address]    of the responder
 */
/** @typedef {{ id: number, payload: string }} Message */

// In the environment, which threads have too.
const { LOAD_PLAN, LOAD_ROLE } = process.env;
/** @type {LoadPlan} */
export const plan = JSON.parse(LOAD_PLAN ?? 'null');
export const isRequester = LOAD_ROLE === 'requester';

/** Pins the calling thread; helper threads of V8 and libuv stay free, as in ipc-bench. @param {'responder' | 'requester'} end */
export function pin(end) {
  const { cpus } = plan;
  if (cpus === null) return;
  const thread = String(readlinkSync('/proc/thread-self').split('/').at(-1));
  execFileSync('taskset', ['-p', '-c', String(cpus[end]), thread], { stdio: 'ignore' });
}

/** Starts the calling module again as the requester, which takes over stdin and stdout. @param {string} address */
export function startRequester(address) {
  const env = {
    ...process.env,
    LOAD_PLAN: JSON.stringify({ ...plan, address }),
    LOAD_ROLE: 'requester',
  };
  const requester = fork(process.argv[1], { env, serialization: plan.serialization });
  once(requester, 'exit').then(([code]) => process.exit(code ?? 1));
  return requester;
}

const FIRST_ID = 1_000_000_000; // ten digits, as the ids of ipc-bench
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** @param {number} bytes */
function makePayload(bytes) {
  return Array.from({ length: bytes }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
}

/**
 * @typedef {object} Load
 * @property {() => void} resume
 * @property {() => Promise<void>} pause     resolves when no request is open
 * @property {() => number} done             operations so far
 */

/**
 * Closed loops: each sends a request, and the next one after the response.
 * @param {(message: Message) => unknown} send
 * @returns {Load & { onResponse: (message: Message) => void }}
 */
export function makeLoops(send) {
  const { loops, payloadBytes } = plan;
  const payloads = Array.from({ length: 2 * loops + 1 }, () => makePayload(payloadBytes));
  let sent = 0;
  const makeRequest = () => {
    const message = { id: FIRST_ID + sent, payload: payloads[sent % payloads.length] };
    sent += 1;
    return message;
  };
  return (plan.isChecked ? checkedLoops : plainLoops)(send, makeRequest);
}

/** @typedef {(send: (message: Message) => unknown, makeRequest: () => Message) => ReturnType<typeof makeLoops>} MakeLoops */

/** @type {MakeLoops} */
function plainLoops(send, makeRequest) {
  let done = 0;
  let open = 0;
  let isPaused = true;
  let onIdle = () => {};
  return {
    resume() {
      isPaused = false;
      for (; open < plan.loops; open += 1) send(makeRequest());
    },
    pause() {
      isPaused = true;
      return new Promise((resolve) => {
        onIdle = resolve;
      });
    },
    onResponse() {
      done += 1;
      if (!isPaused) return void send(makeRequest());
      open -= 1;
      if (open === 0) onIdle();
    },
    done: () => done,
  };
}

const BUCKETS_PER_DOUBLING = 40;
const NS_PER_MS = 1e6;
const NS_PER_US = 1_000;

/** @type {MakeLoops} */
function checkedLoops(send, makeRequest) {
  let done = 0;
  let isPaused = true;
  /** @type {Promise<void>[]} */
  let running = [];
  /** @type {Map<number, { payload: string, startMs: number, resolve: () => void }>} */
  const open = new Map();
  const histogram = new Float64Array(64 * BUCKETS_PER_DOUBLING);
  const request = () =>
    new Promise((/** @type {(value?: any) => void} */ resolve) => {
      const message = makeRequest();
      open.set(message.id, { payload: message.payload, startMs: performance.now(), resolve });
      send(message);
    });
  const loop = async () => {
    while (!isPaused) await request();
  };
  return {
    resume() {
      isPaused = false;
      running = Array.from({ length: plan.loops }, loop);
    },
    async pause() {
      isPaused = true;
      await Promise.all(running);
    },
    onResponse({ id, payload }) {
      const asked = open.get(id);
      if (asked === undefined || asked.payload !== payload) throw new Error(`a wrong response: ${id}`);
      open.delete(id);
      const ns = (performance.now() - asked.startMs) * NS_PER_MS;
      histogram[Math.round(BUCKETS_PER_DOUBLING * Math.log2(ns))] += 1;
      done += 1;
      asked.resolve();
    },
    done: () => done,
  };
}

/** @param {number} pid @returns {number | null} ns on a CPU so far, of all threads; null where the kernel does not count them */
export function readCpuNs(pid) {
  try {
    let ns = 0;
    for (const thread of readdirSync(`/proc/${pid}/task`))
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    return ns;
  } catch {
    return null;
  }
}

/**
 * For each line of stdin, which has the milliseconds of load before the window and of the window, puts load on the processes, and prints
 * the operations of the window, its length, and the CPU time of each process per operation. Ends this process at the end of stdin.
 * @param {Load} load
 * @param {number[]} pids
 */
export async function serveSlices({ resume, pause, done }, pids) {
  for await (const line of createInterface(process.stdin)) {
    const [skipMs, measureMs] = line.split(' ').map(Number);
    const doneBefore = done();
    const others = pids.map((pid) => (pid === process.pid ? null : readCpuNs(pid)));
    const own = process.cpuUsage(); // reading files takes this process more CPU time than some operations
    resume();
    await sleep(skipMs);
    const from = { done: done(), ms: performance.now() };
    await sleep(measureMs);
    const operations = done() - from.done;
    const windowMs = performance.now() - from.ms;
    await pause();
    const { user, system } = process.cpuUsage(own);
    const spentUs = pids.map((pid, index) => {
      if (pid === process.pid) return user + system;
      const [fromNs, toNs] = [others[index], readCpuNs(pid)];
      return fromNs === null || toNs === null ? null : (toNs - fromNs) / NS_PER_US;
    });
    const cpuUs = spentUs.map((us) => us && us / (done() - doneBefore));
    console.log(JSON.stringify({ operations, windowMs, cpuUs }));
  }
  process.exit();
}

process.on('SIGTERM', () => process.exit(1)); // with the handlers of 'exit', which end servers

/** Ends this process when the other end is gone. */
export function endWithParent() {
  process.on('disconnect', () => process.exit());
}
