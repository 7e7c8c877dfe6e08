import { work } from '../../lib/transport/pool-worker.js';

process.on('message', (/** @type {any} */ task) => {
  process.send?.({ id: task.id, result: work(task) });
});
