// Runs at night.
// What memory that processes share must not do, beyond what every transport must not: stay behind, whoever is killed, or
// take an end down with what another wrote into it.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createMemory, openMemory } from '../../transports/shared-memory/mapped-memory.js';
import sharedMemory from '../../transports/shared-memory/shared-memory.js';
import { eventually, namesInSharedMemory, TEST_LAUNCH_ID } from '../fixtures/launch-cell.js';

const RING_BYTES = 16_384;
const TOKEN = 'a'.repeat(32);
const UNAVAILABLE = (await sharedMemory.whyUnavailable?.()) ?? false;
const NOT_HERE = sharedMemory.traits.platforms.includes(process.platform) ? UNAVAILABLE : 'no such platform';
const ON_LINUX = process.platform === 'linux' ? NOT_HERE : 'reads /proc';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ibm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const end = {
  codec: 'string',
  wireKind: /** @type {const} */ ('text'),
  maxMessageBytes: 1_000,
  brokerUrl: null,
  token: TOKEN,
  launchId: TEST_LAUNCH_ID,
  settings: { wake: 'doorbell', ringBytes: RING_BYTES, spinUs: 0, flush: 'direct' },
};

/** @param {number} workers */
const listen = (workers) =>
  sharedMemory.listen({
    ...end,
    scratchDir: folder,
    workers,
    onError: (error) => assert.ifError(error),
    onRejected() {},
    onChannel() {},
  });

/** @returns {string[]} mappings of launches of this test, in any process */
function mappings() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n');
      } catch {
        return []; // it has ended meanwhile
      }
    })
    .filter((line) => line.includes(`ipc-bench-${TEST_LAUNCH_ID} `));
}

const descriptors = () => readdirSync('/proc/self/fd').length;

describe('shared memory', { skip: ON_LINUX }, () => {
  after(() => assert.deepEqual(namesInSharedMemory(), []));

  it('leaves no descriptor and no mapping when a listener is closed', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc');
    await (await listen(1)).close(); // what is loaded once stays
    const openBefore = descriptors();
    await (async () => {
      const listener = await listen(2);
      assert.ok(mappings().length > 0);
      await listener.close();
      await listener.close();
    })();
    assert.equal(descriptors(), openBefore);
    await eventually(() => {
      collectGarbage();
      return mappings().length === 0;
    }, 5_000);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('leaves nothing if its socket cannot be created', async () => {
    await (await listen(1)).close();
    const openBefore = descriptors();
    writeFileSync(join(folder, 'master.sock'), 'precious');
    await assert.rejects(listen(1), { code: 'EADDRINUSE' });
    assert.equal(descriptors(), openBefore);
    assert.equal(readFileSync(join(folder, 'master.sock'), 'utf8'), 'precious');
  });
});

describe('memory in a file', { skip: NOT_HERE }, () => {
  const host = () => ({ scratchDir: folder, launchId: 'shm2' });

  it('is zeroed, shared by two mappings, accessible to its user only, and removed by close', async () => {
    const { memory, path, forget } = await createMemory(100_000, host(), { isNameless: false });
    assert.equal(path, join(folder, 'ipc-bench-shm2'));
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const other = await openMemory(path, 100_000);
    forget();
    forget();
    assert.equal(existsSync(path), false);
    assert.ok(new Uint8Array(memory).every((byte) => byte === 0));
    new Uint8Array(memory)[99_999] = 7;
    assert.equal(new Uint8Array(other)[99_999], 7);
  });

  it('leaves a file of another program alone', async () => {
    writeFileSync(join(folder, 'ipc-bench-shm2'), 'precious');
    await assert.rejects(createMemory(100, host(), { isNameless: false }), { code: 'EEXIST' });
    assert.equal(readFileSync(join(folder, 'ipc-bench-shm2'), 'utf8'), 'precious');
  });

  it('reports that it cannot be mapped', async () => {
    writeFileSync(join(folder, 'empty'), '');
    await assert.rejects(openMemory(join(folder, 'empty'), 0), {
      code: 'TRANSPORT',
      message: /0 bytes of shared memory cannot be mapped \(EINVAL\)/,
    });
  });
});
