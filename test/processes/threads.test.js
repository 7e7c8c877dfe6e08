// Runs in CI.
// A launch whose workers are threads of the master: the same launch, with one process to live and die.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { readTopology } from '../../lib/machine/placement.js';
import { patiently } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
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

/**
 * @param {string} fault    'none': its threads only keep busy a little
 * @param {{ afterMs?: number, placement?: 'split' | 'same' }} [how]
 */
const faulty = (fault, { afterMs = 500, ...cell } = {}) => ({
  transport: FAULTS,
  cell: { codec: 'v8', settings: { fault, afterMs }, ...cell },
});

/** @returns {Promise<number>} */
const masterPid = () => eventually(() => processesBelow(process.pid, 'controller/master.js')[0], 3_000);

const fifoOf = (/** @type {number | string} */ pid) => join(tmpdir(), `ipcb-fifo-${pid}`);
/** @param {number} pid   of a master one of whose threads has opened its FIFO, and will never go on */
const blocks = (pid) => eventually(() => existsSync(fifoOf(pid)), 10_000);
after(() => {
  for (const path of readdirSync(tmpdir()).map((name) => join(tmpdir(), name)))
    if (path.startsWith(fifoOf(''))) rmSync(path);
});

describe('a launch of threads', () => {
  /** @type {[string, Partial<import('../../lib/types/index.js').Cell>][]} */
  const ways = [
    ['with the codec json', { codec: 'json' }],
    ['of a Buffer whose memory is not to be handed over', { codec: 'binary', settings: { transfer: false } }],
    ['when it polls busily', { codec: 'v8', poll: 'busy', workers: 1 }],
  ];
  for (const [how, cell] of ways) {
    it(`sends exactly the requested number of messages, ${how}`, async () => {
      const { end, spec } = await launchCell({ transport: THREADS, cell, timing: { messages: 50 } });
      const { workers, loops } = spec.cell;
      assert.equal(end.kind === 'done' && end.fields.operations, workers * loops * 50, JSON.stringify(end));
    });
  }
});

// V8 of Node.js 24 ends the whole process when the heap of a thread outgrows its limit by more than Node.js concedes, and does not
// say which heap it was.
const ENDS_THE_PROCESS = process.versions.node.startsWith('24.');
const DEAD_MASTER = '^the master \\(pid \\d+\\) was killed by SIG\\w+ during measure: .*heap out of memory$';

describe('a failing thread', () => {
  const who = 'w0 \\(thread \\d+ of pid \\d+\\)';
  /** @type {[string, string, RegExp][]} */
  const ways = [
    ['exit', 'PROCESS_DIED', new RegExp(`^worker ${who} ended by itself with exit code 7 during measure$`)],
    [
      'throw',
      'PROCESS_DIED',
      new RegExp(`^worker ${who} ended by an uncaught error during measure: thrown on purpose$`),
    ],
    ['hangup', 'TRANSPORT', /^worker w0 during measure: its channel closed/],
    // To Node it is the same as an error that is thrown.
    ['reject', 'PROCESS_DIED', new RegExp(`^worker ${who} ended by .* during measure: rejected on purpose$`)],
  ];
  for (const [fault, code, message] of IS_LONG ? ways : ways.slice(0, -1)) {
    it(`is reported by name: ${fault}`, async () => {
      const { end } = await launchCell({ ...faulty(fault), timing: { measureMs: 60_000 } });
      assert.ok(end.kind === 'failed');
      assert.match(end.message, message);
      assert.deepEqual([end.code, end.phase], [code, 'measure']);
      if (fault === 'throw') assert.match(end.stderr.join('\n'), /thrown on purpose\n.*thread-faults\.js/s);
    });
  }

  it('is reported by name when it runs out of memory', async () => {
    const { NODE_OPTIONS } = process.env;
    process.env.NODE_OPTIONS = `${NODE_OPTIONS ?? ''} --max-old-space-size=60`;
    try {
      const { end } = await launchCell({ ...faulty('memory'), timing: { measureMs: 60_000 } });
      const thread = `^worker ${who} ran out of memory`;
      const named = new RegExp(ENDS_THE_PROCESS ? `${thread}|${DEAD_MASTER}` : thread);
      assert.match(end.kind === 'failed' ? end.message : '', named);
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
        const finishMs = patiently(600);
        const ending = launchCell({
          ...faulty(fault, { afterMs: 150 }),
          timing: { measureMs: 250 },
          deadlines: { finishMs },
        });
        const pid = await masterPid();
        const { end } = await ending;
        assert.ok(end.kind === 'failed');
        assert.equal(end.code, 'DEADLINE');
        assert.match(
          end.message,
          new RegExp(`^${who} did not complete the counted operations within ${finishMs} ms during measure$`),
        );
        await eventually(() => commandOf(pid) === '', 2_500);
      },
    );
  }

  it('is reported by name when it never connects', async () => {
    const { end } = await launchCell({ ...faulty('hang'), deadlines: { connectMs: patiently(1_500) } });
    const named = /^w1 \(thread \d+ of pid \d+\) did not connect within \d+ ms during connect$/;
    assert.match(end.kind === 'failed' ? end.message : '', named);
  });
});

describe('the end of a process with threads', ON_LINUX, () => {
  /** @type {[string, string, (pid: number) => Promise<unknown>][]} */
  const phases = [
    ['connect', 'hang', () => new Promise((resolve) => setTimeout(resolve, 600))],
    // Under load: over threads-message in describe-faults.js.
    ['measure, with a thread that blocks', 'native', blocks],
  ];
  for (const [phase, fault, reached] of phases) {
    it(`by SIGKILL during ${phase} ends the launch within a second and leaves nothing`, async () => {
      const ending = launchCell({ ...faulty(fault), timing: { measureMs: 60_000 } });
      const pid = await masterPid();
      await reached(pid);
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
    const ending = launchCell({ ...faulty('native'), timing: { measureMs: 60_000 }, signal: abort.signal });
    await blocks(await masterPid());
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
  it('pins each to its own CPU, and helper threads to all CPUs of the launch', async () => {
    const [first, second] = cpus;
    const ending = launchCell({
      ...faulty('none', { placement: 'split' }),
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

  it('puts all of them on one CPU if that is requested, in one process', async () => {
    const [first] = cpus;
    const { ending, underLoad } = launchUnderLoad({
      ...faulty('none', { placement: 'same' }),
      cpus: [first],
    });
    await underLoad;
    assert.equal(processesBelow(process.pid, 'launch/').length, 1);
    const pid = await masterPid();
    assert.ok(
      masksOf(pid).every((mask) => mask.replace('main ', '') === `${first}`),
      masksOf(pid).join(),
    );
    assert.equal((await ending).end.kind, 'done');
  });
});
