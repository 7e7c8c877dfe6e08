// What the controller of a launch does by itself: it watches a warm-up, and plays the half of a peer; with clocks and a peer of the test's own.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PeerMaster } from '../../lib/launch/controller/peer-master.js';
import { watchWarmUp } from '../../lib/launch/monitors/warm-up.js';
import { toSharedMs } from '../../lib/machine/clock.js';
import { stopDecision } from '../../lib/run/stop-rule.js';
import { makePayloads } from '../../lib/scenario/messages/payloads.js';
import { recordLists } from '../../lib/scenario/messages/record-lists.js';

const TIMING = /** @type {any} */ ({
  warmupMs: null,
  minWarmupMs: 100,
  maxWarmupMs: 1_000,
  steadyWithinMs: 300,
  warmupBinMs: 10,
});

/**
 * @param {import('node:test').TestContext} t
 * @param {object} how
 * @param {(nowMs: number) => number} how.readOperations
 * @param {(nowMs: number) => boolean} [how.isWarm]
 * @param {object} [how.timing]
 * @param {(bin: number) => number} [how.binMs]   that a bin really takes
 */
async function warmedUp(t, { readOperations, isWarm = () => true, timing = {}, binMs = () => 10 }) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  let nowMs = 5_000;
  t.mock.method(performance, 'now', () => nowMs);
  /** @type {number[]} */
  const seen = [];
  let isOver = false;
  const watch = watchWarmUp(
    {
      readOperations: () => readOperations(nowMs - 5_000),
      isWarm: () => isWarm(nowMs - 5_000),
      trouble: new Promise(() => {}),
      onBin: (bins) => void seen.push(bins),
    },
    { ...TIMING, ...timing },
    20,
  ).finally(() => {
    isOver = true;
  });
  for (let bin = 0; !isOver && bin < 1_000; bin += 1) {
    nowMs += binMs(bin);
    t.mock.timers.tick(10);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const found = await watch;
  t.mock.timers.tick(100);
  assert.equal(seen.length, found.operations.length, 'it looks no longer once it is over');
  assert.deepEqual(
    seen,
    Array.from(seen, (_, index) => index + 1),
  );
  return found;
}

/** @param {number} nowMs @returns {number} 10 a millisecond, with the noise of a machine */
const steadily = (nowMs) => Math.round(10 * nowMs + 3 * Math.sin(nowMs));

describe('a warm-up', () => {
  it('ends when all is warm and the answers show no trend, not before its least time', async (t) => {
    const { status, ms, operations, binMs } = await warmedUp(t, { readOperations: steadily });
    assert.deepEqual([status, binMs], ['steady', 10]);
    assert.ok(ms >= 100 && ms <= 250, `${ms} ms`);
    for (const count of operations) assert.ok(Math.abs(count - 100) <= 7, `${count} in a bin`);
  });

  it('counts a bin that came late as one of its usual length', async (t) => {
    const { operations } = await warmedUp(t, {
      readOperations: steadily,
      binMs: (bin) => (bin % 3 === 1 ? 35 : 10),
    });
    for (const count of operations) assert.ok(Math.abs(count - 100) <= 7, `${count} in a bin`);
  });

  it('waits for processes that are not warm, and gives a trend so much time from there', async (t) => {
    const faster = (/** @type {number} */ nowMs) => nowMs ** 2;
    const { status, ms } = await warmedUp(t, { readOperations: faster, isWarm: (nowMs) => nowMs >= 400 });
    assert.deepEqual([status, ms], ['not-steady', 700]);
  });

  it('is cold where a process is never warm, and no longer than its greatest time', async (t) => {
    const { status, ms } = await warmedUp(t, { readOperations: steadily, isWarm: () => false });
    assert.deepEqual([status, ms], ['cold', 1_000]);
  });

  it('is as long as was asked for, whatever it sees', async (t) => {
    const { status, ms, operations } = await warmedUp(t, {
      readOperations: steadily,
      isWarm: () => false,
      timing: { warmupMs: 220 },
    });
    assert.deepEqual([status, ms], ['fixed', 220]);
    assert.equal(operations.length, 20, 'up to 20 ms before its end');
  });

  it('ends with its launch', async () => {
    const trouble = Promise.reject(new Error('a worker died'));
    for (const warmupMs of [null, 60_000]) {
      const load = { readOperations: () => 0, isWarm: () => true, trouble };
      await assert.rejects(watchWarmUp(load, { ...TIMING, warmupMs }, 20), /a worker died/);
    }
  });
});

describe('a peer that plays the master', () => {
  /** @param {string} scenario @param {Record<string, any>} [answers] */
  function mastered(scenario, answers = {}) {
    const scratchDir = mkdtempSync(join(tmpdir(), 'ibs-'));
    const deadlines = { connectMs: 1, replyMs: 100, finishMs: 2, exitMs: 3 };
    const spec = /** @type {any} */ ({ cell: { scenario }, scratchDir, deadlines });
    const master = new PeerMaster(/** @type {any} */ ({ name: 'own' }), spec, (id) => [`é of ${id}`, 'x']);
    /** @type {any[]} */
    const told = [];
    const peer = {
      name: 'the peer own',
      ended: Promise.resolve(),
      tell: (/** @type {any} */ word) => told.push(word),
      ask: async (/** @type {any} */ word, /** @type {string} */ answer, /** @type {number} */ ms) => {
        told.push([word.control, answer, ms]);
        return answers[word.control];
      },
      dismiss: async (/** @type {number} */ ms) => told.push(['dismiss', ms]),
      kill: () => told.push('kill'),
    };
    master.peer = /** @type {any} */ (peer);
    return { master, told, scratchDir };
  }
  const worker = { mistakes: {}, asked: 8, streams: { w0: 8 } };
  const counts = { operations: 8, undecodable: 0, rejectedConnections: 1 };

  it('listens where its transport has a place for one, and is handed the streams of workers', () => {
    const { master, scratchDir } = mastered('round-trip');
    const fork = { stdio: true };
    const transport = /** @type {any} */ ({ name: 'stdio', peerEnd: () => ({ fork }) });
    assert.equal(master.listen(transport, /** @type {any} */ ({})), master);
    assert.equal(master.fork, fork);
    const streams = /** @type {any} */ ({});
    master.adopt(null, 'w0', streams);
    assert.equal(master.streams[0], streams);
    assert.throws(
      () => master.listen(/** @type {any} */ ({ name: 'mqtt' }), /** @type {any} */ ({})),
      /mqtt has no end/,
    );
    rmSync(scratchDir, { recursive: true });
  });

  it('is told the window of a stream on the clock that all share, and none of round trips', () => {
    const { master, told, scratchDir } = mastered('stream');
    const plan = { fromMs: 10, toMs: 20, binMs: 5, onOpen() {}, onClose() {} };
    master.meter?.schedule(plan);
    assert.deepEqual(told, [{ control: 'measure', fromMs: toSharedMs(10), toMs: toSharedMs(20), binMs: 5 }]);
    const { master: answering, scratchDir: other } = mastered('round-trip');
    assert.equal(answering.meter, undefined);
    for (const folder of [scratchDir, other]) rmSync(folder, { recursive: true });
  });

  it('finds the payloads of each stream in a file, behind their lengths, which nobody else may read', async () => {
    const { master, scratchDir } = mastered('stream');
    await master.writePayloads(master.payloadsFolder, /** @type {any} */ ([{ id: 'w0' }, { id: 'w1' }]));
    assert.deepEqual(readdirSync(master.payloadsFolder), ['w0', 'w1']);
    const bytes = readFileSync(join(master.payloadsFolder, 'w1'));
    assert.deepEqual(bytes, Buffer.from('\0\0\0\u0008é of w1\0\0\0\u0001x'));
    if (process.platform !== 'win32') {
      assert.equal(statSync(master.payloadsFolder).mode & 0o777, 0o700);
      assert.equal(statSync(join(master.payloadsFolder, 'w0')).mode & 0o777, 0o600);
    }
    await master.close();
    assert.deepEqual(readdirSync(scratchDir), []);
    rmSync(scratchDir, { recursive: true });
  });

  it('is asked what it has counted, once at a time, until it has told all', async () => {
    const { master, told, scratchDir } = mastered('round-trip', {
      count: { operations: 8 },
      report: { control: 'report', ...counts },
    });
    assert.throws(() => master.report(), /before the load was over/);
    assert.deepEqual([master.progress(), master.progress()], [0, 0]);
    await master.counting;
    assert.deepEqual(told, [['count', undefined, undefined]]);
    assert.equal(master.progress(), 8);
    await master.counting;
    await master.settled([worker, { mistakes: {} }].slice(0, 1));
    assert.deepEqual(told.at(-1), ['report', 'report', 2]);
    assert.deepEqual(master.report(), { mistakes: { corrupt: 0 }, rejectedConnections: 1 });
    const asked = told.length;
    assert.equal(master.progress(), 8);
    assert.equal(told.length, asked, 'it has told all');
    await master.end();
    assert.deepEqual(told.at(-1), ['dismiss', 3]);
    await master.close();
    assert.equal(told.at(-1)?.[0], 'dismiss', 'it has ended already');
    rmSync(scratchDir, { recursive: true });
  });

  it('is not believed, and killed where the launch fails', async () => {
    const { master, told, scratchDir } = mastered('round-trip', {
      count: { operations: 8 },
      report: { control: 'report', ...counts, operations: 9 },
    });
    await assert.rejects(master.settled([worker]), {
      code: 'INTEGRITY',
      message: 'the peer own reported 9 responses, but its workers sent 8 requests',
    });
    await master.close();
    assert.equal(told.at(-1), 'kill');
    rmSync(scratchDir, { recursive: true });
  });
});

describe('a run that ends by itself', () => {
  const options = { targetError: 0, maxTimeMs: 1_000_000 };
  const progress = { blocks: 8, leastBlocks: 6, elapsedMs: 8_000, known: [{ width: 0, clear: 0 }] };

  it('ends with intervals that are exactly as narrow as was asked for', () => {
    assert.deepEqual(stopDecision(options, progress), { endedBy: 'target', widest: 0 });
  });

  it('ends after 1,000 blocks, and where a further one would not end in time', () => {
    const wide = [{ width: 0.2, clear: 0 }];
    const endedAt = (/** @type {number} */ blocks, elapsedMs = 1) =>
      stopDecision(options, { ...progress, blocks, elapsedMs, known: wide }).endedBy;
    assert.deepEqual([endedAt(999), endedAt(1_000)], [null, 'blocks']);
    assert.deepEqual([endedAt(9, 900_000), endedAt(9, 900_001)], [null, 'time']);
  });
});

describe('what the loops of a worker send', () => {
  it('is one payload more than two for each loop, and two at the least, of at most 32 MiB together', () => {
    const count = (/** @type {number} */ payloadBytes, /** @type {number} */ loops) =>
      makePayloads(1, { payloadBytes }, loops).length;
    assert.deepEqual([count(10, 1), count(10, 4)], [3, 9]);
    assert.deepEqual([count(2 ** 22, 4), count(2 ** 22 + 1, 4)], [8, 7]);
    assert.equal(count(2 ** 24, 1), 2);
    for (const payload of makePayloads(1, { payloadBytes: 100 }, 2)) assert.equal(payload.length, 100);
  });

  it('are eight lists of records of a year, each record with a number of its own', () => {
    const lists = recordLists(1, 20);
    const records = lists.flat();
    assert.deepEqual([lists.length, records.length], [8, 160]);
    assert.deepEqual(
      records.map(({ id }) => id),
      records.map((_, place) => 100_000 + place),
    );
    for (const { createdAt, updatedMs, price, parentId, code } of records) {
      const createdMs = Date.parse(createdAt);
      assert.ok(createdMs >= Date.UTC(2024, 0, 1) && createdMs < Date.UTC(2025, 0, 1));
      assert.ok(updatedMs >= createdMs && updatedMs < createdMs + 366 * 86_400_000);
      assert.ok(price >= 0.01 && price <= 10_000);
      assert.match(code, /^[A-Z2-9]{8}$/);
      assert.ok(parentId === null || parentId < 100_000);
    }
    const withoutParent = records.filter(({ parentId }) => parentId === null).length;
    assert.ok(withoutParent > 15 && withoutParent < 70, `${withoutParent} of 160, where a quarter is meant`);
  });
});
