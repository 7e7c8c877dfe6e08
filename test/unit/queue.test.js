// Both ends of a queue in one process.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Meter } from '../../lib/measure/meter.js';
import { configured } from '../../lib/plugins/plugins.js';
import { JobConsumer } from '../../lib/workload/endpoints/job-consumer.js';
import { Credits, JobProducer, Outage } from '../../lib/workload/endpoints/job-producer.js';
import { busiestShare, ofOutage } from '../../lib/workload/measures/usual-measures.js';
import { Jobs } from '../../lib/workload/messages/jobs.js';
import { FIRST_ID } from '../../lib/workload/messages/message-ids.js';
import queue from '../../scenarios/queue.js';

/** @typedef {import('../../lib/workload/endpoints/stream-parts.js').StreamParts} StreamParts */

const PAYLOADS = ['aaaa', 'bbbb', 'cccc'];
const REPLY_MS = 60;
const PATIENT_MS = 60_000; // where no job is given up
const NONE = { lost: 0, duplicate: 0, swapped: 0, corrupt: 0, outOfOrder: 0 };
/** The message itself travels. */
const codec = {
  encode: (/** @type {any} */ message) => message,
  decode: (/** @type {any} */ wire) => wire,
};

/** @param {() => boolean} [hasRoom] @param {() => Promise<void>} [drained] */
function makeChannel(hasRoom = () => true, drained = async () => {}) {
  /** @type {any[]} */
  const sent = [];
  const send = (/** @type {any} */ wire) => sent.push(wire) > 0 && hasRoom();
  const onMessage = (/** @type {any} */ _wire) => {};
  return { sent, send, drained, onMessage, onClose() {}, close: async () => {} };
}

/** @returns {never} */
function throwing() {
  throw new Error('broken');
}

/** @param {any} job @returns {any} the acknowledgement of a worker */
function acknowledgementOf(job) {
  const channel = makeChannel();
  const { report } = working(channel);
  channel.onMessage(job);
  assert.deepEqual(report().mistakes, NONE);
  return channel.sent[0];
}

/** @param {ReturnType<typeof makeChannel>} channel */
function working(channel) {
  const decode = (/** @type {any} */ { id, payload }) => ({ id, payload });
  const payloadsOf = () => PAYLOADS;
  const parts = { meter: new Meter(), channels: { w0: channel }, payloadsOf, replyMs: REPLY_MS };
  const endpoint = new JobConsumer({ ...codec, decode }, parts, 0);
  return { report: () => endpoint.report() };
}

/**
 * @param {ReturnType<typeof makeChannel>[]} channels   of w0, w1 and so on
 * @param {Partial<StreamParts>} [parts]
 */
async function offering(channels, parts = {}) {
  const meter = new Meter();
  const all = { meter, channels: {}, payloadsOf: () => PAYLOADS, replyMs: REPLY_MS, ...parts };
  const endpoint = new JobProducer({ loops: 2 }, codec, all, { prefetch: 0, handleMs: 0 });
  for (const [index, channel] of channels.entries()) endpoint.serve(channel, `w${index}`);
  const fromMs = performance.now();
  const onOpen = () => endpoint.opened();
  meter.schedule({ fromMs, toMs: Infinity, binMs: 40, onOpen, onClose: () => endpoint.closed() });
  meter.tick();
  const over = endpoint.run(fromMs);
  over.catch(() => {}); // a test that expects a failure waits for it later
  /** Ends the load and waits for open jobs. */
  const report = async () => {
    meter.finish();
    await endpoint.settled();
    return endpoint.report();
  };
  return { endpoint, over, finish: () => meter.finish(), report };
}

describe('ofOutage and busiestShare', () => {
  const NOTHING = /** @type {any} */ ([]);
  /** @param {Record<string, number>} values */
  const valuesOf = (values) => {
    const reports = /** @type {any[]} */ ([{ operations: null }, { operations: 30, values }]);
    const names = /** @type {const} */ (['lost', 'doneTwice', 'offeredAgain', 'recoveryTime']);
    return names.map((name) =>
      ofOutage({ name, title: name, unit: 'count' }).read(reports, NOTHING, NOTHING, NOTHING),
    );
  };

  it('reads the counts of a killed worker’s jobs, and the recovery time in µs', () => {
    assert.deepEqual(
      valuesOf({ lost: 1, doneTwice: 2, offeredAgain: 0, recoveredMs: 12.5 }),
      [1, 2, 0, 12_500],
    );
  });

  it('returns null if no worker was killed, and no recovery time if the rate did not recover', () => {
    assert.deepEqual(valuesOf({}), [null, null, null, null]);
    assert.deepEqual(valuesOf({ lost: 3, recoveredMs: Infinity }), [3, null, null, null]);
  });

  it('divides the jobs of the busiest worker by its fair share', () => {
    const busiest = (/** @type {number} */ operations) =>
      busiestShare(
        /** @type {any} */ ([{ operations, values: { busiest: 20 } }]),
        /** @type {any} */ ({ workers: 4 }),
        NOTHING,
        NOTHING,
      );
    assert.deepEqual([busiest(40), busiest(0)], [2, null]);
  });
});

describe('JobProducer', () => {
  it('offers each worker one job per loop, and another one for each acknowledgement', async () => {
    const [first, second] = [makeChannel(), makeChannel()];
    const { finish, report } = await offering([first, second]);
    assert.deepEqual([first.sent.length, second.sent.length], [2, 2]);
    for (const job of second.sent.slice()) second.onMessage(acknowledgementOf(job));
    assert.deepEqual([first.sent.length, second.sent.length], [2, 4]);
    const all = [...first.sent, ...second.sent];
    assert.equal(new Set(all.map(({ id }) => id)).size, 6, 'each job has a different id');
    first.onMessage(acknowledgementOf(first.sent[0]));
    finish();
    for (const job of first.sent.slice(1)) first.onMessage(acknowledgementOf(job));
    for (const job of second.sent.slice(2)) second.onMessage(acknowledgementOf(job));
    const { operations, values, mistakes } = await report();
    assert.deepEqual([operations, values?.busiest, mistakes], [3, 2, NONE], 'of the window');
  });

  it('times each job from its offer to its acknowledgement', async (t) => {
    let nowMs = performance.now();
    t.mock.method(performance, 'now', () => nowMs);
    const channel = makeChannel();
    const { finish, report } = await offering([channel]);
    nowMs += 7;
    channel.onMessage(acknowledgementOf(channel.sent[0]));
    nowMs += 2;
    channel.onMessage(acknowledgementOf(channel.sent[1]));
    finish();
    for (const job of channel.sent.slice(2)) channel.onMessage(acknowledgementOf(job));
    const { latency = assert.fail('nothing is timed') } = await report();
    assert.equal(latency.count, 2);
    assert.ok(Math.abs(latency.minNs / 1e6 - 7) < 0.1 && Math.abs(latency.maxNs / 1e6 - 9) < 0.1);
  });

  it('offers no job while the channel is full, and continues when it drains', async () => {
    let [isFull, letGoOn] = [true, () => {}];
    const channel = makeChannel(
      () => !isFull,
      () =>
        new Promise((resolve) => {
          letGoOn = () => resolve(undefined);
        }),
    );
    const { finish, report } = await offering([channel], { replyMs: PATIENT_MS });
    assert.equal(channel.sent.length, 1, 'one of two');
    isFull = false;
    letGoOn();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(channel.sent.length, 2);
    finish();
    for (const job of channel.sent) channel.onMessage(acknowledgementOf(job));
    assert.deepEqual((await report()).mistakes, NONE);
  });

  it('fails with the name of the transport if drained() fails', async () => {
    for (const drained of [() => Promise.reject(new Error('broken')), throwing]) {
      const channel = makeChannel(() => false, drained);
      const { over } = await offering([channel], { transport: 'own' });
      await assert.rejects(over, { code: 'TRANSPORT', message: 'drained() of own failed: broken' });
    }
  });

  it('fails if a job that waited for room cannot be sent', async () => {
    let isFirst = true;
    const channel = makeChannel(() => {
      if (!isFirst) throw new Error('it broke');
      isFirst = false;
      return false;
    });
    const { over } = await offering([channel]);
    await assert.rejects(over, /it broke/);
  });

  /** @type {[string, (receipts: any[]) => any[], Partial<typeof NONE>][]} */
  const cases = [
    ['no mistake in correct acknowledgements', (receipts) => receipts, {}],
    ['a job without an acknowledgement', ([first]) => [first], { lost: 1 }],
    ['a job that is done twice', ([first, second]) => [first, first, second], { duplicate: 1 }],
    ['a receipt that was changed', ([first, second]) => [first, { ...second, payload: '?' }], { corrupt: 1 }],
    [
      'receipts that changed places',
      ([first, second]) => [
        { ...first, payload: second.payload },
        { ...second, payload: first.payload },
      ],
      { swapped: 2 },
    ],
    ['acknowledgements that overtook each other', ([first, second]) => [second, first], { outOfOrder: 1 }],
    ['a number that no job has', (receipts) => [{ id: 7, payload: 'A' }, ...receipts], { corrupt: 1 }],
  ];
  for (const [what, spoil, found] of cases) {
    it(`finds ${what}`, async () => {
      const channel = makeChannel();
      const { finish, report } = await offering([channel]);
      finish();
      for (const receipt of spoil(channel.sent.map(acknowledgementOf))) channel.onMessage(receipt);
      assert.deepEqual((await report()).mistakes, { ...NONE, ...found });
    });
  }

  it('counts an acknowledgement that cannot be decoded, and continues', async () => {
    const channel = makeChannel();
    const receiptCodec = {
      ...codec,
      decode(/** @type {any} */ wire) {
        if (wire === 'garbage') throw new Error('no message');
        return wire;
      },
    };
    const { finish, report } = await offering([channel], { receiptCodec });
    finish();
    channel.onMessage('garbage');
    for (const job of channel.sent) channel.onMessage(acknowledgementOf(job));
    assert.deepEqual((await report()).mistakes, { ...NONE, corrupt: 1 });
  });

  it('gives up a job after the deadline, and offers another one in its place', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let lateMs = 0;
    t.mock.method(performance, 'now', () => 1_000 + lateMs);
    const channel = makeChannel();
    const { finish, report } = await offering([channel], { mayLose: true });
    assert.equal(channel.sent.length, 2);
    t.mock.timers.tick(REPLY_MS);
    assert.equal(channel.sent.length, 2, 'none has waited for so long');
    lateMs = 10 * REPLY_MS;
    t.mock.timers.tick(REPLY_MS);
    assert.equal(channel.sent.length, 4);
    finish();
    for (const job of channel.sent.slice(2)) channel.onMessage(acknowledgementOf(job));
    assert.equal((await report()).mistakes?.lost, 2);
  });

  it('offers the jobs of a killed worker to the others, and reports what became of them', async () => {
    const [first, second] = [makeChannel(), makeChannel()];
    const { endpoint, finish, report } = await offering([first, second]);
    const open = second.sent.slice();
    endpoint.killing(performance.now());
    endpoint.gone('w1');
    // An acknowledgement that arrives after the end of the worker: another worker does the job again.
    second.onMessage(acknowledgementOf(open[0]));
    for (const job of first.sent.slice()) first.onMessage(acknowledgementOf(job));
    assert.deepEqual(first.sent.slice(2), open, 'the very same jobs');
    finish();
    for (const job of open) first.onMessage(acknowledgementOf(job));
    const { values, mistakes, outage } = await report();
    const { recoveredMs = 0, ...counted } = values ?? {};
    assert.deepEqual(counted, { busiest: 2, lost: 0, doneTwice: 1, offeredAgain: 2 });
    assert.ok(recoveredMs > 0);
    assert.deepEqual(mistakes, NONE);
    assert.deepEqual(outage, { promise: 'at least once', lost: 0, doneTwice: 1 });
  });

  it('offers the jobs of a killed worker to an idle worker at once', async () => {
    const [first, second] = [makeChannel(), makeChannel()];
    const { endpoint, finish, report } = await offering([first, second]);
    finish();
    for (const job of first.sent.slice()) first.onMessage(acknowledgementOf(job));
    assert.equal(first.sent.length, 2, 'no more are offered');
    endpoint.killing(performance.now());
    endpoint.gone('nobody');
    endpoint.gone('w1');
    assert.deepEqual(first.sent.slice(2), second.sent);
    for (const job of second.sent) first.onMessage(acknowledgementOf(job));
    assert.deepEqual((await report()).outage, { promise: 'at least once', lost: 0, doneTwice: 0 });
  });

  it('counts what the transport’s own queue did with the jobs of a killed worker', async () => {
    const [shared, worker] = [makeChannel(), makeChannel()];
    const { endpoint, finish, report } = await offering([worker], {
      queue: () => shared,
      promise: 'at most once',
      replyMs: 1_200, // longer than the silence after which a job is lost
    });
    assert.deepEqual([shared.sent.length, worker.sent.length], [2, 0]);
    finish();
    endpoint.killing(performance.now());
    endpoint.gone('w0');
    const [first] = shared.sent;
    for (const job of [first, first]) worker.onMessage(acknowledgementOf(job));
    const { values, mistakes, outage } = await report();
    assert.deepEqual(
      values,
      { busiest: 0, lost: 1, doneTwice: 1 },
      'a queue does not report which jobs it delivers again',
    );
    assert.deepEqual(mistakes, NONE);
    assert.deepEqual(outage, { promise: 'at most once', lost: 1, doneTwice: 1 });
  });
});

describe('Outage', () => {
  /** @param {number} credits   which are used at once */
  function creditsOf(credits) {
    const jobs = new Jobs({ isOver: false });
    const offers = new Credits({
      channel: makeChannel(),
      codec,
      payloads: PAYLOADS,
      jobs,
      fail: assert.ifError,
    });
    offers.begin(credits);
    return { jobs, offers };
  }

  it('reports no recovery time before all jobs are done', () => {
    assert.equal(new Outage(100).recoveredMs, null);
  });

  it('ends an outage when the last job of the killed worker is done', () => {
    const { offers, jobs } = creditsOf(2);
    const open = [...offers.open.keys()];
    offers.unused = 1;
    const outage = new Outage(100);
    outage.begin(offers, jobs);
    assert.deepEqual([jobs.again, outage.offeredAgain, offers.open.size, offers.unused], [open, 2, 0, 0]);
    outage.acknowledge(open[0], 150);
    outage.acknowledge(FIRST_ID + 7, 160);
    assert.equal(outage.recoveredMs, null);
    outage.acknowledge(open[1], 170);
    assert.equal(outage.recoveredMs, 70);
    outage.acknowledge(open[1], 180);
    assert.equal(outage.recoveredMs, 70, 'a repeated response');
  });

  it('restarts an outage with the next killed worker that had open jobs', () => {
    const { offers } = creditsOf(1);
    const outage = new Outage(0);
    const [first] = offers.open.keys();
    outage.begin(offers, null);
    outage.acknowledge(first, 10);
    offers.open.clear();
    outage.begin(offers, null);
    assert.equal(outage.recoveredMs, 10);
    offers.offer(0);
    outage.begin(offers, null);
    assert.deepEqual([outage.recoveredMs, outage.offeredAgain, offers.open.size], [null, 0, 1]);
  });
});

describe('JobConsumer', () => {
  it('counts jobs that are not as they were offered, and acknowledges none that is not a job', async () => {
    const master = makeChannel();
    await offering([master]);
    const [job] = master.sent;
    const channel = makeChannel();
    const { report } = working(channel);
    channel.onMessage({ ...job, payload: 'axaa' });
    channel.onMessage({ ...job, payload: PAYLOADS[1] });
    channel.onMessage({ id: 7, payload: 'aaaa' });
    assert.deepEqual(report().mistakes, { ...NONE, corrupt: 2, swapped: 1 });
    channel.onMessage(null); // nothing to decode
    assert.deepEqual(report().mistakes, { ...NONE, corrupt: 3, swapped: 1 });
    assert.equal(channel.sent.length, 2, 'only jobs are acknowledged');
  });
});

describe('the scenario queue', () => {
  const traits = /** @type {any} */ ({ class: 'socket', direction: 'duplex' });
  const why = (/** @type {object} */ own, /** @type {Record<string, string>} */ asking, workers = 2) =>
    queue.skipReason?.(
      { ...traits, ...own },
      configured(queue, asking).chosen ?? {},
      /** @type {any} */ ({ workers }),
    );

  it('skips transports and settings that do not support it, with the reason', () => {
    assert.equal(why({}, {}), null);
    assert.equal(why({}, { kill: '1' }), null);
    assert.match(String(why({ direction: 'request-reply' }, {})), /only responds to requests/);
    assert.match(String(why({}, { kill: '2' })), /leaves none of the 2 workers/);
    assert.match(String(why({ class: 'thread' }, { kill: '1' })), /threads of the master/);
    assert.match(String(why({ loss: 'possible' }, { kill: '1' })), /no worker dies/);
    const claims = { queues: 'at least once', claimsAfterMs: 100 };
    const jobs = { way: 'native', prefetch: '20' };
    assert.equal(why(claims, { ...jobs, handle: '1000' }), null);
    assert.match(
      String(why(claims, { ...jobs, handle: '5000' })),
      /takes 100 ms for the 20 jobs .* claim them after 100 ms/,
    );
  });
});
