// Entry point of a master process: receives the spec of a launch from the runner, and sends back the report or the failure as plain data.

import { helperThreads } from '../../machine/process-cost.js';
import { openForkControlChannel } from '../control/control-channel.js';
import { sendHello } from '../control/protocol.js';
import { endWithin, endWithParent } from '../process-setup.js';
import { Controller } from './controller.js';

/** @import { LaunchSpec } from '../launch-spec.js' */

const THREADS_END_MS = 1_000; // a thread that can be terminated ends within about 10 ms

/** @type {Controller | undefined} */
let controller;
const { sendControl: send } = openForkControlChannel(process, (message) => {
  if (message.control === 'launch') launch(message.spec);
  else controller?.receive(message);
});
sendHello(send);
const helpers = helperThreads();

/** @param {LaunchSpec} spec */
async function launch(spec) {
  const own = new Controller(spec, { send, helpers });
  controller = own;
  const cancelEnd = endWithParent({
    lifeMs: spec.deadlines.lifeMs,
    cleanUp: () => own.launch?.listener.close(),
  });
  try {
    const report = await own.run();
    await send({ control: 'done', ...report });
  } catch (error) {
    const { code = 'TRANSPORT', message, integrity = null } = /** @type {any} */ (error);
    const sent = send({ control: 'failed', code, message, phase: own.phase, integrity });
    await own.abandon();
    await sent;
    if (own.launch?.group.areThreads) endWithin(THREADS_END_MS);
  }
  cancelEnd();
  process.disconnect();
  // Some pools keep the process alive for ever after a worker has died.
  if (own.launch?.listener.pool) endWithin(THREADS_END_MS);
}
