// What tells a process from a later one of the same id, on the systems that have no /proc as well.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { OWNER, ownerName, readOwnerState } from '../../lib/children/process-owner.js';
import { askPs, byHeldName, byStartTime } from '../../lib/children/task-identity.js';
import { REUSED } from '../fixtures/named-owners.js';

const [, , NAMESPACE] = (await ownerName()).split('-');
/** @param {number} pid @param {string} own */
const owner = (pid, own) => `${pid}-${own}-${NAMESPACE}`;
const IS_OWNER = new RegExp(`^${OWNER}$`);

describe('an owner', () => {
  it('regards another owner with our process id as gone, wherever it runs', async () => {
    assert.equal(await readOwnerState(REUSED), 'gone');
    const untold = byStartTime(async () => null);
    assert.equal(await readOwnerState(owner(process.pid, '0'), untold), 'gone');
    assert.equal(await readOwnerState(await ownerName(), untold), 'alive');
  });

  it('regards an owner of unknown start as alive while its id is in use', async () => {
    const untold = byStartTime(async () => null);
    const own = await untold.readOwn(String(process.pid));
    assert.match(owner(process.pid, own), IS_OWNER);
    assert.notEqual(
      await untold.readOwn(String(process.pid)),
      own,
      'a later process of this id has another name',
    );
    assert.equal(await readOwnerState(owner(process.ppid, own), untold), 'alive');
    assert.equal(await readOwnerState(owner(999_999_999, own), untold), 'gone');
  });

  it('regards an owner as gone if a process of its id was started at another time', async () => {
    const identity = byStartTime(async () => 'abc');
    assert.equal(await readOwnerState(owner(process.ppid, 'abc'), identity), 'alive');
    assert.equal(await readOwnerState(owner(process.ppid, 'abd'), identity), 'gone');
  });
});

describe('a name that is held', () => {
  const folder = mkdtempSync(join(tmpdir(), 'held-'));
  after(() => rmSync(folder, { recursive: true }));
  const addressOf = (/** @type {string} */ token) =>
    process.platform === 'win32' ? `\\\\.\\pipe\\ipc-bench-test-${token}` : join(folder, token);

  it('regards a name as alive while it is held, and as gone afterwards', async () => {
    const [holder, other] = [byHeldName(addressOf), byHeldName(addressOf)];
    const token = await holder.readOwn('');
    assert.match(owner(process.pid, token), IS_OWNER);
    assert.equal(await other.readState('', token), 'alive');
    assert.equal(await other.readState('', token), 'alive', 'it may be asked again');
    assert.equal(await other.readState('', '0'), 'gone');
    holder.release();
    assert.equal(await other.readState('', token), 'gone');
  });
});

describe('ps', () => {
  /** @param {string} stdout @returns {any} */
  const saying = (stdout) => async () => ({ stdout, stderr: '' });
  /** @param {unknown} code @returns {any} */
  const failing = (code) => async () => Promise.reject(Object.assign(new Error('it failed'), { code }));

  it('reads the start of a process from ps, to the second', async () => {
    const [one, same, later] = await Promise.all([
      askPs('12', saying('Ss   Wed Nov 25 06:33:23 2026\n')),
      askPs('12', saying('R+   Wed Nov 25 06:33:23 2026    \n')),
      askPs('12', saying('Ss   Wed Nov 25 06:33:24 2026\n')),
    ]);
    assert.equal(one, (Date.UTC(2026, 10, 25, 6, 33, 23) / 1_000).toString(36));
    assert.equal(same, one);
    assert.notEqual(later, one);
  });

  it('reads from ps that a process has ended or does not exist', async () => {
    assert.equal(await askPs('12', saying('Z    Wed Nov 25 06:33:23 2026\n')), '');
    assert.equal(await askPs('12', failing(1)), '');
  });

  it('reads nothing if ps is missing, prints something else, or is asked for a thread', async () => {
    assert.equal(await askPs('12', failing('ENOENT')), null);
    assert.equal(await askPs('12', saying('what?\n')), null);
    assert.equal(await askPs('12/task/3', saying('Ss   Wed Nov 25 06:33:23 2026\n')), null);
  });
});
