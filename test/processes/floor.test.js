// Runs in CI.
// The native baseline in real processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cacheFolder, findCompiler } from '../../lib/children/compiled-program.js';
import { pinnableCpus } from '../../lib/machine/placement.js';
import { readResults } from '../../lib/results/read.js';
import { compileFloor, launchFloor } from '../../lib/run/diagnostics/native-baseline.js';
import { makeWorkspace } from '../fixtures/cli-run.js';
import { commandOf, eventually, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { bench } from '../fixtures/simulated-bench.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

/** @import { FloorKey } from '../../lib/plan/planned-baseline.js' */

const GONE_MS = 20_000;
// In CI a machine without a compiler is a failure.
const skip = findCompiler() === undefined && !process.env.CI ? 'no C compiler on PATH' : false;
/** @type {FloorKey} */
const KEY = {
  mechanism: 'unix',
  coalesces: false,
  spins: false,
  payloadBytes: 100,
  workers: 2,
  loops: 3,
  placement: 'split',
};
const ARGS =
  '--codec string --workers 1x2 --payload 50 --launches 2 --tier-up usual --no-controls --no-charts --lock ignore --floor';

/** @param {string} folder @param {Record<string, string>} variables @param {() => Promise<void>} work   meanwhile */
async function withEnvironment(folder, variables, work) {
  const saved = { ...process.env };
  Object.assign(process.env, { ...withTemporaryFolder(folder) }, variables);
  try {
    await work();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, saved);
  }
}

const LONGER_MS = 2_000;

/** @param {Awaited<ReturnType<typeof launchFloor>>['cpuUs']} cpuUs */
const isKnown = (cpuUs) => cpuUs !== null && cpuUs.master > 0 && cpuUs.workers > 0;

const folder = ownFolder('ibf-');
let program = '';
before(async () => {
  if (!skip) program = await compileFloor(folder);
});

describe('the native baseline', { skip, timeout: 600_000 }, () => {
  const { signal } = new AbortController();
  const cpus = pinnableCpus();

  /** @param {Partial<FloorKey>} key @param {number[] | null} [launchCpus] @param {number} [measureMs] @returns {ReturnType<typeof launchFloor>} */
  async function launch(key, launchCpus = cpus, measureMs = 100) {
    try {
      return await launchFloor(program, { ...KEY, ...key }, { cpus: launchCpus, signal, measureMs });
    } catch (error) {
      // On a crowded machine a window may pass without an answer.
      if (/** @type {any} */ (error).code !== 'DEADLINE' || measureMs > 5_000) throw error;
      return launch(key, launchCpus, 8 * measureMs);
    }
  }
  const floorsLeft = () => processesBelow(process.pid, program);

  // Under memory the message is larger than the ring: it passes in pieces, and both ends wait for room.
  for (const [mechanism, large] of /** @type {[FloorKey['mechanism'], number][]} */ ([
    ['pipe', 300_000],
    ['unix', 300_000],
    ['tcp', 300_000],
    ['memory', 1_500_000],
  ])) {
    const isMissing = mechanism === 'memory' && process.platform !== 'linux' && 'no futex';
    it(`sends small and large payloads through ${mechanism}, direct and coalesced`, {
      skip: isMissing,
    }, async () => {
      for (const key of [
        { payloadBytes: 1 },
        { coalesces: true },
        { payloadBytes: large, coalesces: true },
      ]) {
        const { perSecond, cpuUs } = await launch({ mechanism, ...key });
        assert.ok(perSecond > 0 && Number.isFinite(perSecond));
        if (process.platform !== 'linux' || isKnown(cpuUs)) continue;
        // On a crowded machine a process may get too little CPU time for a reading within a short window.
        const longer = await launch({ mechanism, ...key }, undefined, LONGER_MS);
        assert.ok(isKnown(longer.cpuUs), JSON.stringify(longer));
      }
      assert.deepEqual(floorsLeft(), []);
    });
  }

  it('spins, and runs without pinning', async () => {
    for (const mechanism of /** @type {const} */ (['pipe', 'unix', 'memory'])) {
      const key = { mechanism, spins: true, workers: 1, placement: /** @type {const} */ ('free') };
      const { perSecond } = await launch(key, null);
      assert.ok(perSecond > 0);
    }
  });

  it('is compiled into the cache of the user, or the folder of the run', async () => {
    const own = mkdtempSync(join(folder, 'own-'));
    const cache = mkdtempSync(join(folder, 'cache-'));
    await withEnvironment(folder, { XDG_CACHE_HOME: cache }, async () => {
      const first = await compileFloor(own);
      assert.deepEqual(readdirSync(String(cacheFolder())), [basename(first)]);
      assert.equal(await compileFloor(own), first);
    });
    const file = join(folder, 'a file');
    writeFileSync(file, '');
    await withEnvironment(folder, { XDG_CACHE_HOME: file }, async () => {
      const there = await compileFloor(own);
      assert.equal(readdirSync(own).includes(there.slice(own.length + 1)), true);
    });
  });

  it('is rejected on Windows', async () => {
    await assert.rejects(compileFloor(folder, 'win32'), {
      code: 'BAD_ARGUMENT',
      message: /not supported on Windows/,
    });
  });
});

describe('the processes of the native baseline', {
  skip: skip || (process.platform !== 'linux' && 'no /proc'),
}, () => {
  const long = { cpus: null, signal: new AbortController().signal, measureMs: 50_000 };

  /** @param {AbortSignal} [signal] @returns {Promise<{ pid: number, all: number[], ended: Promise<unknown> }>} all: its processes, once they answer */
  async function started(signal = long.signal) {
    let pid = 0;
    const onStart = (/** @type {number} */ own) => {
      pid = own;
    };
    const ended = launchFloor(program, KEY, { ...long, signal, onStart }).catch((error) => error);
    const all = await eventually(() => {
      const below = processesBelow(pid, program);
      return below.length === 1 + KEY.workers && [pid, ...below];
    }, GONE_MS);
    return { pid, all, ended };
  }
  const areGone = (/** @type {number[]} */ all) =>
    eventually(() => all.every((pid) => !commandOf(pid).includes(program)), GONE_MS);

  it('fail by name when one of them is killed', async () => {
    const names = new Set();
    for (const index of [1, 3]) {
      const { all, ended } = await started();
      process.kill(all[index], 'SIGKILL');
      const { code, message } = /** @type {any} */ (await ended);
      assert.equal(code, 'PROCESS_DIED');
      const [, who] =
        /^the native baseline ended: exit code 1 \(floor: (.*) was killed by signal 9\)$/.exec(message) ?? [];
      assert.match(who, /^(the master|worker [01])$/);
      names.add(who);
      await areGone(all);
    }
    assert.equal(names.size, 2);
  });

  it('end with their parent, and after an abort', async () => {
    const killed = await started();
    process.kill(killed.pid, 'SIGKILL');
    assert.match(String(await killed.ended), /the native baseline ended: killed by SIGKILL/);
    await areGone(killed.all);
    const interruption = new AbortController();
    const interrupted = await started(interruption.signal);
    interruption.abort();
    assert.equal(/** @type {any} */ (await interrupted.ended).code, 'INTERRUPTED');
    await areGone(interrupted.all);
  });

  it('end when stdin closes', async () => {
    const words = 'unix direct sleep 100 2 2 50 50000 free free,free'.split(' ');
    const child = spawn(program, words, { stdio: ['pipe', 'ignore', 'ignore'] });
    const all = await eventually(() => {
      const below = processesBelow(Number(child.pid), program);
      return below.length === 3 && [Number(child.pid), ...below];
    }, GONE_MS);
    child.stdin.end();
    await areGone(all);
  });
});

describe('a run with --floor', { skip, timeout: 600_000 }, () => {
  const workspace = makeWorkspace();
  after(() => workspace.remove());

  /** @param {string} out @param {string} [further] */
  const run = async (out, further = '') => {
    const path = join(workspace.folder, out);
    const args = `--transport unix,tcp,udp ${ARGS} ${further}`.trim().split(' ');
    const { code, stdout, stderr } = await bench([...args, '--out', path]);
    return { code, stdout, stderr, path: join(path, 'results.json') };
  };
  /** @param {string} name @param {string} script @returns {string} a folder with a cc of that script */
  function compilerOf(name, script) {
    const folder = join(workspace.folder, name);
    mkdirSync(folder);
    writeFileSync(
      join(folder, 'cc'),
      `#!/bin/sh\nif [ "$1" = --version ]; then echo ${name}; exit; fi\n${script}\n`,
    );
    chmodSync(join(folder, 'cc'), 0o755);
    return `${folder}${delimiter}${process.env.PATH}`;
  }

  it('measures each baseline in each group', async () => {
    const { code, stdout, path } = await run('out');
    assert.equal(code, 0, stdout);
    const { floor } = await readResults(path);
    assert.deepEqual(
      floor?.rows.map(({ mechanism, cells, launches }) => [
        mechanism,
        cells.length,
        launches.map(({ group }) => group),
      ]),
      [
        ['unix', 1, [0, 1]],
        ['tcp', 1, [0, 1]],
      ],
    );
    assert.match(stdout, /of floor/);
    assert.match(
      stdout,
      /No native baseline: udp\/string \(the native baseline has no program for the mechanism/,
    );
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('is rejected without a compiler, with the remedy', async () => {
    const empty = join(workspace.folder, 'empty');
    mkdirSync(empty);
    const failing = compilerOf('failing', 'echo "main.c:1: error: no such header" >&2; exit 1');
    const cache = join(workspace.folder, 'no such cache');
    for (const [PATH, why] of /** @type {[string, RegExp][]} */ ([
      [empty, /--floor needs a C compiler, and none is on PATH: \S+ /],
      [failing, /--floor could not be compiled by .*cc \(main\.c:1: error: no such header\): \S+ /],
    ])) {
      await withEnvironment(workspace.temporary, { PATH, XDG_CACHE_HOME: cache }, async () => {
        await assert.rejects(run('refused'), { code: 'BAD_ARGUMENT', message: why });
      });
    }
    assert.equal(existsSync(join(workspace.folder, 'refused', 'results.json')), false);
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('needs no compiler if no row has a baseline', async () => {
    const empty = join(workspace.folder, 'nothing');
    mkdirSync(empty);
    await withEnvironment(workspace.temporary, { PATH: empty }, async () => {
      const args = `--transport udp ${ARGS}`.split(' ');
      assert.equal((await bench([...args, '--out', join(workspace.folder, 'udp')])).code, 0);
    });
  });
});
