// Runs at night.
// Sixteen agents with eight workers each, four on a small machine: what the run itself needs for them, apart from what they measure,
// and how they end.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../lib/channels/brokers/private-server.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { readCost } from '../../lib/machine/process-cost.js';
import { COMMAND, makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { processesBelow } from '../fixtures/launch-cell.js';
import { spawnBound } from '../fixtures/spawn-bound.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

const AGENTS = Array.from({ length: 17 }, (_, index) => `h${index}`);
const [MASTER, ...WORKERS] = AGENTS;
// On two CPUs, 128 processes that start at once keep an agent from its CPU for many seconds.
const EACH = availableParallelism() < 4 ? 4 : 8;
const PORT = await freePort('127.0.0.1');
const MAX_BYTES = 300e6;
const ENVIRONMENT = {
  IPC_BENCH_AGENTS: `redis://127.0.0.1:${PORT}`,
  IPC_BENCH_SECRET: 'a secret that only tests hold',
};
const isMissing = findOnPath('redis-server') === undefined;
if (isMissing && process.env.CI) throw new Error('needs redis-server');
const why = process.platform !== 'linux' || isMissing ? 'needs Linux and redis-server' : false;

describe('sixteen agents', { skip: why, timeout: 300_000 }, () => {
  const workspace = makeWorkspace();
  /** @type {import('node:child_process').ChildProcess[]} */
  const programs = [];

  /** @param {string} program @param {string[]} args @param {RegExp} ready */
  const started = async (program, args, ready) => {
    const child = spawnBound([program, ...args], {
      cwd: workspace.folder,
      env: { ...process.env, ...ENVIRONMENT, ...withTemporaryFolder(workspace.temporary) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    programs.push(child);
    await new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream !== null)
          createInterface({ input: stream }).on('line', (line) => ready.test(line) && resolve(undefined));
      }
      child.once('exit', (code) => reject(new Error(`${program} ${args.join(' ')} ended with ${code}`)));
    });
  };

  before(async () => {
    await started(
      'redis-server',
      ['--bind', '127.0.0.1', '--port', String(PORT), '--save', ''],
      /Ready to accept/,
    );
    const agent = (/** @type {string} */ name) =>
      started(process.execPath, [COMMAND, 'agent', '--name', name, '--bind', '127.0.0.1'], /takes commands/);
    await Promise.all(AGENTS.map(agent));
  });
  after(() => {
    for (const child of programs) child.kill('SIGKILL');
    workspace.remove();
  });

  it('are measured by a run that uses less than a core and less than 300 MB, and leave nothing behind', async (t) => {
    const args = `--transport tcp --codec json --workers ${WORKERS.length * EACH}x1 --lock ignore --no-charts --no-controls --launches 1 --warmup 500ms --measure 1s --out out`;
    const beganMs = performance.now();
    const hosts = ['--master-on', MASTER, '--workers-on', WORKERS.join(',')];
    const { child, ended } = startCli([...args.split(' '), ...hosts], workspace, ENVIRONMENT);
    let usage = readCost(Number(child.pid));
    const looking = setInterval(() => {
      const now = readCost(Number(child.pid));
      if (now?.peakRssBytes) usage = now; // without one it has just ended
    }, 100);
    const { code, stdout, stderr } = await ended;
    clearInterval(looking);
    const elapsedMs = performance.now() - beganMs;
    assert.equal(code, 0, stdout + stderr);
    const { outcomes } = JSON.parse(readFileSync(join(workspace.folder, 'out', 'results.json'), 'utf8'));
    assert.equal(outcomes[0].status, 'measured');
    for (const launch of outcomes[0].launches) {
      const { work } = launch.warmup;
      const workers = work.filter((/** @type {{ role: string }} */ { role }) => role === 'worker');
      assert.equal(workers.length, WORKERS.length * EACH);
    }
    assert.ok(usage !== null);
    const cpuMs = (usage.userUs + usage.systemUs) / 1_000;
    const peakBytes = Number(usage.peakRssBytes);
    t.diagnostic(
      `${Math.round(cpuMs)} ms of CPU time in ${Math.round(elapsedMs)} ms, ${Math.round(peakBytes / 1e6)} MB`,
    );
    assert.ok(cpuMs < elapsedMs, `${cpuMs} ms of CPU time in ${elapsedMs} ms`);
    assert.ok(peakBytes > 0 && peakBytes < MAX_BYTES, `${peakBytes} bytes`);
    const left = programs.flatMap(({ pid }) => processesBelow(Number(pid), '/lib/launch/'));
    assert.deepEqual(left, []);
  });

  it('end on SIGTERM although their Redis is gone', async () => {
    const [redis, ...agents] = programs;
    const ends = programs.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    redis.kill('SIGKILL');
    for (const child of agents) child.kill();
    assert.deepEqual((await Promise.all(ends)).slice(1), new Array(AGENTS.length).fill(143));
  });
});
