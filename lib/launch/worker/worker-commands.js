// A worker, or another role that the controller has started: joins over channels of its transport, handles the commands of the launch, and
// ends.

import { isMainThread } from 'node:worker_threads';
import { furtherId } from '../../cell/connections.js';
import { optimiseAfterFewerCalls } from '../../children/tier-up.js';
import { BenchError } from '../../errors.js';
import { quoted } from '../../format/printable.js';
import { firstReadMs, shiftToShared, systemNowMs } from '../../machine/clock.js';
import { helperThreads } from '../../machine/process-cost.js';
import { Meter } from '../../measure/meter.js';
import { prepareMessages } from '../../workload/messages/payloads.js';
import { loadEndpoints, ScenarioKit } from '../../workload/scenario-kit.js';
import { openForkControlChannel, openOwnControlChannel } from '../control/control-channel.js';
import { sendHello } from '../control/protocol.js';
import {
  endContext,
  hostContext,
  loadInstruments,
  loadParts,
  loadTransport,
  planOpenPart,
  planTasks,
} from '../launch-spec.js';
import { endWithParent } from '../process-setup.js';
import { closeAll, JoinedWorker, readWorkerCost } from './joined-worker.js';

/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { Instruments } from '../monitors/instruments.js' */
/** @import { FromWorker, JoinOrder, SliceOrder, ToWorker } from '../control/protocol.js' */
/** @import { Channel, GuestContext, Listener, Transport } from '../../types/index.js' */
/** @typedef {Awaited<ReturnType<typeof loadParts>>} WorkerPlugins */
/** @typedef {(workerId: string) => Promise<Channel>} Connect   the channel lasts until this process exits */

const port = openOwnControlChannel();
const helpers = isMainThread ? helperThreads() : [];

/** @type {JoinedWorker | undefined} */
let joined;
/** Channels to the role that this process connects to. @type {Channel[]} */
const channels = [];
/** @type {Listener | undefined} */
let listener;
let isLeaving = false;
let cancelEnd = () => {};

/** @type {{ [Order in ToWorker as Order['control']]: (order: Order) => unknown }} */
const handlers = {
  join: (order) => join(order).catch((error) => reportFailure(error)),
  clock: () => send({ control: 'clock', nowMs: systemNowMs() }),
  connect: (order) => joined?.connectFurther(order).catch((error) => reportFailure(error)),
  start: (order) => joined?.start(order),
  slice,
  rest: () => joined?.rest(),
  finish: () => joined?.finish(),
  leave,
};
const { line, sendControl } = openForkControlChannel(port, (message) => {
  const handle = /** @type {Record<string, (order: any) => unknown>} */ (handlers)[message.control];
  if (handle === undefined)
    reportFailure(new BenchError('PROTOCOL', `it does not know the command ${quoted(message.control)}`));
  else handle(message);
});
sendHello(send);

/** @param {FromWorker} message */
function send(message) {
  sendControl(message);
}

/**
 * With isPriming, runs the code that is used shortly before a slice, so that V8 has compiled it: reads costs and sends a message. The first
 * call of `process.send` takes a path through `process.nextTick` that measured messages do not take, and invalidates compiled code.
 * @param {SliceOrder} order
 */
function slice(order) {
  if (order.isPriming) {
    readWorkerCost();
    send({ control: 'primed' });
  } else joined?.slice(order);
}

/** @param {JoinOrder} order */
async function join(order) {
  const { spec, listenSpec, address, clockShiftMs = 0 } = order;
  shiftToShared(clockShiftMs);
  const cleanUp = () => listener?.close();
  cancelEnd = endWithParent({ lifeMs: spec.deadlines.lifeMs, cleanUp });
  const instruments = await loadInstruments(spec);
  const importingMs = performance.now();
  const parts = await loadParts(spec);
  await loadEndpoints(parts.scenario, order.role);
  const importMs = performance.now() - importingMs;
  const guest = { ...endContext(spec), address, line };
  /** @type {Connect} */
  const connect = (workerId) => connectTo(parts.transport, { ...guest, workerId });
  if (listenSpec === undefined) await joinAsWorker(order, parts, { guest, connect, importMs, instruments });
  else await joinBetween({ ...order, listenSpec }, parts, { connect, instruments });
  optimiseAfterFewerCalls(spec.tierUp);
  const countsWholeOperations = joined?.meter.countsWholeOperations && joined.endpoint.run !== undefined;
  send({
    control: 'ready',
    helpers,
    address: listener?.address,
    ...(countsWholeOperations && { countsWholeOperations }),
  });
}

/**
 * @param {JoinOrder} order
 * @param {WorkerPlugins} parts
 * @param {{ guest: Omit<GuestContext, 'workerId'>, connect: Connect, importMs: number, instruments: Instruments | null }} ways   importMs:
 *   time of importing the plug-ins; instruments: null unless the launch is diagnostic
 */
async function joinAsWorker(
  order,
  { transport, codec: loaded, scenario },
  { guest, connect, importMs, instruments },
) {
  const { spec, role, id, forkedMs } = order;
  const { cell, deadlines, scenarioSettings, seed, timing } = spec;
  const connectingMs = performance.now();
  const channel = await connect(id);
  instruments?.watch(channel);
  const connectMs = performance.now() - connectingMs;
  let connections = 0;
  const connectAgain = () => {
    connections += 1;
    return transport.connect({ ...guest, workerId: furtherId(id, connections) });
  };
  const meter = new Meter();
  const { replyMs } = deadlines;
  const { codec, payloadsOf, responses } = await prepareMessages(spec, loaded);
  const open = await planOpenPart(spec, id);
  const kit = new ScenarioKit(cell, codec, {
    seed,
    settings: scenarioSettings,
    requesting: {
      channel,
      connect: connectAgain,
      meter,
      payloads: payloadsOf(id),
      responses,
      replyMs,
      messages: timing.messages,
      open,
      transport: cell.transport,
    },
    stream: {
      meter,
      channels: { [id]: channel },
      payloadsOf,
      responses,
      replyMs,
      open,
      receiptCodec: loaded,
      taskPlan: planTasks(spec),
    },
  });
  const endpoint = scenario.endpoint(role, kit);
  joined = new JoinedWorker({
    spec,
    role,
    id,
    connect,
    meter,
    endpoint,
    instruments,
    send,
    reportFailure,
  });
  const askingMs = performance.now();
  await endpoint.ready?.();
  const answerMs = performance.now() - askingMs;
  joined.arrival = { startMs: firstReadMs() - forkedMs, importMs, connectMs, answerMs };
}

/**
 * Joins as a role between the master and its workers: it connects to the master, and listens for the workers.
 * @param {JoinOrder & { listenSpec: LaunchSpec }} order
 * @param {WorkerPlugins} parts   plug-ins of the hop to the role that it connects to
 * @param {{ connect: Connect, instruments: Instruments | null }} ways   see joinAsWorker
 */
async function joinBetween({ spec, listenSpec, role, id }, parts, { connect, instruments }) {
  const { cell, scenarioSettings, seed, wireKind } = spec;
  const { codec } = await prepareMessages(spec, parts.codec);
  const workerIds = Array.from({ length: cell.workers }, (_, index) => `w${index}`);
  const relaying = { workerIds, wireKind, connect };
  const kit = new ScenarioKit(cell, codec, { seed, settings: scenarioSettings, relaying });
  const endpoint = parts.scenario.endpoint(role, kit);
  await endpoint.ready?.();
  const transport = await loadTransport(listenSpec);
  const host = hostContext(listenSpec, endpoint, role);
  host.onTrouble = reportFailure;
  host.onHangUp = (_workerId, error) => isLeaving || reportFailure(error, true);
  listener = await transport.listen(host.context);
  const rejectedConnections = () => host.rejectedConnections;
  const meter = new Meter();
  joined = new JoinedWorker({
    spec,
    role,
    id,
    connect,
    meter,
    endpoint,
    instruments,
    send,
    reportFailure,
    rejectedConnections,
  });
}

/** @param {Transport} transport @param {GuestContext} guest @returns a channel that lasts until this process exits */
async function connectTo(transport, guest) {
  const channel = await transport.connect(guest);
  channels.push(channel);
  channel.onClose = (reason) => {
    if (isLeaving) return;
    reportFailure(
      new Error(`its channel closed${reason ? `: ${reason.message}` : ''}`, { cause: reason }),
      true,
    );
  };
  return channel;
}

/** @param {Error} error @param {boolean} [isHangUp] */
function reportFailure(error, isHangUp = false) {
  // System codes such as ECONNRESET are not codes of this program.
  const known = [error, error.cause].find((cause) => cause instanceof BenchError);
  send({ control: 'failed', code: known?.code, message: error.message, ...(isHangUp && { isHangUp }) });
}

async function leave() {
  isLeaving = true;
  cancelEnd();
  await listener?.close();
  if (joined !== undefined) await closeAll(channels, joined.spec.cell);
  if (port.connected) port.disconnect();
}
