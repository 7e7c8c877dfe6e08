import workerpool from 'workerpool';
import { work } from '../../lib/transport/pool-worker.js';
import { workAndTransfer } from '../../lib/transport/pools.js';

workerpool.worker({ work: workAndTransfer(work, (result, list) => new workerpool.Transfer(result, list)) });
