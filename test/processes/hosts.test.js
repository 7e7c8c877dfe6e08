// Runs always.
// Launches on several hosts: three network namespaces with an agent in each, and a real Redis between them and the test. A launch counts
// whole or fails whole, with the host that is to blame, and the next one is measured.

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findOnPath } from '../../lib/children/launcher.js';
import { openSender } from '../../lib/hosts/command-sender.js';
import { launchAcross } from '../../lib/hosts/launch-across.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { listeningPorts } from '../conformance/listening-ports.js';
import { IS_LONG, IS_WIDE, LONG_ONLY } from '../conformance/long-form.js';
import { isAlive } from '../fixtures/alive.js';
import { callCli, makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { inThisForm, TRANSPORTS } from '../fixtures/house-launches.js';
import { commandOf, eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';
import { openPortThief } from '../fixtures/port-thief.js';
import { spawnBound } from '../fixtures/spawn-bound.js';
import { TrialHosts, whyNoTrialHosts } from '../fixtures/trial-hosts.js';

/** @import { CommandChannel } from '../../lib/types/index.js' */

const SECRET = 'a secret that only tests hold';
const DEAD_BROKER = fileURLToPath(new URL('../fixtures/dead-broker.js', import.meta.url));
const TIMEOUT_MS = 600_000;
const PORT = 7_390;
const TLS_PORT = 7_392;
const GONE_PORT = 7_393;
const FAR_AHEAD_S = 5_000;
const NOTICED_MS = 12_000; // 10 s of silence, and a look
const GONE_MS = 12_000;
const PATIENT = { connectMs: 15_000, finishMs: 10_000, exitMs: 5_000, lifeMs: 60_000 };
const OTHERS = TRANSPORTS.filter(({ name }) => ['nats', 'mqtt', 'rabbitmq', 'redis-streams'].includes(name));
const WAYS = ['tcp', 'udp', 'https', 'grpc', 'zeromq', 'nats', 'mqtt', 'redis-pubsub', 'rabbitmq'];
const reaching = TRANSPORTS.filter(({ name }) => WAYS.includes(name));
const IN_FOLDER = TRANSPORTS.filter(({ name }) =>
  ['unix', 'fifo', 'zeromq', 'shared-memory', 'redis-pubsub'].includes(name),
);
const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);
const CI_ONLY = { skip: IS_WIDE ? false : 'with CI=1 only: it waits for the deadlines of agents' };
const whyNoIpv6 = hasIpv6 ? false : 'needs ::1';
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
  /** @type {CommandChannel | null} */
  let sender = null;
  const getSender = async () => {
    sender ??= await openSender(url, SECRET, []);
    return sender;
  };
  // Then other runs can use the agents.
  const closeSender = async () => {
    await sender?.close();
    sender = null;
  };

  /** @param {string} name */
  const startAgent = async (name) => {
    agents[name] = await hosts.agent(name, url, {
      secret: SECRET,
      ...(name === 'c' && { aheadS: FAR_AHEAD_S }),
    });
  };
  /** @param {string[]} words */
  const readyRedis = async (words) => {
    const server = spawnBound(['redis-server', ...words, '--save', '', '--protected-mode', 'no'], {
      cwd: hosts.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    for await (const chunk of /** @type {any} */ (server.stdout))
      if (String(chunk).includes('Ready to accept')) break;
    return server;
  };
  const startRedis = async () => {
    redis = await readyRedis(['--bind', hosts.ownAddress, '--port', String(PORT)]);
  };

  before(async () => {
    hosts = await TrialHosts.open(['a', 'b', 'c']);
    url = `redis://${hosts.ownAddress}:${PORT}`;
    await startRedis();
    await Promise.all(hosts.names.map(startAgent));
  });
  after(async () => {
    await closeSender();
    redis?.kill();
    await hosts?.close();
  });

  /** @param {(phase: string) => void} [onPhase] @param {object} [wish] */
  const launched = async (onPhase, wish = {}) => {
    const { end } = await launchCell({
      transport: 'tcp',
      onPhase,
      launch: launchAcross(await getSender(), { master: 'a', workers: ['b', 'c'] }),
      cell: { hosts: 'a:b+c', workers: 2 },
      timing: { messages: 50 },
      deadlines: PATIENT,
      ...wish,
    });
    return /** @type {any} */ (end);
  };

  /** @returns {number[]} pids, below the agents, which are below this process */
  const processesOfLaunch = () => processesBelow(process.pid, '/lib/launch/');

  const measured = async () => {
    const end = await launched();
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
    assert.ok(end.fields.operations > 0);
    return end;
  };

  it('measures between them, whatever their clocks show', async () => {
    const { fields, noise } = await measured();
    const { w0, w1 } = fields.clocks;
    assert.ok(Math.abs(w0.shiftMs) < 100, `b is ${w0.shiftMs} ms off`);
    assert.ok(Math.abs(w1.shiftMs + FAR_AHEAD_S * 1_000) < 100, `c is ${w1.shiftMs} ms off`);
    assert.ok(fields.windowMs < (FAR_AHEAD_S * 1_000) / 2, `${fields.windowMs} ms`);
    assert.deepEqual(Object.keys(fields.toController), ['b', 'c']);
    assert.ok(fields.toController.b.roundTripUs > 0);
    assert.ok(noise.spinRatio > 0);
    assert.equal(fields.rejectedConnections, 0);
  });

  /**
   * @typedef {object} Fault
   * @property {string} name
   * @property {RegExp} message
   * @property {() => unknown} harm
   * @property {() => unknown} heal
   */
  /** @type {Fault[]} */
  const FAULTS = [
    {
      name: 'an agent that was killed',
      message: /host b.*sent no heartbeat/,
      harm: () => agents.b.kill(),
      heal: () => startAgent('b'),
    },
    {
      name: 'the agent of the master, killed',
      message: /host a.*sent no heartbeat/,
      harm: () => agents.a.kill(),
      heal: () => startAgent('a'),
    },
    {
      name: 'a host that is off the net',
      message: /host b.*sent no heartbeat/,
      harm: () => hosts.cut('b', true),
      heal: () => hosts.cut('b', false),
    },
    {
      name: 'an agent that stands still',
      message: /host b.*sent no heartbeat/,
      harm: () => agents.b.kill('SIGSTOP'),
      heal: () => agents.b.kill('SIGCONT'),
    },
    {
      name: 'the Redis that was started anew',
      message: /Redis.*broke off/,
      harm: () => redis.kill('SIGKILL'),
      heal: startRedis,
    },
  ];
  /** @type {Fault[]} the master's host is looked after from elsewhere than those of workers */
  const FAULTS_OF_MASTER = [
    {
      name: 'the host of the master, off the net',
      message: /host a.*sent no heartbeat/,
      harm: () => hosts.cut('a', true),
      heal: () => hosts.cut('a', false),
    },
    {
      name: 'the agent of the master, standing still',
      message: /host a.*sent no heartbeat/,
      harm: () => agents.a.kill('SIGSTOP'),
      heal: () => agents.a.kill('SIGCONT'),
    },
  ];
  const LOAD_MS = 10_000;
  const PHASES = {
    connect: { warmupMs: LOAD_MS, measureMs: LOAD_MS },
    'warm-up': { warmupMs: LOAD_MS, measureMs: LOAD_MS },
    measure: { warmupMs: 100, measureMs: LOAD_MS },
    drain: { warmupMs: 100, measureMs: 300 },
  };
  const inPhases = (/** @type {Fault[]} */ faults, /** @type {(keyof typeof PHASES)[]} */ ...phases) =>
    faults.flatMap((fault) => phases.map((when) => ({ ...fault, when })));
  const cases = IS_LONG
    ? [
        ...inPhases(FAULTS, 'connect', 'warm-up', 'measure', 'drain'),
        ...inPhases(FAULTS_OF_MASTER, 'measure'),
      ]
    : inPhases(FAULTS.slice(0, 1), 'measure');

  for (const { name, message, harm, heal, when } of cases) {
    const what = when === 'drain' ? 'was whole before, or names' : 'names';
    it(`${what} ${name} during ${when}, ends what is left, and measures again`, CI_ONLY, async () => {
      let harmedMs = 0;
      const onPhase = (/** @type {string} */ phase) => {
        if (phase !== when) return;
        harmedMs = performance.now();
        harm();
      };
      // Who waits for a fault does not need to fill the machine.
      const cell = { hosts: 'a:b+c', workers: 2, ratePerSecond: 100 };
      const end = await launched(onPhase, { cell, timing: PHASES[when] });
      const noticedMs = performance.now() - harmedMs;
      await heal();
      if (when !== 'drain' || end.kind !== 'done') {
        assert.equal(end.kind, 'failed', JSON.stringify(end).slice(0, 500));
        assert.match(end.message, message);
      }
      assert.ok(noticedMs < patiently(NOTICED_MS), `noticed after ${noticedMs} ms`);
      await eventually(() => processesOfLaunch().length === 0, GONE_MS);
      await measured();
    });
  }

  const OVER_REDIS = {
    transport: 'redis-pubsub',
    cell: { hosts: 'a:b+c', workers: 2, settings: { net: 'tcp' } },
  };
  /** @param {string} server @returns {number[]} pids of it, below the agent of the master, but for its supervisor */
  const brokersOfMaster = (server) =>
    processesBelow(Number(agents.a.child.pid), server).filter((pid) => !/supervisor/.test(commandOf(pid)));

  it('starts a private broker beside the master: at its address, with a password, with its costs, kept for the run', async () => {
    const launch = launchAcross(await getSender(), { master: 'a', workers: ['b', 'c'] });
    /** @type {Promise<string> | undefined} */
    let answer;
    /** @type {Set<number>} */
    const pids = new Set();
    const onPhase = (/** @type {string} */ phase) => {
      if (phase !== 'measure') return;
      const [pid] = brokersOfMaster('redis-server');
      pids.add(pid);
      const doors = listeningPorts(pid) ?? [];
      assert.deepEqual(
        doors.map(({ address }) => address),
        [hosts.addressOf('a')],
      );
      answer = answerTo('PING\r\n', doors[0].port, hosts.addressOf('a'));
    };
    const wish = { ...OVER_REDIS, launch };
    for (const which of ['first', 'second']) {
      const end = await launched(onPhase, wish);
      assert.equal(end.kind, 'done', `${which}: ${JSON.stringify(end).slice(0, 1_000)}`);
      assert.match(String(await answer), /^-NOAUTH/);
      const [pid] = pids;
      assert.deepEqual(end.served.brokers, [{ name: 'redis', pid, cpus: null }]);
      assert.ok(!JSON.stringify(end.served).includes(hosts.addressOf('a')));
      const [cost] = end.fields.costs.filter((/** @type {any} */ { role }) => role === 'broker');
      assert.ok(end.fields.unknownCosts !== undefined || cost.userUs + cost.systemUs > 0);
      assert.ok(end.fields.traffic.published > 0);
    }
    assert.equal(pids.size, 1, 'one of the run');
    await eventually(() => !isAlive([...pids][0]), 20_000);
  });

  for (const { name, settings } of inThisForm(OTHERS, []))
    it(`starts a private broker of ${name}`, async () => {
      const net = settings?.net && { net: 'tcp' };
      const cell = { ...OVER_REDIS.cell, settings: { ...net } };
      const end = await launched(undefined, { transport: name, cell });
      assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
      const hasCost = end.fields.costs.some((/** @type {any} */ { role }) => role === 'broker');
      assert.ok(end.fields.unknownCosts !== undefined || hasCost);
    });

  it('names a killed broker, and leaves none behind when the agent is killed', LONG_ONLY, async () => {
    /** @type {number[]} */
    const pids = [];
    const killing = (/** @type {() => void} */ kill) => (/** @type {string} */ phase) => {
      if (phase !== 'measure') return;
      pids.push(...brokersOfMaster('redis-server'));
      kill();
    };
    const wish = { ...OVER_REDIS, timing: { warmupMs: 100, measureMs: 10_000 } };
    const end = await launched(
      killing(() => process.kill(pids[0], 'SIGKILL')),
      wish,
    );
    assert.equal(end.code, 'BROKER', JSON.stringify(end).slice(0, 500));
    assert.match(end.message, /^redis died: it was killed by SIGKILL/);
    const next = await launched(
      killing(() => agents.a.kill()),
      wish,
    );
    assert.equal(next.kind, 'failed');
    await eventually(() => !pids.some(isAlive), 20_000);
    assert.equal(pids.length, 2, JSON.stringify(next).slice(0, 1_000));
    await startAgent('a');
    await measured();
  });

  describe('of one machine', () => {
    const own = whyNoIpv6 ? '127.0.0.1' : '::1';
    let folder = '';
    /** @type {import('../fixtures/trial-hosts.js').Program[]} */
    let both = [];
    before(async () => {
      folder = mkdtempSync(join(hosts.folder, 's'));
      const settings = { secret: SECRET, here: own, more: ['--shared-folder', folder] };
      both = await Promise.all(['d', 'e'].map((name) => hosts.agent(name, url, settings)));
    });
    after(async () => {
      for (const agent of both) agent.kill('SIGTERM');
      await Promise.all(both.map(({ ended }) => ended));
    });

    /** @param {string} transport @param {Partial<import('../../lib/types/plans.js').HostChoice>} [choice] @param {object} [settings] */
    const launchedHere = async (transport, choice = {}, settings = {}) => {
      const launch = launchAcross(await getSender(), { master: 'd', workers: ['e'], ...choice });
      return launched(undefined, { transport, cell: { hosts: 'd:e', workers: 1, settings }, launch });
    };
    const sharesFolder = /** @type {const} */ (true);

    for (const { name, settings } of inThisForm(reaching, ['tcp']))
      it(`measures ${name} between addresses of IPv6`, { skip: whyNoIpv6 }, async () => {
        const end = await launchedHere(name, {}, { ...(settings?.net && { net: 'tcp' }) });
        assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 500));
        assert.ok(end.fields.operations > 0);
        assert.equal(end.fields.rejectedConnections, 0);
      });

    for (const { name } of inThisForm(IN_FOLDER, ['unix']))
      it(`measures ${name} in a shared folder`, async () => {
        const end = await launchedHere(name, { sharesFolder });
        assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 500));
        assert.ok(end.fields.operations > 0);
      });

    it('uses a Redis over TLS whose certificate it trusts', LONG_ONLY, async () => {
      const inFolder = (/** @type {string} */ name) => join(hosts.folder, name);
      const name = ['-subj', '/CN=redis', '-addext', `subjectAltName=IP:${hosts.ownAddress}`];
      const key = [
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-keyout',
        inFolder('key.pem'),
      ];
      const made = ['req', '-x509', '-nodes', '-days', '2', ...name, ...key, '-out', inFolder('own.pem')];
      execFileSync('openssl', made, { stdio: 'pipe' });
      const certificates = [
        '--tls-cert-file',
        inFolder('own.pem'),
        '--tls-ca-cert-file',
        inFolder('own.pem'),
      ];
      const trust = ['--tls-key-file', inFolder('key.pem'), '--tls-auth-clients', 'no'];
      const words = ['--bind', hosts.ownAddress, '--port', '0', '--tls-port', String(TLS_PORT)];
      const server = await readyRedis([...words, ...certificates, ...trust]);
      const overTls = `rediss://${hosts.ownAddress}:${TLS_PORT}`;
      const environment = { NODE_EXTRA_CA_CERTS: inFolder('own.pem') };
      const own = { secret: SECRET, here: '127.0.0.1', environment };
      /** @type {import('../fixtures/trial-hosts.js').Program[]} */
      const pair = [];
      try {
        for (const each of ['f', 'g']) pair.push(await hosts.agent(each, overTls, own));
        const where = '--master-on f --workers-on g --measure 200ms --out out'.split(' ');
        const on = [...TWO_CELLS, ...where];
        const trusting = await startCommand(on, { ...environment, IPC_BENCH_AGENTS: overTls });
        const { code, stdout, stderr } = await trusting.done;
        assert.equal(code, 0, stdout + stderr);
        const doubting = await command(on, { IPC_BENCH_AGENTS: overTls });
        assert.match(doubting.stderr, /self-signed certificate/);
      } finally {
        for (const agent of pair) agent.kill('SIGTERM');
        await Promise.all(pair.map(({ ended }) => ended));
        server.kill('SIGKILL');
      }
    });

    it('refuses an agent without the shared folder, and leaves nothing in it', async () => {
      const end = await launchedHere('unix', { workers: ['b'], sharesFolder });
      assert.match(
        end.message,
        /^host b: it does not see what the host of the master has in its shared folder/,
      );
      await eventually(() => readdirSync(folder).length === 0, 20_000);
    });
  });

  it('names a host whose disk is full', LONG_ONLY, async () => {
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

  it('listens only at the address of the agent, and rejects and counts unauthenticated peers there', async () => {
    const doors = new Set();
    /** @type {Promise<unknown> | undefined} */
    let rejected;
    const onPhase = (/** @type {string} */ phase) => {
      if (phase !== 'warm-up') return;
      const pids = processesOfLaunch();
      assert.equal(pids.length, 3, 'a master and two workers');
      const ports = pids.flatMap((pid) => listeningPorts(pid) ?? []);
      for (const { address, port } of ports) doors.add(`${address}:${port}`);
      rejected = Promise.all(ports.map(({ address, port }) => hungUpOn(port, address)));
    };
    const end = await launched(onPhase, { timing: { warmupMs: longEnoughMs(300) } });
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 500));
    await rejected;
    const ofAgent = [...doors].filter((door) => door.startsWith(`${hosts.addressOf('a')}:`));
    assert.deepEqual([ofAgent.length, doors.size], [1, 1], `tcp, of ${[...doors]}`);
    assert.equal(end.fields.rejectedConnections, 1);
  });

  const TWO_CELLS = ['--transport', 'tcp,unix'];
  const SHORT = '--codec json --lock ignore --no-charts --no-controls --launches 1 --warmup 100ms';

  /** @param {string[]} args @param {Record<string, string>} [environment] */
  const command = async (args, environment = {}) => {
    await closeSender();
    const workspace = makeWorkspace();
    const end = await callCli([...SHORT.split(' '), ...args], workspace, {
      environment: { IPC_BENCH_AGENTS: url, IPC_BENCH_SECRET: SECRET, ...environment },
    });
    const path = join(workspace.folder, 'out', 'results.json');
    const results = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
    workspace.remove();
    return { ...end, results };
  };
  /**
   * In a process of its own: Node reads some of the environment as it starts, and who is killed must not be this process.
   * @param {string[]} args
   * @param {Record<string, string>} [environment]
   */
  const startCommand = async (args, environment = {}) => {
    await closeSender();
    const workspace = makeWorkspace();
    const { child, ended } = startCli([...SHORT.split(' '), ...args], workspace, {
      IPC_BENCH_AGENTS: url,
      IPC_BENCH_SECRET: SECRET,
      ...environment,
    });
    return { child, done: ended.finally(() => workspace.remove()) };
  };
  const ON_ALL = ['--master-on', 'a', '--workers-on', 'b,c', '--workers', '2x2'];
  const ON_TWO = ['--master-on', 'a', '--workers-on', 'b', '--workers', '1x2'];

  /** @type {any} */
  let ofRun;

  it('sends nothing to a program that takes the port of a private broker, and fails a launch whose broker is dead', async () => {
    const thief = await openPortThief('redis-server', String(findOnPath('redis-server')), 1);
    const more = ['--transport', DEAD_BROKER];
    const own = { secret: SECRET, here: '127.0.0.1', more, environment: { PATH: thief.path } };
    /** @type {import('../fixtures/trial-hosts.js').Program[]} */
    const pair = [];
    try {
      for (const name of ['j', 'k']) pair.push(await hosts.agent(name, url, own));
      const on = ['--master-on', 'j', '--workers-on', 'k', '--measure', '200ms', '--out', 'out'];
      const end = await command(['--transport', `redis-pubsub:net=tcp,${DEAD_BROKER}`, ...on]);
      assert.equal(end.code, 3, end.stdout + end.stderr);
      const [measured, failed] = end.results.outcomes;
      assert.deepEqual([measured.status, failed.status, failed.code], ['measured', 'failed', 'BROKER']);
      assert.match(failed.message, /: dead died: it was killed by SIGKILL;/);
      const { ports, ...loot } = await thief.loot();
      assert.deepEqual([ports.length, loot], [1, { clients: 0, received: '' }]);
    } finally {
      for (const agent of pair) agent.kill('SIGTERM');
      await Promise.all(pair.map(({ ended }) => ended));
      await thief.close();
    }
  });

  it('skips transports of one host, sends files of messages, and stores and prints no secret', async () => {
    const messages = join(hosts.folder, 'messages.ndjson');
    writeFileSync(messages, '{"id":1,"name":"one"}\n{"id":2,"name":"two"}\n');
    const files = ['--controls', '--message-file', messages, '--out', 'out', '--notes'];
    const asked = [...ON_TWO, ...TWO_CELLS, ...files, '--measure', '200ms'];
    const { code, stdout, stderr, results } = await command(asked);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /master on a, workers on b \(round trip .+ µs\)/);
    assert.deepEqual(
      results.outcomes.map((/** @type {any} */ { cell, status }) => [cell.transport, cell.hosts, status]),
      [
        ['tcp', 'a:b', 'measured'],
        ['unix', 'a:b', 'skipped'],
      ],
    );
    assert.deepEqual(Object.keys(results.hosts), ['a', 'b']);
    for (const { controls, wakeUp } of Object.values(results.hosts)) {
      assert.ok(wakeUp === null || wakeUp.splitUs > 0, 'null: others keep its CPUs too busy to tell');
      assert.equal(controls.rows.length, 1);
    }
    assert.equal(results.controls.rows[0].codec, 'json');
    assert.deepEqual(Object.keys(results.outcomes[0].launches[0].noise.hosts), ['a', 'b']);
    // Digits of a port alone may well be those of a time.
    for (const hidden of [SECRET, `${hosts.ownAddress}:${PORT}`])
      assert.ok(!(stdout + stderr + JSON.stringify(results)).includes(hidden), hidden);
    ofRun = results;
  });

  it('continues an interrupted run on its hosts', async () => {
    const path = join(hosts.folder, 'results.json');
    writeFileSync(path, JSON.stringify({ ...ofRun, sha256: undefined, status: 'interrupted', outcomes: [] }));
    await closeSender();
    const workspace = makeWorkspace();
    const environment = { IPC_BENCH_AGENTS: url, IPC_BENCH_SECRET: SECRET };
    const { code, stdout, stderr } = await callCli(['--resume', path], workspace, { environment });
    workspace.remove();
    assert.equal(code, 0, stdout + stderr);
    const { status, outcomes, continuedAt } = JSON.parse(readFileSync(path, 'utf8'));
    assert.deepEqual([status, outcomes[0].status, continuedAt.length], ['complete', 'measured', 1]);
  });

  const REFUSED = /** @type {[string, string[], Record<string, string>, RegExp][]} */ ([
    [
      'an agent that is not there',
      ['--master-on', 'a', '--workers-on', 'z'],
      {},
      /host z: there is no such agent .*those that are there: a, b, c/,
    ],
    [
      'a Redis that is not there',
      ON_ALL,
      { IPC_BENCH_AGENTS: 'redis://127.0.0.1:1' },
      /^(?:Skipped: [^\n]*\n)?ipc-bench: \S+: cannot use the Redis at redis:\/\/127\.0\.0\.1:1: connect ECONNREFUSED 127\.0\.0\.1:1; check that it runs[^\n]*\n$/,
    ],
    ['a Redis without rights', ON_ALL, { IPC_BENCH_AGENTS: 'weak' }, /NOPERM|no permissions/],
    [
      'the Redis that is measured',
      [...ON_ALL, '--allow-remote-broker'],
      { IPC_BENCH_BROKER_URL: 'own' },
      /are one server/,
    ],
  ]);
  for (const [what, args, environment, how] of REFUSED) {
    it(`rejects ${what}`, async () => {
      const told = Object.entries(environment).map(([name, text]) => [
        name,
        text === 'own' ? `redis=${url}` : text === 'weak' ? url.replace('//', '//weak:hidden@') : text,
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
      const asked = [...args, ...TWO_CELLS, '--out', 'out'];
      const { code, stdout, stderr, results } = await command(asked, Object.fromEntries(told));
      assert.match(stderr, how, stdout);
      assert.doesNotMatch(stderr, /hidden|not the one/);
      assert.ok(code === 2 || code === 3, String(code));
      assert.equal(results, null);
    });
  }

  it('ends although its Redis is gone for good', async () => {
    const words = ['--bind', hosts.ownAddress, '--port', String(GONE_PORT)];
    const server = await readyRedis(words);
    const leaving = await openSender(`redis://${hosts.ownAddress}:${GONE_PORT}`, SECRET, []);
    const { connections } = /** @type {any} */ (leaving);
    const parts = /** @type {any} */ (leaving).openQueue('a');
    /** @type {any} */ (leaving).agents.set('a', { name: 'a', ...parts });
    await parts.queue.waitUntilReady();
    server.kill('SIGKILL');
    await eventually(() => connections.every((/** @type {any} */ { status }) => status !== 'ready'), 20_000);
    await leaving.close();
    // A timer that is left would keep the run for ever.
    for (const { reconnectTimeout } of connections) assert.equal(reconnectTimeout ?? null, null);
    assert.ok(connections.length > 1, 'those of BullMQ as well');
  });

  /** @type {[string, (server: import('node:child_process').ChildProcess, agent: import('../fixtures/trial-hosts.js').Program) => unknown][]} */
  const REDIS_STATES = [
    ['works', () => {}],
    ['is mute', (server) => server.kill('SIGSTOP')],
    [
      'is gone',
      async (server, { output }) => {
        server.kill('SIGKILL');
        await eventually(() => /has lost the Redis at redis:\S+ Start that Redis/.test(output()), 60_000);
      },
    ],
  ];
  for (const [what, harm] of REDIS_STATES) {
    const length = what === 'works' ? {} : CI_ONLY;
    it(`ends an agent with the exit code of the signal if its Redis ${what}`, length, async () => {
      const server = await readyRedis(['--bind', hosts.ownAddress, '--port', String(GONE_PORT)]);
      const serverEnded = once(server, 'exit');
      const at = { secret: SECRET, here: '127.0.0.1' };
      const both = await Promise.all(
        ['h', 'i'].map((name) => hosts.agent(name, `redis://${hosts.ownAddress}:${GONE_PORT}`, at)),
      );
      const [first, second] = both;
      await harm(server, first);
      first.kill('SIGINT');
      second.kill('SIGTERM');
      assert.deepEqual(await Promise.all(both.map(({ ended }) => ended)), [130, 143]);
      server.kill('SIGKILL');
      await serverEnded;
    });
  }

  it('ends an agent together with the workers that it measures with, although its Redis is gone', async () => {
    /** @type {number[]} */
    let pids = [];
    const end = await launched(
      (phase) => {
        if (phase !== 'measure') return;
        pids = processesBelow(Number(agents.b.child.pid), '/lib/launch/');
        redis.kill('SIGKILL');
        agents.b.kill('SIGTERM');
      },
      { timing: PHASES.measure },
    );
    assert.equal(await agents.b.ended, 143);
    assert.deepEqual([pids.length, pids.filter(isAlive)], [1, []]);
    assert.match(end.message, /Redis.*broke off/);
    await startRedis();
    await startAgent('b');
    await eventually(() => processesOfLaunch().length === 0, GONE_MS);
    await measured();
  });

  it('stops the work of its agents when its process is killed', CI_ONLY, async () => {
    // At a low rate it waits for its end, and keeps no CPU from those who look for it.
    const over = ['--transport', 'redis-pubsub:net=tcp', '--rate', '100', '--measure', '20s', '--out', 'out'];
    const { child, done } = await startCommand([...ON_ALL, ...over]);
    await eventually(() => processesOfLaunch().length === 3, 20_000);
    assert.equal(brokersOfMaster('redis-server').length, 1);
    child.kill('SIGKILL');
    await eventually(() => processesOfLaunch().length === 0, GONE_MS);
    await eventually(() => brokersOfMaster('redis-server').length === 0, 20_000);
    await done;
    // The turn of a run that was killed ends at each host by itself, at one a moment later than at another.
    const next = await eventually(async () => {
      const end = await launched();
      return !/is used by another run/.test(end.message) && end;
    }, GONE_MS);
    assert.equal(next.kind, 'done', JSON.stringify(next).slice(0, 1_000));
    assert.ok(next.fields.operations > 0);
  });

  it('leaves nothing in the folders of the hosts', async () => {
    const left = () => readdirSync(hosts.folder).filter((name) => name.startsWith('ipcb-'));
    await eventually(() => left().length === 0, 5_000);
  });
});

/** @param {string} text @param {number} port @param {string} host @returns {Promise<string>} what an unauthenticated peer hears first */
async function answerTo(text, port, host) {
  const socket = connect(port, host);
  socket.write(text);
  const [received] = await once(socket, 'data');
  socket.destroy();
  return String(received);
}

/** @param {number} port @param {string} host @returns {Promise<unknown>} when the unauthenticated peer was hung up on */
async function hungUpOn(port, host) {
  const socket = connect(port, host).on('error', () => {});
  socket.resume().write('GET / HTTP/1.1\r\n\r\n');
  return once(socket, 'close');
}
