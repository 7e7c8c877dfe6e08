// The program that record-cost.js measures: requests with ids to a child process or a
// thread, for two seconds after one to warm up. It prints its messages per second, both directions, and the CPU time of each.

import { fork } from 'node:child_process';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const WARM_UP_MS = 1_000;
const MEASURE_MS = 2_000;
const [kind, inFlight, items] = process.argv.slice(2);
const self = new URL(import.meta.url);

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
} else if (!isMainThread) {
  parentPort?.on('message', ({ id }) => parentPort?.postMessage({ id, isDone: true }));
} else {
  const peer = openPeer();
  const list = Array.from({ length: Number(items) }, (_, place) => ({ place, name: `item ${place}` }));
  let id = 0;
  const send = () => {
    id += 1;
    peer.send({ id, type: 'job', name: 'an example of a job', tags: ['a', 'b'], list });
  };
  let answers = 0;
  peer.onMessage(() => {
    answers += 1;
    send();
  });
  for (let open = 0; open < Number(inFlight); open += 1) send();
  const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));
  await wait(WARM_UP_MS);
  const began = { answers, ms: performance.now(), cpu: process.cpuUsage() };
  await wait(MEASURE_MS);
  const seconds = (performance.now() - began.ms) / 1_000;
  const { user, system } = process.cpuUsage(began.cpu);
  const messages = 2 * (answers - began.answers);
  console.log(JSON.stringify({ perSecond: messages / seconds, cpuUs: (user + system) / messages }));
  process.exit();
}
