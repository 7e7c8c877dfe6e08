// The program that record-cost.js measures: requests with ids to a child process or a
// thread, for two seconds after some to warm up. It prints its messages per second, both directions, and the CPU time of each.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const MEASURE_MS = 2_000;
const SHORT_THREADS = 16;
const [kind, inFlight, workUs, warmUpS] = process.argv.slice(2);
const self = new URL(import.meta.url);

/** @param {number} messages @param {{ ms: number, cpu: NodeJS.CpuUsage }} began */
function report(messages, { ms, cpu }) {
  const seconds = (performance.now() - ms) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  console.log(JSON.stringify({ perSecond: messages / seconds, cpuUs: (user + system) / messages }));
}

function openPeer() {
  const peer = kind === 'fork' ? fork(self, ['child']) : new Worker(self);
  return {
    send: (/** @type {any} */ message) =>
      peer instanceof Worker ? peer.postMessage(message) : peer.send(message),
    onMessage: (/** @type {() => void} */ listener) => peer.on('message', listener),
  };
}

if (kind === 'child') {
  process.on('message', (/** @type {any} */ { id }) => process.send?.({ id, isDone: true }));
} else if (!isMainThread && kind === 'threads') {
  for (let id = 0; id < Number(inFlight); id += 1)
    parentPort?.postMessage({ id, type: 'job', name: 'a job' });
} else if (!isMainThread) {
  parentPort?.on('message', ({ id }) => parentPort?.postMessage({ id, isDone: true }));
} else if (kind === 'threads') {
  const began = { ms: performance.now(), cpu: process.cpuUsage() };
  for (let thread = 0; thread < SHORT_THREADS; thread += 1) {
    const worker = new Worker(self, { argv: process.argv.slice(2) });
    worker.on('message', () => {});
    await once(worker, 'exit');
  }
  report(SHORT_THREADS * Number(inFlight), began);
} else {
  const peer = openPeer();
  let id = 0;
  const send = () => {
    const untilMs = performance.now() + Number(workUs) / 1_000;
    while (performance.now() < untilMs);
    id += 1;
    peer.send({ id, type: 'job', name: 'an example of a job', tags: ['a', 'b'] });
  };
  let answers = 0;
  peer.onMessage(() => {
    answers += 1;
    send();
  });
  for (let open = 0; open < Number(inFlight); open += 1) send();
  const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
  await wait(1_000 * Number(warmUpS));
  const began = { answers, ms: performance.now(), cpu: process.cpuUsage() };
  await wait(MEASURE_MS);
  report(2 * (answers - began.answers), began);
  process.exit();
}
