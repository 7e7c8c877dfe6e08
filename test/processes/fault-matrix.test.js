// Runs always.
// What can go wrong with the processes of a run, in each of its phases and in each scenario, and what the user may then count on: the right
// status and exit code, an end within two seconds, and nothing left behind. Faults of the wire are in fault-proxy.test.js.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settingDefaults } from '../../lib/cell/traits.js';
import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import { readResults } from '../../lib/results/read.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG, IS_WIDE, LONG_ONLY } from '../conformance/long-form.js';
import { makeWorkspace, startCli, workspaceForEach } from '../fixtures/cli-run.js';
import {
  commandOf,
  eventually,
  launchCell,
  namesInSharedMemory,
  processesBelow,
} from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';

const WORKERS = IS_LONG ? 2 : 1;
const ON_LINUX = process.platform === 'linux' ? false : 'finds processes in /proc';
const PHASES_TRANSPORT = '../fixtures/phases.js';
const GONE_MS = 2_000;
const NOTICED_MS = 1_000;

/**
 * The phases of a launch, and how it stays in each: the transport waits there, or the load is long.
 * @type {Record<string, { at: string, who: string, warmupMs: number, measureMs: number }>}
 */
const PHASES = {
  start: { at: 'start', who: 'master', warmupMs: 50, measureMs: 60 },
  connect: { at: 'connect', who: 'w0', warmupMs: 50, measureMs: 60 },
  'warm-up': { at: 'load', who: 'w0', warmupMs: 30_000, measureMs: 60 },
  measure: { at: 'load', who: 'w0', warmupMs: 50, measureMs: 30_000 },
  drain: { at: 'drain', who: 'w0', warmupMs: 50, measureMs: 60 },
};

const marks = ownFolder('ipcb-marks-');

/** @param {number[]} pids */
const allGone = (pids) => eventually(() => pids.every((pid) => commandOf(pid) === ''), GONE_MS);

/** @param {string} folder   @param {string} who   @param {() => boolean} [isOver]   the launch has ended */
const reached = (folder, who, isOver = () => false) =>
  eventually(() => {
    const isLate = isOver();
    const pid = existsSync(join(folder, who)) && Number(readFileSync(join(folder, who)));
    assert.ok(pid || !isLate, `it ended before ${who} was there`);
    return pid;
  }, 20_000);

/**
 * @param {string} phase
 * @param {string} fault      of w0
 * @param {object} [how]
 * @param {(pid: number) => void} [how.disturb]    pid: of the process that has reached the phase, over PHASES_TRANSPORT
 * @param {Record<string, number>} [how.deadlines]
 * @param {number} [how.measureMs]
 * @param {string} [how.scenario]
 * @param {string} [how.transport]
 * @param {number} [how.workers]
 */
async function disturbedLaunch(
  phase,
  fault,
  { disturb, deadlines, measureMs, scenario, transport = PHASES_TRANSPORT, workers = WORKERS } = {},
) {
  const { at, who, ...timing } = PHASES[phase];
  const isHeld = transport === PHASES_TRANSPORT;
  const folder = mkdtempSync(join(marks, 'm'));
  const before = new Set(processesBelow(process.pid, ''));
  /** @type {Set<string>} */
  const phases = new Set();
  const ending = launchCell({
    transport,
    scenario,
    cell: { workers, ...(isHeld && { settings: { at, fault, marks: folder } }) },
    timing: { ...timing, ...(measureMs === undefined ? {} : { measureMs: longEnoughMs(measureMs) }) },
    deadlines,
    onPhase: (each) => phases.add(each),
  });
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ending.then(over, over);
  const pid = isHeld ? await reached(folder, who, () => isOver) : 0;
  // A worker with a fault reports the phase at once, and may have ended the launch by now.
  if (disturb !== undefined && (at === 'load' || !isHeld))
    await eventually(() => phases.has(phase) || isOver, 10_000);
  const all = processesBelow(process.pid, '').filter((each) => !before.has(each));
  const fromMs = performance.now();
  disturb?.(pid);
  const { end, left } = await ending;
  const tookMs = performance.now() - fromMs;
  await allGone(all);
  return { end, tookMs, left, outcome: end.kind === 'done' ? 'measured' : `${end.code} ${end.phase}` };
}

describe('a worker', { skip: ON_LINUX }, () => {
  const phases = ['connect', 'warm-up', 'measure', 'drain'];
  // However it ends, the master sees an exit: together the ways meet every phase, and each of them does with LONG_TESTS. A worker that is
  // killed in the window is below, in each scenario, and one that throws there in run.test.js.
  /** @type {[string, string, string, (pid: number) => void, string[], string?][]} */
  const ways = [
    [
      'is killed by SIGKILL',
      'none',
      'was killed by SIGKILL \\(by the system, if memory ran out\\)',
      (pid) => process.kill(pid, 'SIGKILL'),
      IS_WIDE ? ['connect', 'drain'] : ['connect'],
    ],
    ['is killed by SIGSEGV', 'none', 'was killed by SIGSEGV', (pid) => process.kill(pid, 'SIGSEGV'), []],
    [
      'ends by itself with exit code 0',
      'exit',
      'ended by itself with exit code 0',
      () => {},
      ['measure', 'drain'],
    ],
    ['throws', 'throw', 'ended by itself with exit code 1', () => {}, [], ': Error: thrown on purpose'],
    [
      'rejects',
      'reject',
      'ended by itself with exit code 1',
      () => {},
      ['warm-up'],
      ': Error: rejected on purpose',
    ],
  ];
  for (const [how, fault, told, disturb, usualPhases, words = ''] of ways) {
    for (const phase of IS_LONG ? phases : usualPhases) {
      it(`fails the launch within a second when it ${how} during ${phase}`, async () => {
        const { end, outcome, tookMs, left } = await disturbedLaunch(phase, fault, { disturb });
        assert.deepEqual(left, []);
        // A worker that exits with code 0 in the end has left as it should.
        const isInOrder = phase === 'drain' && fault === 'exit';
        assert.equal(outcome, isInOrder ? 'measured' : `PROCESS_DIED ${phase}`);
        assert.ok(tookMs < patiently(NOTICED_MS), `${tookMs} ms`);
        if (end.kind !== 'failed') return;
        assert.match(end.message, new RegExp(`worker w0 \\(pid \\d+\\) ${told}.* during ${phase}${words}$`));
      });
    }
  }

  it('is named with its last output when it runs out of memory', async () => {
    const { NODE_OPTIONS } = process.env;
    process.env.NODE_OPTIONS = `${NODE_OPTIONS ?? ''} --max-old-space-size=40`;
    try {
      const { end, outcome } = await disturbedLaunch('measure', 'memory');
      assert.equal(outcome, 'PROCESS_DIED measure');
      assert.match(
        end.kind === 'failed' ? end.message : '',
        /w0 \(pid \d+\) .*(SIGABRT|SIGTRAP|exit code 134)/,
      );
      assert.match(end.kind === 'failed' ? end.message : '', /heap out of memory/);
    } finally {
      if (NODE_OPTIONS === undefined) delete process.env.NODE_OPTIONS;
      else process.env.NODE_OPTIONS = NODE_OPTIONS;
    }
  });

  it('is measured when it is stopped for a second', LONG_ONLY, async () => {
    const disturb = (/** @type {number} */ pid) => {
      process.kill(pid, 'SIGSTOP');
      setTimeout(() => process.kill(pid, 'SIGCONT'), 1_000);
    };
    const { outcome } = await disturbedLaunch('measure', 'none', { disturb, measureMs: 1_000 });
    assert.equal(outcome, 'measured');
  });

  // In the window, every transport does that in describe-faults.js.
  for (const [phase, what] of [
    ['connect', 'connect'],
    ...(IS_LONG ? [['measure', 'complete']] : []),
    ...(IS_WIDE ? [['drain', 'end']] : []),
  ]) {
    it(`is named after the deadline when it is stopped for ever during ${phase}`, async () => {
      const { outcome, end } = await disturbedLaunch(phase, 'none', {
        disturb: (pid) => process.kill(pid, 'SIGSTOP'),
        deadlines: {
          replyMs: patiently(500),
          finishMs: patiently(800),
          exitMs: patiently(800),
          ...(phase === 'connect' && { connectMs: patiently(2_000) }),
        },
        ...(phase === 'measure' ? { measureMs: 600 } : {}),
      });
      assert.equal(outcome, `DEADLINE ${phase}`);
      assert.match(
        end.kind === 'failed' ? end.message : '',
        new RegExp(`w0 \\(pid \\d+\\).* did not ${what}`),
      );
    });
  }

  it('is measured when its event loop is blocked for two seconds', async () => {
    const deadlines = { replyMs: 5_000, finishMs: 5_000 };
    assert.equal(
      (await disturbedLaunch('measure', 'block', { deadlines, measureMs: 500 })).outcome,
      'measured',
    );
  });

  it('is measured when it connects twice', async () => {
    const cell = { workers: WORKERS, settings: { fault: 'twice' } };
    const { end } = await launchCell({ transport: PHASES_TRANSPORT, cell });
    assert.equal(end.kind, 'done', JSON.stringify(end));
  });
});

describe('a master', { skip: ON_LINUX }, () => {
  // Under load: below, in each scenario.
  for (const phase of IS_LONG ? Object.keys(PHASES) : ['start']) {
    it(`fails the launch within a second when it is killed during ${phase}`, async () => {
      const disturb = () => process.kill(processesBelow(process.pid, 'controller/master.js')[0], 'SIGKILL');
      const { end, outcome, tookMs } = await disturbedLaunch(phase, 'none', { disturb });
      assert.equal(outcome, `PROCESS_DIED ${phase}`);
      assert.match(end.kind === 'failed' ? end.message : '', /master.* was killed by SIGKILL/);
      assert.ok(tookMs < patiently(NOTICED_MS), `${tookMs} ms`);
    });
  }
});

describe('a run', { skip: ON_LINUX, concurrency: 2 }, () => {
  // Together they meet the phases, and each of them does with LONG_TESTS. SIGINT and SIGKILL at any moment are in run.test.js.
  /** @type {[string, NodeJS.Signals[], number | null, string[]][]} */
  const ways = [
    ['SIGINT', ['SIGINT'], 130, IS_WIDE ? ['start'] : []],
    ['SIGINT twice', ['SIGINT', 'SIGINT'], 130, ['measure']],
    ['SIGTERM', ['SIGTERM'], 143, ['connect']],
    ['SIGHUP', ['SIGHUP'], 143, IS_WIDE ? ['drain'] : []],
    ['SIGKILL', ['SIGKILL'], null, []],
  ];
  for (const [name, signals, exitCode, usualPhases] of ways) {
    for (const phase of IS_LONG ? Object.keys(PHASES) : usualPhases) {
      const { at, who, warmupMs, measureMs } = PHASES[phase];
      it(`ends in time and leaves nothing when it gets ${name} during ${phase}`, async () => {
        const workspace = makeWorkspace();
        const folder = mkdtempSync(join(marks, 'm'));
        try {
          const transport = `${fileURLToPath(new URL('../fixtures/phases.js', import.meta.url))}:at=${at},marks=${folder}`;
          const cell = `--codec json --workers ${WORKERS}x2 --launches 2 --warmup ${warmupMs}ms --measure ${measureMs}ms`;
          const how = `${cell} --no-controls --no-charts --out out`;
          const run = startCli(['--transport', transport, ...how.split(' ')], workspace);
          await Promise.race([reached(folder, who), run.ended.then(({ stderr }) => assert.fail(stderr))]);
          const all = processesBelow(Number(run.child.pid), '');
          const fromMs = performance.now();
          for (const signal of signals) {
            run.child.kill(signal);
            await sleep(30);
          }
          const { code, signal, stderr } = await run.ended;
          assert.ok(performance.now() - fromMs < patiently(GONE_MS), `${performance.now() - fromMs} ms`);
          // The second signal may find that the first one has ended all but the process.
          const isTwice = signals.length > 1 && signal === signals[1];
          assert.ok(isTwice || code === exitCode, `${code} ${signal}: ${stderr}`);
          assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace');
          if (name === 'SIGINT') assert.match(stderr, /SIGINT: stopping/);
          await allGone(all);
          await assertNothingIsLeft(workspace, name);
        } finally {
          workspace.remove();
        }
      });
    }
  }
});

/**
 * @param {import('../fixtures/cli-run.js').Workspace} workspace
 * @param {string} how
 */
async function assertNothingIsLeft(workspace, how) {
  const path = join(workspace.folder, 'out', 'results.json');
  const isForced = how === 'SIGKILL' || how === 'SIGINT twice';
  if (!isForced) assert.equal((await readResults(path)).status, 'interrupted');
  else if (existsSync(path)) await readResults(path);
  // What is left by force, the next start removes: run.test.js.
  if (!isForced) assert.deepEqual(workspace.leftovers(), []);
  assert.deepEqual(namesInSharedMemory(), []);
}

/** @param {...string} usual   scenarios whose endpoints no other one has; the long form has all */
const scenarios = (...usual) => (IS_LONG ? builtinNames('scenario') : usual);
const ENDPOINTS = ['connect', 'fan-out', 'first-answer', 'queue', 'stream'];
// A worker whose channels are closed all the time, one that asks nothing, and one with a relay before its master. Over every class of
// transports, the deaths of both processes are in describe-faults.js; the worker of a queue is in queues.test.js.
const MORTAL = ['connect', 'stream', 'relay'];
// The death of a process is noticed by the same means over every transport, and each of them has its own suite.
const OTHERS = IS_LONG ? ['pipe', 'shared-memory', 'zeromq', 'http'] : [];
const transportsOf = (/** @type {string} */ scenario) =>
  ENDPOINTS.includes(scenario) ? ['unix', ...OTHERS] : ['unix'];
const phasesOver = (/** @type {string} */ transport) =>
  IS_LONG && transport === 'unix' ? ['connect', 'warm-up', 'measure', 'drain'] : ['measure'];
const HELD = ['connect', 'drain']; // a launch stays in these only over PHASES_TRANSPORT
const NEVER_DRAINS = 'connect'; // its channels are closed all the time
const SCENARIO_WORKERS = 2;

/** Processes of a launch, by their command lines. */
const VICTIMS = Object.freeze({
  worker: 'worker/worker.js',
  master: 'controller/master.js',
  relay: 'worker/worker.js relay',
});

/** @param {string} scenario @param {string} transport @returns {Promise<string | null>} */
async function scenarioSkipReason(scenario, transport) {
  const { skipReason, settings } = (await import(builtinUrl('scenario', scenario))).default;
  const { traits } = (await import(builtinUrl('transport', transport))).default;
  return skipReason?.(traits, settingDefaults({ settings }), { workers: SCENARIO_WORKERS }) ?? null;
}

describe('a launch of each scenario', { skip: ON_LINUX }, () => {
  for (const scenario of scenarios(...(IS_WIDE ? MORTAL : []))) {
    for (const transport of transportsOf(scenario)) {
      for (const phase of phasesOver(transport)) {
        if (scenario === NEVER_DRAINS && phase === 'drain') continue;
        for (const [victim, program] of Object.entries(VICTIMS)) {
          if ((victim === 'master' && !IS_LONG) || (victim === 'relay' && scenario !== 'relay')) continue;
          it(`fails when a ${victim} of ${scenario} over ${transport} is killed during ${phase}`, async (t) => {
            const why = await scenarioSkipReason(scenario, transport);
            if (why !== null) return t.skip(why);
            const { end, outcome, left, tookMs } = await disturbedLaunch(phase, 'none', {
              scenario,
              workers: SCENARIO_WORKERS,
              ...(!HELD.includes(phase) && { transport }),
              disturb: () => process.kill(Number(processesBelow(process.pid, program).at(-1)), 'SIGKILL'),
            });
            assert.equal(outcome, `PROCESS_DIED ${phase}`);
            const named = new RegExp(`${victim}.* \\(pid \\d+\\) was killed by SIGKILL`);
            assert.match(end.kind === 'failed' ? end.message : '', named);
            assert.ok(tookMs < patiently(GONE_MS), `${tookMs} ms`);
            // The runner removes the folder of a launch whose master was killed.
            if (victim !== 'master') assert.deepEqual(left, []);
            assert.deepEqual(namesInSharedMemory(), []);
          });
        }
      }
    }
  }
});

const CHARTED =
  '--codec json --launches 1 --warmup 50ms --messages 200 --no-controls --workers 1x2 --out out';
const SHORT = `${CHARTED} --no-charts`;

describe('a run in a faulty environment', { skip: ON_LINUX }, () => {
  const workspace = workspaceForEach();

  /**
   * @param {string} args
   * @param {object} [how]
   * @param {string} [how.limit]      a shell command in front
   * @param {Record<string, string>} [how.environment]
   * @param {(run: ReturnType<typeof startCli>) => void} [how.disturb]
   * @param {string} [how.length]
   */
  async function runIn(args, { limit, environment, disturb, length = SHORT } = {}) {
    const run = startCli(`${args} ${length}`, workspace, environment, limit);
    disturb?.(run);
    const end = await run.ended;
    const path = join(workspace.folder, 'out', 'results.json');
    const results = existsSync(path) ? await readResults(path) : null;
    assert.deepEqual(workspace.leftovers(), []);
    return { ...end, results };
  }

  // What a closed stdout alone leaves on stderr is in stdout.test.js.
  it('saves the results when stdout and stderr are closed', async () => {
    const { code, results } = await runIn('--transport unix', {
      disturb({ child }) {
        child.stdout.destroy();
        child.stderr.destroy();
      },
    });
    assert.equal(code, 0, JSON.stringify(results?.outcomes).slice(0, 1_000));
    assert.equal(results?.status, 'complete');
  });

  it('fails when too few files may be open', async () => {
    const { end, left } = await launchCell({
      transport: '../fixtures/takes-files.js',
      cell: { workers: 8 }, // more than the files that it leaves
      // Of the master alone, and enough to be loaded.
      wrap: ({ command, args }) => ({
        command: '/bin/sh',
        args: ['-c', 'ulimit -n 100; exec "$0" "$@"', command, ...args],
      }),
    });
    assert.ok(end.kind === 'failed');
    assert.match(end.message, /could not be started during connect: .*EMFILE/);
    assert.deepEqual(left, []);
  });

  it('exits with code 2 when the disk is full', async () => {
    const { code, stderr } = await runIn('--transport unix', { limit: 'ulimit -f 2' });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /cannot be written|no room|results\.json/);
  });

  // A URL has no spaces, at which Node would cut its options.
  const canvas = new URL('../fixtures/no-canvas.js', import.meta.url).href;
  const withoutCanvas = { environment: { NODE_OPTIONS: `--import ${canvas}` }, length: CHARTED };

  it('exits with code 2 before it measures when PNG files are requested without a canvas', async () => {
    const { code, stderr, results } = await runIn('--transport unix --png pictures', withoutCanvas);
    assert.deepEqual([code, results], [2, null], stderr);
    assert.match(stderr, /^ipc-bench: no PNG files can be drawn, .*--svg or --html/);
  });

  it('writes all but PNG files when no canvas is installed', async () => {
    const { code, stdout, stderr, results } = await runIn(
      '--transport unix --html page.html --svg pictures --csv rows.csv --markdown rows.md --json all.json',
      withoutCanvas,
    );
    assert.equal(code, 0, stderr);
    assert.equal(results?.status, 'complete');
    assert.match(stdout, /unix/);
    const read = (/** @type {string[]} */ ...path) => readFileSync(join(workspace.folder, ...path), 'utf8');
    for (const name of ['page.html', 'rows.csv', 'rows.md', 'all.json'])
      assert.match(read(name), /unix/, name);
    const svgs = readdirSync(join(workspace.folder, 'pictures'));
    assert.ok(svgs.length > 0);
    for (const name of svgs) assert.match(read('pictures', name), />unix\/json</);
    const said = stderr.split('\n').filter((line) => line.includes('canvas'));
    assert.equal(said.length, 1, stderr);
    assert.match(said[0], /^ipc-bench: no PNG files can be drawn, .*--svg or --html/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

  it('keeps the results when it is stopped while it draws', async () => {
    const run = startCli(`--transport unix ${CHARTED}`, workspace);
    const path = join(workspace.folder, 'out', 'results.json');
    const isComplete = () => existsSync(path) && /"status": ?"complete"/.test(readFileSync(path, 'utf8'));
    await eventually(isComplete, 10_000);
    run.child.kill('SIGINT');
    const { code, signal } = await run.ended;
    assert.ok(code === 0 || code === 130 || signal === 'SIGINT', `${code} ${signal}`);
    assert.equal((await readResults(path)).status, 'complete');
    assert.deepEqual(workspace.leftovers(), []);
  });
});
