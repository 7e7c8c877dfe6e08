// Entry point of a process in the network of a master, with the pool of the private brokers of one launch. The pool ends when the runner
// disconnects.

import { assignedHop, BrokerPool, loadHops } from './broker-pool.js';

/** @import { ServeOrder, ServeMessage } from './brokers-beside.js' */

/** @type {BrokerPool | undefined} */
let pool;

/** @param {ServeMessage} message */
const send = (message) => void (process.connected && process.send?.(message));

process.once('message', async (/** @type {ServeOrder} */ { launch, cpus, scratchDir, bindAddress }) => {
  pool = new BrokerPool(scratchDir, { bindAddress });
  try {
    const { hops, served } = await pool.serve(await loadHops(launch, cpus));
    send({ hops: hops.map(assignedHop), noted: served.noted });
    for (const { pid, died } of await Promise.all(pool.running.values()))
      died.then((cause) => send({ died: pid, cause }));
  } catch (error) {
    send({ failed: /** @type {Error} */ (error).message });
  }
});
process.once('disconnect', async () => {
  await pool?.close();
  process.exit(); // The client of a broker may keep the process alive.
});
