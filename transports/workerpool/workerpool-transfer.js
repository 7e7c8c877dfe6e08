import workerpool from 'workerpool';
import { work } from '../../lib/channels/pool-worker.js';
import { workAndTransfer } from '../../lib/channels/pools.js';

workerpool.worker({ work: workAndTransfer(work, (result, list) => new workerpool.Transfer(result, list)) });
