// Launches on several hosts: three network namespaces with an agent in each, and a real Redis between them and the test. A launch counts
// whole or fails whole, with the host that is to blame, and the next one is measured.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openBullmq } from '../../lib/hosts/bullmq-engine.js';
import { launchAcross } from '../../lib/hosts/launch-across.js';
import { overSsh } from '../../lib/hosts/over-ssh.js';
import { ProgramEngine } from '../../lib/hosts/program-engine.js';
import { findOnPath } from '../../lib/processes/launcher.js';
import { makePlace, startCli } from '../fixtures/cli-run.js';
import { eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';
import { TrialHosts, whyNoTrialHosts } from '../fixtures/trial-hosts.js';

/** @import { Engine } from '../../lib/types/hosts.js' */

const SECRET = 'a secret that only tests hold';
const TIMEOUT_MS = 600_000;
const PORT = 7_390;
const FAR_AHEAD_S = 5_000;
const NOTICED_MS = 4_000;
const GONE_MS = 5_000;
const CROWD_MS = 1_500; // others test at the same time
const PATIENT = { connectMs: 15_000, finishMs: 10_000, exitMs: 5_000, lifeMs: 60_000 };
const isLong = process.env.LONG_TESTS === '1';
const inLongForm = isLong ? it : () => {};
const why = findOnPath('redis-server') === undefined ? 'needs redis-server' : whyNoTrialHosts();
if (why !== null && process.env.CI) throw new Error(why);

describe('hosts', { skip: why ?? false, timeout: TIMEOUT_MS }, () => {
  /** @type {TrialHosts} */
  let hosts;
  /** @type {string} */
  let url;
  /** @type {import('node:child_process').ChildProcess} */
  let redis;
  /** @type {Record<string, import('../fixtures/trial-hosts.js').Program>} */
  const agents = {};
  /** @type {Engine | null} */
  let engine = null;
  const openEngine = async () => {
    engine ??= await openBullmq(url, SECRET, []);
    return engine;
  };
  // The agents are another run's then.
  const closeEngine = async () => {
    await engine?.close();
    engine = null;
  };

  /** @param {string} name */
  const startAgent = async (name) => {
    agents[name] = await hosts.agent(name, url, {
      secret: SECRET,
      ...(name === 'c' && { aheadS: FAR_AHEAD_S }),
    });
  };
  const startRedis = async () => {
    redis = spawn(
      'redis-server',
      ['--bind', hosts.ownAddress, '--port', String(PORT), '--save', '', '--protected-mode', 'no'],
      {
        cwd: hosts.folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    for await (const chunk of /** @type {any} */ (redis.stdout))
      if (String(chunk).includes('Ready to accept')) break;
  };

  before(async () => {
    hosts = new TrialHosts(['a', 'b', 'c']);
    url = `redis://${hosts.ownAddress}:${PORT}`;
    await startRedis();
    await Promise.all(hosts.names.map(startAgent));
  });
  after(async () => {
    await closeEngine();
    redis?.kill();
    await hosts?.close();
  });

  /** @param {(phase: string) => void} [onPhase] @param {object} [wish] */
  const launched = async (onPhase, wish = {}) => {
    const { end } = await launchCell({
      ...{
        transport: 'tcp',
        onPhase,
        launch: launchAcross(await openEngine(), { master: 'a', workers: ['b', 'c'] }, 'early'),
      },
      ...{
        cell: { hosts: 'a:b+c', workers: 2 },
        deadlines: PATIENT,
      },
      ...wish,
    });
    return /** @type {any} */ (end);
  };

  const measured = async () => {
    const end = await launched(undefined, { timing: { warmupMs: 200, measureMs: 500 } });
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
    assert.ok(end.fields.operations > 0);
    return end;
  };

  it('measures between them, whatever their clocks show', async () => {
    const { fields, noise } = await measured();
    const { w0, w1 } = fields.clocks;
    assert.ok(Math.abs(w0.shiftMs) < 100, `b is ${w0.shiftMs} ms off`);
    assert.ok(Math.abs(w1.shiftMs + FAR_AHEAD_S * 1_000) < 100, `c is ${w1.shiftMs} ms off`);
    assert.ok(fields.windowMs < 1_000, `${fields.windowMs} ms`);
    assert.deepEqual(Object.keys(fields.toLeader), ['b', 'c']);
    assert.ok(fields.toLeader.b.roundTripUs > 0);
    assert.ok(noise.spinRatio > 0);
    assert.equal(fields.strangers, 0);
  });

  /**
   * @typedef {object} Fault
   * @property {string} name
   * @property {RegExp} told
   * @property {() => unknown} harm
   * @property {() => unknown} heal
   */
  /** @type {Fault[]} */
  const FAULTS = [
    {
      name: 'an agent that was killed',
      ...{
        told: /host b.*(hung up|not been heard)/,
        harm: () => agents.b.kill(),
        heal: () => startAgent('b'),
      },
    },
    {
      name: 'the agent of the master, killed',
      ...{ told: /host a.*not been heard/, harm: () => agents.a.kill(), heal: () => startAgent('a') },
    },
    {
      name: 'a host that is off the net',
      ...{
        told: /host b.*not been heard/,
        harm: () => hosts.cut('b', true),
        heal: () => hosts.cut('b', false),
      },
    },
    {
      name: 'an agent that stands still',
      told: /host b.*not been heard/,
      harm: () => agents.b.kill('SIGSTOP'),
      heal: () => agents.b.kill('SIGCONT'),
    },
    {
      name: 'the Redis that was started anew',
      ...{ told: /Redis.*broke off/, harm: () => redis.kill('SIGKILL'), heal: startRedis },
    },
  ];
  const cases = isLong
    ? FAULTS.flatMap((fault) => ['connect', 'warm-up', 'measure'].map((when) => ({ ...fault, when })))
    : [{ ...FAULTS[0], when: 'measure' }];

  for (const { name, told, harm, heal, when } of cases) {
    it(`names ${name} during ${when}, ends what is left, and measures again`, async () => {
      let harmedMs = 0;
      const onPhase = (/** @type {string} */ phase) => {
        if (phase !== when) return;
        harmedMs = performance.now();
        harm();
      };
      const end = await launched(onPhase, {
        timing: { warmupMs: 10_000, measureMs: 10_000, ...(when === 'measure' && { warmupMs: 100 }) },
      });
      const noticedMs = performance.now() - harmedMs;
      await heal();
      assert.equal(end.kind, 'failed', JSON.stringify(end).slice(0, 500));
      assert.match(end.message, told);
      assert.ok(noticedMs < NOTICED_MS + CROWD_MS, `noticed after ${noticedMs} ms`);
      const left = () =>
        Object.values(agents).flatMap(({ child }) => processesBelow(Number(child.pid), 'launch/'));
      await eventually(() => left().length === 0, GONE_MS + CROWD_MS);
      await measured();
    });
  }

  inLongForm('names a host whose disk is full', async () => {
    const full = join(hosts.folder, 'full');
    mkdirSync(full);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=1', 'none', full]);
    try {
      agents.a.kill();
      agents.a = await hosts.agent('a', url, { secret: SECRET, scratch: full });
      const end = await launched();
      assert.equal(end.kind, 'failed');
      assert.match(end.message, /^host a: .*ENOSPC/);
    } finally {
      agents.a.kill();
      await agents.a.ended;
      execFileSync('umount', [full]);
    }
    await startAgent('a');
    await measured();
  });

  it('turns strangers away at the control port, and counts them', async () => {
    const engine = await openEngine();
    /** @type {Engine['hand']} */
    const hand = (agent, launchId, order, onNews) =>
      engine.hand(agent, launchId, order, async (news) => {
        if (news.news === 'port') {
          const [host, port] = news.address.split(':');
          const stranger = connect(Number(port), host).on('error', () => {});
          stranger.write('GET / HTTP/1.1\r\n\r\n');
          await once(stranger, 'close');
        }
        onNews(news);
      });
    const choice = { master: 'a', workers: ['b', 'c'] };
    const launch = launchAcross({ hand, close: async () => {} }, choice, 'early');
    const end = await launched(undefined, { launch });
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 500));
    assert.equal(end.fields.strangers, 1);
  });

  const ONE_CELL =
    '--transport tcp,unix --codec json --workers 2x2 --lock ignore --no-charts --launches 1 --warmup 100ms';

  /** @param {string[]} args @param {Record<string, string>} [environment] */
  const command = async (args, environment = {}) => {
    await closeEngine();
    const place = makePlace();
    const { child, ended } = startCli([...ONE_CELL.split(' '), ...args], place, {
      ...{ IPC_BENCH_AGENTS: url, IPC_BENCH_SECRET: SECRET },
      ...environment,
    });
    const done = ended.then((end) => {
      const path = join(place.folder, 'out', 'results.json');
      const results = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
      place.remove();
      return { ...end, results };
    });
    return { child, done };
  };
  const ON_ALL = ['--master-on', 'a', '--workers-on', 'b,c'];

  it('is a run like any other: what does not cross is skipped, and no secret is stored or shown', async () => {
    const { done } = await command([...ON_ALL, '--measure', '200ms', '--out', 'out', '--notes']);
    const { code, stdout, stderr, results } = await done;
    assert.equal(code, 0, stdout + stderr);
    assert.deepEqual(
      results.outcomes.map((/** @type {any} */ { cell, status }) => [cell.transport, cell.hosts, status]),
      [
        ['tcp', 'a:b+c', 'measured'],
        ['unix', 'a:b+c', 'skipped'],
      ],
    );
    assert.deepEqual(Object.keys(results.hosts), ['a', 'b', 'c']);
    assert.match(stdout, /master on a, workers on b \(round trip .+ µs\), c/);
    assert.doesNotMatch(stdout + stderr + JSON.stringify(results), new RegExp(`${SECRET}|:${PORT}`));
  });

  const REFUSED = /** @type {[string, string[], Record<string, string>, RegExp][]} */ ([
    [
      'an agent that is not there',
      ['--master-on', 'a', '--workers-on', 'z'],
      {},
      /host z: there is no such agent .*those that are there: a, b, c/,
    ],
    [
      'another secret',
      ON_ALL,
      { IPC_BENCH_SECRET: 'not the one that they hold' },
      /host a: its agent holds another secret/,
    ],
    [
      'a Redis that is not there',
      ON_ALL,
      { IPC_BENCH_AGENTS: 'redis://127.0.0.1:1' },
      /cannot use the Redis at redis:\/\/127.0.0.1:1/,
    ],
    ['a Redis without rights', ON_ALL, { IPC_BENCH_AGENTS: 'weak' }, /NOPERM|no permissions/],
    [
      'the Redis that is measured',
      [...ON_ALL, '--allow-remote-broker'],
      { IPC_BENCH_REDIS_URL: 'own' },
      /are one server/,
    ],
  ]);
  for (const [what, args, environment, how] of REFUSED) {
    it(`is refused with ${what}`, async () => {
      const told = Object.entries(environment).map(([name, text]) => [
        name,
        text === 'own' ? url : text === 'weak' ? url.replace('//', '//weak:hidden@') : text,
      ]);
      await new Promise((resolve) => {
        const acl = [
          '-h',
          hosts.ownAddress,
          '-p',
          String(PORT),
          'ACL',
          'SETUSER',
          'weak',
          'on',
          '>hidden',
          '+ping',
          '+info',
        ];
        spawn('redis-cli', acl, { stdio: 'ignore' }).on('exit', resolve);
      });
      const { done } = await command([...args, '--out', 'out'], Object.fromEntries(told));
      const { code, stdout, stderr, results } = await done;
      assert.match(stderr, how, stdout);
      assert.doesNotMatch(stderr, /hidden|not the one/);
      assert.ok(code === 2 || code === 3, String(code));
      assert.equal(results, null);
    });
  }

  it('refuses a second agent of one name', async () => {
    await assert.rejects(
      hosts.agent('b', url, { secret: SECRET }),
      /there is an agent b at this Redis already/,
    );
  });

  it('stops the work of its agents when its process is killed', async () => {
    const { child, done } = await command([...ON_ALL, '--measure', '20s', '--out', 'out']);
    const workers = () =>
      Object.values(agents).flatMap(({ child: agent }) => processesBelow(Number(agent.pid), 'launch/'));
    await eventually(() => workers().length === 3, 20_000);
    child.kill('SIGKILL');
    await eventually(() => workers().length === 0, GONE_MS + CROWD_MS);
    await done;
    await measured();
  });

  it('leaves nothing in the folders of the hosts', async () => {
    const left = () => readdirSync(hosts.folder).filter((name) => name.startsWith('ipcb-'));
    await eventually(() => left().length === 0, 5_000);
  });
});

const whyNoSsh = existsSync('/usr/sbin/sshd') ? why : 'needs sshd: apt install openssh-server';
if (whyNoSsh !== null && process.env.CI) throw new Error(whyNoSsh);

describe('hosts over ssh', { skip: whyNoSsh ?? false, timeout: TIMEOUT_MS }, () => {
  /** @type {TrialHosts} */
  let hosts;
  /** @type {ProgramEngine} */
  let engine;
  /** @type {import('../../lib/types/plans.js').HostChoice} */
  let choice;

  before(async () => {
    hosts = new TrialHosts(['a', 'b']);
    const { client, command } = hosts.startSsh();
    const [master, worker] = hosts.names.map((name) => hosts.addressOf(name));
    choice = { master, workers: [worker] };
    await eventually(() => [...hosts.programs].every(({ output }) => output().includes('listening')), 5_000);
    engine = new ProgramEngine(
      overSsh({ urls: [master, worker].map((address) => `ssh://${address}`), command }, client),
    );
  });
  after(async () => {
    await engine?.close();
    await hosts?.close();
  });

  /** @param {(phase: string) => void} [onPhase] @param {number} [measureMs] */
  const launched = async (onPhase, measureMs = 500) => {
    const { end } = await launchCell({
      ...{ transport: 'tcp', onPhase, launch: launchAcross(engine, choice, 'early'), deadlines: PATIENT },
      ...{ cell: { hosts: 'a:b', workers: 2 }, timing: { warmupMs: 200, measureMs } },
    });
    return /** @type {any} */ (end);
  };

  it('measures with nothing there but ipc-bench, on the address by which it was reached', async () => {
    const end = await launched();
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
    assert.ok(end.fields.operations > 0);
    assert.deepEqual(Object.keys(end.fields.toLeader), choice.workers);
  });

  inLongForm('names a host that is off the net, and measures when it is back', async () => {
    let harmedMs = 0;
    const end = await launched((phase) => {
      if (phase !== 'measure') return;
      harmedMs = performance.now();
      hosts.cut('b', true);
    }, 20_000);
    const noticedMs = performance.now() - harmedMs;
    hosts.cut('b', false);
    assert.equal(end.kind, 'failed', JSON.stringify(end).slice(0, 500));
    assert.match(end.message, new RegExp(`host ${hosts.addressOf('b')}`));
    assert.ok(noticedMs < NOTICED_MS + CROWD_MS, `noticed after ${noticedMs} ms`);
    const next = await launched();
    assert.equal(next.kind, 'done', JSON.stringify(next).slice(0, 1_000));
  });

  it('ends its agents with the run', async () => {
    await engine.close();
    await eventually(() => processesBelow(process.pid, 'agent --stdio').length === 0, 5_000);
  });
});
