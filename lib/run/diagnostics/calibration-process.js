// Entry point of a process that measures one codec with payloads of one size: alone, and in a requester and a responder without a
// transport between them. It sends the result to its parent and exits.

import { optimiseAfterFewerCalls } from '../../children/tier-up.js';
import { NS_PER_US, US_PER_MS } from '../../format/units.js';
import { Meter } from '../../measure/meter.js';
import { LatencyCounts } from '../../statistics/latency-counts.js';
import { prepareMessages } from '../../workload/messages/payloads.js';
import { loadEndpoints, ScenarioKit } from '../../workload/scenario-kit.js';
import { computeSpread, sampleCpuUs } from './cpu-samples.js';

/** @import { Channel, ControlTask as Task, Endpoint, MeasuredControl as Measured } from '../../types/index.js' */
/** @import { SampledWork } from './cpu-samples.js' */

const CHECKING_MS = 10;
const CHECKED_AT_ONCE = 32;
const CHECKED_BYTES = 16 * 1024 * 1024; // at once, since all responses are in memory at the same time
const NEVER_MS = 1e9;
const MESSAGE_ID = 1_234_567_890; // It has ten digits, like the ids of all messages in launches.

/** @type {Task} */
const task = JSON.parse(process.argv[2]);
const [{ default: loaded }, { default: scenario }] = await Promise.all([
  import(task.codecUrl),
  import(task.scenarioUrl),
]);
await loaded.prepare?.();
for (const role of ['master', 'worker']) await loadEndpoints(scenario, role);
optimiseAfterFewerCalls(task.tierUp);
const { codec, payloadsOf } = await prepareMessages({ ...task, cell: /** @type {any} */ (task) }, loaded);
const payloads = payloadsOf('w0');

const codecAlone = await sampleCpuUs(codecRoundTrips);
const nothingBetween = await sampleCpuUs(nullRoundTrips());
/** @type {Measured} */
const measured = {
  row: {
    codecUs: { estimate: codecAlone[0], low: codecAlone[0], high: codecAlone[codecAlone.length - 1] },
    checkUs: await leastCheckUs(),
    nullUs: nothingBetween[0],
    spread: Math.max(computeSpread(codecAlone), computeSpread(nothingBetween)),
  },
  timer: task.withTimer ? await timerFloor() : null,
};
// Deno would lose a message that is sent just before disconnect().
process.send?.(measured, () => process.disconnect());

/** Encodes and decodes requests and responses as often as `count` operations do. @type {SampledWork} */
function codecRoundTrips(count) {
  const times = count * (scenario.codings?.(task.settings) ?? 1);
  for (let done = 0; done < times; done += 1) {
    const request = codec.decode(codec.encode({ id: MESSAGE_ID, payload: payloads[done % payloads.length] }));
    codec.decode(codec.encode(request));
  }
}

/** @returns {SampledWork} */
function nullRoundTrips() {
  const cell = /** @type {any} */ ({ ...task, workers: 1 });
  const master = scenario.endpoint('master', new ScenarioKit(cell, codec, { settings: task.settings }));
  const parts = {
    channel: connectDirectly(master),
    connect: async () => connectDirectly(master),
    meter: new Meter(),
    payloads,
    replyMs: NEVER_MS,
    messages: 1,
    open: null,
  };
  const requesting = new ScenarioKit(cell, codec, { settings: task.settings, requesting: parts });
  /** @type {Endpoint} */
  const worker = scenario.endpoint('worker', requesting);
  return async (count) => {
    parts.messages = Math.ceil(count / task.loops);
    worker.opened?.();
    await worker.run?.(performance.now());
  };
}

/** Connects to the endpoint of the master, which responds within the same call. @param {Endpoint} master @returns {Channel} */
function connectDirectly(master) {
  const toResponder = openEnd();
  const toRequester = openEnd();
  toResponder.send = (wire) => deliver(toRequester, wire);
  toRequester.send = (wire) => deliver(toResponder, wire);
  master.serve?.(toRequester, 'w0');
  return toResponder;
}

/** @returns {Channel} */
function openEnd() {
  return { send: () => true, onMessage() {}, onClose() {}, drained: async () => {}, close: async () => {} };
}

/** @param {Channel} end @param {any} wire */
function deliver(end, wire) {
  end.onMessage(wire);
  return true;
}

/** @returns µs to compare the payload of a response with the payload of its request */
async function leastCheckUs() {
  let leastMs = Infinity;
  let equal = 0;
  const count = Math.max(1, Math.min(CHECKED_AT_ONCE, Math.floor(CHECKED_BYTES / task.payloadBytes)));
  const untilMs = performance.now() + CHECKING_MS;
  do {
    // New strings are needed each time, because comparing a string with itself is free.
    const responses = Array.from({ length: count }, (_, index) =>
      codec.decode(codec.encode({ id: MESSAGE_ID, payload: payloads[index % payloads.length] })),
    );
    const beganMs = performance.now();
    for (let index = 0; index < count; index += 1) {
      if (responses[index].payload === payloads[index % payloads.length]) equal += 1;
    }
    leastMs = Math.min(leastMs, performance.now() - beganMs);
  } while (performance.now() < untilMs);
  if (equal === 0) throw new Error('the codec returns other payloads');
  return (leastMs * US_PER_MS) / count;
}

async function timerFloor() {
  const counts = new LatencyCounts();
  let sumMs = 0;
  const [nowUs] = await sampleCpuUs((count) => {
    for (let done = 0; done < count; done += 1) sumMs += performance.now();
  });
  const [recordUs] = await sampleCpuUs((count) => {
    for (let done = 0; done < count; done += 1) counts.record(20_000 + (done & 0xffff));
  });
  if (!(sumMs > 0)) throw new Error('the clock stands still');
  return { nowNs: nowUs * NS_PER_US, recordNs: recordUs * NS_PER_US };
}
