import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { affinityBy, windowsAffinity } from '../../lib/children/windows-affinity.js';
import { orderCores } from '../../lib/machine/placement.js';

const ENTRY_BYTES = 32;
const GONE = 404;
const FORBIDDEN = 7;

/** @param {{ own?: bigint, cores?: bigint[] }} machine   masks; without cores its list fails */
function makeKernel({ own = 0b1111n, cores }) {
  /** @type {string[]} */
  const calls = [];
  /** @type {Record<string, (...values: any[]) => any>} */
  const functions = {
    OpenProcess: (_rights, _inherit, pid) => (pid === GONE ? 0 : pid * 10),
    OpenThread: (_rights, _inherit, id) => id * 10,
    SetProcessAffinityMask: (handle) => (handle === FORBIDDEN * 10 ? 0 : 1),
    SetThreadAffinityMask: () => 15n,
    GetProcessAffinityMask(_handle, mine) {
      mine[0] = own;
      return 1;
    },
    GetLogicalProcessorInformation(list, bytes) {
      if (cores === undefined) return 0;
      // A cache of the whole machine stands among the cores.
      for (const [index, mask] of [own, ...cores].entries()) {
        list.writeBigUInt64LE(mask, index * ENTRY_BYTES);
        list.writeInt32LE(index === 0 ? 2 : 0, index * ENTRY_BYTES + 8);
      }
      bytes[0] = (cores.length + 1) * ENTRY_BYTES;
      return 1;
    },
    CloseHandle: () => 1,
    GetCurrentProcess: () => -1,
    GetCurrentThreadId: () => 812,
  };
  const func = (/** @type {string} */ prototype) => {
    const name = /(\w+)\(/.exec(prototype)?.[1] ?? '';
    return (/** @type {any[]} */ ...values) => {
      if (/^(Set|Close)/.test(name)) calls.push(`${name} ${values.join()}`);
      return functions[name](...values);
    };
  };
  return { affinity: affinityBy({ func }), calls };
}

describe('the CPUs of processes on Windows', () => {
  it('sets the CPUs of a process as a mask, and closes all handles', () => {
    const { affinity, calls } = makeKernel({});
    affinity.moveProcess(3, [0, 2]);
    affinity.moveThread(5, [63]);
    assert.deepEqual(calls, [
      'SetProcessAffinityMask 30,5',
      'CloseHandle 30',
      `SetThreadAffinityMask 50,${2n ** 63n}`,
      'CloseHandle 50',
    ]);
  });

  it('reports a process that is gone or forbidden', () => {
    const { affinity, calls } = makeKernel({});
    assert.throws(() => affinity.moveProcess(GONE, [0]), /process 404 is gone/);
    assert.deepEqual(calls, []);
    assert.throws(() => affinity.moveProcess(FORBIDDEN, [0]), /process 7 cannot be moved/);
    assert.equal(calls.at(-1), 'CloseHandle 70');
  });

  it('reads usable CPUs by core', () => {
    assert.deepEqual(makeKernel({ own: 0b1101n, cores: [0b0011n, 0b1100n] }).affinity.readCores(), [
      [0],
      [2, 3],
    ]);
    assert.deepEqual(makeKernel({ own: 0b0001n, cores: [0b0011n, 0b1100n] }).affinity.readCores(), [[0]]);
    assert.deepEqual(makeKernel({ own: 0b0110n }).affinity.readCores(), [[1], [2]]);
  });

  it('orders CPUs core by core, second threads last', () => {
    assert.deepEqual(orderCores([[2, 3], [0, 1], [4]]), {
      usableCpus: [0, 1, 2, 3, 4],
      siblingsLast: [2, 0, 4, 3, 1],
    });
  });

  const elsewhere = process.platform === 'win32' ? false : 'this is not Windows';
  it('sets CPUs that the system then reports', { skip: elsewhere }, () => {
    const affinity = windowsAffinity();
    assert.ok(affinity !== null, 'koffi does not load');
    const all = affinity.readCores().flat();
    try {
      affinity.moveProcess(process.pid, [all[0]]);
      assert.deepEqual(affinity.readCores(), [[all[0]]]);
    } finally {
      affinity.moveProcess(process.pid, all);
    }
    affinity.moveThread(affinity.currentThreadId(), all);
    assert.throws(() => affinity.moveThread(0, all), /is gone/);
  });
});
