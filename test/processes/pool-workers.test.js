// Runs always.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { PoolWorkers } from '../../lib/launch/controller/pool-workers.js';

const IDLE =
  "const { parentPort } = require('node:worker_threads'); parentPort.once('message', () => {}); parentPort.postMessage(0);";

describe('the workers of a pool', {
  skip: process.platform === 'linux' ? false : 'they are found in /proc',
}, () => {
  it('finds the workers of a pool, and notices one that ends without a task', async () => {
    const workers = await PoolWorkers.before('thread-pool');
    const threads = [new Worker(IDLE, { eval: true }), new Worker(IDLE, { eval: true })];
    try {
      await Promise.all(threads.map((thread) => once(thread, 'message')));
      workers.find();
      assert.ok(workers.ids.length >= threads.length);
      assert.ok(workers.readCosts().every((cost) => cost !== null));
      await threads[1].terminate();
      assert.throws(() => workers.readCosts(), {
        code: 'PROCESS_DIED',
        message: /^worker \d+ of the pool \(thread \d+\) ended in the middle of the launch$/,
      });
    } finally {
      await Promise.all(threads.map((thread) => thread.terminate()));
    }
  });
});
