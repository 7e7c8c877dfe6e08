// The master's endpoint where a peer plays it, with a peer of the test's own.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PeerMaster } from '../../lib/launch/controller/peer-master.js';
import { toSharedMs } from '../../lib/machine/clock.js';

describe('PeerMaster', () => {
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
      send: (/** @type {any} */ word) => told.push(word),
      request: async (/** @type {any} */ word, /** @type {string} */ answer, /** @type {number} */ ms) => {
        told.push([word.control, answer, ms]);
        return answers[word.control];
      },
      dismiss: async (/** @type {number} */ ms) => told.push(['dismiss', ms]),
      kill: () => told.push('kill'),
    };
    master.peer = /** @type {any} */ (peer);
    return { master, told, scratchDir };
  }
  const worker = { mistakes: {}, requests: 8, streams: { w0: 8 } };
  const counts = { operations: 8, undecodable: 0, rejectedConnections: 1 };

  it('listens over a transport with an end for peers, and gets the streams of workers', () => {
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
      /mqtt does not support peers/,
    );
    rmSync(scratchDir, { recursive: true });
  });

  it('sends the window of a stream on the shared clock, and none of round trips', () => {
    const { master, told, scratchDir } = mastered('stream');
    const plan = { fromMs: 10, toMs: 20, binMs: 5, onOpen() {}, onClose() {} };
    master.meter?.schedule(plan);
    assert.deepEqual(told, [{ control: 'measure', fromMs: toSharedMs(10), toMs: toSharedMs(20), binMs: 5 }]);
    const { master: answering, scratchDir: other } = mastered('round-trip');
    assert.equal(answering.meter, undefined);
    for (const folder of [scratchDir, other]) rmSync(folder, { recursive: true });
  });

  it('writes the payloads of each stream to a private file, behind their lengths', async () => {
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

  it('requests the count of the peer, one request at a time, until its report', async () => {
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

  it('rejects a report that contradicts the workers, and kills the peer of a failed launch', async () => {
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
