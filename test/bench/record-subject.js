// The program that record-cost.js measures: requests with ids to a child process or a
// thread, or as JSON lines over a unix socket, for two seconds after one to warm up. It prints its messages per second, both directions, and the CPU time of each.

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const WARM_UP_MS = 1_000;
const MEASURE_MS = 2_000;
const [kind, inFlight, items] = process.argv.slice(2);
const self = new URL(import.meta.url);

/** @param {import('node:net').Socket} socket @param {(message: any) => void} onMessage */
function readLines(socket, onMessage) {
  let rest = '';
  socket.setEncoding('utf8').on('data', (text) => {
    const lines = `${rest}${text}`.split('\n');
    rest = /** @type {string} */ (lines.pop());
    for (const line of lines) onMessage(JSON.parse(line));
  });
}

/** @returns {Promise<{ send: (message: any) => void, onMessage: (listener: () => void) => void, close: () => Promise<void> }>} */
async function openPeer() {
  if (kind === 'unix') {
    const path = join(tmpdir(), `ibr-${process.pid}.sock`);
    const server = createServer().listen(path);
    await once(server, 'listening');
    const child = spawn(process.execPath, [fileURLToPath(self), 'unix-child', path]);
    const [socket] = await once(server, 'connection');
    return {
      send: (message) => socket.write(`${JSON.stringify(message)}\n`),
      onMessage: (listener) => readLines(socket, listener),
      close: async () => {
        socket.destroy();
        await once(child, 'exit');
        rmSync(path, { force: true });
      },
    };
  }
  const peer = kind === 'fork' ? fork(self, ['child']) : new Worker(self);
  return {
    send: (message) => (peer instanceof Worker ? peer.postMessage(message) : peer.send(message)),
    onMessage: (listener) => peer.on('message', listener),
    close: async () => {},
  };
}

if (kind === 'unix-child') {
  const socket = connect(inFlight).on('close', () => process.exit());
  readLines(socket, ({ id }) => socket.write(`${JSON.stringify({ id, isDone: true })}\n`));
} else if (kind === 'child') {
  process.on('message', (/** @type {any} */ { id }) => process.send?.({ id, isDone: true }));
} else if (!isMainThread) {
  parentPort?.on('message', ({ id }) => parentPort?.postMessage({ id, isDone: true }));
} else {
  const peer = await openPeer();
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
  await peer.close();
  process.exit();
}
