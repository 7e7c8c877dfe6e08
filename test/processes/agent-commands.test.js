// Runs always.
// An agent at a real Redis, and another user of that Redis who overwrites its keys.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../../lib/channels/brokers/private-server.js';
import { findOnPath } from '../../lib/children/launcher.js';
import { openSender } from '../../lib/hosts/command-sender.js';
import { presenceKeyOf } from '../../lib/hosts/control-redis.js';
import { describeCode } from '../../lib/hosts/installation.js';
import { Presence } from '../../lib/hosts/presence.js';
import { makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { eventually } from '../fixtures/launch-cell.js';
import { spawnBound } from '../fixtures/spawn-bound.js';
import { withRedis } from '../fixtures/with-redis.js';

const SECRET = 'a secret that only tests hold';
const SEEN_MS = 10_000;
const HOST_EXIT_CODE = 3;
const isMissing = findOnPath('redis-server') === undefined;
if (isMissing && process.env.CI) throw new Error('needs redis-server');

describe('an agent whose Redis others use', {
  skip: isMissing && 'needs redis-server',
  timeout: 120_000,
}, () => {
  const workspace = makeWorkspace();
  let url = '';
  /** @type {import('node:child_process').ChildProcess} */
  let redis;
  /** @type {ReturnType<typeof startCli>} */
  let agent;
  before(async () => {
    const port = await freePort('127.0.0.1');
    url = `redis://127.0.0.1:${port}`;
    redis = spawnBound(['redis-server', '--bind', '127.0.0.1', '--port', String(port), '--save', ''], {
      cwd: workspace.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const chunk of /** @type {any} */ (redis.stdout))
      if (String(chunk).includes('Ready to accept')) break;
    const environment = { IPC_BENCH_AGENTS: url, IPC_BENCH_SECRET: SECRET };
    agent = startCli('agent --name b --bind 127.0.0.1', workspace, environment);
    await eventually(() => /takes commands/.test(agent.stderrSoFar()), SEEN_MS);
  });
  after(() => {
    agent?.child.kill('SIGKILL');
    redis?.kill('SIGKILL');
    workspace.remove();
  });

  const described = async () => {
    const sender = await openSender(url, SECRET, []);
    try {
      const command = /** @type {const} */ ({ ...describeCode(), kind: 'describe', withWakeUp: false });
      const { signal } = new AbortController();
      return (await sender.send('b', 'describe', command, { signal })).status;
    } finally {
      await sender.close();
    }
  };

  it('continues if its presence is overwritten, but ends if another agent with its secret has its name', async () => {
    const key = presenceKeyOf('b');
    for (const value of ['x', (await Presence.derive('b', 'the secret of somebody else')).write()]) {
      await withRedis(url, (client) => client.set(key, value));
      await eventually(() => withRedis(url, async (client) => (await client.get(key)) !== value), SEEN_MS);
      assert.equal(await described(), 'described');
    }
    assert.ok(agent.stderrSoFar().includes(`writes its key ${key} again`), agent.stderrSoFar());
    const other = await Presence.derive('b', SECRET);
    const value = other.write();
    await withRedis(url, (client) => client.set(key, value));
    const { code, stderr } = await agent.ended;
    assert.equal(code, HOST_EXIT_CODE, stderr);
    assert.match(stderr, /another agent calls itself b/);
    assert.equal(await withRedis(url, (client) => client.get(key)), value);
  });
});
