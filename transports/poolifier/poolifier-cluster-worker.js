import { ClusterWorker } from 'poolifier';
import { work } from '../../lib/transport/pool-worker.js';

export default new ClusterWorker((task) => work(/** @type {any} */ (task)));
