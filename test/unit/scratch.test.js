// The private folder of a run: nobody else's, and not left behind for ever by a run that was killed.

import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openScratch } from '../../lib/children/run-directory.js';
import { DEAD, ELSEWHERE, REUSED } from '../fixtures/named-owners.js';

describe('the folder of a run', () => {
  /** @type {string} */
  let parent;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'scratch-test-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  it('is private even with a umask of 0', {
    skip: process.getuid === undefined && 'the system has no modes',
  }, async () => {
    const before = process.umask(0);
    try {
      const scratch = await openScratch(parent);
      const folder = await scratch.folderFor('l0');
      assert.equal(statSync(scratch.path).mode & 0o777, 0o700);
      assert.equal(statSync(folder).mode & 0o777, 0o700);
    } finally {
      process.umask(before);
    }
  });

  it('has an absolute path, since brokers have other current folders', async () => {
    const scratch = await openScratch(relative(process.cwd(), parent));
    assert.equal(dirname(scratch.path), parent);
  });

  it('is removed with all of its content', async () => {
    const scratch = await openScratch(parent);
    writeFileSync(join(await scratch.folderFor('l0'), 'file'), 'x');
    await scratch.remove();
    assert.equal(existsSync(scratch.path), false);
    await scratch.remove();
  });

  it('is removed by the next run if its own run is dead, and other folders never', async () => {
    const dead = join(parent, `ipcb-${DEAD}-abcdef`);
    const reused = join(parent, `ipcb-${REUSED}-abcdef`);
    const foreign = ['ipcb-notes', 'ipcb-12-x-abcdef', 'other'].map((name) => join(parent, name));
    for (const folder of [dead, reused, ...foreign]) mkdirSync(folder);
    mkdirSync(join(dead, 'b0', 'redis-x'), { recursive: true });
    writeFileSync(join(dead, 'b0', 'redis-x', 'redis.conf'), 'x');
    const live = await openScratch(parent);
    const next = await openScratch(parent);
    assert.equal(existsSync(dead), false);
    assert.equal(existsSync(reused), false);
    for (const folder of [...foreign, live.path, next.path]) assert.ok(existsSync(folder), folder);
  });

  it('is removed by the next run on a system without user ids', async () => {
    const { geteuid } = process;
    const dead = join(parent, `ipcb-${DEAD}-abcdef`);
    mkdirSync(dead);
    process.geteuid = undefined;
    try {
      await openScratch(parent);
    } finally {
      process.geteuid = geteuid;
    }
    assert.equal(existsSync(dead), false);
  });

  it('is removed after a day without a change if its run is in another PID namespace', async () => {
    const folder = join(parent, `ipcb-${ELSEWHERE}-abcdef`);
    mkdirSync(folder);
    const hoursAgo = (/** @type {number} */ hours) => Date.now() / 1_000 - hours * 3_600;
    utimesSync(folder, hoursAgo(20), hoursAgo(20));
    await openScratch(parent);
    assert.ok(existsSync(folder), 'a run may still use it');
    utimesSync(folder, hoursAgo(25), hoursAgo(25));
    await openScratch(parent);
    assert.equal(existsSync(folder), false);
  });

  it('is removed without the targets of its links', {
    skip: process.platform === 'win32',
  }, async () => {
    const precious = join(parent, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'file'), 'x');
    const dead = join(parent, `ipcb-${DEAD}-abcdef`);
    mkdirSync(dead);
    symlinkSync(precious, join(dead, 'link'));
    const planted = join(parent, `ipcb-${DEAD}-ghijkl`);
    symlinkSync(precious, planted);
    await openScratch(parent);
    assert.equal(existsSync(dead), false);
    assert.ok(existsSync(planted), 'a link is no folder of a run');
    assert.ok(existsSync(join(precious, 'file')));
  });

  it('reports what to do if the temporary folder cannot be used', async () => {
    await assert.rejects(openScratch(join(parent, 'missing')), {
      code: 'SCRATCH_UNUSABLE',
      message: /set (?:TMPDIR|TEMP) /,
    });
  });
});
