// Launches on several hosts, without any: what is sealed, which code is refused, and how a launch ends, whatever its agents do.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BenchError } from '../../lib/errors.js';
import { addressToBind, tryToBind } from '../../lib/hosts/agent-place.js';
import { Seal } from '../../lib/hosts/control-redis.js';
import { Agent } from '../../lib/hosts/handle-command.js';
import { describeCode, hashCode, Installation } from '../../lib/hosts/installation.js';
import { launchAcross } from '../../lib/hosts/launch-across.js';
import { controlsOn } from '../../lib/hosts/run-on-hosts.js';
import { packMessages, withMessages } from '../../lib/hosts/sent-messages.js';
import { startRemoteWorkers } from '../../lib/hosts/worker-command.js';
import { noiseFlags } from '../../lib/machine/noise.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { linesBelow } from '../../lib/report/charts/scene/layout.js';
import { sourceLine, surroundingLines } from '../../lib/report/columns/surroundings.js';
import { wakeUpTexts } from '../../lib/report/text/machine-words.js';
import { joinedControls } from '../../lib/results/calibration-rows.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { makeResults } from '../fixtures/make-results.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { Engine, MeasuredOutcome, Order, OrderEnd } from '../../lib/types/index.js' */

describe('what is sealed', () => {
  const seal = new Seal('a secret that is long enough');
  const text = seal.close({ token: 'f00' }, 'order to b 1');

  it('is opened with the same secret, for the same purpose', async () => {
    assert.deepEqual(seal.open(text, 'order to b 1'), { token: 'f00' });
    assert.ok(!Buffer.from(text, 'base64').includes('f00'));
    const other = new Seal('a secret that is long enough');
    assert.deepEqual(await other.openFirst(text, 'order to b 1'), { token: 'f00' });
    assert.deepEqual(other.open(text, 'order to b 1'), { token: 'f00' }, 'its salt is known now');
  });

  it('has a key of its own in each run, by a salt that is said with it', async () => {
    const [one, two] = [0, 1].map(() => new Seal('a secret that is long enough'));
    const [key, other] = [one, two].map(({ keys }) => [...keys.values()].map((own) => own.toString('hex')));
    assert.notDeepEqual(key, other);
    const reader = new Seal('a secret that is long enough');
    const first = one.close(1, 'x');
    assert.equal(await reader.openFirst(first, 'x'), 1);
    for (let run = 0; run < 1_100; run += 1)
      reader.keep(Buffer.from(`salt ${run}`.padEnd(16)), Buffer.alloc(32));
    assert.equal(reader.keys.size, 1_024, 'it keeps so many');
    assert.equal(reader.open(first, 'x'), undefined);
    assert.equal(await reader.openFirst(first, 'x'), 1);
    assert.equal(reader.open(reader.close(2, 'x'), 'x'), 2, 'its own among them');
  });

  it('is opened by nobody else, for nothing else, and not when a byte of it was changed', async () => {
    assert.equal(await new Seal('a secret that is long enougH').openFirst(text, 'order to b 1'), undefined);
    assert.equal(seal.open(text, 'order to c 1'), undefined);
    const bytes = Buffer.from(text, 'base64');
    for (const place of [0, 12, 16, 28, 44, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[place] ^= 1;
      assert.equal(seal.open(changed.toString('base64'), 'order to b 1'), undefined);
      assert.equal(await seal.openFirst(changed.toString('base64'), 'order to b 1'), undefined);
    }
    for (const rubbish of ['', 'x', null, 'é'.repeat(100)]) {
      assert.equal(seal.open(rubbish, 'order to b 1'), undefined);
      assert.equal(await seal.openFirst(rubbish, 'order to b 1'), undefined);
    }
  });
});

describe('the code of a launch', () => {
  const installation = new Installation();
  const plugins = { transport: 'tcp', codec: 'json', scenario: 'round-trip', toMaster: null };
  const order = { ...describeCode(installation.partsOf(plugins)), plugins };
  const whyOtherCode = (/** @type {any} */ told) => installation.whyOtherCode(told);

  it('is taken where it is the same', () => {
    assert.equal(whyOtherCode(order), null);
    assert.deepEqual(
      order.code.map(({ kind, name }) => `${kind} ${name}`),
      ['program ipc-bench', 'transport tcp', 'codec json', 'scenario round-trip'],
    );
  });

  it('is refused with both versions, or both hashes', () => {
    const other = whyOtherCode({ ...order, program: { version: '9.9.9', protocol: 1 } });
    assert.match(
      String(other),
      /it is ipc-bench \d.* and the run is ipc-bench 9\.9\.9 with control messages 1: install one version/,
    );
    const [program, tcp, ...rest] = order.code;
    const changed = { ...order, code: [program, { ...tcp, hash: 'abc' }, ...rest] };
    assert.match(
      String(whyOtherCode(changed)),
      new RegExp(`its transport tcp has the hash ${tcp.hash}, and that of the run abc`),
    );
    const foreign = {
      ...order,
      code: [{ kind: /** @type {const} */ ('transport'), name: '/tmp/evil.js', hash: 'abc' }],
    };
    assert.match(String(whyOtherCode(foreign)), /it has no transport \/tmp\/evil\.js, and runs nothing but/);
  });

  it('is refused where the order names a plug-in of which it tells no hash', () => {
    const named = { ...order, plugins: { ...plugins, transport: 'udp' } };
    assert.match(String(whyOtherCode(named)), /the order has no hash of the transport udp/);
  });

  it('is found by its name in the installation of the agent, and nowhere else', async () => {
    for (const name of [
      '/tmp/evil.js',
      '../../evil',
      'data:text/javascript,1',
      '__proto__',
      'constructor',
      '',
    ])
      await assert.rejects(
        installation.load({ ...plugins, transport: name }),
        { code: 'HOST', message: /^it has no transport .*start its agent with --transport FILE/ },
        name,
      );
  });

  it('may be of the user, where both the run and the agent were told of it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ibc-'));
    try {
      const [ofRun, ofAgent] = ['run', 'agent'].map((place) => {
        const file = join(folder, `${place}.js`);
        writeFileSync(file, 'export default {};');
        return { kind: /** @type {const} */ ('transport'), name: 'mine', url: pathToFileURL(file).href };
      });
      const run = new Installation([ofRun]);
      assert.equal(run.nameOf('transport', ofRun.url), 'mine');
      const asked = { ...plugins, transport: 'mine' };
      const told = { ...describeCode(run.partsOf(asked)), plugins: asked };
      assert.match(String(installation.whyOtherCode(told)), /it has no transport mine/);
      const agent = new Installation([ofAgent]);
      assert.equal(agent.whyOtherCode(told), null);
      assert.deepEqual(
        agent.partsOf(asked).map(({ url }) => url),
        [ofAgent.url, builtinUrl('codec', 'json'), builtinUrl('scenario', 'round-trip')],
      );
      writeFileSync(join(folder, 'agent.js'), 'export default { other: true };');
      assert.match(String(agent.whyOtherCode(told)), /its transport mine has the hash/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the hash of a folder', () => {
  it('is one of all its sources, in whichever language and by their names, and of nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ibc-'));
    try {
      const hashes = new Set();
      for (const name of ['main.js', 'main.c', 'main.h', 'main.go', 'other.go']) {
        writeFileSync(join(folder, name), 'x');
        hashes.add(hashCode(folder));
      }
      writeFileSync(join(folder, 'main.c'), 'y');
      assert.equal(hashes.add(hashCode(folder)).size, 6);
      writeFileSync(join(folder, 'notes.txt'), 'x');
      assert.equal(hashes.add(hashCode(folder)).size, 6);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the hash of a folder on Windows', () => {
  it('is the same where the system separates names by a backslash', {
    skip: process.platform === 'win32' && 'a name holds no backslash there',
  }, () => {
    const [slash, backslash] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'ibc-')));
    try {
      mkdirSync(join(slash, 'b'));
      for (const [name, like] of [
        ['b/a.js', 'b\\a.js'],
        ['b.js', 'b.js'],
        ['bc.js', 'bc.js'],
      ]) {
        writeFileSync(join(slash, name), name);
        writeFileSync(join(backslash, like), name);
      }
      assert.equal(hashCode(backslash), hashCode(slash));
    } finally {
      for (const folder of [slash, backslash]) rmSync(folder, { recursive: true });
    }
  });
});

describe('the address that an agent binds to', () => {
  it('is the one that was given, over ssh the one by which it was reached, and else one that nobody else reaches', () => {
    assert.equal(addressToBind('10.0.0.7', {}), '10.0.0.7');
    assert.equal(addressToBind(undefined, { SSH_CONNECTION: '10.0.0.1 5000 10.0.0.2 22' }), '10.0.0.2');
    assert.equal(addressToBind(undefined, {}), '127.0.0.1');
    for (const bad of ['localhost', '10.0.0', '', '::g', '[::1]:80'])
      assert.throws(() => addressToBind(bad, {}), /--bind: this is no IP address/);
  });

  it('is one of its host, which is tried', async () => {
    await tryToBind('127.0.0.1');
    const documented = '203.0.113.77'; // RFC 5737: of nobody
    await assert.rejects(tryToBind(documented), {
      code: 'BAD_ARGUMENT',
      message:
        /^--bind: 203\.0\.113\.77 is not usable on this host \(EADDRNOTAVAIL\); (?:those that it has: |it has none)/,
    });
  });

  it('may be of IPv6, as the system writes it, but not of a link alone', () => {
    for (const text of ['::1', '[::1]', '0:0::1']) assert.equal(addressToBind(text, {}), '::1');
    assert.equal(addressToBind('FD00:0:0::02', {}), 'fd00::2');
    assert.equal(addressToBind(undefined, { SSH_CONNECTION: 'fd00::1 5000 fd00::2 22' }), 'fd00::2');
    for (const bad of ['fe80::1', 'fe80::1%eth0', 'FEBF::1'])
      assert.throws(() => addressToBind(bad, {}), /--bind: an address of a link means something else/);
  });
});

describe('controls of several hosts', () => {
  const plugins = /** @type {any} */ ({
    codecs: new Map([['json', { url: builtinUrl('codec', 'json') }]]),
    scenarios: new Map([['round-trip', { url: builtinUrl('scenario', 'round-trip'), plugin: {} }]]),
  });
  const cells = /** @type {any} */ ([{ codec: 'json', scenario: 'round-trip', payloadBytes: 10, loops: 1 }]);
  const measured = (/** @type {number} */ nullUs) => ({
    row: { codecUs: { estimate: 1, low: 1, high: 1 }, checkUs: 0, nullUs },
    timer: { nowNs: nullUs, recordNs: 1 },
  });

  it('are those of each, and one that is gone has none', async () => {
    /** @type {Engine} */
    const engine = {
      hand: (host, _launchId, order) => ({
        ended:
          host === 'c'
            ? Promise.reject(new BenchError('HOST', 'gone'))
            : Promise.resolve({
                status: 'controlled',
                measured: measured(order.kind === 'control' && host === 'a' ? 1 : 2),
              }),
        stop() {},
      }),
      close: async () => {},
    };
    const run = { cpus: null, seed: 1, signal: new AbortController().signal };
    const byHost = await controlsOn(engine, ['a', 'b', 'c'])(cells, plugins, run);
    assert.deepEqual(
      Object.entries(byHost).map(([host, { rows }]) => [host, rows.map(({ nullUs }) => nullUs)]),
      [
        ['a', [1]],
        ['b', [2]],
        ['c', []],
      ],
    );
    assert.equal(joinedControls(Object.values(byHost))?.rows[0].nullUs, 2, 'of two the slower one');
  });

  it('wait for no host once the run is interrupted', async () => {
    const controller = new AbortController();
    let isStopped = false;
    const stop = () => {
      isStopped = true;
    };
    const hand = () => ({ ended: new Promise(() => {}), stop });
    const engine = /** @type {Engine} */ ({ hand, close: async () => {} });
    const run = { cpus: null, seed: 1, signal: controller.signal };
    const asked = controlsOn(engine, ['a'])(cells, plugins, run);
    controller.abort();
    assert.deepEqual((await asked).a.rows, []);
    assert.ok(isStopped);
  });
});

describe('what is said of hosts', () => {
  const results = makeResults({ series: ['tcp/json'], shapes: ['2x4'] });
  const [outcome] = /** @type {MeasuredOutcome[]} */ (results.outcomes);
  const quiet = { othersShare: 0, stealShare: 0, pressureShare: 0, throttledPeriods: 0, spinRatio: 1 };
  const crowded = { ...quiet, othersShare: 0.3 };
  const wakeUp = { sameUs: 10, splitUs: 30, costUs: 10, cpus: [0, 1] };
  const launches = outcome.launches.map((launch) => {
    const noise = { ...crowded, masterStallMs: 0, hosts: { a: quiet, b: crowded } };
    return { ...launch, noise, flags: noiseFlags({ ...launch, noise }) };
  });
  const across = {
    ...results,
    outcomes: [{ ...outcome, cell: { ...outcome.cell, hosts: 'a:b' }, launches }],
    machine: { wakeUp },
    hosts: {
      a: { role: /** @type {const} */ ('master'), environment: results.environment, wakeUp },
      b: {
        role: /** @type {const} */ ('worker'),
        environment: results.environment,
        wakeUp: { ...wakeUp, costUs: 4 },
      },
    },
  };

  it('is where each process was, what waking a CPU costs there, and which of them was disturbed', () => {
    const lines = surroundingLines(across).join('\n');
    assert.match(lines, /placement split, hosts a:b: master on .* of a, workers on .* of b/);
    assert.match(
      lines,
      /waking a sleeping CPU on a costs 10\.0 µs: .*\nwaking a sleeping CPU on b costs 4\.00 µs/,
    );
    const count = launches.length;
    assert.match(
      lines,
      new RegExp(
        `${count} of ${count} launches were disturbed \\(other programs; on b in ${count}\\) and are included$`,
        'm',
      ),
    );
    assert.deepEqual(wakeUpTexts(across), ['waking a CPU on a 10.0 µs, on b 4.00 µs']);
  });

  it('is in one line what any of them is, and below pictures what each is that is unlike', () => {
    const wordsOf = (/** @type {object} */ ofB, /** @type {object} */ ofAll = {}) => {
      const [a, b] = [across.hosts.a, { ...across.hosts.b, environment: { ...results.environment, ...ofB } }];
      const environment = { ...results.environment, ...ofAll };
      const told = { ...across, environment, hosts: { a, b } };
      const [figure] = makeFigures(told);
      const machines = figure.notes.filter((note) => note.startsWith('Machine: '));
      return { line: sourceLine(told), where: linesBelow(figure)[1], machines };
    };
    const alike = wordsOf({});
    assert.match(alike.where, /^AMD EPYC .* Node v20\.20\.2 · master on a, workers on b/);
    const { line, where, machines } = wordsOf(
      { cpuModel: 'Arm', node: 'v22.1.0' },
      { runtimes: { bun: '1.4.5' } },
    );
    assert.match(
      line,
      / on AMD EPYC 7763 64-Core Processor, Arm, Node v20\.20\.2 and v22\.1\.0, bun 1\.4\.5; master on a/,
    );
    assert.match(machines[0], /^Machine: a: AMD EPYC .* Node v20\.20\.2, bun 1\.4\.5$/);
    assert.match(machines[1], /^Machine: b: Arm · .* · Node v22\.1\.0$/);
    assert.match(where, / · 2 kinds of machine · master on a, workers on b/);
  });

  it('is of one host what it was', () => {
    assert.deepEqual(wakeUpTexts({ ...across, hosts: undefined }), ['waking a CPU 10.0 µs']);
    assert.deepEqual(wakeUpTexts({ ...across, hosts: { b: across.hosts.b } }), ['waking a CPU on b 4.00 µs']);
  });
});

describe('the messages of a command', () => {
  const folder = ownFolder('ibo-');

  it('are the file of messages, under another path there', async () => {
    const path = join(folder, 'm.ndjson');
    writeFileSync(path, '{"id":1}\n');
    const messageFile = { path, content: 'm@1' };
    const spec = /** @type {any} */ ({ cell: { content: 'm@1' }, messageFile });
    const there = await withMessages(packMessages(spec), async (messageFileHere) => {
      const here = messageFileHere(/** @type {any} */ ({ content: 'm@1' }));
      assert.notEqual(here?.path, path);
      assert.equal(readFileSync(String(here?.path), 'utf8'), '{"id":1}\n');
      return String(here?.path);
    });
    assert.equal(existsSync(there), false, 'the file is gone');
    assert.deepEqual(packMessages({ ...spec, cell: {} }), {}, 'payloads of this cell are made');
    assert.equal(await withMessages({}, async (messageFileHere) => messageFileHere(spec.messageFile)), null);
    const gone = { ...spec, messageFile: { ...messageFile, path: join(folder, 'gone') } };
    assert.throws(() => packMessages(gone), /cannot be read any more/);
  });
});

describe('a launch on several hosts', () => {
  const NOISE = { othersShare: 0, stealShare: null, pressureShare: 0, throttledPeriods: 0, spinRatio: 1 };
  const spec = /** @type {any} */ ({
    launchId: 'l1',
    token: 't',
    cell: { workers: 8, placement: 'split' },
    deadlines: { lifeMs: 1_000 },
    cpus: null,
    transportUrl: builtinUrl('transport', 'tcp'),
    codecUrl: builtinUrl('codec', 'json'),
    toMaster: null,
    messageFile: null,
    scenarioUrl: builtinUrl('scenario', 'round-trip'),
  });
  const signal = new AbortController().signal;

  /**
   * @param {(agent: string, order: Order) => Promise<OrderEnd>} obey
   * @param {number} [copies]   of each piece of news that arrive
   * @returns {{ engine: Engine, given: { agent: string, order: Order }[], stopped: () => string[] }}
   */
  const engineOf = (obey, copies = 1) => {
    /** @type {{ agent: string, order: Order }[]} */
    const given = [];
    /** @type {string[]} */
    const stopped = [];
    /** @type {Engine} */
    const engine = {
      hand(agent, _launchId, order, onNews) {
        given.push({ agent, order });
        for (let copy = 0; order.kind === 'lead' && copy < copies; copy += 1)
          onNews({ news: 'awaiting', probeAddress: '10.0.0.1:5', folder: '/tmp/l1' });
        const ended = obey(agent, order);
        ended.catch(() => {});
        return { ended, stop: () => void stopped.push(agent) };
      },
      close: async () => {},
    };
    return { engine, given, stopped: () => stopped.sort() };
  };
  /** @param {Order} order @returns {OrderEnd} */
  const wellDone = (order) =>
    order.kind === 'lead'
      ? {
          status: 'led',
          end: { kind: 'done', fields: { costs: [{ name: 'w0', cpus: null }] } },
          noise: NOISE,
        }
      : {
          status: 'worked',
          stderr: [],
          noise: { ...NOISE, spinRatio: 2 },
          roundTripUs: 50,
          cpus: { w0: [3] },
        };

  it('gives each host its workers in turn, and puts together what all of them saw', async () => {
    const { engine, given } = engineOf(async (_agent, order) => wellDone(order));
    const end = await launchAcross(engine, { master: 'a', workers: ['b', 'c', 'd'] })(spec, {
      padding: '',
      signal,
    });
    assert.ok(end.kind === 'done');
    assert.deepEqual(
      given.flatMap(({ agent, order }) => (order.kind === 'work' ? [[agent, order.ids]] : [])),
      [
        ['b', ['w0', 'w3', 'w6']],
        ['c', ['w1', 'w4', 'w7']],
        ['d', ['w2', 'w5']],
      ],
    );
    assert.equal(end.noise?.spinRatio, 2, 'the worst of each reading');
    const ofHosts = Object.entries(end.noise?.hosts ?? {}).map(([host, noise]) => [host, noise.spinRatio]);
    assert.deepEqual(Object.fromEntries(ofHosts), { a: 1, b: 2, c: 2, d: 2 });
    assert.deepEqual(end.fields.costs, [{ name: 'w0', cpus: [3] }]);
    assert.deepEqual(end.fields.toController, {
      b: { roundTripUs: 50 },
      c: { roundTripUs: 50 },
      d: { roundTripUs: 50 },
    });
  });

  it('gives no order to a host that has no worker', async () => {
    const { engine, given } = engineOf(async (_agent, order) => wellDone(order));
    const one = { ...spec, cell: { ...spec.cell, workers: 1 } };
    await launchAcross(engine, { master: 'a', workers: ['b', 'c'] })(one, { padding: '', signal });
    assert.deepEqual(
      given.map(({ agent }) => agent),
      ['a', 'b'],
    );
  });

  it('refuses code that is not built in', async () => {
    const { engine } = engineOf(async (_agent, order) => wellDone(order));
    const foreign = { ...spec, transportUrl: 'file:///tmp/mine.js' };
    const launch = launchAcross(engine, { master: 'a', workers: ['b'] });
    await assert.rejects(
      launch(foreign, { padding: '', signal }),
      /agents run no transport of file:\/\/\/tmp\/mine\.js/,
    );
  });

  it('ends in the right state with 64 agents and 1,024 workers, whichever are slow, refuse, are gone or lost, and what arrives twice', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const hosts = Array.from({ length: 64 }, (_, index) => `h${index}`);
    const [master, ...workers] = hosts;
    const many = { ...spec, cell: { ...spec.cell, workers: 1_024 } };
    const LOST = { kind: 'failed', code: 'DEADLINE', message: 'some did not connect', phase: 'connect' };
    const seen = { done: 0, HOST: 0, DEADLINE: 0 };
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seededRandom(seed);
      const fates = new Map(hosts.map((host) => [host, random()]));
      const faulty = seed % 3 === 0 ? [] : hosts.filter((host) => Number(fates.get(host)) < 0.02);
      // What is lost comes to nobody's ears: the controller misses who should have come.
      const lost = seed % 4 === 1 ? workers.filter((host) => Number(fates.get(host)) > 0.98) : [];
      const copies = [1, 2, 3, 0][seed % 4];
      const { engine, given, stopped } = engineOf(async (agent, order) => {
        const fate = Number(fates.get(agent));
        for (let turn = 0; turn < fate * 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        if (faulty.includes(agent)) {
          if (fate < 0.01) throw new BenchError('HOST', `host ${agent}: gone`);
          return { status: 'refused', message: 'no room' };
        }
        if (lost.includes(agent)) return new Promise(() => {});
        if (order.kind === 'work') return wellDone(order);
        if (faulty.some((host) => given.some((each) => each.agent === host))) return new Promise(() => {});
        const isWhole = lost.length === 0 && copies > 0;
        const end = /** @type {any} */ ({ ...LOST, integrity: null, stderr: [] });
        return isWhole ? wellDone(order) : { status: 'led', end, noise: NOISE };
      }, copies);
      const launched = launchAcross(engine, { master, workers })(many, { padding: '', signal });
      let isOver = false;
      launched.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await new Promise((resolve) => setImmediate(resolve));
        t.mock.timers.tick(20);
      }
      const end = await launched;
      const what = end.kind === 'done' ? 'done' : /** @type {keyof typeof seen} */ (end.code);
      seen[what] += 1;
      const told = faulty.filter((host) => given.some(({ agent }) => agent === host));
      if (told.length > 0) assert.equal(what, 'HOST', `seed ${seed}`);
      else assert.equal(what, lost.length > 0 || copies === 0 ? 'DEADLINE' : 'done', `seed ${seed}`);
      if (end.kind === 'failed' && what === 'HOST')
        assert.ok(
          told.some((host) => end.message.startsWith(`host ${host}:`)),
          end.message,
        );
      const names = given.map(({ agent }) => agent);
      assert.equal(new Set(names).size, names.length, 'nobody is given an order twice');
      assert.deepEqual(stopped(), [...names].sort(), 'nobody works on');
    }
    for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `never ${what}`);
  });

  it('ends at once when the run is interrupted, and stops everybody', async () => {
    const { engine, stopped } = engineOf(() => new Promise(() => {}));
    const controller = new AbortController();
    const launch = launchAcross(engine, { master: 'a', workers: ['b'] })(spec, {
      padding: '',
      signal: controller.signal,
    });
    controller.abort(new Error('stop'));
    await assert.rejects(launch, { code: 'INTERRUPTED' });
    assert.deepEqual(stopped(), ['a', 'b']);
  });
});

describe('a command to start workers', () => {
  it('is refused where the host of the master hangs up, and starts none', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const agent = new Agent('127.0.0.1');
    const plugins = { transport: 'tcp', codec: 'json', scenario: 'round-trip', toMaster: null };
    const spec = { token: 't', cell: { placement: 'free' }, tierUp: 'usual', memoryLimitBytes: null };
    const where = { probeAddress: `127.0.0.1:${port}`, controller: 'a', line: 'l', ids: ['w0'], padding: '' };
    const order = { ...describeCode(), kind: /** @type {const} */ ('work'), plugins, spec, ...where };
    /** @type {object[]} */
    const sent = [];
    try {
      const end = await startRemoteWorkers(agent, order, {
        launchId: 'l1',
        tell() {},
        openLine: () => ({ send: (_to, message) => void sent.push(message), close() {} }),
        signal: new AbortController().signal,
      });
      assert.deepEqual([end.status, 'isHangUp' in end], ['refused', true]);
      assert.deepEqual(sent, []);
    } finally {
      server.close();
      await agent.close();
    }
  });
});
