import { runAsWorker } from 'synckit';
import { work } from '../../lib/transport/pool-worker.js';

runAsWorker(async (task) => work(task));
