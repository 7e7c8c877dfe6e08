import { parentPort } from 'node:worker_threads';
import { expose, transfer } from 'comlink';
// @ts-expect-error The adapter of the ES module has no types.
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { workAndTransfer } from '../../lib/transport/pool-transfer.js';

expose(workAndTransfer(transfer), nodeEndpoint(parentPort));
