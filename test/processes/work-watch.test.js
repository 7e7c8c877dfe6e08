// Runs in CI, alone.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isEnoughWork, WorkWatch } from '../../lib/measure/work-watch.js';
import { launchCell } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { DEAR_QUESTIONS } from '../fixtures/warms-up-slowly.js';

const GOAL = {
  operations: 1_000,
  leastCpuMs: 100,
  enoughCpuMs: 400,
  levelWithinCpuMs: 0,
  idleIsEnough: true,
};

describe('WorkWatch', () => {
  test('waits until operations get no cheaper, up to its limit of CPU time', async () => {
    /** @param {number} levelWithinCpuMs */
    const cheapening = async (levelWithinCpuMs) => {
      let [operations, cpuMs, step] = [0, 0, 1];
      const readCpuMs = () => {
        // Each reading finds a tenth more operations for the same CPU time, until 600 ms of it are spent.
        if (cpuMs < 600) step *= 1.1;
        operations += 100 * step;
        cpuMs += 20;
        return cpuMs;
      };
      const watch = new WorkWatch({
        name: 'w0',
        operations: () => operations,
        readCpuMs,
        readWaitMs: () => 0,
      });
      await new Promise((resolve) => watch.begin({ ...GOAL, levelWithinCpuMs }, 1, () => resolve(undefined)));
      return Number(watch.end().cpuMs);
    };
    const [unasked, asked, impatient] = [await cheapening(0), await cheapening(5_000), await cheapening(300)];
    assert.ok(unasked < 300, `${unasked} ms`);
    assert.ok(asked >= 600 && asked < 2_000, `${asked} ms`);
    assert.ok(impatient >= 300 && impatient < 600, `${impatient} ms`);
  });

  test('calls back once when a process has worked enough since its beginning', async () => {
    let [operations, cpuMs] = [5_000, 1_000];
    const watch = new WorkWatch({
      name: 'w0',
      operations: () => operations,
      readCpuMs: () => cpuMs,
      readWaitMs: () => 0,
    });
    let told = 0;
    const warm = new Promise((resolve) => {
      watch.begin(GOAL, 1, () => {
        told += 1;
        resolve(undefined);
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(told, 0, 'what was done before does not count');
    operations += 1_000;
    cpuMs += 100;
    await warm;
    assert.deepEqual(watch.end(), { name: 'w0', operations: 1_000, cpuMs: 100 });
    assert.equal(told, 1);
  });

  test('does not wait for a process that is mostly idle', async () => {
    const still = { name: 'w0', operations: () => 3, readCpuMs: () => 7 };
    const idle = new WorkWatch({ ...still, readWaitMs: () => 0 });
    const starved = new WorkWatch({ ...still, readWaitMs: () => performance.now() });
    const asked = new WorkWatch({ ...still, readWaitMs: () => 0 });
    starved.begin(GOAL, 5);
    asked.begin({ ...GOAL, idleIsEnough: false }, 5);
    await new Promise((resolve) => idle.begin(GOAL, 5, () => resolve(undefined)));
    assert.deepEqual(idle.end(), { name: 'w0', operations: 0, cpuMs: 0, isIdle: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(starved.isWarm, false, 'it waits for a CPU, and would be faster for being warm');
    assert.equal(asked.isWarm, false, 'under open load its times count, not its rate');
    starved.end();
    asked.end();
  });
});

describe('the warm-up of a launch', () => {
  test('lasts until every process has worked enough', async () => {
    const { end, spec } = await launchCell({
      transport: '../fixtures/warms-up-slowly.js',
      cell: { codec: 'string' },
      timing: { warmupMs: null, measureMs: 200, tierUp: 'early' },
    });
    if (end.kind === 'failed') assert.fail(end.message);
    const { work, status } = end.fields.warmup;
    assert.notEqual(status, 'cold');
    assert.deepEqual(
      work.map((/** @type {{ name: string }} */ { name }) => name),
      ['master', 'w0', 'w1'],
    );
    for (const done of work) {
      assert.ok(isEnoughWork(done, spec.timing.workGoal), JSON.stringify(done));
      if (done.name !== 'master')
        assert.ok(done.operations > DEAR_QUESTIONS, `${done.name}: ${done.operations}`);
    }
  });

  test('leaves no code of the message path to be deoptimised in the window', async () => {
    const told = join(ownFolder('ipcb-deopts-'), 'deopts');
    const { NODE_OPTIONS = '' } = process.env;
    const hook = fileURLToPath(new URL('../fixtures/tell-deopts.cjs', import.meta.url));
    Object.assign(process.env, { NODE_OPTIONS: `${NODE_OPTIONS} --require "${hook}"`, DEOPTIMISED: told });
    try {
      const { end } = await launchCell({
        cell: { codec: 'string', workers: 1 },
        timing: { warmupMs: null, measureMs: 200, tierUp: 'early' },
      });
      if (end.kind === 'failed') assert.fail(end.message);
    } finally {
      process.env.NODE_OPTIONS = NODE_OPTIONS;
      delete process.env.DEOPTIMISED;
    }
    const lines = readFileSync(told, 'utf8').split('\n');
    assert.ok(lines.includes('handed in'));
    // Each takes part in every message. V8 has compiled them long before.
    const onTheWay =
      /deoptimizing .*\b(nextTick|processTicksAndRejections|onStreamRead|receive|record|count|stamp)\b/;
    assert.deepEqual(
      lines.filter((line) => onTheWay.test(line)),
      [],
    );
  });
});
