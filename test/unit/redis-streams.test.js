// The stream from which workers take jobs: what each takes, claims and keeps, as a client of the test's own sees it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { streamOfJobs } from '../../transports/redis-streams/stream-queue.js';

const DONE = Object.assign(new Error('the test is over'), { name: 'Done' });

/** @typedef {[id: string, field: string, value: string]} Told */

/** @param {Told[]} entries @returns {any} as Redis replies to a read of one stream */
const replyOf = (entries) =>
  entries.length === 0
    ? null
    : [
        [
          Buffer.from('s'),
          entries.map(([id, field, value]) => [
            Buffer.from(id),
            [field, value].map((each) => Buffer.from(each)),
          ]),
        ],
      ];

/**
 * @param {Record<string, any[]>} replies   of each command, in turn; after the last one it fails, and ends the reading
 */
function clientWith(replies) {
  /** @type {any[][]} */
  const calls = [];
  const text = (/** @type {any} */ each) => (Buffer.isBuffer(each) ? String(each) : each);
  const answer =
    (/** @type {string} */ name) =>
    async (/** @type {any[]} */ ...args) => {
      calls.push([name, ...args.map(text)]);
      const left = replies[name];
      if (left === undefined) return 'OK';
      if (left.length === 0) throw DONE;
      const reply = left.shift();
      if (reply instanceof Error) throw reply;
      return reply;
    };
  const names = ['xgroup', 'xack', 'xtrim', 'xpending', 'xreadgroupBuffer', 'xautoclaimBuffer'];
  const client = /** @type {any} */ ({
    status: 'ready',
    ...Object.fromEntries(names.map((name) => [name, answer(name)])),
  });
  return {
    client,
    calls,
    callsOf: (/** @type {string} */ name) =>
      calls.filter(([called]) => called === name).map(([, ...args]) => args),
  };
}

function makeHeard() {
  /** @type {string[]} */
  const all = [];
  return {
    all,
    onData: (/** @type {Buffer} */ bytes) => void all.push(`data ${bytes}`),
    onControl: (/** @type {Buffer} */ bytes) => void all.push(`frame ${bytes}`),
    refused: (/** @type {Error} */ error) => void all.push(`refused ${error.message}`),
  };
}

/** @param {object} settings @param {object} [more] @returns {any} */
const end = (settings, more) => ({ settings: { read: 'stream', count: 0, ...settings }, ...more });

describe('streamOfJobs', () => {
  const SETTINGS = { claimAfter: 300, claimEvery: 100 };
  /** @param {any[]} took @param {any[]} claimed @param {object} [settings] @param {object} [more] */
  async function taking(
    took,
    claimed,
    settings = {},
    more = { workerId: 'w1', sharedQueue: { prefetch: 4 } },
  ) {
    const replies = {
      xreadgroupBuffer: took,
      xautoclaimBuffer: claimed,
      xpending: [
        [0, null],
        [1, '5-0'],
      ],
    };
    const told = clientWith(replies);
    const heard = makeHeard();
    const kind = streamOfJobs(end({ ...SETTINGS, ...settings }, more));
    await assert.rejects(kind.read(told.client, 's', heard), DONE);
    return { ...told, heard: heard.all };
  }

  it('takes as many jobs as a worker may have at once, or count if that is less', async () => {
    const countOf = async (/** @type {object} */ settings, /** @type {any} */ more = undefined) =>
      (await taking([], [], settings, more)).callsOf('xreadgroupBuffer')[0].slice(0, 5);
    assert.deepEqual(await countOf({}), ['GROUP', 'readers', 'w1', 'COUNT', 4]);
    assert.deepEqual(await countOf({ count: 3 }), ['GROUP', 'readers', 'w1', 'COUNT', 3]);
    assert.deepEqual(await countOf({ count: 9 }), ['GROUP', 'readers', 'w1', 'COUNT', 4]);
    assert.deepEqual(await countOf({}, {}), ['GROUP', 'readers', 'master', 'COUNT', 1]);
  });

  it('claims jobs of silent workers after each pause, and at once again while there are some', async (t) => {
    let nowMs = 1_000;
    t.mock.method(performance, 'now', () => {
      nowMs += 40;
      return nowMs;
    });
    const entry = (/** @type {string} */ id) => replyOf([[id, 'message', id]]);
    const claim = (/** @type {string[]} */ ...ids) => [
      '0-0',
      ids.length === 0 ? [] : ids.flatMap((id) => entry(id)[0][1]),
    ];
    const { callsOf, calls, heard } = await taking(
      [entry('1'), entry('2'), replyOf([]), replyOf([]), replyOf([])],
      [claim('7', '8'), claim(), claim()],
    );
    assert.deepEqual(heard, ['data 1', 'data 2', 'data 7', 'data 8']);
    assert.deepEqual(callsOf('xautoclaimBuffer')[0], ['s', 'readers', 'w1', 300, '0-0', 'COUNT', 4]);
    const order = calls.map(([name]) => name).filter((name) => /^x(read|auto)/.test(name));
    assert.deepEqual(
      order.map((name) => (name === 'xautoclaimBuffer' ? 'claim' : 'take')),
      ['take', 'take', 'take', 'claim', 'take', 'claim', 'take', 'take'],
      'at once again where something was claimed, and after its pause otherwise',
    );
    assert.deepEqual(callsOf('xack').at(-1), ['s', 'readers', '7', '8']);
    assert.equal(callsOf('xreadgroupBuffer')[0][6], 100, 'it waits no longer than until then');
  });

  it('trims nothing that a worker has not acknowledged', async () => {
    const thousand = () =>
      replyOf(Array.from({ length: 1_000 }, (_, at) => /** @type {Told} */ ([`${at}-1`, 'message', 'x'])));
    const { callsOf } = await taking([thousand(), thousand()], []);
    // A trim follows when the one before has ended.
    while (callsOf('xtrim').length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(callsOf('xtrim'), [
      ['s', 'MINID', '~', '999-1'],
      ['s', 'MINID', '~', '5-0'],
    ]);
  });

  it('uses the group that another worker has made', async () => {
    const prepare = (/** @type {string} */ message) =>
      streamOfJobs(end(SETTINGS)).prepare(clientWith({ xgroup: [new Error(message)] }).client, 's');
    await prepare('BUSYGROUP Consumer Group name already exists');
    await assert.rejects(prepare('NOPERM'), /NOPERM/);
  });
});
