import { ThreadWorker } from 'poolifier';
import { work } from '../../lib/transport/pool-worker.js';

export default new ThreadWorker(async (task) => work(/** @type {any} */ (task)));
