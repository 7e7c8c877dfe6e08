import { parentPort } from 'node:worker_threads';
import { expose } from 'comlink';
// @ts-expect-error The adapter of the ES module has no types.
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { work } from '../../lib/transport/pool-worker.js';

expose(work, nodeEndpoint(parentPort));
