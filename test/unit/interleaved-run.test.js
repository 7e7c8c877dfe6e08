// The runner, with simulated launches: their order, the end of a run, and how an interrupted run is resumed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { seriesLabel } from '../../lib/cell/labels.js';
import { prepared } from '../../lib/cli/prepare.js';
import { BenchError } from '../../lib/errors.js';
import { formatCommand } from '../../lib/options/written-options.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { runLengthLines } from '../../lib/report/text/run-words.js';
import { readResults } from '../../lib/results/read.js';
import { runBenchmark } from '../../lib/run/interleaved-run.js';
import { SURROUNDINGS } from '../fixtures/resolved.js';
import { bench } from '../fixtures/simulated-bench.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

/** @import { LaunchSpec } from '../../lib/launch/launch-spec.js' */
/** @import { Results } from '../../lib/types/index.js' */

const USUAL = '--codec json --workers 1x2 --payload 50 --tier-up usual --no-controls --no-charts'.split(' ');

let folder = ''; // of the test that is running
/** Each test of the suite that is being declared has a new folder. */
function haveFolders() {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ibu-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
}

/** @param {string} temporary   the temporary folder meanwhile @param {() => Promise<void>} work */
async function withTemporary(temporary, work) {
  const changes = withTemporaryFolder(temporary);
  const usual = Object.keys(changes).map((name) => /** @type {const} */ ([name, process.env[name]]));
  Object.assign(process.env, changes);
  try {
    await work();
  } finally {
    for (const [name, value] of usual) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

const pathOf = (/** @type {string} */ out) => join(folder, out, 'results.json');

/** @returns {ReturnType<typeof simulatedLauncher>} for launches in slices, which the runner ends */
function slicedLauncher() {
  const launch = simulatedLauncher();
  return async (spec, watch) => {
    const { sliced, signal } = watch;
    const end = await launch(spec, watch);
    assert.ok(sliced?.plan !== undefined && end.kind === 'done');
    const windowMs = sliced.plan.measureMs;
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
      sliced.send = ({ kind }) => {
        const slice = { operations: 0, windowMs, cpuMs: 1, spentCpuMs: 1 };
        if (kind === 'finish') resolve(undefined);
        else setImmediate(() => sliced.onStepDone(kind === 'slice' ? { slice } : {}));
      };
      sliced.onStepDone({});
    });
    if (signal.aborted) throw new BenchError('INTERRUPTED', 'interrupted');
    // All operations of the launch are in its slices.
    const { operations } = sliced.slices;
    sliced.slices.operations = operations.map((_, index) =>
      Math.floor((Number(end.fields.operations) + index) / operations.length),
    );
    return end;
  };
}

/** @param {string} out @param {string} args @param {Parameters<typeof bench>[1]} [onLaunch] */
const run = (out, args, onLaunch) =>
  bench([...args.split(' '), ...USUAL, '--out', join(folder, out)], onLaunch);

/** @param {Results} results */
const launchesOf = ({ outcomes }) =>
  outcomes
    .flatMap((outcome) =>
      outcome.status === 'skipped'
        ? []
        : outcome.launches.map((launch) => ({ ...launch, cell: outcome.cell })),
    )
    .sort((left, right) => left.order - right.order);

/** @param {Results} results */
const orderOf = (results) => launchesOf(results).map(({ cell, group }) => `${group} ${seriesLabel(cell)}`);

describe('a run', () => {
  haveFolders();

  it('launches every cell in each repetition, in an order that depends on the seed', async () => {
    /** @type {string[][]} */
    const orders = [];
    for (const [out, seed] of Object.entries({ first: 7, again: 7, other: 8 })) {
      const { code, stdout } = await run(out, `--transport pipe,unix,tcp --launches 3 --seed ${seed}`);
      assert.equal(code, 0);
      assert.match(stdout, /pipe\/json/);
      const results = await readResults(pathOf(out));
      assert.equal(results.status, 'complete');
      assert.deepEqual(results.findings, JSON.parse(JSON.stringify(findingsIn(results))));
      const launches = launchesOf(results);
      assert.deepEqual(
        launches.map(({ order }) => order),
        launches.map((_, index) => index),
      );
      assert.deepEqual(
        launches.map(({ group }) => group),
        [0, 0, 0, 1, 1, 1, 2, 2, 2],
      );
      orders.push(orderOf(results));
    }
    assert.deepEqual(orders[0], orders[1]);
    assert.notDeepEqual(orders[0], orders[2]);
  });

  it('records the versions of other runtimes', async () => {
    const argv = {
      transport: 'unix',
      codec: 'json',
      workers: '1x2',
      launches: '1',
      lock: 'ignore',
      controls: false,
    };
    const { options, plugins, plan } = await prepared(argv, SURROUNDINGS);
    const watch = { onProgress() {}, signal: new AbortController().signal, launch: simulatedLauncher() };
    const notedWith = async (/** @type {any[]} */ choices) => {
      const runtimes = /** @type {any} */ ({ choices });
      const run = { options, plan, plugins: { ...plugins, runtimes }, resultsPath: null };
      const { environment } = await runBenchmark({ ...run, ...watch });
      return environment.runtimes;
    };
    const onBun = { runtime: 'bun', every: { name: 'bun', version: '1.4.5' }, byRole: {}, unavailable: null };
    assert.deepEqual(await notedWith([onBun]), { bun: '1.4.5' });
    assert.equal(await notedWith([]), undefined);
  });

  it('launches a cell less often if its plan says so, which does not interrupt it', async () => {
    const argv = { transport: 'unix,tcp', codec: 'json', workers: '1x2', launches: '3', lock: 'ignore' };
    const { plan, ...rest } = await prepared({ ...argv, controls: false }, SURROUNDINGS);
    const cells = plan.cells.map((planned) =>
      planned.cell.transport === 'tcp' ? { ...planned, launches: 1 } : planned,
    );
    const { outcomes } = await runBenchmark({
      ...rest,
      plan: { ...plan, cells },
      resultsPath: null,
      onProgress() {},
      signal: new AbortController().signal,
      launch: simulatedLauncher(),
    });
    const made = outcomes.map((outcome) =>
      outcome.status === 'measured'
        ? [
            outcome.cell.transport,
            outcome.launches.length,
            outcome.flags.some(({ code }) => code === 'interrupted'),
          ]
        : [],
    );
    assert.deepEqual(made, [
      ['unix', 3, false],
      ['tcp', 1, false],
    ]);
  });

  /**
   * @param {(step: import('../../lib/run/launch-groups.js').GroupStep | null, groups: number) => boolean} isAt   groups: that have ended
   * @param {{ resultsPath: string | null, isContinued?: boolean }} [saved]
   * @param {{ launches?: string }} [length]   {} for as many launches as the stop rule needs
   * @returns {Promise<Results>}
   */
  async function runUntil(isAt, saved = { resultsPath: null }, length = { launches: '3' }) {
    const argv = {
      seed: '7',
      transport: 'unix,tcp',
      codec: 'json',
      workers: '1x2',
      ...length,
      lock: 'ignore',
      controls: false,
    };
    const stop = new AbortController();
    let groups = 0;
    return runBenchmark({
      ...(await prepared(argv, SURROUNDINGS)),
      ...saved,
      onProgress() {},
      onInterim({ step }) {
        if (step === null) groups += 1;
        if (isAt(step, groups)) stop.abort();
      },
      signal: stop.signal,
      launch: slicedLauncher(),
    });
  }
  const slicesOf = (/** @type {Results} */ results) =>
    launchesOf(results).map((launch) => [launch.group, 'slices' in launch && launch.slices?.rounds.length]);

  it('ends a group after the round under way when it is stopped, with the slices that count', async () => {
    const results = await runUntil((step) => step?.kind === 'rounds' && step.done === 2);
    assert.equal(results.status, 'interrupted');
    assert.deepEqual(slicesOf(results), [
      [0, 2],
      [0, 2],
    ]);
  });

  it('is not ended by its stop rule if the last group was cut short', async () => {
    const whole = await runUntil(() => false, undefined, {});
    const { repetitions } = /** @type {NonNullable<Results['stopRule']>} */ (whole.stopRule);
    const cut = await runUntil(
      (step, groups) => step?.kind === 'rounds' && step.done === 2 && groups === repetitions - 1,
      undefined,
      {},
    );
    assert.deepEqual([whole.status, cut.status], ['complete', 'interrupted']);
    assert.notEqual(whole.stopRule?.endedBy, null);
    assert.equal(cut.stopRule?.endedBy, null);
  });

  it('measures such a group again when it is resumed', async () => {
    mkdirSync(join(folder, 'out'));
    const resultsPath = pathOf('out');
    await runUntil((step, groups) => step?.kind === 'rounds' && step.done === 2 && groups === 2, {
      resultsPath,
    });
    const results = await runUntil(() => false, { resultsPath, isContinued: true });
    assert.equal(results.status, 'complete');
    assert.deepEqual(slicesOf(results), slicesOf(await runUntil(() => false)));
  });

  it('drops the launches of a group that is stopped before its first round', async () => {
    const results = await runUntil((step, groups) => step?.kind === 'warm-up' && groups === 1);
    assert.equal(results.status, 'interrupted');
    assert.deepEqual(
      launchesOf(results).map(({ group }) => group),
      [0, 0],
    );
  });

  it('concludes nothing about rows and repetitions if it is stopped before its first round', async () => {
    const results = await runUntil((step) => step?.kind === 'warm-up', undefined, {});
    assert.deepEqual(launchesOf(results), []);
    const found = findingsIn(results).map(({ kind }) => kind);
    assert.deepEqual(
      found.filter((kind) => ['nothing-measured', 'unfinished'].includes(kind)),
      ['nothing-measured'],
    );
    assert.deepEqual(runLengthLines(results), []);
  });

  it('ends its launches and throws if the progress cannot be shown', async () => {
    const argv = { transport: 'unix,tcp', codec: 'json', workers: '1x2', lock: 'ignore', controls: false };
    let running = 0;
    const run = runBenchmark({
      ...(await prepared(argv, SURROUNDINGS)),
      resultsPath: null,
      onProgress() {
        if (running > 0) throw new Error('the terminal is on fire');
      },
      signal: new AbortController().signal,
      launch: async (_spec, { signal, sliced }) => {
        running += 1;
        sliced?.onStepDone({}); // It has started.
        if (!signal.aborted) await once(signal, 'abort');
        running -= 1;
        throw new BenchError('INTERRUPTED', 'interrupted');
      },
    });
    await assert.rejects(run, /the terminal is on fire/);
    assert.equal(running, 0);
  });

  it('continues when a cell fails, gives it up after two launches, and exits with code 3', async () => {
    const fail = (/** @type {LaunchSpec} */ { cell }) => {
      if (cell.transport === 'tcp') throw new Error('the moon is in the wrong phase');
    };
    const { code, stdout } = await run('out', '--transport unix,tcp --launches 4', fail);
    assert.equal(code, 3);
    assert.match(stdout, /tcp/);
    const { status, outcomes } = await readResults(pathOf('out'));
    assert.equal(status, 'complete');
    const [measured, failed] = outcomes;
    assert.ok(measured.status === 'measured' && measured.launches.length === 4);
    assert.ok(failed.status === 'failed' && failed.launches.length === 2);
    assert.equal(failed.message, 'in both launches: the moon is in the wrong phase');
  });

  it('saves the launches of a group before the next one begins', async () => {
    /** @type {number[]} */
    const saved = [];
    const look = async () => {
      const launches = existsSync(pathOf('out')) ? launchesOf(await readResults(pathOf('out'))) : [];
      saved.push(launches.length);
    };
    await run('out', '--transport unix,tcp --launches 2', look);
    assert.deepEqual(saved, [0, 0, 2, 2]);
  });

  it('counts no launches per row if no row was measured', async () => {
    const { code, stdout } = await run('out', '--transport unix --launches 3', () => {
      throw new Error('it fell');
    });
    assert.equal(code, 3);
    assert.match(
      stdout,
      /Nothing was measured\.\nFailed: unix: in both launches: it fell \(PROCESS_DIED\)\./,
    );
    assert.doesNotMatch(stdout, /per row/);
  });

  /** @param {string} out   a folder that takes no more files until it is mended @returns {{ breaks: () => void, mend: () => void }} */
  const breakable = (out) => ({
    breaks() {
      renameSync(join(folder, out), join(folder, 'kept'));
      writeFileSync(join(folder, out), '');
    },
    mend() {
      rmSync(join(folder, out));
      renameSync(join(folder, 'kept'), join(folder, out));
    },
  });

  it('goes on in memory if its results cannot be saved any more, and names what is intact', async () => {
    const disk = breakable('out');
    const { code, stdout, stderr } = await run('out', '--transport unix,tcp --launches 3', (_spec, index) => {
      if (index === 3) disk.breaks();
    });
    assert.equal(code, 2);
    assert.match(stdout, /unix\/json .*\n(?:.*\n)*.*3 launches per row/);
    assert.doesNotMatch(stdout, /Saved|Next,/);
    assert.match(stderr, /^ipc-bench: .*results\.json cannot be written, .*results\.json is intact/m);
    const [, command = ''] = /^Next, .*: npx ipc-bench (.*)$/m.exec(stderr) ?? [];
    disk.mend();
    assert.equal(launchesOf(await readResults(pathOf('out'))).length, 2);
    assert.match(command, /^--resume /);
    assert.equal((await bench(['--resume', pathOf('out')])).code, 0);
    assert.equal(launchesOf(await readResults(pathOf('out'))).length, 6);
  });

  it('saves its results if they can be saved again, and says that nothing is saved if they never could', async () => {
    const disk = breakable('out');
    const { code } = await run('out', '--transport unix --launches 4', (_spec, index) => {
      if (index === 1) disk.breaks();
      if (index === 3) disk.mend();
    });
    assert.equal(code, 0);
    assert.equal(launchesOf(await readResults(pathOf('out'))).length, 4);
    const never = await run('never', '--transport unix --launches 2', (_spec, index) => {
      if (index === 0) breakable('never').breaks();
    });
    assert.equal(never.code, 2);
    assert.match(never.stdout, /2 launches per row/);
    assert.match(never.stderr, /Nothing is saved\.\n$/);
  });

  it('gives a program its results if they cannot be saved any more', async () => {
    mkdirSync(join(folder, 'out'));
    const argv = { transport: 'unix', codec: 'json', launches: '2', lock: 'ignore', controls: false };
    const run = runBenchmark({
      ...(await prepared(argv, SURROUNDINGS)),
      resultsPath: pathOf('out'),
      onProgress() {},
      signal: new AbortController().signal,
      launch: simulatedLauncher((_spec, index) => (index === 1 ? breakable('out').breaks() : undefined)),
    });
    await assert.rejects(run, (/** @type {any} */ error) => {
      assert.equal(error.code, 'OUTPUT_UNWRITABLE');
      assert.equal(launchesOf(error.results[0]).length, 2);
      return true;
    });
  });

  it('ends with its table if the temporary folder has no room any more', async () => {
    const temporary = join(folder, 't');
    mkdirSync(temporary);
    await withTemporary(temporary, async () => {
      const { code, stdout, stderr } = await run('out', '--transport unix --launches 3', (_spec, index) => {
        if (index !== 1) return;
        for (const name of readdirSync(temporary)) rmSync(join(temporary, name), { recursive: true });
      });
      assert.equal(code, 2);
      assert.match(stdout, /unix\/json/);
      assert.match(stderr, /^ipc-bench: the temporary folder .*\nNext, .*--resume/m);
    });
    const results = await readResults(pathOf('out'));
    assert.deepEqual([results.status, launchesOf(results).length], ['interrupted', 2]);
  });

  it('ends a quick run after one repetition if two would take three seconds for each two cells', async (t) => {
    const realNow = performance.now.bind(performance);
    let launchedMs = 0;
    t.mock.method(performance, 'now', () => realNow() / 4 + launchedMs); // slow, so that a busy machine ends no run
    for (const [launchMs, expected] of [
      [400, 4],
      [760, 2],
    ]) {
      const { code } = await run(`of ${launchMs} ms`, '--quick --transport pipe,unix', () => {
        launchedMs += launchMs;
      });
      assert.equal(code, 0);
      assert.equal(launchesOf(await readResults(pathOf(`of ${launchMs} ms`))).length, expected);
    }
  });

  it('ends at --target-error or --max-time, and records which', async () => {
    const ends = [];
    for (const rule of ['--target-error 50% --max-time 60s', '--target-error 0.1% --max-time 1s']) {
      const out = `out-${ends.length}`;
      const { code } = await run(out, `--transport unix --launches 6 ${rule}`);
      const { stopRule } = await readResults(pathOf(out));
      assert.equal(code, 0);
      ends.push(stopRule?.endedBy);
    }
    assert.deepEqual(ends, ['target', 'time']);
  });
});

describe('an interrupted run', () => {
  haveFolders();

  const stopAt =
    (/** @type {NodeJS.Signals} */ signal, /** @type {number} */ at) =>
    (/** @type {unknown} */ _assignment, /** @type {number} */ index) => {
      if (index === at) process.emit(signal, signal);
    };

  for (const [signal, exitCode] of /** @type {[NodeJS.Signals, number][]} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ])) {
    it(`keeps its launches and exits with code ${exitCode} after ${signal}`, async () => {
      const { code, stdout } = await run('out', '--transport unix,tcp --launches 50', stopAt(signal, 5));
      assert.equal(code, exitCode);
      assert.match(stdout, /unix/);
      const results = await readResults(pathOf('out'));
      assert.equal(results.status, 'interrupted');
      assert.equal(launchesOf(results).length, 5);
    });
  }

  it('is resumed with the same order, wherever it stopped', async () => {
    const args = '--transport unix,tcp --launches 2 --seed 7';
    await run('whole', args);
    const whole = await readResults(pathOf('whole'));
    for (const at of [1, 2, 3]) {
      const out = `stopped-${at}`;
      await run(out, args, stopAt('SIGINT', at));
      const before = await readResults(pathOf(out));
      const { code, stdout } = await bench(['--resume', pathOf(out)]);
      assert.equal(code, 0);
      assert.match(stdout, /Interrupted, and continued at/);
      const after = await readResults(pathOf(out));
      assert.equal(after.status, 'complete');
      assert.deepEqual(orderOf(after), orderOf(whole));
      assert.deepEqual({ ...after.options, outDir: '' }, { ...whole.options, outDir: '' });
      // Of two that start at once, either may be the one that is stopped.
      const measured = launchesOf(before);
      assert.equal(measured.length, at);
      const orders = measured.map(({ order }) => order);
      assert.deepEqual(
        launchesOf(after).filter(({ order }) => orders.includes(order)),
        measured,
      );
    }
  });

  it('numbers the groups of a table in parts, each with the reference, and is resumed with the same groups', async () => {
    const args = '--transport unix,tcp,udp --launches 2 --seed 7';
    const codecs = ['--codec', 'json,string,binary,msgpack'];
    const runParts = (/** @type {string} */ out, /** @type {Parameters<typeof run>[2]} */ onLaunch) =>
      bench([...args.split(' '), ...USUAL.slice(2), ...codecs, '--out', join(folder, out)], onLaunch);
    await runParts('whole', () => {});
    const whole = await readResults(pathOf('whole'));
    const groupsOf = (/** @type {string} */ row) =>
      launchesOf(whole).flatMap(({ cell, group }) => (seriesLabel(cell) === row ? [group] : []));
    assert.deepEqual(groupsOf(whole.reference).sort(), [0, 1, 2, 3]);
    assert.deepEqual(groupsOf('udp/msgpack').sort(), [1, 3]);
    for (const at of [5, 18]) {
      const out = `stopped-${at}`;
      await runParts(out, stopAt('SIGINT', at));
      assert.equal((await bench(['--resume', pathOf(out)])).code, 0);
      assert.deepEqual(orderOf(await readResults(pathOf(out))), orderOf(whole));
    }
  });

  it('is not resumed if its results were edited, which a report names', async () => {
    await run('out', '--transport unix,tcp --launches 2 --seed 7', stopAt('SIGINT', 2));
    const document = JSON.parse(readFileSync(pathOf('out'), 'utf8'));
    document.startedAt = document.updatedAt;
    const text = JSON.stringify(document);
    writeFileSync(pathOf('out'), text);
    await assert.rejects(bench(['--resume', pathOf('out')]), {
      code: 'BAD_ARGUMENT',
      message: /was changed after/,
    });
    assert.equal(readFileSync(pathOf('out'), 'utf8'), text);
    const { code, stderr } = await bench(['report', pathOf('out')]);
    assert.equal(code, 0);
    assert.match(stderr, /^ipc-bench: .*results\.json was changed after it was saved/);
  });

  it('leaves only its results', async () => {
    // Other files of tests use the usual temporary folder at the same time.
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    await withTemporary(temporary, async () => {
      assert.equal(tmpdir(), temporary);
      await run('out', '--transport unix --launches 9', stopAt('SIGINT', 2));
    });
    assert.deepEqual(readdirSync(join(folder, 'out')), ['results.json']);
    assert.deepEqual(readdirSync(temporary), []);
  });
});

describe('compare --run', () => {
  haveFolders();

  it('launches both variants in every group, and exits with code 4 if one is slower', async () => {
    const inFolder = (/** @type {string} */ name) => join(folder, name);
    const variants = ['A=unix/json', 'slow=unix/v8'];
    const { code, stdout, stderr } = await bench([
      ...['compare', '--run', ...variants, '--out', inFolder('o'), '--json', inFolder('c.json')],
      ...['--launches', '6', '--workers', '1x1', '--no-controls', '--tier-up', 'usual'],
    ]);
    assert.equal(code, 4, stderr + stdout);
    assert.match(stdout, /^A: unix\/json, measured/);
    assert.match(stdout, /compared side by side/);
    const [one, other] = await Promise.all(
      ['A', 'slow'].map((name) => readResults(inFolder(`o/${name}.json`))),
    );
    assert.equal(one.variant?.runId, other.variant?.runId);
    assert.equal(one.variant?.command, other.variant?.command);
    assert.equal(
      formatCommand(one),
      `npx ipc-bench compare --run ${variants.join(' ')} --workers 1x1 --tier-up usual --launches 6 --no-controls`,
    );
    assert.equal(one.seed, other.seed);
    assert.deepEqual(
      launchesOf(one).map(({ group }) => group),
      [0, 1, 2, 3, 4, 5],
    );
    const orders = [...launchesOf(one), ...launchesOf(other)].map(({ order }) => order);
    assert.deepEqual(
      orders.sort((left, right) => left - right),
      Array.from({ length: 12 }, (_, order) => order),
    );
    const comparison = JSON.parse(readFileSync(inFolder('c.json'), 'utf8'));
    assert.equal(comparison.design, 'interleaved');
    assert.equal(comparison.rows[0].verdict, 'slower');
    const again = await bench(['compare', inFolder('o/A.json'), inFolder('o/slow.json')]);
    assert.equal(again.code, 4);
    assert.match(again.stdout, /compared side by side/);
  });

  it('measures controls in the groups of both variants, and saves and repeats them', async () => {
    const inFolder = (/** @type {string} */ name) => join(folder, name);
    const variants = ['A=unix/v8', 'B=unix:flush=tick/v8'];
    const run = ['--launches', '3', '--workers', '1x1', '--no-controls', '--out', inFolder('o')];
    const controls = ['--control', 'unix/json', '--control', 'tcp:noDelay=false/string'];
    const { code, stderr } = await bench([
      ...['compare', '--run', ...variants, ...run, ...controls, '--json', inFolder('c.json')],
      ...['--min-effect', '100%', '--fail-on', 'none'],
    ]);
    assert.equal(code, 0, stderr);
    const results = await readResults(inFolder('o/A.json'));
    assert.deepEqual(
      results.outcomes.map(({ cell, status }) => `${seriesLabel(cell)} ${status}`),
      ['unix/v8 measured', 'unix/json measured', 'tcp:noDelay=false/string measured'],
    );
    assert.ok(
      results.outcomes.every((outcome) => outcome.status === 'measured' && outcome.launches.length === 3),
    );
    assert.match(formatCommand(results), /--control unix\/json,tcp:noDelay=false\/string /);
    const comparison = JSON.parse(readFileSync(inFolder('c.json'), 'utf8'));
    assert.deepEqual(
      [comparison.rows, comparison.controls].map((rows) =>
        rows.map((/** @type {any} */ { cell }) => cell.codec),
      ),
      [['v8'], ['json', 'string']],
    );
  });

  it('refuses controls that cannot be measured, or that leave no row', async () => {
    const refusal = async (/** @type {string} */ control, variants = ['A=unix/json', 'B=tcp/json']) => {
      try {
        await bench(['compare', '--run', ...variants, '--control', control, '--out', join(folder, 'o')]);
      } catch (error) {
        return /** @type {Error} */ (error).message;
      }
      return '';
    };
    assert.match(
      await refusal('pipe/string'),
      /^--control: "pipe\/string" cannot be measured in A: pipe serialises/,
    );
    assert.match(await refusal('tcp/json'), /^--control: all rows of B are controls/);
    assert.match(await refusal('none/json'), /no transport "none" is built in/);
  });
});
