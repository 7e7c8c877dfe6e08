// What a controller does with the processes of a launch beside their orders: it pins them, kills some, has them connect, and says how they
// ended and what their threads cost. The processes are the test's own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { describeExit } from '../../lib/children/child-exit.js';
import {
  PROTOCOL_VERSION,
  protocolProblem,
  sayHello,
  wholeReport,
} from '../../lib/launch/control/protocol.js';
import { threadCosts } from '../../lib/launch/controller/aggregate-reports.js';
import { growConnections, pinProcesses } from '../../lib/launch/controller/controller.js';
import { Killing } from '../../lib/launch/monitors/window.js';
import { busyPollLoop } from '../../lib/launch/process-setup.js';

describe('the threads of a launch', () => {
  /** @param {string} name @param {number} userUs @param {number} systemUs @param {object} [others] @returns {any} */
  const cost = (name, userUs, systemUs, others = {}) => ({
    name,
    role: 'worker',
    userUs,
    systemUs,
    share: (userUs + systemUs) / 10_000,
    cpus: null,
    voluntarySwitches: 10,
    involuntarySwitches: 1,
    readCalls: 5,
    writeCalls: 7,
    peakRssBytes: 100,
    grownRssBytes: 20,
    ...others,
  });
  const whole = cost('master', 6_000, 3_000, {
    voluntarySwitches: 50,
    involuntarySwitches: 5,
    readCalls: 20,
    writeCalls: 30,
  });

  it('have rows that add up to their process, with what serves all of them', () => {
    const rows = threadCosts(whole, cost('master', 2_000, 1_000), [
      cost('w0', 1_000, 500),
      cost('w1', 1_500, 500),
    ]);
    assert.deepEqual(
      rows.map(({ name, partOf, peakRssBytes }) => [name, partOf, peakRssBytes]),
      [
        ['master', undefined, 100],
        ['w0', 'master', null],
        ['w1', 'master', null],
        ['helpers', 'master', null],
      ],
    );
    const helpers = rows[3];
    assert.deepEqual([helpers.userUs, helpers.systemUs, helpers.role], [1_500, 1_000, 'helpers']);
    assert.ok(Math.abs(helpers.share - 0.25) < 1e-9);
    assert.deepEqual(
      [helpers.voluntarySwitches, helpers.involuntarySwitches, helpers.readCalls, helpers.writeCalls],
      [20, 2, 5, 9],
    );
    for (const key of /** @type {const} */ (['userUs', 'systemUs']))
      assert.equal(
        rows.reduce((sum, row) => sum + row[key], 0),
        whole[key],
      );
  });

  it('are never told below 0, nor what nobody knows', () => {
    const main = cost('master', 9_000, 100, { voluntarySwitches: null, readCalls: undefined });
    const [, helpers] = threadCosts(whole, main, []);
    assert.deepEqual([helpers.userUs, helpers.systemUs, helpers.share], [0, 0, 0]);
    assert.deepEqual([helpers.voluntarySwitches, helpers.readCalls, helpers.writeCalls], [null, null, 23]);
    const [, divided] = threadCosts(whole, cost('master', 100, 4_000), []);
    assert.deepEqual([divided.userUs, divided.systemUs], [4_900, 0], 'their division is known roughly');
  });

  it('are one row where the system does not tell them apart', () => {
    assert.deepEqual(threadCosts(whole, null, [cost('w0', 1, 1)]), [whole]);
    assert.deepEqual(threadCosts(whole, cost('master', 1, 1), [cost('w0', 1, 1), null]), [whole]);
  });
});

describe('the end of a process', () => {
  it('is told as the rest of a sentence', () => {
    assert.equal(describeExit(3, null), 'ended by itself with exit code 3');
    assert.equal(describeExit(null, 'SIGTERM'), 'was killed by SIGTERM');
    assert.equal(describeExit(null, 'SIGKILL'), 'was killed by SIGKILL (by the system, if memory ran out)');
  });
});

describe('a process that never sleeps', () => {
  it('turns until it may sleep again', async (t) => {
    let turns = 0;
    /** @type {(() => void)[]} */
    const due = [];
    t.mock.method(globalThis, 'setImmediate', (/** @type {() => void} */ next) => {
      turns += 1;
      due.push(next);
    });
    const letSleep = busyPollLoop();
    for (let count = 0; count < 5; count += 1) due.shift()?.();
    assert.equal(turns, 6);
    letSleep();
    due.shift()?.();
    assert.deepEqual([turns, due.length], [6, 0]);
  });
});

describe('a process that is started', () => {
  it('says by which version of the words it can be understood', () => {
    /** @type {any[]} */
    const said = [];
    sayHello((message) => said.push(message));
    const [hello] = said;
    assert.equal(hello.control, 'hello');
    assert.equal(hello.version, process.versions[hello.runtime]);
    assert.equal(protocolProblem(hello), null);
    const other = { ...hello, runtime: 'bun', version: '1.2', protocol: PROTOCOL_VERSION + 1 };
    const versions = `bun 1.2 speaks version ${PROTOCOL_VERSION + 1} .* this is version ${PROTOCOL_VERSION}: use one version`;
    assert.match(String(protocolProblem(other)), new RegExp(versions));
  });

  it('hands in what its half counted, and says of the rest that there is none', () => {
    const none = { operations: null, bins: [], times: {}, values: {}, open: null, asked: 0 };
    assert.deepEqual(wholeReport({ mistakes: { lost: 1 } }), { mistakes: { lost: 1 }, ...none });
    const counted = { mistakes: {}, ...none, operations: 3, bins: [1, 2], values: { a: 1 }, asked: 4 };
    assert.deepEqual(wholeReport(counted), counted);
  });
});

describe('the places of a launch', () => {
  it('are taken by the master and each worker, without the threads that help it', () => {
    /** @type {unknown[]} */
    const pinned = [];
    const pin = (/** @type {unknown[]} */ ...all) => void pinned.push(all);
    const member = (/** @type {string} */ id, /** @type {any} */ ready) =>
      /** @type {any} */ ({
        id,
        role: { name: 'worker' },
        said: new Map([['ready', ready]]),
        worker: { identity: 'pid 5', pin },
      });
    const members = [member('w0', { helpers: [7, 8] }), member('w1', undefined)];
    const cpus = { master: [0], workers: [[1], [2]] };
    const master = /** @type {any} */ ({ pin });
    pinProcesses(/** @type {any} */ ({ cpus: null, members }), master);
    assert.deepEqual(pinned, []);
    pinProcesses(/** @type {any} */ ({ cpus, members }), master);
    assert.deepEqual(pinned, [[[0]], [[1], [7, 8]], [[2], undefined]]);
    members[1].worker.pin = () => {
      throw new Error('no such process');
    };
    assert.throws(() => pinProcesses(/** @type {any} */ ({ cpus, members }), master), {
      code: 'PROCESS_DIED',
      message: /w1 \(pid 5\) could not be pinned$/,
    });
  });
});

describe('workers that are killed', () => {
  it('are told to their half of the master before, and again when they have ended', async () => {
    /** @type {unknown[]} */
    const notes = [];
    /** @type {((value?: unknown) => void)[]} */
    const ends = [];
    const victims = ['w2', 'w3'].map((id) => ({
      id,
      worker: { pid: process.pid, ended: new Promise((resolve) => ends.push(resolve)) },
    }));
    const group = /** @type {any} */ ({
      lastOnes: (/** @type {number} */ count) => victims.slice(-count),
      killOne: (/** @type {any} */ { id }) => notes.push(`kill ${id}`),
    });
    const killing = new Killing(2, group);
    killing.open();
    const endpoint = /** @type {any} */ ({
      killing: (/** @type {number} */ nowMs) => notes.push(Math.abs(nowMs - performance.now()) < 1_000),
      gone: (/** @type {string} */ id) => notes.push(`${id} is gone`),
    });
    const killed = killing.kill(endpoint);
    assert.deepEqual(notes, [true, 'kill w2', 'kill w3']);
    ends[1]();
    await turn();
    assert.equal(notes.at(-1), 'w3 is gone');
    ends[0]();
    await killed;
    assert.equal(notes.at(-1), 'w2 is gone');
    const own = /** @type {any} */ ({ userUs: 500, systemUs: 100 });
    assert.equal(new Killing(0, group).without(own), own);
    if (process.platform === 'linux') {
      assert.deepEqual(
        killing.costs.map(({ name, role }) => [name, role]),
        [
          ['w2', 'worker'],
          ['w3', 'worker'],
        ],
      );
    }
  });
});

describe('connections of a launch', () => {
  it('are made in two halves, and tell what its processes grew by with the second', async () => {
    /** @type {unknown[]} */
    const notes = [];
    let bytes = 1_000;
    const group = /** @type {any} */ ({
      forget: (/** @type {string} */ kind) => notes.push(`forget ${kind}`),
      tellAll: (/** @type {any} */ order, /** @type {string} */ role) => notes.push([order, role]),
      async allSay(/** @type {string} */ kind, /** @type {number} */ ms, /** @type {string} */ role) {
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
