// Runs at night.
// Launches between two hosts with a slow link between them: an agent at each end of a delay line, and Redis and the run at one of them, so
// that orders cross the link as well. Nobody takes slow for gone, and who is gone is noticed.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findOnPath } from '../../lib/children/launcher.js';
import { compileDelayLine, networkProblem, openNetwork } from '../../lib/machine/delay-line.js';
import { COMMAND, makeWorkspace } from '../fixtures/cli-run.js';
import { eventually } from '../fixtures/launch-cell.js';
import { spawnBound } from '../fixtures/spawn-bound.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

/** @import { OpenNetwork } from '../../lib/machine/delay-line.js' */

const TIMEOUT_MS = 600_000;
const ROUND_TRIP_US = 20_000;
const NS_PER_US = 1_000;
const PORT = 7_391;
const PATIENCE_MS = 30_000;
const AGENTS_URL = `redis://10.255.0.1:${PORT}`;
const missing = findOnPath('redis-server') === undefined ? 'needs redis-server' : await networkProblem();
if (missing !== null && process.env.CI) throw new Error(missing);

describe('hosts with a slow link between them', { skip: missing ?? false, timeout: TIMEOUT_MS }, () => {
  let folder = '';
  /** @type {OpenNetwork} */
  let network;
  /** @type {Set<import('node:child_process').ChildProcess>} */
  const programs = new Set();

  /** @param {string[]} before @param {string[]} words @param {string} [cwd] */
  function start(before, words, cwd = folder) {
    const child = spawnBound([...before, ...words], {
      cwd,
      env: {
        ...process.env,
        ...withTemporaryFolder(folder),
        NO_COLOR: '1',
        IPC_BENCH_SECRET: 'a secret that only tests hold',
        IPC_BENCH_AGENTS: AGENTS_URL,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    programs.add(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    /** @type {Promise<number | null>} */
    const ended = new Promise((resolve) => child.once('close', resolve));
    ended.then(() => programs.delete(child));
    return { child, ended, output: () => text };
  }
  const node = (/** @type {string[]} */ ...args) => [process.execPath, COMMAND, ...args];
  const atWorkers = () => [...network.beforeMaster, ...network.beforeWorkers];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ibs-'));
    const program = await compileDelayLine(folder);
    network = await openNetwork(program, { roundTripUs: ROUND_TRIP_US, bitsPerSecond: null }, folder);
    const words = ['--bind', network.masterAddress, '--port', String(PORT)];
    const redis = start(network.beforeMaster, [
      'redis-server',
      ...words,
      '--save',
      '',
      '--protected-mode',
      'no',
    ]);
    await eventually(() => redis.output().includes('Ready to accept'), PATIENCE_MS);
  });
  after(async () => {
    for (const child of programs) child.kill('SIGKILL');
    await network?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const startAgents = () => {
    const agents = [
      start(network.beforeMaster, node('agent', '--name', 'a', '--bind', network.masterAddress)),
      start(atWorkers(), node('agent', '--name', 'b', '--bind', '10.255.0.2')),
    ];
    return Promise.all(
      agents.map(async (agent) => {
        await eventually(() => agent.output().includes('takes commands'), PATIENCE_MS);
        return agent;
      }),
    );
  };
  const CELL =
    '--master-on a --workers-on b --transport tcp --codec json --workers 2x4 --launches 1 --lock ignore --no-charts --out out';
  /** @param {string} measure @param {string} cwd */
  const run = (measure, cwd) =>
    start(
      network.beforeMaster,
      node('run', ...CELL.split(' '), '--warmup', '300ms', '--measure', measure),
      cwd,
    );

  it('are measured with no round trip quicker than the link', async () => {
    const agents = await startAgents();
    const workspace = makeWorkspace();
    try {
      const { ended, output } = run('500ms', workspace.folder);
      assert.equal(await ended, 0, output());
      const { outcomes } = JSON.parse(readFileSync(join(workspace.folder, 'out', 'results.json'), 'utf8'));
      const [{ toController, times, clocks, rejectedConnections }] = outcomes[0].launches;
      assert.ok(toController.b.roundTripUs >= ROUND_TRIP_US, `${toController.b.roundTripUs} µs`);
      const [{ minNs }] = /** @type {{ minNs: number }[]} */ (Object.values(times));
      assert.ok(minNs >= ROUND_TRIP_US * NS_PER_US, `${minNs} ns`);
      // One clock in truth: what is known of it is known as well as a message is quick.
      for (const { shiftMs, boundMs } of /** @type {any[]} */ (Object.values(clocks)))
        assert.ok(Math.abs(shiftMs) <= boundMs && boundMs < 1_000, `${shiftMs} ± ${boundMs} ms`);
      assert.equal(rejectedConnections, 0);
    } finally {
      workspace.remove();
      for (const { child } of agents) child.kill('SIGTERM');
      for (const { ended } of agents) assert.equal(await ended, 143);
    }
  });
});
