// Tasks, their endpoints and pools in one process.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sameness } from '../../lib/codecs/same-value.js';
import { inferSchema } from '../../lib/codecs/shapes.js';
import { burn } from '../../lib/machine/busy-work.js';
import { Meter } from '../../lib/measure/meter.js';
import { OpenLoad } from '../../lib/measure/open-load.js';
import { poolCodecs } from '../../lib/plan/plan.js';
import { runtimeSkipReason, skipOfCell } from '../../lib/plan/skip-reasons.js';
import { TaskProducer, TaskWorker } from '../../lib/workload/endpoints/task-endpoint.js';
import { FIRST_ID } from '../../lib/workload/messages/message-ids.js';
import { makeTasks, Tasks } from '../../lib/workload/messages/tasks.js';
import firstAnswer from '../../scenarios/first-answer.js';
import roundTrip from '../../scenarios/round-trip.js';
import task from '../../scenarios/task.js';
import cluster from '../../transports/cluster/cluster.js';
import inline from '../../transports/inline.js';
import pipe from '../../transports/pipe.js';
import unix from '../../transports/unix.js';

const PLAN = {
  cell: { payloadBytes: 8, content: undefined, loops: 2 },
  seed: 7,
  messageFile: null,
  steps: 100,
  workUs: 1,
  resultBytes: 0,
};
const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
const cell = /** @type {any} */ ({ workers: 2, loops: 2 });
const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

/** @param {Partial<import('../../lib/workload/endpoints/stream-parts.js').StreamParts>} [parts] */
function producerOf(parts) {
  const payloadsOf = () => new Tasks(PLAN).payloads;
  const meter = new Meter();
  return new TaskProducer(cell, codec, {
    meter,
    channels: {},
    payloadsOf,
    replyMs: 10_000,
    taskPlan: PLAN,
    ...parts,
  });
}

/** @param {(task: any, done: number) => any} work */
function poolOf(work) {
  let done = 0;
  return () => ({
    async run(/** @type {any} */ task) {
      done += 1;
      return work(task, done);
    },
  });
}

describe('Tasks', () => {
  it('computes another number for each step and each seed', () => {
    // The first numbers of the generator with these shifts, from the state 1.
    assert.deepEqual([burn(1, 0), burn(2, 0)], [270_369, 67_634_689]);
    const numbers = [burn(99, 1), burn(100, 1), burn(100, 2), burn(100, 4)];
    assert.equal(new Set(numbers).size, 4);
    assert.equal(burn(100, 1), numbers[1]);
    assert.equal(new Set(Array.from({ length: 8 }, (_, seed) => burn(100, seed))).size, 8);
  });

  it('derives the result from the work, so that skipped work is detected', () => {
    const worker = new Tasks(PLAN);
    const lazy = new Tasks({ ...PLAN, steps: 99 });
    const master = new Tasks(PLAN);
    master.prepareChecks();
    const ids = Array.from({ length: 40 }, (_, index) => FIRST_ID + index);
    for (const id of ids)
      assert.ok(master.isResult(id, worker.work({ id, payload: worker.payload(id) }).payload));
    const wrong = ids.filter(
      (id) => !master.isResult(id, lazy.work({ id, payload: lazy.payload(id) }).payload),
    );
    assert.ok(wrong.length > 20, `${wrong.length} of 40 were found`);
  });

  it('rejects a task that arrives with another payload', () => {
    const tasks = new Tasks(PLAN);
    assert.throws(() => tasks.work({ id: FIRST_ID, payload: 'other' }), /another payload/);
  });

  it('makes results of the requested length', () => {
    const tasks = new Tasks({ ...PLAN, resultBytes: 3 });
    assert.equal(tasks.work({ id: FIRST_ID, payload: tasks.payload(FIRST_ID) }).payload.length, 3);
  });
});

describe('ByteTasks', () => {
  /** @param {number} payloadBytes @param {number} [resultBytes] */
  const bothEnds = (payloadBytes, resultBytes = 0) => {
    const plan = { ...PLAN, cell: { ...PLAN.cell, payloadBytes }, resultBytes, isBytes: true };
    const [master, worker] = [makeTasks(plan), makeTasks(plan)];
    master.prepareChecks();
    return { master, worker };
  };

  for (const bytes of [1, 2, 4_096, 4_097, 100_000]) {
    it(`changes the first of ${bytes} bytes by its work, and reuses their memory`, () => {
      const { master, worker } = bothEnds(bytes);
      let memory;
      for (let round = 0; round < 3; round += 1) {
        const payload = master.payload(FIRST_ID);
        assert.equal(payload.length, bytes);
        assert.equal(payload.buffer.byteLength, bytes, 'no view of other memory');
        memory ??= payload;
        assert.equal(payload, memory);
        assert.ok(!master.isResult(FIRST_ID, payload), 'the work was not done');
        const result = worker.work({ id: FIRST_ID, payload });
        assert.ok(master.isResult(FIRST_ID, result.payload));
        master.giveBack(FIRST_ID, payload, result.payload);
      }
    });
  }

  it('reuses the memory of the result if that of the payload was transferred', () => {
    const { master, worker } = bothEnds(8);
    const sent = master.payload(FIRST_ID);
    const arrived = structuredClone(sent, { transfer: [sent.buffer] });
    const { payload } = worker.work({ id: FIRST_ID, payload: arrived });
    master.giveBack(FIRST_ID, sent, payload);
    assert.equal(master.payload(FIRST_ID), payload);
  });

  it('returns a result of the requested length in separate memory', () => {
    const { master, worker } = bothEnds(8, 3);
    const results = [0, 1].map(
      () => worker.work({ id: FIRST_ID, payload: master.payload(FIRST_ID) }).payload,
    );
    assert.deepEqual(
      results.map(({ length }) => length),
      [3, 3],
    );
    assert.notEqual(results[0].buffer, results[1].buffer);
    assert.ok(results.every((result) => master.isResult(FIRST_ID, result)));
    assert.ok(!master.isResult(FIRST_ID, master.payload(FIRST_ID)));
    const sent = master.payload(FIRST_ID);
    structuredClone(sent, { transfer: [sent.buffer] });
    master.giveBack(FIRST_ID, sent, results[0]);
    assert.equal(master.payload(FIRST_ID).length, 8, 'a result is no payload');
  });

  it('rejects a wrong length, and a wrong byte anywhere within some tasks', () => {
    const { master, worker } = bothEnds(20_000);
    const short = master.payload(FIRST_ID).slice(1);
    assert.throws(() => worker.work({ id: FIRST_ID, payload: short }), /another payload/);
    assert.throws(() => worker.work({ id: FIRST_ID, payload: 'text' }), /another payload/);
    const found = Array.from({ length: 200 }, (_, index) => FIRST_ID + index).filter((id) => {
      const payload = master.payload(id);
      payload[15_000] ^= 1;
      return !worker.isPayload(id, payload);
    });
    assert.ok(found.length > 10 && found.length < 100, `a fifth of it is compared: ${found.length} of 200`);
  });

  it('skips transports and codecs that do not clone values', () => {
    const skipped = (/** @type {any} */ transport, /** @type {string} */ codecName, settings = {}) =>
      skipOfCell(
        /** @type {any} */ ({
          transport,
          codec: { name: codecName, produces: 'bytes' },
          scenario: { ...task, chosen: { work: 0, result: 0, data: 'bytes' } },
          cell: { ...cell, codec: codecName, settings, payloadBytes: 8 },
          options: { messages: null, messageFile: null, brokerUrls: {} },
          schema: null,
        }),
        null,
      ).skip;
    assert.equal(skipped(inline, 'none'), null);
    assert.equal(skipped(pipe, 'v8'), null);
    const remedies = [
      [skipped(pipe, 'json'), /choose --codec v8$/],
      [skipped(unix, 'v8'), /choose --transport pipe or threads-message, with --codec v8$/],
      [
        skipped(cluster, 'json', { serialization: 'json' }),
        /choose --transport cluster:serialization=advanced$/,
      ],
    ];
    for (const [skip, remedy] of remedies) assert.match(String(skip), /** @type {RegExp} */ (remedy));
  });
});

describe('tasks of objects', () => {
  const isSame = (/** @type {any} */ got, /** @type {any} */ expected) => got?.n === expected.n;
  const payloads = [1, 2, 3].map((n) => ({ n }));
  const copied = (/** @type {any} */ task) => structuredClone(task);

  it('rejects an object that differs, as a task and as a result', () => {
    const tasks = makeTasks(PLAN, { payloads, isSame });
    const task = { id: FIRST_ID, payload: tasks.payload(FIRST_ID) };
    tasks.prepareChecks();
    assert.ok(tasks.isResult(FIRST_ID, copied(tasks.work(copied(task))).payload));
    assert.ok(!tasks.isResult(FIRST_ID, { n: 9 }));
    assert.throws(() => tasks.work({ ...task, payload: { n: 9 } }), /another payload/);
  });

  it('returns a recorded response unless a length is requested', () => {
    const responses = [{ n: 7 }, { n: 8 }];
    const results = (/** @type {number} */ resultBytes) => {
      const tasks = makeTasks({ ...PLAN, resultBytes }, { payloads, responses, isSame });
      return tasks.work({ id: FIRST_ID, payload: tasks.payload(FIRST_ID) }).payload;
    };
    assert.ok(responses.includes(results(0)));
    assert.equal(results(5).length, 5);
  });
});

describe('TaskProducer', () => {
  it('keeps one task per loop open, and waits for the last ones when the load is over', async () => {
    const tasks = new Tasks(PLAN);
    let [open, most] = [0, 0];
    const pool = poolOf(async (task, done) => {
      open += 1;
      most = Math.max(most, open);
      await setImmediate();
      open -= 1;
      if (done === 20) producer.meter.giveUp();
      return tasks.work(task);
    });
    const producer = producerOf({ pool });
    await producer.ready();
    await producer.run(performance.now());
    assert.deepEqual([most, open], [4, 0]);
    const { requests, mistakes } = producer.report();
    assert.equal(requests, producer.progress());
    assert.deepEqual(mistakes, NONE);
  });

  it('submits by the schedule of an open load, and measures response times from the scheduled instant', async () => {
    const tasks = new Tasks(PLAN);
    const plan = /** @type {const} */ ({ arrivals: 'fixed', pacing: 'tick' });
    const open = { OpenLoad, plan, share: { ratePerSecond: 1_000, workers: 1, worker: 0, seed: 1 } };
    const meter = new Meter();
    const slowMs = 20; // of one task: those behind it are due meanwhile
    let isFirst = true;
    const pool = poolOf(async (task) => {
      if (meter.isOpen && isFirst) {
        isFirst = false;
        const untilMs = performance.now() + slowMs;
        while (performance.now() < untilMs);
      }
      return tasks.work(task);
    });
    const producer = producerOf({ meter, pool, open });
    await producer.ready();
    const fromMs = performance.now() + 20;
    const toMs = fromMs + 200;
    meter.schedule({ fromMs, toMs, binMs: 200, onOpen() {}, onClose: () => producer.closed() });
    meter.tickAt(toMs);
    await producer.run(fromMs);
    const report = /** @type {any} */ (producer.report());
    assert.ok(report.open.due >= 199 && report.open.due <= 201, `${report.open.due} were due`);
    assert.equal(report.open.response.count, report.operations);
    assert.ok(report.operations > 0 && report.operations <= report.open.started + 1);
    assert.ok(report.open.mostInFlight > 4, 'more are submitted than there are loops');
    assert.ok(report.open.response.maxNs >= (slowMs / 2) * 1e6, 'which counts for them');
    assert.deepEqual(report.mistakes, NONE);
  });

  it('does not report an idle pool as hung', async () => {
    const plan = /** @type {const} */ ({ arrivals: 'fixed', pacing: 'tick' });
    const open = { OpenLoad, plan, share: { ratePerSecond: 5, workers: 1, worker: 0, seed: 1 } };
    const meter = new Meter();
    const tasks = new Tasks(PLAN);
    const producer = producerOf({ meter, open, replyMs: 50, pool: poolOf((task) => tasks.work(task)) });
    await producer.ready();
    const fromMs = performance.now();
    meter.schedule({ fromMs, toMs: fromMs + 450, binMs: 450, onOpen() {}, onClose: () => producer.closed() });
    meter.tickAt(fromMs + 450);
    await producer.run(fromMs);
    assert.ok(/** @type {any} */ (producer.report()).open.due >= 2);
  });

  it('counts a result of another task as swapped, and one of none as corrupt', async () => {
    const tasks = new Tasks(PLAN);
    const wrong = ['nonsense', tasks.results.find((result) => !tasks.isResult(FIRST_ID, result))];
    for (const payload of wrong) {
      const producer = producerOf({ pool: poolOf(() => ({ payload })) });
      await producer.ready();
      const { corrupt = 0, swapped = 0 } = producer.report().mistakes;
      assert.ok(
        payload === 'nonsense' ? corrupt === 4 : swapped > 0,
        `${corrupt} corrupt, ${swapped} swapped`,
      );
    }
  });

  it('compares objects that arrive as copies with those of other tasks', async () => {
    const objects = [1, 2, 3].map((size) => ({ size }));
    const isSame = sameness(inferSchema(objects).shape);
    const parts = { payloadsOf: () => /** @type {any} */ (objects), isSame };
    const mistakesOf = async (/** @type {(task: any) => any} */ answer) => {
      const producer = producerOf({ ...parts, pool: poolOf((task) => ({ payload: answer(task) })) });
      await producer.ready();
      return producer.report().mistakes;
    };
    const tasks = new Tasks(PLAN, { payloads: objects, isSame });
    assert.deepEqual(await mistakesOf((task) => structuredClone(tasks.work(task).payload)), NONE);
    assert.equal((await mistakesOf(() => ({ size: 1 })))?.corrupt, 0);
    assert.ok(Number((await mistakesOf(() => ({ size: 1 })))?.swapped) > 0);
    for (const payload of [{ size: 9 }, 'nonsense', undefined])
      assert.deepEqual(await mistakesOf(() => payload), { ...NONE, corrupt: 4 });
  });

  it('fails with the reason if the pool rejects a task', async () => {
    const tasks = new Tasks(PLAN);
    const pool = poolOf((task, done) => {
      if (done > 8) throw new Error('the pool is broken');
      return tasks.work(task);
    });
    const producer = producerOf({ pool });
    await producer.ready();
    await assert.rejects(producer.run(performance.now()), /the pool is broken/);
  });

  it('fails if the pool does no task within the deadline', async () => {
    const tasks = new Tasks(PLAN);
    const pool = poolOf((task, done) => (done > 8 ? new Promise(() => {}) : tasks.work(task)));
    const producer = producerOf({ pool, replyMs: 50 });
    await producer.ready();
    // As the control channel of a launch, this keeps the process alive.
    const alive = setInterval(() => {}, 1_000);
    await assert
      .rejects(producer.run(performance.now()), /none of 4 tasks was done within 50 ms/)
      .finally(() => clearInterval(alive));
  });

  it('sends a task to the worker with the fewest open tasks', async () => {
    /** @type {any[]} */
    const channels = [0, 1].map(() => ({ sent: [], onMessage() {} }));
    for (const channel of channels) {
      channel.send = (/** @type {any} */ wire) => channel.sent.push(wire) > 0;
    }
    const producer = producerOf();
    for (const channel of channels) producer.serve(channel);
    const ready = producer.ready();
    assert.deepEqual(
      channels.map(({ sent }) => sent.length),
      [2, 2],
    );
    const tasks = new Tasks(PLAN);
    const answer = (/** @type {any} */ channel) => {
      const sent = channel.sent.shift();
      channel.onMessage({ id: sent.id, ...tasks.work(sent) });
      return sent.id;
    };
    const id = answer(channels[1]);
    producer.pool.run({ id: FIRST_ID + 100, payload: '' });
    assert.deepEqual(
      channels.map(({ sent }) => sent.length),
      [2, 2],
      'the worker that answered got the next one',
    );
    channels[0].onMessage({ id, payload: '' });
    assert.equal(producer.report().mistakes.duplicate, 1);
    channels[1].sent.pop();
    for (const channel of [channels[0], channels[0], channels[1]]) answer(channel);
    await ready;
    assert.equal(producer.progress(), 4);
  });
});

describe('TaskWorker', () => {
  it('returns the result of each task, and counts messages that are not tasks of the launch', () => {
    /** @type {any} */
    const channel = { sent: [], onMessage() {}, send: (/** @type {any} */ wire) => channel.sent.push(wire) };
    const tasks = new Tasks(PLAN);
    const parts = { channels: { w0: channel }, payloadsOf: () => tasks.payloads, replyMs: 1, taskPlan: PLAN };
    const worker = new TaskWorker(codec, { ...parts, meter: new Meter() });
    channel.onMessage({ id: FIRST_ID, payload: tasks.payload(FIRST_ID) });
    channel.onMessage({ id: FIRST_ID, payload: 'nonsense' });
    channel.onMessage({ id: 'none', payload: '' });
    assert.equal(channel.sent.length, 1);
    assert.equal(worker.progress(), 1);
    assert.deepEqual(worker.report().mistakes, { ...NONE, corrupt: 2 });
  });

  it('opens its window at a task, since no timer fires while tasks arrive', () => {
    /** @type {any} */
    const channel = { onMessage() {}, send() {} };
    const tasks = new Tasks(PLAN);
    const meter = new Meter();
    const parts = { channels: { w0: channel }, payloadsOf: () => tasks.payloads, replyMs: 1, taskPlan: PLAN };
    new TaskWorker(codec, { ...parts, meter }); // takes the channel
    const events = /** @type {string[]} */ ([]);
    const fromMs = performance.now() - 1;
    meter.schedule({
      ...{ fromMs, toMs: fromMs + 1e6, binMs: 1e6 },
      onOpen: () => events.push('open'),
      onClose() {},
    });
    channel.onMessage({ id: FIRST_ID, payload: tasks.payload(FIRST_ID) });
    assert.deepEqual(events, ['open']);
  });
});

describe('a pool in a plan', () => {
  const planned = (/** @type {any} */ scenario, /** @type {any} */ transport) =>
    skipOfCell(
      {
        transport,
        scenario,
        codec: /** @type {any} */ ({ name: 'none', produces: 'value' }),
        cell: /** @type {any} */ ({ transport: transport.name, settings: {}, payloadBytes: 1 }),
        options: /** @type {any} */ ({ messages: null }),
        schema: null,
      },
      null,
    );

  it('skips scenarios without tasks', () => {
    assert.equal(planned(task, inline).skip, null);
    assert.match(String(planned(roundTrip, inline).skip), /inline does tasks .* --scenario task/);
  });

  it('skips workers with another runtime than the main process', () => {
    const [node, bun] = ['/node', '/bun'].map((path) => ({
      path,
      runtime: { name: path.slice(1) },
      name: path.slice(1),
    }));
    const runtimes = {
      choice: { runtime: 'worker:bun', every: null, byRole: { worker: bun } },
      thisNode: node,
    };
    const cell = { runtime: 'worker:bun', settings: {} };
    const parts = { transport: inline, scenario: task, cell, codec: {}, schema: null };
    const why = runtimeSkipReason(/** @type {any} */ (runtimes), /** @type {any} */ (parts));
    assert.match(String(why), /inline starts its workers itself/);
  });

  it('skips --messages, since it runs for a fixed time', () => {
    const why = (/** @type {number | null} */ messages) =>
      skipOfCell(
        /** @type {any} */ ({
          transport: inline,
          codec: { name: 'none', produces: 'value' },
          scenario: firstAnswer,
          cell: { ...cell, codec: 'none', settings: {}, payloadBytes: 8 },
          options: { messages, messageFile: null, brokerUrls: {} },
          schema: null,
        }),
        null,
      ).skip;
    assert.equal(why(null), null);
    assert.match(String(why(3)), /inline runs for a fixed time: leave out --messages/);
  });

  it('uses the codec with which it serialises, whatever --codec is', () => {
    assert.deepEqual([poolCodecs(inline), poolCodecs(pipe)], [['none'], null]);
  });
});
