// What can go wrong with the processes of a run, in each of its phases, and what the user may then count on: the right
// status and exit code, an end within two seconds, and nothing left behind. Faults of the wire are fault-proxy.test.js'.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readResults } from '../../lib/results/read.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG, LONG_ONLY } from '../conformance/long-form.js';
import { makePlace, placeForEach, startCli } from '../fixtures/cli-run.js';
import {
  commandOf,
  eventually,
  launchCell,
  namesInSharedMemory,
  processesBelow,
} from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';

// That all end with the one that goes wrong is scenario-faults.test.js' as well.
const WORKERS = IS_LONG ? 2 : 1;
const ON_LINUX = process.platform === 'linux' ? false : 'finds processes in /proc';
const PHASES_TRANSPORT = '../fixtures/phases.js';
const GONE_MS = 2_000;
const NOTICED_MS = 1_000;

/**
 * The phases of a launch, and how it is made to stay in each: where the transport waits, or how long the load is.
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

/** @param {string} folder   @param {string} who   @param {() => boolean} [isOver]   nobody will be there any more */
const reached = (folder, who, isOver = () => false) =>
  eventually(() => {
    const isLate = isOver();
    const pid = existsSync(join(folder, who)) && Number(readFileSync(join(folder, who)));
    assert.ok(pid || !isLate, `it ended before ${who} was there`);
    return pid;
  }, 20_000);

/**
 * @param {string} phase
 * @param {string} fault      what w0 does to itself
 * @param {object} [how]
 * @param {(pid: number) => void} [how.disturb]    pid: of who tells that the phase is reached
 * @param {Record<string, number>} [how.deadlines]
 * @param {number} [how.measureMs]
 */
async function disturbedLaunch(phase, fault, { disturb, deadlines, measureMs } = {}) {
  const { at, who, ...timing } = PHASES[phase];
  const folder = mkdtempSync(join(marks, 'm'));
  const before = new Set(processesBelow(process.pid, ''));
  /** @type {Set<string>} */
  const phases = new Set();
  const ending = launchCell({
    transport: PHASES_TRANSPORT,
    cell: { workers: WORKERS, settings: { at, fault, marks: folder } },
    timing: { ...timing, ...(measureMs === undefined ? {} : { measureMs: longEnoughMs(measureMs) }) },
    deadlines,
    onPhase: (each) => phases.add(each),
  });
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ending.then(over, over);
  const pid = await reached(folder, who, () => isOver);
  // Who does something to itself tells that at once, and may have ended the launch by now.
  if (disturb !== undefined && at === 'load') await eventually(() => phases.has(phase) || isOver, 10_000);
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
  // However it ends, the master sees an exit: together the ways meet every phase, and each of them does with LONG_TESTS. One that is
  // killed in the window is scenario-faults.test.js', and one that throws there run.test.js'.
  /** @type {[string, string, string, (pid: number) => void, string[], string?][]} */
  const ways = [
    [
      'is killed by SIGKILL',
      'none',
      'was killed by SIGKILL',
      (pid) => process.kill(pid, 'SIGKILL'),
      ['connect', 'drain'],
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
      it(`that ${how} during ${phase} is noticed within a second`, async () => {
        const { end, outcome, tookMs, left } = await disturbedLaunch(phase, fault, { disturb });
        assert.deepEqual(left, []);
        // Leaving is what it is asked to do in the end: only one that leaves badly fails its launch.
        const isInOrder = phase === 'drain' && fault === 'exit';
        assert.equal(outcome, isInOrder ? 'measured' : `PROCESS_DIED ${phase}`);
        assert.ok(tookMs < patiently(NOTICED_MS), `${tookMs} ms`);
        if (end.kind !== 'failed') return;
        assert.match(end.message, new RegExp(`worker w0 \\(pid \\d+\\) ${told}.* during ${phase}${words}$`));
      });
    }
  }

  it('that runs out of memory is named, with its last words', async () => {
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

  // To its master it is as one whose event loop is blocked.
  it('that is stopped for a second goes on, and the launch is measured', LONG_ONLY, async () => {
    const disturb = (/** @type {number} */ pid) => {
      process.kill(pid, 'SIGSTOP');
      setTimeout(() => process.kill(pid, 'SIGCONT'), 1_000);
    };
    const { outcome } = await disturbedLaunch('measure', 'none', { disturb, measureMs: 1_000 });
    assert.equal(outcome, 'measured');
  });

  // In the window every transport meets it: describe-faults.js.
  for (const [phase, what] of [
    ['connect', 'connect'],
    ...(IS_LONG ? [['measure', 'complete']] : []),
    ['drain', 'end'],
  ]) {
    it(`that is stopped for ever during ${phase} is waited for until the deadline, and named`, async () => {
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

  it('whose event loop is blocked for two seconds is waited for', async () => {
    const deadlines = { replyMs: 5_000, finishMs: 5_000 };
    assert.equal(
      (await disturbedLaunch('measure', 'block', { deadlines, measureMs: 500 })).outcome,
      'measured',
    );
  });

  it('that connects twice does no harm', async () => {
    const cell = { workers: WORKERS, settings: { fault: 'twice' } };
    const { end } = await launchCell({ transport: PHASES_TRANSPORT, cell });
    assert.equal(end.kind, 'done', JSON.stringify(end));
  });

  it('that does not know the token is turned away, and the launch fails', async () => {
    const cell = { workers: WORKERS, settings: { fault: 'intruder' } };
    const { end } = await launchCell({ transport: PHASES_TRANSPORT, cell });
    assert.equal(end.kind === 'failed' && `${end.code} ${end.phase}`, 'TRANSPORT connect');
  });
});

describe('a master that is killed', { skip: ON_LINUX }, () => {
  // Under load it is scenario-faults.test.js'.
  for (const phase of IS_LONG ? Object.keys(PHASES) : ['start']) {
    it(`during ${phase} fails its launch within a second`, async () => {
      const disturb = () => process.kill(processesBelow(process.pid, 'controller/master.js')[0], 'SIGKILL');
      const { end, outcome, tookMs } = await disturbedLaunch(phase, 'none', { disturb });
      assert.equal(outcome, `PROCESS_DIED ${phase}`);
      assert.match(end.kind === 'failed' ? end.message : '', /master.* was killed by SIGKILL/);
      assert.ok(tookMs < patiently(NOTICED_MS), `${tookMs} ms`);
    });
  }
});

describe('a run that is stopped', { skip: ON_LINUX, concurrency: 2 }, () => {
  // All go the same way: together they meet every phase, and each of them does with LONG_TESTS. At any moment SIGINT and
  // SIGKILL are run.test.js'.
  /** @type {[string, NodeJS.Signals[], number | null, string[]][]} */
  const ways = [
    ['SIGINT', ['SIGINT'], 130, ['start']],
    ['SIGINT twice', ['SIGINT', 'SIGINT'], 130, ['measure']],
    ['SIGTERM', ['SIGTERM'], 143, ['connect']],
    ['SIGHUP', ['SIGHUP'], 143, ['drain']],
    ['SIGKILL', ['SIGKILL'], null, ['warm-up']],
  ];
  for (const [name, signals, exitCode, usualPhases] of ways) {
    for (const phase of IS_LONG ? Object.keys(PHASES) : usualPhases) {
      const { at, who, warmupMs, measureMs } = PHASES[phase];
      it(`by ${name} during ${phase} ends in time and leaves nothing`, async () => {
        const place = makePlace();
        const folder = mkdtempSync(join(marks, 'm'));
        try {
          const transport = `${fileURLToPath(new URL('../fixtures/phases.js', import.meta.url))}:at=${at},marks=${folder}`;
          const cell = `--codec json --workers ${WORKERS}x2 --launches 2 --warmup ${warmupMs}ms --measure ${measureMs}ms`;
          const how = `${cell} --no-controls --no-charts --out out`;
          const run = startCli(['--transport', transport, ...how.split(' ')], place);
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
          await assertNothingIsLeft(place, name);
        } finally {
          place.remove();
        }
      });
    }
  }
});

/**
 * @param {import('../fixtures/cli-run.js').Place} place
 * @param {string} how
 */
async function assertNothingIsLeft(place, how) {
  const path = join(place.folder, 'out', 'results.json');
  const isForced = how === 'SIGKILL' || how === 'SIGINT twice';
  if (!isForced) assert.equal((await readResults(path)).status, 'interrupted');
  else if (existsSync(path)) await readResults(path);
  // What is left by force, the next start removes: run.test.js.
  if (!isForced) assert.deepEqual(place.leftovers(), []);
  assert.deepEqual(namesInSharedMemory(), []);
}

const CHARTED =
  '--codec json --launches 1 --warmup 50ms --messages 200 --no-controls --workers 1x2 --out out';
const SHORT = `${CHARTED} --no-charts`;

describe('surroundings that do not play along', { skip: ON_LINUX }, () => {
  const place = placeForEach();

  /**
   * @param {string} args
   * @param {object} [how]
   * @param {string} [how.limit]      a shell command in front
   * @param {Record<string, string>} [how.environment]
   * @param {(run: ReturnType<typeof startCli>) => void} [how.disturb]
   * @param {string} [how.length]
   */
  async function runIn(args, { limit, environment, disturb, length = SHORT } = {}) {
    const run = startCli(`${args} ${length}`, place, environment, limit);
    disturb?.(run);
    const end = await run.ended;
    const path = join(place.folder, 'out', 'results.json');
    const results = existsSync(path) ? await readResults(path) : null;
    assert.deepEqual(place.leftovers(), []);
    return { ...end, results };
  }

  it('stdout is closed: what was measured is saved, and nothing is said of it', async () => {
    const { code, stderr, results } = await runIn('--transport unix', {
      disturb: ({ child }) => child.stdout.destroy(),
    });
    assert.equal(code, 0, `${stderr} ${JSON.stringify(results?.outcomes).slice(0, 1_000)}`);
    assert.doesNotMatch(stderr, /EPIPE|\n\s+at /);
    assert.equal(results?.status, 'complete');
  });

  it('stderr is closed: the run goes on', async () => {
    const { code, stdout, results } = await runIn('--transport unix', {
      disturb: ({ child }) => child.stderr.destroy(),
    });
    assert.equal(code, 0);
    assert.match(stdout, /unix/);
    assert.equal(results?.status, 'complete');
  });

  it('too few files may be open: the launch fails, and nothing hangs', async () => {
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

  it('the disk is full: it is said, with the exit code of an output that cannot be written', async () => {
    const { code, stderr } = await runIn('--transport unix', { limit: 'ulimit -f 2' });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /cannot be written|no room|results\.json/);
  });

  it('the folder may not be written to: it is said before anything is measured', async () => {
    const { code, stderr, results } = await runIn('--transport unix --json /proc/results.json');
    assert.equal(code, 2, stderr);
    assert.equal(results, null);
  });

  it('no canvas is installed: all but the PNG files is there, and a sentence and the exit code tell of those', async () => {
    // A URL has no spaces, at which Node would cut its options.
    const canvas = new URL('../fixtures/no-canvas.js', import.meta.url).href;
    const { code, stdout, stderr, results } = await runIn(
      '--transport unix --html page.html --svg pictures --csv rows.csv --markdown rows.md --json all.json',
      { environment: { NODE_OPTIONS: `--import ${canvas}` }, length: CHARTED },
    );
    assert.equal(code, 2, stderr);
    assert.equal(results?.status, 'complete');
    assert.match(stdout, /unix/);
    const read = (/** @type {string[]} */ ...path) => readFileSync(join(place.folder, ...path), 'utf8');
    for (const name of ['page.html', 'rows.csv', 'rows.md', 'all.json'])
      assert.match(read(name), /unix/, name);
    const svgs = readdirSync(join(place.folder, 'pictures'));
    assert.ok(svgs.length > 0);
    for (const name of svgs) assert.match(read('pictures', name), />unix\/json</);
    const said = stderr.split('\n').filter((line) => line.includes('canvas'));
    assert.equal(said.length, 1, stderr);
    assert.match(said[0], /^ipc-bench: no PNG files can be drawn, .*--svg or --html/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });

  it('it is stopped while it draws: the data is there', async () => {
    const run = startCli(`--transport unix ${CHARTED}`, place);
    const path = join(place.folder, 'out', 'results.json');
    const isComplete = () => existsSync(path) && /"status": ?"complete"/.test(readFileSync(path, 'utf8'));
    await eventually(isComplete, 10_000);
    run.child.kill('SIGINT');
    const { code, signal } = await run.ended;
    assert.ok(code === 0 || code === 130 || signal === 'SIGINT', `${code} ${signal}`);
    assert.equal((await readResults(path)).status, 'complete');
    assert.deepEqual(place.leftovers(), []);
  });
});
