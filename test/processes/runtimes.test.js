// Runs at night.
// Masters and workers on other runtimes, as real processes: each of them as either end, over one transport of each class that it
// can do. What is not installed skips by name, and fails in CI. TEST_RUNTIMES has folders in which they are looked for.

import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runtimesByRole } from '../../lib/cell/launch-roles.js';
import { BenchError } from '../../lib/errors.js';
import { runtimeSkipReason } from '../../lib/plan/skip-reasons.js';
import {
  defaultSearchPaths,
  loadRuntimes,
  runtimeVersions,
  thisNode,
} from '../../lib/plugins/find-runtimes.js';
import { calibrateHere } from '../../lib/run/diagnostics/calibration.js';
import { callCli } from '../fixtures/cli-run.js';
import { keepServers, TRANSPORTS } from '../fixtures/house-launches.js';
import { eventually } from '../fixtures/launch-cell.js';
import { countSleepers, SLEEP } from '../fixtures/sleepers.js';

const TIMEOUT_MS = 600_000;
const ON_POSIX = { skip: process.platform === 'win32' ? 'needs a shell' : false };
const searchPaths = defaultSearchPaths((process.env.TEST_RUNTIMES ?? '').split(delimiter).filter(Boolean));
const OWN = `node@${process.versions.node.split('.')[0]}`; // is the other end of each
const EVERY = ['node@20', 'node@22', 'node@24', 'node@26', 'bun', 'deno'].filter((name) => name !== OWN);
/** @param {string} name @returns {string[]} a Node is either end of this one, and what is no Node plays both as well */
const endsOf = (name) => [...(name.startsWith('node') ? [] : ['']), 'worker:', 'master:'];
// One of each class, and those of which some runtime lacks one end.
const OVER = ['pipe', 'stdio', 'fifo', 'unix', 'udp', 'shared-memory', 'threads-message', 'zeromq', 'http'];
const BROKERS = ['redis-pubsub'];

/** @type {(readonly [runtime: string, transport: string])[]} */
const wanted = EVERY.flatMap((name) =>
  endsOf(name).flatMap((end) =>
    [...OVER, ...BROKERS].map((transport) => /** @type {const} */ ([end + name, transport])),
  ),
).concat(
  // Threads are of one process, and so of one runtime.
  EVERY.filter((name) => name.startsWith('node')).map((name) => [name, 'threads-message']),
  [['master:deno+worker:bun', 'unix']],
);

describe('a launch on other runtimes', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();

  for (const [text, name] of wanted) {
    it(`measures ${name} on ${text}`, async (t) => {
      const transport = TRANSPORTS.find((one) => one.name === name) ?? assert.fail(name);
      const [choice] = await loadRuntimes([text], searchPaths);
      if (choice.unavailable !== null && !process.env.CI) return t.skip(choice.unavailable);
      assert.equal(choice.unavailable, null);
      const runtimes = { choices: [choice], thisNode: await thisNode() };
      const cell = { codec: 'json', runtime: choice.runtime, workers: 2, loops: 2 };
      const why = runtimeSkipReason(
        { choice, thisNode: runtimes.thisNode },
        /** @type {any} */ ({ transport, scenario: { name: 'round-trip' }, cell: { ...cell, settings: {} } }),
      );
      if (why !== null) return t.diagnostic(`not asked: ${why}`);
      const launch = await launched(transport, { runtimes, cell, deadlines: DEADLINES });
      if ('why' in launch) return t.skip(launch.why);
      const { end, left } = launch;
      assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 2_000));
      const { operations, reports, clocks = {} } = /** @type {any} */ (end).fields;
      assert.ok(operations > 0, 'something was answered');
      assert.deepEqual(left, []);
      assert.deepEqual(Object.keys(clocks), clocksCompared(text, name));
      for (const { shiftMs, boundMs } of Object.values(clocks)) {
        assert.ok(Number.isFinite(shiftMs) && boundMs >= 0 && boundMs < 1_000, `${shiftMs} ± ${boundMs} ms`);
      }
      assert.ok(reports.every((/** @type {any} */ { windowMs = 1 }) => windowMs > 0));
    });
  }
});

// Crowded machines start a runtime of 100 MB in seconds.
const DEADLINES = { connectMs: 20_000, finishMs: 10_000, exitMs: 10_000, replyMs: 10_000, lifeMs: 90_000 };

/** @param {string} text @param {string} transport @returns {string[]} ids of workers that do not share the clock of their master */
function clocksCompared(text, transport) {
  const isOfThreads = transport.startsWith('threads');
  const isNode = Object.values(runtimesByRole(text)).every((name) => name.startsWith('node'));
  return isNode || isOfThreads ? [] : ['w0', 'w1'];
}

describe('controls on other runtimes', { timeout: TIMEOUT_MS }, () => {
  const url = (/** @type {string} */ path) => new URL(path, import.meta.url).href;
  const task = {
    codecUrl: url('../../lib/codecs/builtin/json.js'),
    codec: 'json',
    withTimer: false,
    scenarioUrl: url('../../scenarios/round-trip.js'),
    scenario: 'round-trip',
    settings: {},
    payloadBytes: 100,
    loops: 2,
    seed: 1,
  };

  for (const name of ['bun', 'deno']) {
    it(`measures loops on ${name}`, async (t) => {
      const [{ every, unavailable }] = await loadRuntimes([name], searchPaths);
      if (every === null && !process.env.CI) return t.skip(String(unavailable));
      assert.ok(every, String(unavailable));
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const measured = await calibrateHere(task, every, { cpus: null, signal });
      assert.ok(measured, 'it told');
      const { codecUs, nullUs } = measured.row;
      assert.ok(codecUs.estimate > 0 && nullUs > 0, JSON.stringify(measured));
    });
  }
});

describe('a runtime that dies in a native add-on', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();

  it('fails its cell with the cause from its last lines', async (t) => {
    const [choice] = await loadRuntimes(['worker:bun'], searchPaths);
    if (choice.unavailable !== null && !process.env.CI) return t.skip(choice.unavailable);
    const zeromq = TRANSPORTS.find(({ name }) => name === 'zeromq') ?? assert.fail();
    const runtimes = { choices: [choice], thisNode: await thisNode() };
    const cell = { codec: 'json', runtime: 'worker:bun', workers: 1 };
    const launch = await launched(zeromq, { runtimes, cell, deadlines: DEADLINES });
    if ('why' in launch) return t.skip(launch.why);
    const { end, left } = launch;
    assert.ok(end.kind === 'failed');
    assert.equal(`${end.code} ${end.phase}`, 'PROCESS_DIED connect');
    assert.match(
      end.message,
      /^worker w0 \(pid \d+\) was killed by \w+ during connect: panic.*uv_poll_init_socket/,
    );
    assert.deepEqual(left, []);
  });
});

describe('loadRuntimes', () => {
  let folder = '';
  /** @param {string} name @param {string} said */
  const program = async (name, said) => {
    await writeFile(join(folder, name), `#!/bin/sh\necho '${said}'\n`);
    await chmod(join(folder, name), 0o755);
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ibr-'));
    await program('deno', 'deno 7.8.9 (stable, release, x86_64)');
    await program('other', '3.4.5-beta.1');
    await program('mute', 'hello');
  });
  after(() => rm(folder, { recursive: true }));
  const here = () => defaultSearchPaths([folder], folder, '');

  it('reads the version of a program, and names one by its path', async () => {
    const choices = await loadRuntimes(['deno', `bun=${join(folder, 'other')}`, 'deno@7.8'], here());
    assert.deepEqual(
      choices.map(({ runtime, unavailable }) => [runtime, unavailable]),
      [
        ['deno', null],
        ['bun@3.4.5-beta.1', null],
        ['deno@7.8', null],
      ],
    );
    assert.deepEqual(runtimeVersions(choices), {
      deno: '7.8.9',
      'bun@3.4.5-beta.1': '3.4.5-beta.1',
      'deno@7.8': '7.8.9',
    });
  });

  it(
    'reads the version of a script that starts others, and leaves none of them behind',
    ON_POSIX,
    async () => {
      const wrapper = join(folder, 'wrapper');
      await writeFile(wrapper, `#!/bin/sh\n${SLEEP} &\necho 5.6.7\n`, { mode: 0o755 });
      const [{ runtime }] = await loadRuntimes([`bun=${wrapper}`], here());
      assert.equal(runtime, 'bun@5.6.7');
      await eventually(() => countSleepers() === 0, 2_000);
    },
  );

  it('lists runtimes of the given folders', async () => {
    const workspace = { folder, temporary: folder };
    const args = ['list', 'runtimes', '--json', '-', '--runtime-path', folder];
    const { runtimes } = JSON.parse((await callCli(args, workspace)).stdout);
    const deno = runtimes.find((/** @type {any} */ { name }) => name === 'deno');
    assert.deepEqual(deno.found[0], { version: '7.8.9', path: join(folder, 'deno') });
  });

  it('reports what is missing, what exists instead, and how to install it', async () => {
    const [bun, deno] = await loadRuntimes(['bun', 'worker:deno@6+master:bun'], here());
    assert.match(
      String(bun.unavailable),
      /^there is no bun on PATH, .*: npm i @oven\/bun-\S+, or --runtime bun=PATH$/,
    );
    assert.equal(bun.runtime, 'bun');
    assert.match(String(deno.unavailable), /there is no deno@6 .* \(found: 7\.8\.9\): npm i .*@6, or/);
    assert.match(String(deno.unavailable), /there is no bun/);
  });

  it('names a program that prints no version', async () => {
    const silent = join(folder, 'silent');
    await mkdir(silent);
    await copyFile(join(folder, 'mute'), join(silent, 'bun'));
    const [bun] = await loadRuntimes(['bun'], { ...here(), own: [silent] });
    assert.match(String(bun.unavailable), /\(found: .*silent.bun printed no version with --version\)/);
  });

  it('uses this Node for a version that it has', async () => {
    const [major] = process.versions.node.split('.');
    const [choice] = await loadRuntimes([`node@${major}`], here());
    assert.equal(choice.every?.path, process.execPath);
    assert.equal(choice.unavailable, null);
  });

  it('rejects a path to another program', async () => {
    const refused = (/** @type {string} */ text, /** @type {RegExp} */ why) =>
      assert.rejects(loadRuntimes([text], here()), (error) => {
        assert.ok(error instanceof BenchError && error.code === 'BAD_ARGUMENT');
        assert.match(error.message, why);
        return true;
      });
    await refused(`node=${join(folder, 'gone')}`, /there is no program; check the path/);
    await refused(`node=${join(folder, 'mute')}`, /printed no version/);
    await refused(`deno@6=${join(folder, 'deno')}`, /it is version 7\.8\.9, not 6/);
    await refused('perl', /no runtime perl; there are bun, deno, go, node/);
  });
});
