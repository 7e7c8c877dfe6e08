// The built-in scenarios with a master and two workers in one process over simulated channels: the reports of their endpoints, and the
// values of their measures.

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { settingDefaults } from '../../lib/cell/traits.js';
import json from '../../lib/codecs/builtin/json.js';
import { wholeReport } from '../../lib/launch/control/protocol.js';
import { sharedNowMs } from '../../lib/machine/clock.js';
import { Meter } from '../../lib/measure/meter.js';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import { prepareMessages } from '../../lib/workload/messages/payloads.js';
import { RECORD_BYTES } from '../../lib/workload/messages/record-lists.js';
import { loadEndpoints, ScenarioKit } from '../../lib/workload/scenario-kit.js';
import connect from '../../scenarios/connect.js';
import fanOut from '../../scenarios/fan-out.js';
import firstAnswer from '../../scenarios/first-answer.js';
import queue from '../../scenarios/queue.js';
import records from '../../scenarios/records.js';
import relay from '../../scenarios/relay.js';
import roundTrip from '../../scenarios/round-trip.js';
import stream from '../../scenarios/stream.js';

/** @import { Cell, Endpoint, Scenario } from '../../lib/types/index.js' */

const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
const [WORKERS, LOOPS, MESSAGES, SEED] = [2, 3, 5, 7];
const REPLY_MS = 10_000;
const WINDOW_MS = 10;
const CELL = /** @type {Cell} */ ({ workers: WORKERS, loops: LOOPS, payloadBytes: 20, transport: 'own' });
const WORKER_IDS = ['w0', 'w1'];
const COST = { userUs: 600, systemUs: 300 };

/** The clock goes on as often as it is read: a machine under load counts as much as any other. */
function useOwnClock() {
  beforeEach(() => {
    let nowMs = 1_000;
    mock.method(performance, 'now', () => {
      nowMs += 0.002;
      return nowMs;
    });
  });
  afterEach(() => mock.restoreAll());
}

/** @returns {[any, any]} the two ends of a channel: what one sends, the other receives in the next iteration of the event loop */
function makePair() {
  const ends = [0, 1].map((own) => ({
    isOpen: true,
    send(/** @type {any} */ wire) {
      setImmediate(() => ends[1 - own].isOpen && ends[1 - own].onMessage(wire));
      return true;
    },
    drained: async () => {},
    async close() {
      this.isOpen = false;
    },
    onMessage(/** @type {any} */ _wire) {},
    onClose() {},
  }));
  return /** @type {[any, any]} */ (ends);
}

/** @param {Endpoint} listening @param {string} id @returns {any} a channel to it */
function channelTo(listening, id) {
  const [near, far] = makePair();
  listening.serve?.(far, id);
  return near;
}

/**
 * @param {Scenario} scenario
 * @param {{ settings?: Record<string, string | number>, isByTime?: boolean, codec?: typeof json }} [how]   isByTime: the window has a length,
 *   and each loop sends as many requests as fit
 */
async function play(scenario, { settings = {}, isByTime = scenario.isByTime === true, codec = json } = {}) {
  const beganMs = sharedNowMs();
  const all = { ...settingDefaults(scenario), ...settings };
  const roles = scenario.roles?.map(({ name }) => name) ?? ['master', 'worker'];
  for (const role of roles) await loadEndpoints(scenario, role);
  const { payloadsOf } = await prepareMessages({ cell: CELL, seed: SEED }, codec);
  const common = { seed: SEED, settings: all };
  const makeMaster = () =>
    scenario.endpoint(
      'master',
      new ScenarioKit(CELL, codec, { ...common, stream: { channels: {}, payloadsOf, replyMs: REPLY_MS } }),
    );
  const master = makeMaster();
  const relaying = {
    workerIds: WORKER_IDS,
    wireKind: /** @type {const} */ ('text'),
    connect: async (/** @type {string} */ id) => channelTo(master, id),
  };
  const between = roles.includes('relay')
    ? scenario.endpoint('relay', new ScenarioKit(CELL, codec, { ...common, relaying }))
    : null;
  await between?.ready?.();
  const listening = between ?? master;
  const workers = WORKER_IDS.map((id) => {
    const meter = new Meter();
    const channel = channelTo(listening, id);
    const parts = { channel, meter, replyMs: REPLY_MS, payloads: payloadsOf(id), open: null };
    const connectAgain = async () => channelTo(listening, id);
    const kit = new ScenarioKit(CELL, codec, {
      ...common,
      requesting: { ...parts, connect: connectAgain, messages: isByTime ? null : MESSAGES },
      stream: { meter, channels: { [id]: channel }, payloadsOf, replyMs: REPLY_MS },
    });
    return { meter, endpoint: scenario.endpoint('worker', kit) };
  });
  await Promise.all(workers.map(({ endpoint }) => endpoint.ready?.()));

  const fromMs = performance.now();
  const toMs = isByTime ? fromMs + WINDOW_MS : Infinity;
  const ends = [{ meter: /** @type {any} */ (master).meter, endpoint: master }, ...workers];
  const runs = ends.map(async ({ meter, endpoint }) => {
    meter?.schedule({
      fromMs,
      toMs,
      binMs: WINDOW_MS,
      onOpen: () => endpoint.opened?.(),
      onClose: () => endpoint.closed?.(),
    });
    if (meter?.tick) meter.tick();
    else meter?.tickAt(fromMs); // both ends of a stream have a clock each
    if (isByTime) meter?.tickAt(toMs);
    await endpoint.run?.(fromMs);
    meter?.finish?.();
  });
  const alive = setInterval(() => {}, REPLY_MS); // no timer of a meter keeps a process
  await Promise.all(runs).finally(() => clearInterval(alive));
  const fromWorkers = workers.map(({ endpoint }) => endpoint.report());
  await master.settled?.(fromWorkers);
  const window = { openMs: beganMs, windowMs: 1e9 };
  const reports = /** @type {any[]} */ ([
    { ...wholeReport(master.report()), ...window, role: 'master' },
    ...(between === null ? [] : [{ ...wholeReport(between.report()), ...window, role: 'relay' }]),
    ...fromWorkers.map((report) => ({ ...wholeReport(report), ...window, role: 'worker' })),
  ]);
  const costs = /** @type {any[]} */ (reports.map(({ role }) => ({ role, name: role, ...COST })));
  const { measures } = countedBy(scenario, [CELL]);
  /** @param {string} name */
  const read = (name) => {
    const measure = measures.find((one) => one.name === name) ?? assert.fail(`no measure ${name}`);
    return /** @type {any} */ (measure.read(reports, CELL, costs, null));
  };
  const operations = reports.map((report) => report.operations);
  return { master, between, workers, reports, operations, read };
}

/** @param {any[]} reports   an endpoint reports the kinds of mistakes that it can find */
function assertFaultless(reports) {
  for (const { role, mistakes } of reports) assert.deepEqual({ ...NONE, ...mistakes }, NONE, role);
}

const REQUESTS = WORKERS * LOOPS * MESSAGES;

describe('scenarios whose workers send requests', () => {
  useOwnClock();

  it('counts each response of round-trip in its worker, and none in the master', async () => {
    const { operations, reports, master, read } = await play(roundTrip);
    assert.deepEqual(operations, [null, LOOPS * MESSAGES, LOOPS * MESSAGES]);
    assert.deepEqual(
      reports.map(({ requests }) => requests),
      [0, 1 + LOOPS * MESSAGES, 1 + LOOPS * MESSAGES],
      'with the first one, before the load',
    );
    assert.equal(master.progress(), REQUESTS + WORKERS);
    assertFaultless(reports);
    assert.equal(reports[1].latency.count, LOOPS * MESSAGES);
    const perSecond = REQUESTS / 1e6;
    assert.equal(read('roundTripsPerSecond'), perSecond);
    assert.deepEqual(
      read('serviceTime').map((/** @type {any} */ { count }) => count),
      [LOOPS * MESSAGES, LOOPS * MESSAGES],
    );
  });

  it('makes a connection for each operation of connect', async () => {
    const { operations, reports, read } = await play(connect);
    assert.deepEqual(operations, [null, LOOPS * MESSAGES, LOOPS * MESSAGES]);
    for (const name of ['timeToConnect', 'timeToFirstAnswer'])
      assert.deepEqual(
        read(name).map((/** @type {any} */ { count }) => count),
        [LOOPS * MESSAGES, LOOPS * MESSAGES],
      );
    assertFaultless(reports);
  });

  it('pauses each loop of first-answer as long as its setting says', async () => {
    const { operations, reports, read } = await play(firstAnswer, { settings: { idle: '1+2' } });
    assert.deepEqual(operations, [null, LOOPS * MESSAGES, LOOPS * MESSAGES]);
    const { times } = reports[1];
    const [after1, after2] = [times.after1ms.count, times.after2ms.count];
    assert.deepEqual([after1, after2], [3 * LOOPS, 2 * LOOPS]);
    assert.equal(read('timeToFirstAnswer'), null, 'no worker reported its start');
    assertFaultless(reports);
  });

  for (const way of ['untouched', 'encoded'])
    it(`forwards each message of relay ${way}, and counts no operation in the relay`, async () => {
      const { operations, reports, between, master, read } = await play(relay, { settings: { way } });
      assert.deepEqual(operations, [null, null, LOOPS * MESSAGES, LOOPS * MESSAGES]);
      assert.deepEqual([between?.progress(), master.progress()], [REQUESTS + WORKERS, REQUESTS + WORKERS]);
      assert.equal(read('relayCpu'), 900 / REQUESTS);
      assertFaultless(reports);
    });

  for (const way of ['untouched', 'encoded'])
    it(`reports the size and the rate of records, ${way}`, async () => {
      const { operations, reports, read } = await play(records, { settings: { records: 4, way } });
      assert.deepEqual(operations, [null, LOOPS * MESSAGES, LOOPS * MESSAGES]);
      assert.equal(reports[0].values.records, 4);
      assert.equal(read('bytesPerRecord'), RECORD_BYTES + 1 / 4, 'with the brackets of a list, less a comma');
      assert.equal(read('recordsPerSecond'), (4 * REQUESTS) / 1e6);
      assert.equal(read('cpuPerRecord'), (3 * 900) / REQUESTS / 4);
      assertFaultless(reports);
    });
});

describe('scenarios in which one end sends', () => {
  useOwnClock();

  /** @param {any} report */
  const sentIn = ({ streams }) => Object.values(streams).reduce((sum, sent) => sum + sent, 0);

  it('counts a stream to the master where it is received', async () => {
    const { operations, reports, master, read } = await play(stream);
    assert.deepEqual([operations[1], operations[2]], [null, null]);
    assert.ok(operations[0] > 0);
    assert.deepEqual(
      reports.slice(1).map(({ streams }) => Object.keys(streams)),
      [['w0'], ['w1']],
    );
    assert.equal(master.progress(), sentIn(reports[1]) + sentIn(reports[2]), 'all that was sent has come');
    assert.equal(read('messagesPerSecond'), operations[0] / 1e6);
    assert.ok(read('timeInTransit').length > 0);
    assertFaultless(reports);
  });

  it('counts a stream to the workers in each of them', async () => {
    const { operations, reports, workers } = await play(stream, { settings: { direction: 'to-worker' } });
    assert.equal(operations[0], null);
    assert.deepEqual(
      workers.map(({ endpoint }) => endpoint.progress()),
      WORKER_IDS.map((id) => reports[0].streams[id]),
    );
    assert.ok(operations[1] > 0 && operations[2] > 0);
    assertFaultless(reports);
  });

  it('counts a stream in both directions at each end', async () => {
    const { operations, reports, read } = await play(stream, { settings: { direction: 'both' } });
    assert.ok(
      operations.every((count) => count > 0),
      operations.join(),
    );
    assert.ok(reports.every(({ sent }) => sent.operations === undefined && sent.requests > 0));
    const sent = reports.flatMap(({ sent: own }) => own.bins).reduce((sum, count) => sum + count, 0);
    assert.ok(sent > 0 && Math.abs(1e6 * read('sentPerSecond') - sent) < 1e-6, 'of both directions');
    assert.deepEqual(Object.keys(reports[0].streams), ['to w0', 'to w1']);
    assert.deepEqual(Object.keys(reports[1].streams), ['w0']);
    assertFaultless(reports);
  });

  it('keeps the receiver of a stream busy as long as its setting says', async () => {
    const handle = 1_000;
    const { master, reports } = await play(stream, { settings: { handle } });
    const taken = master.progress();
    const mostInTime = (WINDOW_MS * 1_000) / handle;
    assert.ok(reports[0].operations <= mostInTime + 1, `${reports[0].operations} of ${taken}`);
  });

  it('delivers each message of fan-out to all workers', async () => {
    const { operations, reports, master, workers, read } = await play(fanOut);
    assert.equal(operations[0], null);
    const published = sentIn(reports[0]);
    assert.deepEqual(Object.keys(reports[0].streams), ['all']);
    assert.deepEqual(
      workers.map(({ endpoint }) => endpoint.progress()),
      [published, published],
    );
    assert.equal(master.progress(), WORKERS * published);
    assert.ok(read('timeUntilLast').length > 0);
    assert.equal(read('timeInTransit').length, WORKERS * read('timeUntilLast').length);
    assertFaultless(reports);
  });

  it('gives each job of a queue to one worker, and counts it in the master', async () => {
    const { operations, reports, workers, read } = await play(queue);
    assert.deepEqual([operations[1], operations[2]], [null, null]);
    const done = workers.map(({ endpoint }) => endpoint.progress());
    assert.equal(done[0] + done[1], reports[0].requests, 'each job that was offered');
    assert.ok(operations[0] > 0 && operations[0] <= reports[0].requests);
    assert.ok(read('busiestToFairShare') >= 1 && read('busiestToFairShare') <= WORKERS);
    assert.equal(read('timeToAcknowledgement')[0].count, operations[0]);
    assertFaultless(reports);
  });

  it('limits the open jobs of a worker, and its rate, as the settings of queue say', async () => {
    const { reports, workers } = await play(queue, { settings: { prefetch: 1, handle: 2_000 } });
    const most = (WINDOW_MS * 1_000) / 2_000;
    for (const { endpoint } of workers) assert.ok(endpoint.progress() <= most + 2, `${endpoint.progress()}`);
    assertFaultless(reports);
  });
});

describe('ScenarioKit', () => {
  const kit = new ScenarioKit(CELL, json, { seed: 3, settings: { a: 1 } });

  it('rejects an endpoint that this process does not have', async () => {
    await loadEndpoints({}, 'worker');
    assert.throws(() => kit.requester(), /only workers send requests/);
    assert.throws(() => kit.meter, /only workers send requests/);
    assert.throws(() => kit.idleRequester([1]), /only workers send requests/);
    assert.throws(() => kit.producer(), /a stream needs a launch/);
    assert.throws(() => kit.jobConsumer(0), /a stream needs a launch/);
    assert.throws(() => kit.proxy(true), /only a role between master and workers relays/);
  });

  it('replaces only codec and payloads in a kit with another codec', () => {
    const requesting = /** @type {any} */ ({ payloads: ['x'], replyMs: 5 });
    const relaying = /** @type {any} */ ({ workerIds: ['w0'] });
    const stream = /** @type {any} */ ({ replyMs: 6 });
    const codec = { encode: () => '', decode: () => ({ id: 1, payload: '' }) };
    const whole = new ScenarioKit(CELL, json, { seed: 3, settings: { a: 1 }, requesting, relaying, stream });
    const other = whole.withCodec(codec, ['y']);
    assert.deepEqual(
      [other.cell, other.codec, other.seed, other.settings, other.parts, other.stream, other.between],
      [CELL, codec, 3, { a: 1 }, { payloads: ['y'], replyMs: 5 }, stream, relaying],
    );
    assert.equal(kit.withCodec(codec, ['y']).parts, null, 'a master sends no requests');
  });

  it('times every message of a stream at a low rate, and one of sixty-four otherwise', () => {
    const stream = /** @type {any} */ ({ replyMs: 6 });
    const partsAt = (/** @type {number | undefined} */ ratePerSecond) =>
      new ScenarioKit({ ...CELL, ratePerSecond }, json, { stream }).streamParts();
    assert.deepEqual([partsAt(undefined).timedEvery, partsAt(100).timedEvery], [64, 1]);
    assert.equal(partsAt(100).transport, 'own');
  });

  it('carries values if its codec does', async () => {
    await loadEndpoints({}, 'worker');
    const schema = /** @type {any} */ ({ shape: { kind: 'object', fields: [] }, layouts: [[]] });
    const { names, encodedBytes } = kit.carriedValues([{}, {}], schema);
    assert.deepEqual([names, encodedBytes()], [['0', '1'], 4]);
    const texts = new ScenarioKit(CELL, { encode: json.encode, decode: json.decode });
    assert.throws(() => texts.carriedValues([], schema), /carries texts only/);
  });
});
