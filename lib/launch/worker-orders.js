// A worker, once it is started: joins one master over one channel, obeys the orders of the launch, and ends.

import { isMainThread } from 'node:worker_threads';
import { BenchError } from '../errors.js';
import { FIRST_READ_MS } from '../machine/clock.js';
import { helperThreads } from '../machine/helper-threads.js';
import { messagesOf } from '../scenario-kit/messages-of.js';
import { Meter } from '../scenario-kit/meter.js';
import { ScenarioKit } from '../scenario-kit/scenario-kit.js';
import { endContext, loadParts } from './assignment.js';
import { openForkLine } from './fork-line.js';
import { JoinedWorker, readCost } from './joined-worker.js';
import { endWithParent } from './orphan.js';
import { openOwnPort } from './own-port.js';
import { sayHello } from './protocol.js';

/** @import { OpenPart } from '../scenario-kit/asking-half.js' */
/** @import { Assignment } from './assignment.js' */
/** @import { FromWorker, JoinOrder, ToWorker } from './protocol.js' */

const port = openOwnPort();
const helpers = isMainThread ? helperThreads() : [];

/** @type {JoinedWorker | undefined} */
let joined;
let isLeaving = false;
let leaveInPeace = () => {};

/** @type {{ [Order in ToWorker as Order['control']]: (order: Order) => unknown }} */
const orders = {
  join: (order) => join(order).catch(tellFailure),
  start: (order) => joined?.start(order),
  // What comes with the window must be nothing new to the compiler.
  rehearse: () => readCost(),
  measure: (order) => joined?.measure(order),
  leave,
};
const { line, sendControl } = openForkLine(port, (message) => {
  /** @type {Record<string, (order: any) => unknown>} */ (orders)[message.control]?.(message);
});
sayHello(say);

/** @param {FromWorker} message */
function say(message) {
  sendControl(message);
}

/** @param {JoinOrder} order */
async function join({ assignment, address, workerId, forkedMs }) {
  const { cell, deadlines, scenarioSettings, seed, timing } = assignment;
  leaveInPeace = endWithParent({ lifeMs: deadlines.lifeMs });
  const importingMs = performance.now();
  const { transport, codec: loaded, scenario } = await loadParts(assignment);
  const connectingMs = performance.now();
  const guest = { ...endContext(assignment), address, line };
  const channel = await transport.connect({ ...guest, workerId });
  const connectedMs = performance.now();
  let connections = 0;
  const connect = () => {
    connections += 1;
    return transport.connect({ ...guest, workerId: `${workerId}c${connections}` });
  };
  const meter = new Meter();
  const { replyMs } = deadlines;
  const { codec, payloadsOf } = messagesOf(assignment, loaded);
  const kit = new ScenarioKit(cell, codec, {
    ...{ seed, settings: scenarioSettings },
    asking: {
      ...{ channel, connect, meter, replyMs, messages: timing.messages },
      payloads: payloadsOf(workerId),
      open: openPartOf(assignment, workerId),
    },
    stream: { meter, channels: { [workerId]: channel }, payloadsOf, replyMs },
  });
  const half = scenario.half('worker', kit);
  joined = new JoinedWorker({ assignment, workerId, channel, meter, half, say, tellFailure });
  channel.onClose = (reason) => {
    if (isLeaving) return;
    tellFailure(new Error(`its channel closed${reason ? `: ${reason.message}` : ''}`, { cause: reason }));
  };
  const askingMs = performance.now();
  await half.ready?.();
  joined.arrival = {
    startMs: FIRST_READ_MS - forkedMs,
    importMs: connectingMs - importingMs,
    connectMs: connectedMs - connectingMs,
    answerMs: performance.now() - askingMs,
  };
  say({ control: 'ready', helpers });
}

/** @param {Assignment} assignment @param {string} workerId @returns {OpenPart | null} */
function openPartOf({ cell, open, seed }, workerId) {
  const { ratePerSecond, workers } = cell;
  if (ratePerSecond === undefined || open === null) return null;
  return { plan: open, share: { ratePerSecond, workers, worker: Number(workerId.slice(1)), seed } };
}

/** @param {Error} error */
function tellFailure(error) {
  // A code of the system's, as ECONNRESET, is none of ours.
  const known = [error, error.cause].find((each) => each instanceof BenchError);
  say({ control: 'failed', code: known?.code, message: error.message });
}

async function leave() {
  isLeaving = true;
  leaveInPeace();
  await joined?.channel.close();
  if (port.connected) port.disconnect();
}
