import workerpool from 'workerpool';
import { work } from '../../lib/channels/pool-worker.js';

workerpool.worker({ work });
