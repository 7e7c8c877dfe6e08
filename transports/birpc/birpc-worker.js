import { parentPort } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { work } from '../../lib/transport/pool-worker.js';

createBirpc(
  { work },
  { post: (message) => parentPort?.postMessage(message), on: (hear) => void parentPort?.on('message', hear) },
);
