// A worker from `connect` to its report, and the listener of a launch, without a launch.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { BenchError } from '../../lib/errors.js';
import { hostContext } from '../../lib/launch/launch-spec.js';
import { JoinedWorker } from '../../lib/launch/worker/joined-worker.js';
import { sharedNowMs, shiftToShared, systemNowMs, toOwnMs, toSharedMs } from '../../lib/machine/clock.js';
import { Meter } from '../../lib/measure/meter.js';

const GOAL = {
  operations: 1_000_000,
  leastCpuMs: 1e6,
  enoughCpuMs: 1e6,
  levelWithinCpuMs: 0,
  idleIsEnough: false,
};
const TIMING = { messages: null, measureMs: 20, binMs: 10, warmupBinMs: 1_000, workGoal: GOAL };

/** @param {{ endpoint?: object, timing?: object, open?: object | null, cell?: object, rejectedConnections?: () => number, instruments?: object }} [differences] */
function joined({
  endpoint = {},
  timing = {},
  open = null,
  cell = {},
  rejectedConnections,
  instruments,
} = {}) {
  const meter = new Meter();
  /** @type {any[]} */
  const sent = [];
  /** @type {string[]} */
  const calls = [];
  const note = (/** @type {string} */ name) => () => void calls.push(name);
  /** @type {any} */
  const played = {
    progress: () => 7,
    opened: note('opened'),
    closed: note('closed'),
    report: () => ({ ...meter.counted(), requests: 3, mistakes: {}, values: { extra: 1 } }),
    ...endpoint,
  };
  const worker = new JoinedWorker({
    spec: /** @type {any} */ ({
      cell: { workers: 1, loops: 1, ...cell },
      timing: { ...TIMING, ...timing },
      open,
    }),
    role: 'worker',
    id: 'w0',
    meter,
    endpoint: played,
    instruments: /** @type {any} */ (instruments ?? null),
    connect: async (id) => /** @type {any} */ (calls.push(`connect ${id}`) && { id }),
    send: (message) => void sent.push(message),
    reportFailure: (error) => void sent.push({ failed: error.message }),
    rejectedConnections,
  });
  const controls = () => sent.map(({ control, failed }) => control ?? failed);
  return { worker, meter, sent, calls, controls, endpoint: played };
}

/**
 * @param {number} fromMs
 * @param {{ lengthMs?: number | null, countsWholeOperations?: boolean, dropsLast?: boolean }} [how]   lengthMs: null for a number of messages
 * @returns {import('../../lib/launch/control/protocol.js').SliceOrder}
 */
const sliceFrom = (fromMs, { lengthMs = 20, countsWholeOperations = false, dropsLast = false } = {}) => ({
  control: 'slice',
  fromMs,
  toMs: lengthMs === null ? null : fromMs + lengthMs,
  binMs: 10,
  countsWholeOperations: countsWholeOperations,
  dropsLast,
  isPriming: false,
});

/** @param {Meter} meter */
async function untilOver(meter) {
  while (!meter.isOver) {
    await turn();
    meter.tick();
  }
}

describe('JoinedWorker', () => {
  it('makes further connections, uses them once, and reports their memory', async () => {
    const { worker, calls, controls } = joined({
      endpoint: {
        serve: (/** @type {any} */ channel, /** @type {string} */ id) =>
          calls.push(`serve ${channel.id} as ${id}`),
        ready: async () => calls.push('ready'),
      },
    });
    await worker.connectFurther({ control: 'connect', upTo: 3 });
    assert.deepEqual(calls.toSorted(), [
      ...['connect w0c1', 'connect w0c2', 'ready', 'serve w0c1 as w0c1', 'serve w0c2 as w0c2'],
    ]);
    assert.equal(calls.at(-1), 'ready');
    assert.deepEqual(controls(), ['connected']);
    assert.equal(worker.values.furtherConnections, 2);
    assert.equal(typeof worker.values.grownBytes, 'number');
    await worker.connectFurther({ control: 'connect', upTo: 4 });
    assert.equal(worker.values.furtherConnections, 1, 'of those that it made last');
  });

  it('reports what blocked its event loop in the warm-up, and not later', async () => {
    const { worker, meter, sent } = joined();
    const started = worker.start({ control: 'start', atMs: sharedNowMs() });
    await sleep(60);
    worker.slice(sliceFrom(sharedNowMs() + 5));
    const untilMs = performance.now() + 40;
    while (performance.now() < untilMs);
    await untilOver(meter);
    worker.rest();
    await started;
    worker.finish();
    const { longestBlockUs } = sent.at(-1).values;
    assert.ok(longestBlockUs < 20_000, `${longestBlockUs} µs`);
  });

  it('reports each slice, and all that were not dropped in the end', async (t) => {
    let [nowMs, perSlice] = [performance.now(), 0];
    t.mock.method(performance, 'now', () => nowMs);
    const tickAt = (/** @type {number | undefined} */ ms) => {
      nowMs = Number(ms);
      meter.tick();
    };
    const { worker, meter, sent } = joined({
      timing: { slices: { measureMs: 5 } },
      endpoint: {
        async run() {
          const { fromMs = 0, toMs = 0 } = meter.plan ?? {};
          tickAt(fromMs);
          meter.count(0, fromMs - 1, fromMs);
          const eachMs = (toMs - fromMs) / perSlice;
          for (let count = 0; count < perSlice; count += 1)
            meter.count(
              0,
              fromMs + count * eachMs,
              count + 1 === perSlice ? toMs + 1e-6 : fromMs + (count + 1) * eachMs,
            );
          assert.deepEqual(sent.at(-1), { control: 'counted' });
          worker.rest();
        },
      },
    });
    meter.addLoops(1);
    const untilSliced = async () => {
      while (worker.isLoaded) await turn();
    };
    const measure = async (/** @type {number} */ operations, dropsLast = false) => {
      perSlice = operations;
      const fromMs = sharedNowMs() + 2;
      worker.slice(sliceFrom(fromMs, { lengthMs: 5, countsWholeOperations: true, dropsLast }));
      await untilSliced();
    };
    await measure(3);
    await measure(4, true); // the three of the slice before do not count
    await measure(5);
    worker.finish();
    const slices = sent.filter(({ control }) => control === 'sliced');
    assert.deepEqual(
      slices.map(({ operations }) => operations),
      [3, 4, 5],
    );
    for (const { windowMs, cpuMs, spentCpuMs } of slices)
      assert.ok(Math.abs(windowMs - 5) < 1e-3 && cpuMs >= 0 && spentCpuMs >= cpuMs, JSON.stringify(slices));
    const { control, operations, windowMs } = sent.at(-1);
    assert.deepEqual([control, operations], ['done', 9]);
    assert.ok(Math.abs(windowMs - 10) < 1e-3, `${windowMs} ms`);
  });

  for (const [loops, isKnown] of /** @type {const} */ ([
    [1, true],
    [0, false],
  ]))
    it(`${isKnown ? 'reports' : 'does not report'} its cost if it opens its window late and has ${loops} loops`, async (t) => {
      let nowMs = performance.now();
      t.mock.method(performance, 'now', () => nowMs);
      const tickAt = (/** @type {number} */ ms) => {
        nowMs = ms;
        meter.tick();
      };
      const { worker, meter, sent } = joined({
        timing: { slices: { measureMs: 20 } },
        endpoint: {
          async run() {
            const { fromMs, toMs } = /** @type {import('../../lib/types/index.js').MeterPlan} */ (meter.plan);
            tickAt(fromMs + 10);
            if (loops > 0) {
              meter.count(0, fromMs - 1, fromMs + 10);
              tickAt(toMs + 10);
              meter.count(0, fromMs + 10, toMs + 10);
            } else tickAt(toMs + 10);
            worker.rest();
          },
        },
      });
      if (loops > 0) meter.addLoops(loops);
      const fromMs = sharedNowMs() + 2;
      worker.slice(sliceFrom(fromMs, { countsWholeOperations: true }));
      while (worker.isLoaded) await turn();
      worker.finish();
      const { control, cost } = sent.at(-1);
      assert.equal(control, 'done');
      assert.equal(
        cost !== null,
        isKnown,
        'without loops, others count the operations from the planned start',
      );
    });

  it('reports the operations of its window', async () => {
    /** @type {any} */
    const found = {};
    const { worker, meter, sent, calls } = joined({
      rejectedConnections: () => 5,
      endpoint: {
        async run(/** @type {number} */ atMs) {
          found.atMs = atMs;
          found.beganMs = performance.now();
          meter.tick();
          meter.tally();
          await untilOver(meter);
        },
      },
    });
    const atMs = sharedNowMs() + 5;
    const over = worker.start({ control: 'start', atMs });
    const fromMs = sharedNowMs() + 200; // a later command would move the window
    worker.slice(sliceFrom(fromMs));
    await over;
    worker.finish();
    assert.ok(found.beganMs >= found.atMs - 2 && Math.abs(toSharedMs(found.atMs) - atMs) < 1);
    assert.deepEqual(calls, ['opened', 'closed']);
    assert.deepEqual(
      sent.map(({ control }) => control),
      ['sliced', 'done'],
    );
    const [, { role, id, openMs, windowMs, arrival, work, cost, rejectedConnections, values, requests }] =
      sent;
    assert.deepEqual([role, id, arrival, rejectedConnections, requests], ['worker', 'w0', null, 5, 3]);
    assert.deepEqual(values, { extra: 1 });
    assert.ok(Math.abs(openMs - fromMs) < 1, 'on the clock that all share');
    assert.equal(Math.round(windowMs), 20);
    assert.deepEqual([work.name, work.operations], ['w0', 0]);
    // On a busy machine a reading may miss its end of so short a window.
    assert.ok(cost === null || (cost.userUs + cost.systemUs >= 0 && cost.name === 'w0'));
  });

  it('opens its window later, and as long, after a late command', async () => {
    const { worker, meter, sent } = joined({ endpoint: { run: () => untilOver(meter) } });
    const fromMs = sharedNowMs() - 1_000;
    const over = worker.start({ control: 'start', atMs: 0 });
    worker.slice(sliceFrom(fromMs));
    await over;
    worker.finish();
    const { openMs, windowMs, bins } = sent.at(-1);
    assert.ok(openMs - fromMs >= 1_000, `${openMs - fromMs}`);
    assert.equal(Math.round(windowMs), 20);
    assert.equal(bins.length, 2);
  });

  it('closes the window of a number of messages with the load', async () => {
    const { worker, meter, sent } = joined({
      timing: { messages: 1 },
      endpoint: {
        async run() {
          while (!meter.isOpen) {
            await turn();
            meter.tick();
          }
          await new Promise((resolve) => setTimeout(resolve, 30));
          meter.tick();
        },
      },
    });
    const over = worker.start({ control: 'start', atMs: 0 });
    worker.slice(sliceFrom(sharedNowMs(), { lengthMs: null }));
    await over;
    worker.finish();
    assert.ok(sent.at(-1).windowMs >= 29, `${sent.at(-1).windowMs} ms`);
  });

  it('ends with the load of others without one of its own', async () => {
    const { worker, calls, controls } = joined();
    const over = worker.start({ control: 'start', atMs: 0 });
    worker.slice(sliceFrom(sharedNowMs()));
    while (!calls.includes('closed')) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual([calls, controls()], [['opened', 'closed'], []], 'by its clock alone');
    worker.rest();
    await over;
    assert.deepEqual(controls(), ['sliced']);
  });

  it('ends with the load of others that ends before its own start', async () => {
    const { worker, controls } = joined();
    const over = worker.start({ control: 'start', atMs: sharedNowMs() + 20 });
    worker.slice(sliceFrom(sharedNowMs()));
    worker.rest();
    await over;
    assert.deepEqual(controls(), ['sliced']);
  });

  it('reports a failed load, and its counts', async () => {
    const { worker, controls } = joined({ endpoint: { run: () => Promise.reject(new Error('broken')) } });
    const over = worker.start({ control: 'start', atMs: 0 });
    worker.slice(sliceFrom(sharedNowMs() + 1_000));
    await over;
    worker.finish();
    assert.deepEqual(controls(), ['broken', 'sliced', 'done']);
  });

  it('sends warm once, and not after its window has opened', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const workGoal = { ...GOAL, operations: 0, leastCpuMs: 0, enoughCpuMs: 0 };
    for (const isOpen of [false, true]) {
      const { worker, meter, controls } = joined({
        timing: { workGoal, measureMs: 50, warmupBinMs: 10 },
        endpoint: {
          async run() {
            meter.tick();
            t.mock.timers.tick(10);
            t.mock.timers.tick(100);
            await untilOver(meter);
          },
        },
      });
      const over = worker.start({ control: 'start', atMs: 0 });
      if (isOpen) {
        worker.slice(sliceFrom(sharedNowMs(), { lengthMs: 50 }));
        meter.tick();
      } else {
        await new Promise((resolve) => setTimeout(resolve, 5));
        t.mock.timers.tick(10);
        worker.slice(sliceFrom(sharedNowMs(), { lengthMs: 50 }));
      }
      await over;
      assert.deepEqual(controls(), isOpen ? ['sliced'] : ['warm', 'sliced']);
    }
  });
});

describe('the shared clock', () => {
  it('adds the offset of this process, and subtracts it again', () => {
    try {
      for (const shiftMs of [0, 5_000, -250]) {
        shiftToShared(shiftMs);
        assert.ok(Math.abs(sharedNowMs() - systemNowMs() - shiftMs) < 50);
        assert.ok(Math.abs(toSharedMs(performance.now()) - sharedNowMs()) < 50);
        for (const ms of [0, 1_234.5]) assert.ok(Math.abs(toOwnMs(toSharedMs(ms)) - ms) < 1e-3);
      }
    } finally {
      shiftToShared(0);
    }
  });
});

describe('hostContext', () => {
  /** @returns {any} */
  const contextOf = (/** @type {any} */ endpoint) => {
    const spec = {
      scratchDir: '/scratch',
      bindAddress: '::1',
      cell: { workers: 3, codec: 'json' },
      settings: {},
      token: 't',
      launchId: 'l',
      brokerUrl: null,
      maxMessageBytes: 1,
      wireKind: 'text',
    };
    return hostContext(/** @type {any} */ (spec), endpoint, 'master');
  };

  it('has the fields of the launch, and counts rejected connections', () => {
    const host = contextOf({});
    const { scratchDir, bindAddress, workers, token } = host.context;
    assert.deepEqual([scratchDir, bindAddress, workers, token], ['/scratch', '::1', 3, 't']);
    for (let times = 0; times < 2; times += 1) host.context.onRejected('x');
    assert.equal(host.rejectedConnections, 2);
    host.context.onError(new Error('without a handler'));
    /** @type {Error[]} */
    const errors = [];
    host.onTrouble = (/** @type {Error} */ error) => errors.push(error);
    host.context.onError(new Error('broken'));
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['broken'],
    );
  });

  it('serves each channel, and reports protocol and broker errors of its end', () => {
    /** @type {any[]} */
    const served = [];
    const host = contextOf({ serve: (/** @type {any} */ ...all) => served.push(all) });
    /** @type {[string, string, string][]} */
    const told = [];
    host.onHangUp = (/** @type {string} */ id, /** @type {BenchError} */ { code, message }) =>
      told.push([id, code, message]);
    /** @type {any} */
    const channel = {};
    host.context.onChannel(channel, 'w1c2');
    assert.deepEqual(served, [[channel, 'w1c2']]);
    for (const reason of [
      undefined,
      new Error('PROTOCOL'),
      new BenchError('TRANSPORT', 'lost'),
      new BenchError('PROTOCOL', 'half a frame'),
      new BenchError('BROKER', 'refused'),
    ])
      channel.onClose(reason);
    assert.deepEqual(told, [
      ['w1', 'PROTOCOL', 'the master closed the channel of w1c2: half a frame'],
      ['w1', 'BROKER', 'the master closed the channel of w1c2: refused'],
    ]);
    delete host.onHangUp;
    channel.onClose(new BenchError('PROTOCOL', 'without a handler'));
  });
});
