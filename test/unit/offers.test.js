// The credits of a master that produces jobs: none is lost, and none is used twice.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Credits, Outage } from '../../lib/workload/endpoints/job-producer.js';
import { FIRST_ID, Jobs } from '../../lib/workload/messages/integrity.js';

/** @param {() => boolean} [hasRoom] */
function offering(hasRoom = () => true) {
  const meter = { isOver: false };
  const jobs = new Jobs(meter);
  /** @type {any[]} */
  const sent = [];
  let letGoOn = () => {};
  const channel = {
    send: (/** @type {any} */ wire) => sent.push(wire) > 0 && hasRoom(),
    drained: () => new Promise((/** @type {(_: void) => void} */ resolve) => (letGoOn = resolve)),
  };
  const codec = { encode: (/** @type {any} */ message) => message };
  const fail = (/** @type {Error} */ error) => assert.fail(error);
  const offers = new Credits({ channel, codec, payloads: ['a', 'b', 'c'], jobs, fail });
  const numbers = () => sent.map(({ id }) => id - FIRST_ID);
  return { meter, jobs, sent, offers, numbers, letGoOn: () => letGoOn() };
}

describe('Credits', () => {
  it('sends a job for each credit, with the payload of its number', () => {
    const { offers, sent } = offering();
    offers.begin(4);
    assert.deepEqual(
      sent,
      ['a', 'b', 'c', 'a'].map((payload, place) => ({ id: FIRST_ID + place, payload })),
    );
    assert.deepEqual([offers.unused, offers.open.size], [0, 4]);
  });

  it('keeps a credit until the channel has room and there is a job', async () => {
    let hasRoom = false;
    const { offers, numbers, letGoOn, meter, jobs } = offering(() => hasRoom);
    offers.begin(3);
    assert.deepEqual([numbers(), offers.unused], [[0], 2]);
    offers.offer(0);
    assert.deepEqual([numbers(), offers.unused], [[0], 3]);
    hasRoom = true;
    letGoOn();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([numbers(), offers.unused], [[0, 1, 2, 3], 0]);
    meter.isOver = true;
    offers.offer(0);
    assert.deepEqual([numbers().length, offers.unused], [4, 1]);
    jobs.again.push(FIRST_ID + 2);
    offers.offerAll();
    assert.deepEqual([numbers().at(-1), offers.unused], [2, 0], 'of a worker that is gone, and first of all');
  });

  it('gives up the oldest jobs, and replaces each with a new one', () => {
    const { offers, numbers } = offering();
    for (const atMs of [10, 20, 30]) offers.offer(atMs);
    assert.equal(offers.giveUp(9), 0);
    assert.equal(offers.giveUp(20), 2);
    assert.deepEqual(numbers(), [0, 1, 2, 3, 4]);
    const open = [...offers.open.keys()].map((id) => id - FIRST_ID);
    assert.deepEqual([open, offers.unused], [[2, 3, 4], 0]);
  });
});

describe('Outage', () => {
  it('has no recovery time before all jobs are done', () => {
    assert.equal(new Outage(100).recoveredMs, null);
  });

  it('ends when the last job of the killed worker is done', () => {
    const { offers, jobs } = offering();
    offers.begin(2);
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

  it('restarts with the next killed worker that had open jobs', () => {
    const { offers } = offering();
    const outage = new Outage(0);
    offers.begin(1);
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
