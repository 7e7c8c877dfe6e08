import workerpool from 'workerpool';
import { work } from '../../lib/transport/pool-worker.js';

workerpool.worker({ work });
