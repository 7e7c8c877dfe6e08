// Whole runs of the command with real processes: what is saved, and what is left when it is stopped. The order of its
// launches and its end are unit/conductor.test.js'.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../lib/processes/launcher.js';
import { parseResults, readResults } from '../../lib/results/read.js';
import { patiently } from '../conformance/deadline.js';
import { callCli, placeForEach, startCli } from '../fixtures/cli-run.js';
import { commandOf, eventually, processesBelow } from '../fixtures/launch-cell.js';

const FAULTS = fileURLToPath(new URL('../conformance/faulty-transport.js', import.meta.url));
// Counted, not timed: a crowded machine may give a process no CPU in some milliseconds.
const SHORT = '--warmup 50ms --messages 200 --workers 1x2 --payload 50 --no-controls --no-charts';
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const server = findOnPath('redis-server') ?? findOnPath('valkey-server');
const WITH_REDIS = { skip: server || process.env.CI ? false : 'no redis-server on PATH' };

const isServer = (/** @type {number} */ pid) =>
  /(redis|valkey)-server/.test(commandOf(pid)) && !commandOf(pid).includes('guardian');

const place = placeForEach();

const resultsPath = () => {
  const folder = join(place.folder, 'ipc-bench-results');
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
  it('goes on when a cell fails, stores why, and says so with exit code 3', async () => {
    const transports = `unix,${FAULTS}:fault=throw,afterMs=20`;
    const args = ['--transport', transports, ...`--codec json --launches 3 ${SHORT}`.split(' ')];
    const { code, stdout, stderr } = await callCli(args, place);
    assert.equal(code, 3, stderr);
    assert.match(stdout, /faults/);
    const { outcomes } = await readResults(resultsPath());
    const failed = outcomes.find(({ cell }) => cell.transport === 'faults');
    assert.ok(failed?.status === 'failed');
    assert.equal(failed.code, 'PROCESS_DIED');
    assert.match(
      failed.message,
      /2 of 2 launches failed: worker w0 \(pid \d+\) ended by itself with exit code 1/,
    );
    const [launch] = failed.launches;
    assert.match(launch.status === 'failed' ? launch.stderr.join('\n') : '', /thrown on purpose/);
    const measured = outcomes.find(({ cell }) => cell.transport === 'unix');
    assert.equal(measured?.status === 'measured' && measured.launches.length, 3);
  });

  it('works twice at once in one folder', async () => {
    const args = `--transport unix --codec json --launches 1 ${SHORT}`;
    const both = await Promise.all(['a', 'b'].map((out) => startCli(`${args} --out ${out}`, place).ended));
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
    );
  });

  it('finds a shorter folder when the temporary one is too long for sockets', ON_LINUX, async () => {
    const temporary = join(place.temporary, 'x'.repeat(120));
    mkdirSync(temporary);
    const args = `--transport unix,zeromq --codec json --launches 1 ${SHORT}`;
    const { code, stderr } = await callCli(args, { ...place, temporary });
    assert.equal(code, 0, stderr);
  });

  it('measures on one CPU as well', ON_LINUX, async () => {
    const run = startCli(`--transport unix --codec json --launches 1 ${SHORT}`, place);
    execFileSync('taskset', ['-a', '-p', '-c', '0', String(run.child.pid)]);
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    const [launch] = launchesOf(await readResults(resultsPath()));
    assert.deepEqual(launch.status === 'measured' && launch.costs.map(({ cpus }) => cpus), [[0], [0]]);
  });
});

describe('stopping a run', ON_LINUX, () => {
  const LONG = `--transport unix,tcp --codec json --launches 50 ${SHORT}`;
  const firstSaved = () => eventually(() => existsSync(resultsPath()), 8_000);

  // What the other signals do, in each phase of a launch, is fault-matrix.test.js'.
  it('with SIGINT keeps what was measured, leaves nothing, and exits 130 within 2 s', async () => {
    const run = startCli(LONG, place);
    await firstSaved();
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 300));
    const askedMs = performance.now();
    run.child.kill('SIGINT');
    const { code } = await run.ended;
    assert.ok(performance.now() - askedMs < patiently(2_000));
    assert.equal(code, 130);
    const results = await readResults(resultsPath());
    assert.equal(results.status, 'interrupted');
    assert.ok(launchesOf(results).length > 0);
    assert.ok(launchesOf(results).every(({ status }) => status === 'measured'));
    assert.deepEqual(place.leftovers(), []);
  });

  it('with SIGKILL leaves no process, a results file that can be read, and nothing after the next run', async () => {
    const run = startCli(LONG, place);
    await firstSaved();
    const below = await eventually(() => {
      const found = processesBelow(Number(run.child.pid), 'launch/');
      return found.length >= 2 && found;
    }, 5_000);
    run.child.kill('SIGKILL');
    await run.ended;
    await eventually(() => below.every((pid) => !commandOf(pid).includes('launch/')), 2_000);
    await readResults(resultsPath());
    const again = `--transport unix --codec json --launches 1 --out again ${SHORT}`;
    assert.equal((await callCli(again, place)).code, 0);
    assert.deepEqual(place.leftovers(), []);
  });

  it('with SIGKILL ends a private redis-server as well', WITH_REDIS, async () => {
    const run = startCli(`--transport redis-pubsub --codec json --launches 50 ${SHORT}`, place);
    const below = await eventually(() => {
      const found = processesBelow(Number(run.child.pid), '');
      return found.some(isServer) && found;
    }, 8_000);
    await firstSaved();
    run.child.kill('SIGKILL');
    await run.ended;
    await eventually(() => below.every((pid) => commandOf(pid) === ''), 2_000);
  });
});

describe('a broker', () => {
  it('that dies fails its launch with the cause, and is there again for the next', {
    ...WITH_REDIS,
    ...(ON_LINUX.skip ? ON_LINUX : {}),
  }, async () => {
    const cell =
      '--transport redis-pubsub --codec json --workers 1x1 --launches 2 --warmup 50ms --measure 1s';
    const run = startCli(`${cell} --no-controls --no-charts`, place);
    const pid = await eventually(() => processesBelow(Number(run.child.pid), '').find(isServer), 8_000);
    await eventually(() => processesBelow(Number(run.child.pid), 'launch/worker.js').length > 0, 5_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    process.kill(pid, 'SIGKILL');
    assert.equal((await run.ended).code, 3);
    const launches = launchesOf(await readResults(resultsPath()));
    assert.deepEqual(
      launches.map(({ status }) => status),
      ['failed', 'measured'],
    );
    assert.equal(launches[0].status === 'failed' && launches[0].code, 'BROKER');
    assert.match(launches[0].status === 'failed' ? launches[0].message : '', /redis/);
  });

  it('that cannot be reached fails its cells, and its password appears nowhere', async () => {
    const secret = 'S3nt1nelPassw0rd';
    const urlOf = (/** @type {string} */ scheme) =>
      `${scheme}://sentineluser:${secret}@127.0.0.1:1/0?x=${secret}`;
    const run = startCli(
      `--transport redis-pubsub,nats,mqtt,rabbitmq,unix --codec json --launches 1 ${SHORT}`,
      place,
      {
        IPC_BENCH_REDIS_URL: urlOf('redis'),
        IPC_BENCH_BROKER_URL: `nats=${urlOf('nats')},mqtt=${urlOf('mqtt')},rabbitmq=${urlOf('amqp')}`,
      },
    );
    let commands = '';
    const watch = setInterval(() => {
      for (const pid of processesBelow(Number(run.child.pid), '')) commands += commandOf(pid);
    }, 50);
    const { code, stdout, stderr } = await run.ended;
    clearInterval(watch);
    assert.equal(code, 3);
    const saved = readdirSync(join(place.folder, 'ipc-bench-results'), {
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

describe('the results file', () => {
  it('is valid at every moment, and private where the umask says so', async () => {
    const run = startCli(`--transport unix --codec json --launches 2 ${SHORT}`, place);
    let reads = 0;
    let isOver = false;
    run.ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (!existsSync(resultsPath())) continue;
      parseResults(readFileSync(resultsPath(), 'utf8'), 'results.json');
      reads += 1;
    }
    assert.ok(reads > 10);
    assert.ok(statSync(resultsPath()).size > 1_000);
  });
});
