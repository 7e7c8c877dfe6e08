// Entry point of a process that starts the private brokers of one launch where it runs itself, in another network than the conductor,
// and ends them with its line to it.

import { BrokerKeeper } from './broker-keeper.js';
import { assignedHop } from './hop-broker.js';
import { serveHops } from './serve-hops.js';

/** @import { ServeOrder, ServeNews } from './brokers-beside.js' */

const controller = new AbortController();
/** @type {BrokerKeeper | undefined} */
let keeper;

/** @param {ServeNews} news */
const tell = (news) => void (process.connected && process.send?.(news));

process.once('message', async (/** @type {ServeOrder} */ { launch, cpus, scratchDir, bindAddress }) => {
  keeper = new BrokerKeeper(scratchDir, controller.signal, bindAddress);
  try {
    const { hops, served } = await serveHops(keeper, launch, cpus);
    tell({ hops: hops.map(assignedHop), noted: served.noted });
    for (const { pid, died } of await Promise.all(keeper.running.values()))
      died.then((cause) => tell({ died: pid, cause }));
  } catch (error) {
    tell({ failed: /** @type {Error} */ (error).message });
  }
});
process.once('disconnect', async () => {
  controller.abort(new Error('its launch is over'));
  await keeper?.close();
  process.exit(); // whatever the client of a broker still waits for
});
