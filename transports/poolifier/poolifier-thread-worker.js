import { ThreadWorker } from 'poolifier';
import { work } from '../../lib/transport/pool-worker.js';

export default new ThreadWorker((task) => work(/** @type {any} */ (task)));
