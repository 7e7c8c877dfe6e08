// Runs always.
// Runs of the command with real processes: what is saved, and what is left after a stop. The order of launches and the end of a run are in
// unit/interleaved-run.test.js.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../lib/children/launcher.js';
import { parseResults, readResults } from '../../lib/results/read.js';
import { patiently } from '../conformance/deadline.js';
import { callCli, startCli, workspaceForEach } from '../fixtures/cli-run.js';
import { commandOf, eventually, processesBelow } from '../fixtures/launch-cell.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const FAULTS = fileURLToPath(new URL('../conformance/faulty-transport.js', import.meta.url));
// Counted, not timed: a crowded machine may give a process no CPU in some milliseconds.
const SHORT = '--warmup 50ms --messages 200 --workers 1x2 --payload 50 --no-controls --no-charts';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const server = findOnPath('redis-server') ?? findOnPath('valkey-server');
const WITH_REDIS = { skip: server || process.env.CI ? false : 'no redis-server on PATH' };

const isServer = (/** @type {number} */ pid) =>
  /(redis|valkey)-server/.test(commandOf(pid)) && !commandOf(pid).includes('supervisor');

const workspace = workspaceForEach();

const resultsPath = () => {
  const folder = join(workspace.folder, 'ipc-bench-results');
  const [run = 'none yet'] = existsSync(folder) ? readdirSync(folder) : [];
  return join(folder, run, 'results.json');
};

/** @param {import('../../lib/types/results-file.js').Results} results */
const launchesOf = (results) =>
  results.outcomes
    .flatMap((outcome) =>
      outcome.status === 'skipped'
        ? []
        : outcome.launches.map((launch) => ({ ...launch, cell: outcome.cell })),
    )
    .sort((left, right) => left.order - right.order);

describe('a run', () => {
  it('continues when a cell fails, saves the reason, and exits with code 3', async () => {
    const transports = `unix,${FAULTS}:fault=throw,afterMs=20`;
    const args = ['--transport', transports, ...`--codec json --launches 1 ${SHORT}`.split(' ')];
    const { code, stdout, stderr } = await callCli(args, workspace);
    assert.equal(code, 3, stderr);
    assert.match(stdout, /faults/);
    const { outcomes } = await readResults(resultsPath());
    const failed = outcomes.find(({ cell }) => cell.transport === 'faults');
    assert.ok(failed?.status === 'failed');
    assert.equal(failed.code, 'PROCESS_DIED');
    assert.match(
      failed.message,
      /in the only launch: worker w0 \(pid \d+\) ended by itself with exit code 1 during .*: Error: thrown on purpose$/,
    );
    const measured = outcomes.find(({ cell }) => cell.transport === 'unix');
    assert.equal(measured?.status, 'measured');
  });

  it('uses a shorter folder if the temporary one is too long for sockets', ON_LINUX, async () => {
    const temporary = join(workspace.temporary, 'x'.repeat(120));
    mkdirSync(temporary);
    const args = `--transport unix --codec json --launches 1 ${SHORT}`;
    const { code, stderr } = await callCli(args, { ...workspace, temporary });
    assert.equal(code, 0, stderr);
  });

  it('measures on one CPU', ON_LINUX, async () => {
    // At a low rate, the readings of the costs are in time.
    const timed = SHORT.replace('--messages 200', '--rate 100 --measure 600ms');
    const run = startCli(`--transport unix --codec json --launches 2 ${timed}`, workspace);
    execFileSync('taskset', ['-a', '-p', '-c', '0', String(run.child.pid)]);
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    const launches = launchesOf(await readResults(resultsPath()));
    const known = launches.flatMap((launch) =>
      launch.status === 'measured' && launch.unknownCosts === undefined ? [launch.costs] : [],
    );
    assert.ok(known.length > 0, 'the costs of a launch are known');
    for (const costs of known)
      assert.deepEqual(
        costs.map(({ cpus }) => cpus),
        [[0], [0]],
      );
  });
});

describe('a stopped run', ON_LINUX, () => {
  const longWith = (/** @type {string} */ transports) =>
    `--transport ${transports} --codec json --launches 50 ${SHORT}`;

  // The other signals, in each phase of a launch, are in fault-matrix.test.js.
  it('keeps its launches, leaves nothing, and exits with code 130 within 2 s after SIGINT', async () => {
    const run = startCli(longWith('unix,tcp'), workspace);
    let reads = 0;
    await eventually(() => {
      if (!existsSync(resultsPath())) return false;
      const results = parseResults(readFileSync(resultsPath(), 'utf8'), 'results.json');
      reads += 1;
      return reads > 10 && launchesOf(results).length > 0;
    }, 10_000);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
    const askedMs = performance.now();
    run.child.kill('SIGINT');
    const { code } = await run.ended;
    assert.ok(performance.now() - askedMs < patiently(2_000));
    assert.equal(code, 130);
    const results = await readResults(resultsPath());
    assert.equal(results.status, 'interrupted');
    assert.ok(launchesOf(results).length > 0);
    assert.ok(launchesOf(results).every(({ status }) => status === 'measured'));
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('leaves no process but a readable results file after SIGKILL, and nothing after the next run', async () => {
    const run = startCli(longWith(WITH_REDIS.skip ? 'unix' : 'redis-pubsub'), workspace);
    await eventually(() => existsSync(resultsPath()), 8_000);
    const below = await eventually(() => {
      const found = processesBelow(Number(run.child.pid), '');
      const inLaunch = found.filter((pid) => commandOf(pid).includes('launch/'));
      const isServed = Boolean(WITH_REDIS.skip) || found.some(isServer);
      return inLaunch.length >= 2 && isServed && found;
    }, 5_000);
    run.child.kill('SIGKILL');
    await run.ended;
    await eventually(() => below.every((pid) => commandOf(pid) === ''), 2_000);
    await readResults(resultsPath());
    const again = `--transport unix --codec json --launches 1 --out again ${SHORT}`;
    assert.equal((await callCli(again, workspace, { launch: simulatedLauncher() })).code, 0);
    assert.deepEqual(workspace.leftovers(), []);
  });
});

describe('a broker', () => {
  it('fails its launch when it dies, and is restarted for the next one', {
    ...WITH_REDIS,
    ...(ON_LINUX.skip ? ON_LINUX : {}),
  }, async () => {
    const cell =
      '--transport redis-pubsub --codec json --workers 1x1 --launches 2 --rate 100 --warmup 50ms --measure 3s';
    const run = startCli(`${cell} --no-controls --no-charts`, workspace, { NODE_DEBUG: 'ipc-bench' });
    // The window opens some milliseconds after this. Before the launch, a server may run to print its version.
    await eventually(() => run.stderrSoFar().includes('sends slice'), 20_000);
    process.kill(Number(processesBelow(Number(run.child.pid), '').find(isServer)), 'SIGKILL');
    assert.equal((await run.ended).code, 3);
    const launches = launchesOf(await readResults(resultsPath()));
    assert.deepEqual(
      launches.map(({ status }) => status),
      ['failed', 'measured'],
      launches.map((launch) => (launch.status === 'failed' ? launch.message : '')).join('\n'),
    );
    assert.equal(launches[0].status === 'failed' && launches[0].code, 'BROKER');
    assert.match(launches[0].status === 'failed' ? launches[0].message : '', /redis/);
  });

  it('fails its cells if it cannot be reached, without printing its password', async () => {
    const secret = 'S3nt1nelPassw0rd';
    const urlOf = (/** @type {string} */ scheme) =>
      `${scheme}://sentineluser:${secret}@127.0.0.1:1/0?x=${secret}`;
    const run = startCli(
      `--transport redis-pubsub,nats,mqtt,rabbitmq --codec json --launches 1 ${SHORT}`,
      workspace,
      {
        IPC_BENCH_BROKER_URL: `redis=${urlOf('redis')},nats=${urlOf('nats')},mqtt=${urlOf('mqtt')},rabbitmq=${urlOf('amqp')}`,
      },
    );
    let commands = '';
    const watch = setInterval(() => {
      for (const pid of processesBelow(Number(run.child.pid), '')) commands += commandOf(pid);
    }, 100);
    const { code, stdout, stderr } = await run.ended;
    clearInterval(watch);
    assert.equal(code, 3);
    const saved = readdirSync(join(workspace.folder, 'ipc-bench-results'), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    for (const text of [stdout, stderr, commands, ...saved]) {
      assert.ok(!text.includes(secret) && !text.includes('sentineluser'));
    }
    for (const name of ['redis-pubsub', 'nats', 'mqtt', 'rabbitmq']) {
      assert.match(stdout.replaceAll(/\s+/g, ' '), new RegExp(`Failed: ${name}: `), name);
    }
  });
});
