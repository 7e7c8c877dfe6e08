// One launch with real processes: what it counts, what it verifies, and what becomes of it when something goes wrong.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readTopology } from '../../lib/machine/cpu-topology.js';
import {
  commandOf,
  eventually,
  launchCell,
  launchUnderLoad,
  processesBelow,
} from '../fixtures/launch-cell.js';

const FAULTS = './faulty-transport.js';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };

/** @param {Record<string, string | number>} settings */
const faulty = (settings) => ({ transport: FAULTS, cell: { settings } });

describe('a launch', () => {
  for (const transport of ['pipe', 'unix', 'tcp']) {
    it(`counts and times every round trip over ${transport}`, async () => {
      const { end } = await launchCell({ transport: transport });
      assert.equal(end.kind, 'done', JSON.stringify(end));
      if (end.kind !== 'done') return;
      const { roundTrips, latencies, bins, windowMs, costs } = end.fields;
      assert.ok(roundTrips > 100);
      const counted = latencies.reduce(
        (/** @type {number} */ sum, /** @type {any} */ { count }) => sum + count,
        0,
      );
      assert.equal(counted, roundTrips, 'as many latencies as round trips');
      assert.equal(
        bins.reduce((/** @type {number} */ sum, /** @type {number} */ bin) => sum + bin, 0),
        roundTrips,
      );
      assert.ok(Math.abs(windowMs - 300) < 30, `window of ${windowMs} ms`);
      assert.deepEqual(
        costs.map((/** @type {any} */ cost) => cost.name),
        ['master', 'w0', 'w1'],
      );
      assert.ok(costs.every((/** @type {any} */ cost) => cost.share > 0 && cost.share < 1.2));
    });
  }

  it('agrees with Little’s law: the loops’ mean times add up to the window', async () => {
    const { end } = await launchCell({ cell: { workers: 1, loops: 8 } });
    assert.equal(end.kind, 'done');
    if (end.kind !== 'done') return;
    const { roundTripsPerSecond, latencies } = end.fields;
    const loops = (roundTripsPerSecond * latencies[0].meanNs) / 1e9;
    assert.ok(Math.abs(loops - 8) < 0.16, `${loops} loops`);
  });

  it('makes exactly the messages that were asked for', async () => {
    const { end } = await launchCell({ timing: { messages: 250 } });
    assert.equal(end.kind === 'done' && end.fields.roundTrips, 2 * 4 * 250);
  });

  it('leaves the time that connecting takes out of the window', async () => {
    const { end } = await launchCell(faulty({ fault: 'slow', afterMs: 800 }));
    assert.equal(end.kind, 'done', JSON.stringify(end));
    if (end.kind !== 'done') return;
    assert.ok(Math.abs(end.fields.windowMs - 300) < 30);
    assert.ok(
      end.fields.bins.every((/** @type {number} */ bin) => bin > 0),
      'both workers were there all the time',
    );
  });
});

describe('placement', ON_LINUX, () => {
  it('has every process on its CPU once the load begins', async () => {
    const [cpu] = readTopology()?.usableCpus ?? [];
    const { ending, underLoad } = launchUnderLoad({ cell: { placement: 'same' }, cpus: [cpu] });
    await underLoad;
    const masks = processesBelow(process.pid, 'launch/').map(
      (pid) => /Cpus_allowed_list:\s+(\S+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1],
    );
    assert.deepEqual(masks, [`${cpu}`, `${cpu}`, `${cpu}`]);
    assert.equal((await ending).end.kind, 'done');
  });
});

describe('a worker that goes wrong', () => {
  /** @type {[string, RegExp][]} */
  const ways = [
    ['exit', /worker w0 \(pid \d+\) ended by itself with exit code 0 during measure/],
    ['throw', /worker w0 \(pid \d+\) ended by itself with exit code 1 during measure/],
    ['reject', /worker w0 \(pid \d+\) ended by itself with exit code 1 during measure/],
    ['hangup', /worker w0 during measure: its channel closed/],
  ];
  for (const [fault, message] of ways) {
    it(`is noticed and named: ${fault}`, async () => {
      const { end, left } = await launchCell({
        ...faulty({ fault, afterMs: 700 }),
        timing: { measureMs: 60_000 },
      });
      assert.equal(end.kind, 'failed');
      if (end.kind !== 'failed') return;
      assert.match(end.message, message);
      assert.equal(end.phase, 'measure');
      if (fault === 'throw') assert.match(end.stderr.join('\n'), /thrown on purpose/);
      assert.deepEqual(left, []);
    });
  }

  it('is noticed when it blocks for ever, and does not outlive the launch', ON_LINUX, async () => {
    const { end } = await launchCell({
      ...faulty({ fault: 'block', afterMs: 300 }),
      deadlines: { finishMs: 800 },
    });
    assert.equal(end.kind, 'failed');
    assert.match(end.kind === 'failed' ? end.message : '', /w0 \(pid \d+\) did not report .* during measure/);
    await eventually(() => processesBelow(process.pid, 'launch/worker.js').length === 0, 2_000);
  });

  it('is named when it never connects', async () => {
    const { end } = await launchCell({ ...faulty({ fault: 'hang' }), deadlines: { connectMs: 1_000 } });
    assert.equal(end.kind, 'failed');
    assert.match(
      end.kind === 'failed' ? end.message : '',
      /^w1 \(pid \d+\) did not connect within 1000 ms during connect/,
    );
  });
});

describe('SIGKILL', ON_LINUX, () => {
  for (const victim of ['worker', 'master']) {
    for (const [phase, afterMs, settings] of /** @type {[string, number | null, any][]} */ ([
      ['start', 0, {}],
      ['connect', 300, { fault: 'hang' }],
      ['measure', null, {}],
    ])) {
      it(`of a ${victim} during ${phase} ends the launch within a second and leaves nothing`, async () => {
        const { ending, underLoad } = launchUnderLoad({
          ...{ transport: FAULTS, cell: { settings }, timing: { measureMs: 60_000 } },
        });
        const pid = await eventually(() => processesBelow(process.pid, `launch/${victim}.js`)[0], 3_000);
        await (afterMs === null ? underLoad : new Promise((resolve) => setTimeout(resolve, afterMs)));
        const all = processesBelow(process.pid, 'launch/');
        process.kill(pid, 'SIGKILL');
        const killedMs = performance.now();
        const { end } = await ending;
        assert.ok(performance.now() - killedMs < 1_000);
        assert.equal(end.kind, 'failed');
        if (end.kind !== 'failed') return;
        assert.equal(end.code, 'PROCESS_DIED');
        assert.match(end.message, new RegExp(`${victim}.* was killed by SIGKILL`));
        await eventually(() => all.every((each) => !commandOf(each).includes('launch/')), 2_000);
      });
    }
  }

  it('is not needed for a stopped worker: the launch fails by its deadline, and the worker is gone', async () => {
    const { ending, underLoad } = launchUnderLoad({ deadlines: { finishMs: 700 } });
    await underLoad;
    const [, pid] = processesBelow(process.pid, 'launch/worker.js');
    process.kill(pid, 'SIGSTOP');
    const { end } = await ending;
    assert.match(end.kind === 'failed' ? end.message : '', new RegExp(`\\(pid ${pid}\\) did not report`));
    await eventually(() => commandOf(pid) === '', 2_000);
  });

  it('an abort ends the launch with all its processes', async () => {
    const abort = new AbortController();
    const ending = launchCell({ timing: { measureMs: 60_000 }, signal: abort.signal });
    await eventually(() => processesBelow(process.pid, 'launch/worker.js').length === 2, 3_000);
    abort.abort();
    await assert.rejects(ending, { code: 'INTERRUPTED' });
    await eventually(() => processesBelow(process.pid, '').length === 0, 2_000);
  });
});
