// A pool of one thread of Piscina, which returns the payload of each task.

import { isMainThread } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { makeLoops, pin, serveSlices } from './load.js';

/** @param {import('./load.js').Message} task */
export default ({ payload }) => ({ payload, workUs: 0 });

if (isMainThread) {
  pin('responder');
  const pool = new Piscina({ filename: import.meta.url, minThreads: 1, maxThreads: 1 });
  const loops = makeLoops(async (message) => {
    const { payload } = await pool.run(message);
    loops.onResponse({ id: message.id, payload });
  });
  serveSlices(loops, [process.pid]);
} else {
  pin('requester');
}
