// The lock of measuring runs, within one process.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { acquireLock, usualParents } from '../../lib/run/lock.js';
import { DEAD, ELSEWHERE, ENDED_THREAD, IS_LINUX, REUSED } from '../fixtures/named-owners.js';

const ON_POSIX = { skip: process.getuid === undefined ? 'tells users apart by their id' : false };
const FOLDER = `ipc-bench-${process.getuid?.() ?? 'user'}`;
const { signal } = new AbortController();

describe('acquireLock', () => {
  /** @type {string} */
  let parent;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'lock-test-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));
  /** @param {Partial<Parameters<typeof acquireLock>[0]>} [wish] */
  const take = (wish) => acquireLock({ mode: 'wait', signal, parents: [parent], ...wish });
  const ticketOf = (/** @type {string} */ owner) => join(parent, FOLDER, `measuring-${owner}-1`);
  const tickets = () => (existsSync(join(parent, FOLDER)) ? readdirSync(join(parent, FOLDER)) : []);

  it('fails at once in mode fail, with the cause and the remedy', async () => {
    const end = await take();
    await assert.rejects(take({ mode: 'fail' }), {
      code: 'LOCKED',
      message: new RegExp(`pid ${process.pid}, since \\d{4}-.*--lock ignore`),
    });
    await end();
    await (await take({ mode: 'fail' }))();
  });

  it('succeeds at once in mode ignore, and later runs wait for this one, too', async () => {
    const end = await take();
    const endOther = await take({ mode: 'ignore' });
    await end();
    await assert.rejects(take({ mode: 'fail' }), { code: 'LOCKED' });
    await endOther();
  });

  it('ignores tickets of dead processes, reused pids and ended threads', async () => {
    mkdirSync(join(parent, FOLDER), { mode: 0o700 });
    const owners = [DEAD, REUSED, ...(IS_LINUX ? [ENDED_THREAD] : [])];
    for (const owner of owners) writeFileSync(ticketOf(owner), '2026-01-01T00:00:00.000Z');
    await (await take({ mode: 'fail' }))();
    assert.deepEqual(tickets(), []);
  });

  it('respects the ticket of an invisible process for two minutes', async () => {
    mkdirSync(join(parent, FOLDER), { mode: 0o700 });
    writeFileSync(ticketOf(ELSEWHERE), '2026-01-01T00:00:00.000Z');
    const secondsAgo = (/** @type {number} */ seconds) => Date.now() / 1_000 - seconds;
    utimesSync(ticketOf(ELSEWHERE), secondsAgo(100), secondsAgo(100));
    await assert.rejects(take({ mode: 'fail' }), { code: 'LOCKED' });
    utimesSync(ticketOf(ELSEWHERE), secondsAgo(130), secondsAgo(130));
    await (await take({ mode: 'fail' }))();
    assert.deepEqual(tickets(), []);
  });

  it('fails after its deadline', async () => {
    const end = await take();
    await assert.rejects(take({ longestWaitMs: 0 }), { code: 'LOCKED', message: /, still after 0 min/ });
    await end();
  });

  it('stops waiting after an abort', async () => {
    const end = await take();
    const controller = new AbortController();
    const waiting = take({ signal: controller.signal, onWaiting: () => controller.abort() });
    await assert.rejects(waiting, { code: 'INTERRUPTED' });
    await end();
    assert.deepEqual(readdirSync(parent), []);
  });

  it('keeps tickets in a private folder', ON_POSIX, async () => {
    const end = await take();
    assert.equal(statSync(join(parent, FOLDER)).mode & 0o777, 0o700);
    assert.equal(statSync(join(parent, FOLDER, tickets()[0])).mode & 0o777, 0o600);
    await end();
  });

  it('rejects a folder of another user', ON_POSIX, async () => {
    const elsewhere = mkdtempSync(join(parent, 'elsewhere-'));
    symlinkSync(elsewhere, join(parent, FOLDER));
    await assert.rejects(take(), { code: 'SCRATCH_UNUSABLE', message: /private folder of yours/ });
    rmSync(join(parent, FOLDER));
    mkdirSync(join(parent, FOLDER), { mode: 0o777 });
    statSync(join(parent, FOLDER)).mode & 0o077 &&
      (await assert.rejects(take(), { code: 'SCRATCH_UNUSABLE' }));
    const end = await take({ parents: [join(parent, 'missing'), elsewhere] });
    assert.equal(readdirSync(elsewhere).length, 1, 'the next parent is taken where the first is not there');
    await end();
  });

  it(
    'looks in one place of the host first, wherever the temporary folder and that of the session are',
    ON_POSIX,
    () => {
      const { TMPDIR } = process.env;
      process.env.TMPDIR = parent;
      try {
        const places = [{}, { XDG_RUNTIME_DIR: parent }].map((environment) => usualParents(environment));
        assert.equal(places[0][0], places[1][0]);
        assert.notEqual(places[0][0], parent);
        assert.ok(places.every((parents) => parents.at(-1) === parent));
      } finally {
        if (TMPDIR === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = TMPDIR;
      }
    },
  );

  it('throws what the function throws that reports the wait', async () => {
    const end = await take();
    const onWaiting = () => {
      throw new Error('nobody listens');
    };
    await assert.rejects(take({ onWaiting }), /^Error: nobody listens$/);
    await end();
  });

  it('fails with the remedy if no folder can be used', async () => {
    await assert.rejects(take({ parents: [join(parent, 'missing')] }), {
      code: 'SCRATCH_UNUSABLE',
      message:
        /^no place for the lock of measuring runs \(ENOENT.*\): set TMPDIR to a folder that you can write to$/,
    });
  });
});
