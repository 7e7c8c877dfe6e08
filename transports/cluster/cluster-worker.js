import { work } from '../../lib/channels/pool-worker.js';

process.on('message', async (/** @type {any} */ task) => {
  const { id } = task;
  try {
    process.send?.({ id, result: await work(task) });
  } catch (error) {
    process.send?.({ id, message: /** @type {Error} */ (error).message });
  }
});
// The main process sends tasks only after this message, since earlier ones would be lost.
process.send?.({ isReady: true });
