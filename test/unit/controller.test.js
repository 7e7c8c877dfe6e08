// Steps of a controller before the load of a launch, with processes of the test's own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growConnections, pinProcesses } from '../../lib/launch/controller/controller.js';

describe('pinProcesses', () => {
  it('pins the master and each worker, without helper threads, and names a process that is gone', () => {
    /** @type {unknown[]} */
    const pinned = [];
    const pin = (/** @type {unknown[]} */ ...args) => void pinned.push(args);
    const member = (/** @type {string} */ id, /** @type {any} */ ready) =>
      /** @type {any} */ ({
        id,
        role: { name: 'worker' },
        messages: new Map([['ready', ready]]),
        worker: { identity: 'pid 5', pin },
      });
    const members = [member('w0', { helpers: [7, 8] }), member('w1', undefined)];
    const cpus = { master: [0], workers: [[1], [2]] };
    const master = /** @type {any} */ ({ pin });
    pinProcesses({ spec: { cpus: null }, group: { members }, master, pool: null });
    assert.deepEqual(pinned, []);
    pinProcesses({ spec: { cpus }, group: { members }, master, pool: null });
    assert.deepEqual(pinned, [[[0]], [[1], [7, 8]], [[2], undefined]]);
    members[1].worker.pin = () => {
      throw new Error('no such process');
    };
    assert.throws(() => pinProcesses({ spec: { cpus }, group: { members }, master, pool: null }), {
      code: 'PROCESS_DIED',
      message: /w1 \(pid 5\) could not be pinned$/,
    });
  });
});

describe('growConnections', () => {
  it('connects in two halves, and returns the growth of master and broker with the second', async () => {
    /** @type {unknown[]} */
    const notes = [];
    let bytes = 1_000;
    const group = /** @type {any} */ ({
      forget: (/** @type {string} */ kind) => notes.push(`forget ${kind}`),
      sendAll: (/** @type {any} */ order, /** @type {string} */ role) => notes.push([order, role]),
      async receiveAll(/** @type {string} */ kind, /** @type {number} */ ms, /** @type {string} */ role) {
        notes.push([kind, ms, role]);
        bytes *= 3;
      },
    });
    const spec = /** @type {any} */ ({ broker: null, deadlines: { connectMs: 9 } });
    const master = /** @type {any} */ ({ residentBytes: () => bytes });
    assert.deepEqual(await growConnections(spec, group, 5, master), { grownBytes: 6_000 });
    assert.deepEqual(
      notes,
      [3, 5].flatMap((upTo) => [
        'forget connected',
        [{ control: 'connect', upTo }, 'worker'],
        ['connected', 9, 'worker'],
      ]),
    );
    const gone = { ...spec, broker: { pid: 2 ** 22 + 1 } };
    assert.deepEqual(await growConnections(gone, group, 5, master), { grownBytes: Number.NaN });
  });
});
