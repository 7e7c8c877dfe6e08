// A worker, or another role that the controller has started: joins over channels of its transport, obeys the orders of the launch,
// and ends.

import { isMainThread } from 'node:worker_threads';
import { furtherId } from '../../cell/connections.js';
import { BenchError } from '../../errors.js';
import { firstReadMs, shiftToShared, systemNowMs } from '../../machine/clock.js';
import { helperThreads } from '../../machine/process-cost.js';
import { Meter } from '../../scenario/load/meter.js';
import { prepareMessages } from '../../scenario/messages/payloads.js';
import { loadEndpoints, ScenarioKit } from '../../scenario/scenario-kit.js';
import { openForkControlChannel, openOwnControlChannel } from '../control/control-channel.js';
import { sayHello } from '../control/protocol.js';
import {
  endContext,
  hostContext,
  loadInstruments,
  loadParts,
  loadTransport,
  planOpenPart,
  planTasks,
} from '../launch-spec.js';
import { endWithParent, prepareEngine } from '../process-setup.js';
import { closeAll, JoinedWorker, readCost } from './joined-worker.js';

/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { Instruments } from '../monitors/instruments.js' */
/** @import { FromWorker, JoinOrder, ToWorker } from '../control/protocol.js' */
/** @import { Channel, GuestContext, Listener, Transport } from '../../types/index.js' */
/** @typedef {Awaited<ReturnType<typeof loadParts>>} Parts */
/** @typedef {(workerId: string) => Promise<Channel>} Connect   by a channel that lasts until this process leaves */

const port = openOwnControlChannel();
const helpers = isMainThread ? helperThreads() : [];

/** @type {JoinedWorker | undefined} */
let joined;
/** @type {Channel[]} that it has made to the role that it connects to */
const channels = [];
/** @type {Listener | undefined} */
let listener;
let isLeaving = false;
let leaveInPeace = () => {};

/** @type {{ [Order in ToWorker as Order['control']]: (order: Order) => unknown }} */
const orders = {
  join: (order) => join(order).catch((error) => tellFailure(error)),
  clock: () => say({ control: 'clock', nowMs: systemNowMs() }),
  connect: (order) => joined?.connectFurther(order).catch((error) => tellFailure(error)),
  start: (order) => joined?.start(order),
  rehearse,
  measure: (order) => joined?.measure(order),
  park: () => joined?.park(),
  slice: (order) => joined?.measureSlice(order).catch((error) => tellFailure(error)),
  rest: () => joined?.rest(),
  finish: () => joined?.finish(),
  over: () => joined?.endLoad(),
  leave,
};
const { line, sendControl } = openForkControlChannel(port, (message) => {
  /** @type {Record<string, (order: any) => unknown>} */ (orders)[message.control]?.(message);
});
sayHello(say);

/** @param {FromWorker} message */
function say(message) {
  sendControl(message);
}

/**
 * What comes shortly before a window and with it must be nothing new to the compiler: costs are read, and something is said.
 * `process.send` takes a way through `process.nextTick` that no message takes: the first one throws away what V8 has compiled of it.
 */
function rehearse() {
  readCost();
  say({ control: 'rehearsed' });
}

/** @param {JoinOrder} order */
async function join(order) {
  const { spec, own, address, clockShiftMs = 0 } = order;
  shiftToShared(clockShiftMs);
  const cleanUp = () => listener?.close();
  leaveInPeace = endWithParent({ lifeMs: spec.deadlines.lifeMs, cleanUp });
  const instruments = await loadInstruments(spec);
  const importingMs = performance.now();
  const parts = await loadParts(spec);
  await loadEndpoints(parts.scenario, order.role);
  const importMs = performance.now() - importingMs;
  const guest = { ...endContext(spec), address, line };
  const connect = (/** @type {string} */ workerId) => connectTo(parts.transport, { ...guest, workerId });
  if (own === undefined) await joinAsWorker(order, parts, { guest, connect, importMs, instruments });
  else await joinBetween({ ...order, own }, parts, { connect, instruments });
  prepareEngine(spec);
  const isWhole = joined?.meter.isWhole && joined.endpoint.run !== undefined;
  say({ control: 'ready', helpers, address: listener?.address, ...(isWhole && { isWhole }) });
}

/**
 * @param {JoinOrder} order
 * @param {Parts} parts
 * @param {{ guest: Omit<GuestContext, 'workerId'>, connect: Connect, importMs: number, instruments: Instruments | null }} ways
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
    asking: {
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
    say,
    tellFailure,
  });
  const askingMs = performance.now();
  await endpoint.ready?.();
  const answerMs = performance.now() - askingMs;
  joined.arrival = { startMs: firstReadMs() - forkedMs, importMs, connectMs, answerMs };
}

/**
 * A role between the master and its workers: it connects to the one, and listens to the others.
 * @param {JoinOrder & { own: LaunchSpec }} order
 * @param {Parts} parts   of the way to the role before it
 * @param {{ connect: Connect, instruments: Instruments | null }} ways
 */
async function joinBetween({ spec, own, role, id }, parts, { connect, instruments }) {
  const { cell, scenarioSettings, seed, wireKind } = spec;
  const { codec } = await prepareMessages(spec, parts.codec);
  const workerIds = Array.from({ length: cell.workers }, (_, index) => `w${index}`);
  const relaying = { workerIds, wireKind, connect };
  const kit = new ScenarioKit(cell, codec, { seed, settings: scenarioSettings, relaying });
  const endpoint = parts.scenario.endpoint(role, kit);
  await endpoint.ready?.();
  const transport = await loadTransport(own);
  const host = hostContext(own, endpoint, role);
  host.onTrouble = tellFailure;
  host.onHangUp = (_workerId, error) => isLeaving || tellFailure(error, true);
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
    say,
    tellFailure,
    rejectedConnections,
  });
}

/** @param {Transport} transport @param {GuestContext} guest @returns that is to last until this process leaves */
async function connectTo(transport, guest) {
  const channel = await transport.connect(guest);
  channels.push(channel);
  channel.onClose = (reason) => {
    if (isLeaving) return;
    tellFailure(
      new Error(`its channel closed${reason ? `: ${reason.message}` : ''}`, { cause: reason }),
      true,
    );
  };
  return channel;
}

/** @param {Error} error @param {boolean} [isHangUp] */
function tellFailure(error, isHangUp = false) {
  // A code of the system's, as ECONNRESET, is not one of this program.
  const known = [error, error.cause].find((each) => each instanceof BenchError);
  say({ control: 'failed', code: known?.code, message: error.message, ...(isHangUp && { isHangUp }) });
}

async function leave() {
  isLeaving = true;
  leaveInPeace();
  await listener?.close();
  if (joined !== undefined) await closeAll(channels, joined.spec.cell);
  if (port.connected) port.disconnect();
}
