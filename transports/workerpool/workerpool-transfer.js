import workerpool from 'workerpool';
import { workAndTransfer } from '../../lib/transport/pool-transfer.js';

workerpool.worker({ work: workAndTransfer((result, list) => new workerpool.Transfer(result, list)) });
