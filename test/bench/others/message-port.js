// postMessage() of objects between the main thread and a worker thread, as in benchmark/worker/echo.js of Node.js.

import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { makeLoops, pin, serveSlices } from './load.js';

if (isMainThread) {
  pin('requester');
  const thread = new Worker(new URL(import.meta.url));
  const loops = makeLoops((message) => thread.postMessage(message));
  thread.on('message', loops.onResponse);
  serveSlices(loops, [process.pid]);
} else {
  pin('responder');
  parentPort?.on('message', (message) => parentPort?.postMessage(message));
}
