import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startFlags, tierUpFlags } from '../../lib/children/tier-up.js';
import { watchWarmUp } from '../../lib/launch/monitors/warm-up.js';
import { isEnoughWork, isLevel, WorkWatch } from '../../lib/launch/monitors/work-watch.js';
import { coldProcesses } from '../../lib/run/flags/launch-flags.js';
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

describe('isEnoughWork', () => {
  /** @type {[string, number, number | null, boolean][]} */
  const cases = [
    ['operations and CPU time', 1_000, 100, true],
    ['too few operations', 999, 300, false],
    ['too little CPU time for them', 50_000, 99, false],
    ['few operations, but so dear that they are enough', 10, 400, true],
    ['operations where nobody can tell the CPU time', 1_000, null, true],
    ['too few where nobody can tell the CPU time', 999, null, false],
  ];
  for (const [name, operations, cpuMs, expected] of cases) {
    test(name, () => assert.equal(isEnoughWork({ operations, cpuMs }, GOAL), expected));
  }
});

describe('isLevel', () => {
  /** @param {number[]} costs in ms of CPU time for each operation, 40 ms of it at a time @returns {import('../../lib/launch/monitors/work-watch.js').Reading[]} */
  const readingsOf = (costs) => {
    let operations = 500;
    const later = costs.map((cost, place) => {
      operations += 40 / cost;
      return { atMs: 0, operations, cpuMs: 1_040 + 40 * place, waitMs: 0 };
    });
    return [{ atMs: 0, operations: 500, cpuMs: 1_000, waitMs: 0 }, ...later];
  };

  test('while the last quarter of the work is no cheaper than the quarter before', () => {
    assert.equal(isLevel(readingsOf([9, 5, 3, 2, 1, 1, 1, 1])), true);
    assert.equal(isLevel(readingsOf([1, 1, 1, 1, 1, 1, 1.2, 1.2])), true, 'dearer is not cold');
    assert.equal(isLevel(readingsOf([1, 1, 1, 1, 1, 1, 0.97, 0.96])), true, 'noise');
  });

  test('not while it still gets cheaper', () => {
    assert.equal(isLevel(readingsOf([9, 8, 7, 6, 5, 4, 3, 2])), false);
    assert.equal(isLevel(readingsOf([1, 1, 1, 1, 1, 1, 0.9, 0.9])), false);
  });

  test('where nobody can tell, or nothing was done', () => {
    assert.equal(
      isLevel([0, 9, 20].map((operations) => ({ atMs: 0, operations, cpuMs: null, waitMs: null }))),
      true,
    );
    assert.equal(isLevel(readingsOf([Infinity, Infinity, Infinity, Infinity, Infinity])), true);
    assert.equal(isLevel(readingsOf([1, 1])), false, 'two readings tell nothing yet');
  });
});

describe('WorkWatch', () => {
  test('waits until operations get no cheaper, and no longer than it is told to', async () => {
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

  test('tells once when a process has worked enough, counted from its beginning', async () => {
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

  test('does not wait for a process that mostly waits itself', async () => {
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

describe('watchWarmUp', () => {
  const timing = /** @type {any} */ ({
    warmupMs: null,
    minWarmupMs: 60,
    maxWarmupMs: 400,
    steadyWithinMs: 100,
    warmupBinMs: 4,
  });
  const trouble = new Promise(() => {});
  const steadyCount = () => Math.round(performance.now() * 10);

  test('waits for the work of all processes, however steady the answers are', async () => {
    const beganMs = performance.now();
    const isWarm = () => performance.now() - beganMs > 200;
    const warmup = await watchWarmUp({ readOperations: steadyCount, isWarm, trouble }, timing, 0);
    assert.notEqual(warmup.status, 'cold');
    // Its own clock starts a little later than that of the test.
    assert.ok(warmup.ms > 190 && performance.now() - beganMs >= 200, `${warmup.ms} ms`);
  });

  test('calls a launch cold whose time is over first', async () => {
    const warmup = await watchWarmUp(
      { readOperations: steadyCount, isWarm: () => false, trouble },
      timing,
      0,
    );
    assert.equal(warmup.status, 'cold');
  });

  test('does not wait for ever for a steady state once all have worked enough', async () => {
    let answers = 0;
    const climbing = () => {
      answers = answers * 1.2 + 1;
      return answers;
    };
    const warmup = await watchWarmUp({ readOperations: climbing, isWarm: () => true, trouble }, timing, 0);
    assert.equal(warmup.status, 'not-steady');
    assert.ok(warmup.ms < timing.maxWarmupMs, `${warmup.ms} ms`);
  });

  test('ends with the launch that fails', async () => {
    const failed = Promise.reject(new Error('a worker died'));
    const load = { readOperations: steadyCount, isWarm: () => false, trouble: failed };
    await assert.rejects(watchWarmUp(load, timing, 0), /a worker died/);
  });
});

describe('tierUpFlags', () => {
  test('are flags that this Node knows, and none when V8 is to compile as usual', () => {
    const [optimises, ...others] = tierUpFlags('early');
    assert.match(optimises, /^--(interrupt-budget|invocation-count-for-turbofan)=\d+$/);
    assert.deepEqual(others, ['--min-semi-space-size=16']);
    assert.deepEqual(startFlags('early'), others, 'what V8 takes later is set once the modules are loaded');
    assert.deepEqual(tierUpFlags('usual'), []);
    assert.deepEqual(tierUpFlags(undefined), []);
  });
});

describe('a launch', () => {
  test('is not measured before every process has worked enough', async () => {
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

  test('that is warm throws away no compiled code that its messages run', async () => {
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

  test('whose warm-up the user made too short says who was cold', async () => {
    const { end, spec } = await launchCell({ timing: { warmupMs: 20, measureMs: 60 } });
    if (end.kind === 'failed') assert.fail(end.message);
    const { warmup } = end.fields;
    assert.equal(warmup.status, 'fixed');
    assert.equal(coldProcesses({ warmup }, spec.timing.workGoal).length, 3);
  });
});
