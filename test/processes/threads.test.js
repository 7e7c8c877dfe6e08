// A launch whose workers are threads of the master: the same launch, with one process to live and die.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readTopology } from '../../lib/machine/cpu-topology.js';
import { patiently } from '../conformance/deadline.js';
import {
  commandOf,
  eventually,
  launchCell,
  launchUnderLoad,
  processesBelow,
} from '../fixtures/launch-cell.js';

const FAULTS = '../fixtures/thread-faults.js';
const THREADS = 'threads-message';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const cpus = readTopology()?.usableCpus ?? [];
const ON_TWO_CPUS = { skip: ON_LINUX.skip || (cpus.length < 2 ? 'needs two CPUs' : false) };

/** @param {string} fault @param {number} [afterMs] */
const faulty = (fault, afterMs = 500) => ({
  transport: FAULTS,
  cell: { codec: 'v8', settings: { fault, afterMs } },
});

/** @returns {Promise<number>} */
const masterPid = () => eventually(() => processesBelow(process.pid, 'launch/master.js')[0], 3_000);

describe('a launch of threads', () => {
  for (const codec of ['v8', 'json', 'binary']) {
    it(`counts round trips with the codec ${codec}, in one process`, async () => {
      const { end } = await launchCell({ transport: THREADS, cell: { codec } });
      assert.equal(end.kind, 'done', JSON.stringify(end));
      assert.ok(end.kind === 'done' && end.fields.operations > 0);
    });
  }

  it('has no process for a worker', ON_LINUX, async () => {
    const { ending, underLoad } = launchUnderLoad({ transport: THREADS });
    await underLoad;
    assert.equal(processesBelow(process.pid, 'launch/').length, 1);
    assert.equal((await ending).end.kind, 'done');
  });

  it('makes exactly the messages that were asked for, also when it polls busily', async () => {
    const cell = { codec: 'v8', poll: /** @type {const} */ ('busy') };
    const { end } = await launchCell({ transport: THREADS, cell, timing: { messages: 250 } });
    assert.equal(end.kind === 'done' && end.fields.operations, 2 * 4 * 250, JSON.stringify(end));
  });

  it('clones a Buffer where its memory is not to be handed over', async () => {
    const cell = { codec: 'binary', settings: { transfer: false } };
    const { end } = await launchCell({ transport: THREADS, cell });
    assert.equal(end.kind, 'done', JSON.stringify(end));
  });
});

describe('a thread that goes wrong', () => {
  after(() => {
    for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith('ipcb-fifo-')))
      rmSync(join(tmpdir(), name));
  });
  const who = 'w0 \\(thread \\d+ of pid \\d+\\)';
  /** @type {[string, string, RegExp][]} */
  const ways = [
    ['exit', 'PROCESS_DIED', new RegExp(`^worker ${who} ended by itself with exit code 7 during measure$`)],
    [
      'throw',
      'PROCESS_DIED',
      new RegExp(`^worker ${who} ended by an error .* during measure: thrown on purpose$`),
    ],
    ['reject', 'PROCESS_DIED', new RegExp(`^worker ${who} ended by .* during measure: rejected on purpose$`)],
    ['hangup', 'TRANSPORT', /^worker w0 during measure: its channel closed/],
  ];
  for (const [fault, code, message] of ways) {
    it(`is noticed and named: ${fault}`, async () => {
      const { end } = await launchCell({ ...faulty(fault), timing: { measureMs: 60_000 } });
      assert.ok(end.kind === 'failed');
      assert.match(end.message, message);
      assert.deepEqual([end.code, end.phase], [code, 'measure']);
      if (fault === 'throw') assert.match(end.stderr.join('\n'), /thrown on purpose\n.*thread-faults\.js/s);
    });
  }

  it('is named when it runs out of memory', async () => {
    const { NODE_OPTIONS } = process.env;
    process.env.NODE_OPTIONS = `${NODE_OPTIONS ?? ''} --max-old-space-size=60`;
    try {
      const { end } = await launchCell({ ...faulty('memory'), timing: { measureMs: 60_000 } });
      assert.match(end.kind === 'failed' ? end.message : '', new RegExp(`^worker ${who} ran out of memory`));
    } finally {
      if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = NODE_OPTIONS;
    }
  });

  for (const [fault, where] of [
    ['block', 'in a loop'],
    ['native', 'in a call of the system’s, which nobody can interrupt'],
  ]) {
    it(
      `is named when it blocks for ever ${where}, and its process does not outlive the launch`,
      ON_LINUX,
      async () => {
        const finishMs = patiently(800);
        const ending = launchCell({
          ...faulty(fault, 300),
          timing: { measureMs: 500 },
          deadlines: { finishMs },
        });
        const pid = await masterPid();
        const { end } = await ending;
        assert.ok(end.kind === 'failed');
        assert.equal(end.code, 'DEADLINE');
        assert.match(end.message, new RegExp(`^${who} did not report within ${finishMs} ms during measure$`));
        await eventually(() => commandOf(pid) === '', 2_500);
      },
    );
  }

  it('is named when it never connects', async () => {
    const { end } = await launchCell({ ...faulty('hang'), deadlines: { connectMs: patiently(1_500) } });
    const named = /^w1 \(thread \d+ of pid \d+\) did not connect within \d+ ms during connect$/;
    assert.match(end.kind === 'failed' ? end.message : '', named);
  });
});

describe('the end of a process with threads', ON_LINUX, () => {
  for (const [phase, afterMs, fault] of /** @type {[string, number | null, string][]} */ ([
    ['connect', 600, 'hang'],
    ['measure', null, 'none'],
    ['measure, with a thread that blocks', 1_200, 'block'],
  ])) {
    it(`by SIGKILL during ${phase} ends the launch within a second and leaves nothing`, async () => {
      const { ending, underLoad } = launchUnderLoad({ ...faulty(fault, 300), timing: { measureMs: 60_000 } });
      const pid = await masterPid();
      await (afterMs === null ? underLoad : new Promise((resolve) => setTimeout(resolve, afterMs)));
      process.kill(pid, 'SIGKILL');
      const killedMs = performance.now();
      const { end, left } = await ending;
      assert.ok(performance.now() - killedMs < patiently(1_000));
      assert.match(end.kind === 'failed' ? end.message : '', /^the master .* was killed by SIGKILL/);
      assert.deepEqual(left, []);
      await eventually(() => commandOf(pid) === '', 2_000);
    });
  }

  it('by an abort comes at once', async () => {
    const abort = new AbortController();
    const ending = launchCell({ ...faulty('block'), timing: { measureMs: 60_000 }, signal: abort.signal });
    await masterPid();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    abort.abort();
    await assert.rejects(ending, { code: 'INTERRUPTED' });
    await eventually(() => processesBelow(process.pid, 'launch/').length === 0, 2_000);
  });
});

/** @param {number} pid @returns {string[]} where each of its threads may run */
const masksOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1');
    const mask = /Cpus_allowed_list:\s+(\S+)/.exec(status)?.[1];
    return `${thread === String(pid) ? 'main ' : ''}${mask}`;
  });

describe('placement of threads', ON_TWO_CPUS, () => {
  it('pins each to its own place, and lets helper threads use all of the launch', async () => {
    const [first, second] = cpus;
    const ending = launchCell({
      transport: THREADS,
      cell: { placement: 'split' },
      cpus: [first, second],
      timing: { measureMs: 1_500 },
    });
    const pid = await masterPid();
    const split = await eventually(
      () => masksOf(pid).filter((mask) => mask === `${second}`).length === 2 && masksOf(pid),
      5_000,
    );
    assert.ok(split.includes(`main ${first}`), split.join());
    const both = second === first + 1 ? `${first}-${second}` : `${first},${second}`;
    assert.equal(split.filter((mask) => mask === both).length, split.length - 3, split.join());
    assert.equal((await ending).end.kind, 'done');
  });

  it('has all of them on one CPU where that is asked for', async () => {
    const [first] = cpus;
    const { ending, underLoad } = launchUnderLoad({
      transport: THREADS,
      cell: { placement: 'same' },
      cpus: [first],
    });
    await underLoad;
    const pid = await masterPid();
    assert.ok(
      masksOf(pid).every((mask) => mask.replace('main ', '') === `${first}`),
      masksOf(pid).join(),
    );
    assert.equal((await ending).end.kind, 'done');
  });
});
