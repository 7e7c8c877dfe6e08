// Runs on several hosts, with fakes of their agents: what is sealed, which code and folders are refused, and how launches end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TEMPORARY_VARIABLE } from '../../lib/children/run-directory.js';
import { BenchError } from '../../lib/errors.js';
import {
  addressToBind,
  refuseOtherFolders,
  requireFolder,
  resolveSharedFolder,
  tryToBind,
} from '../../lib/hosts/agent-resources.js';
import { Agent } from '../../lib/hosts/handle-command.js';
import { hashCode, Installation } from '../../lib/hosts/installation.js';
import { launchAcross } from '../../lib/hosts/launch-across.js';
import { calibrateOn, runOnHosts } from '../../lib/hosts/run-on-hosts.js';
import { Seal } from '../../lib/hosts/seal.js';
import { packMessages, withMessages } from '../../lib/hosts/sent-messages.js';
import { runWorkers } from '../../lib/hosts/worker-command.js';
import { noiseFlags } from '../../lib/machine/noise.js';
import { builtinUrl } from '../../lib/plugins/builtins.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { linesBelow } from '../../lib/report/charts/figures/footer.js';
import { wakeUpLines } from '../../lib/report/text/machine-words.js';
import { sourceLine, surroundingLines } from '../../lib/report/text/surroundings.js';
import { joinedControls } from '../../lib/results/calibration-rows.js';
import { seededRandom } from '../../lib/statistics/random.js';
import { buildResults } from '../fixtures/build-results.js';
import { ownFolder } from '../fixtures/own-folder.js';

/** @import { Command, CommandResult, MeasuredOutcome, CommandChannel } from '../../lib/types/index.js' */

describe('a seal', async () => {
  const seal = await Seal.derive('a secret that is long enough', 'salt');
  const text = seal.close({ token: 'f00' }, 'command to b 1');

  it('opens what was sealed with the same secret and salt for the same purpose', async () => {
    const same = await Seal.derive('a secret that is long enough', 'salt');
    assert.deepEqual(same.open(text, 'command to b 1'), { token: 'f00' });
    assert.ok(!Buffer.from(text, 'base64').includes('f00'));
    const long = { text: 'x'.repeat(100_000) };
    const packed = seal.close(long, 'x');
    assert.ok(packed.length < 2_000, `${packed.length} characters`);
    assert.deepEqual(seal.open(packed, 'x'), long);
  });

  it('encrypts equal values differently', () => {
    const sealed = Array.from({ length: 20 }, () => seal.close(1, 'x'));
    const keys = sealed.map((one) => Buffer.from(one, 'base64').subarray(0, 16));
    assert.equal(new Set(keys.map((salt) => seal.keysOf(salt).join())).size, 20);
    assert.equal(new Set(sealed).size, 20);
  });

  it('opens nothing with another secret or salt, for another purpose, or in which a byte was changed', async () => {
    for (const [secret, salt] of [
      ['a secret that is long enougH', 'salt'],
      ['a secret that is long enough', 'salT'],
    ])
      assert.equal((await Seal.derive(secret, salt)).open(text, 'command to b 1'), undefined);
    assert.equal(seal.open(text, 'command to c 1'), undefined);
    const bytes = Buffer.from(text, 'base64');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index] ^= 1;
      assert.equal(seal.open(changed.toString('base64'), 'command to b 1'), undefined);
    }
    for (let length = 0; length < bytes.length; length += 1)
      assert.equal(seal.open(bytes.subarray(0, length).toString('base64'), 'command to b 1'), undefined);
    for (const rubbish of ['', 'x', null, 'é'.repeat(100)])
      assert.equal(seal.open(rubbish, 'command to b 1'), undefined);
  });
});

describe('an installation', () => {
  const installation = new Installation();
  const urls = {
    transportUrl: builtinUrl('transport', 'tcp'),
    codecUrl: builtinUrl('codec', 'json'),
    scenarioUrl: builtinUrl('scenario', 'round-trip'),
    toMaster: null,
  };
  const command = installation.describe(urls);
  const refusal = (/** @type {any} */ sent, host = installation) => {
    try {
      host.requireCode(sent);
    } catch (error) {
      return String(error);
    }
    return 'accepted';
  };

  it('accepts a command of the same code', () => {
    assert.equal(refusal(command), 'accepted');
    assert.deepEqual(
      command.code.map(({ kind, name }) => `${kind} ${name}`),
      ['program ipc-bench', 'transport tcp', 'codec json', 'scenario round-trip'],
    );
  });

  it('refuses another version, other code and unknown plug-ins, with both versions or hashes', () => {
    assert.match(
      refusal({ ...command, version: '9.9.9' }),
      /it is ipc-bench \d.* and the run is ipc-bench 9\.9\.9: install one version/,
    );
    const [program, tcp, ...rest] = command.code;
    assert.match(
      refusal({ ...command, code: [program, { ...tcp, hash: 'abc' }, ...rest] }),
      new RegExp(`its transport tcp has the hash ${tcp.hash}, and that of the run abc`),
    );
    assert.match(
      refusal({ ...command, code: [{ kind: 'transport', name: '/tmp/evil.js', hash: 'abc' }] }),
      /it has no transport \/tmp\/evil\.js, and runs only/,
    );
    for (const plugin of [{ transport: 'udp' }, { codec: 'v8' }, { toMaster: 'udp' }])
      assert.match(
        refusal({ ...command, plugins: { ...command.plugins, ...plugin } }),
        /the command has no hash of the (?:transport udp|codec v8)/,
      );
  });

  it('finds plug-ins by their names, and nowhere else', async () => {
    const names = ['/tmp/evil.js', '../../evil', 'data:text/javascript,1', '__proto__', 'constructor', ''];
    for (const name of names)
      await assert.rejects(
        installation.load({ ...command.plugins, transport: name }),
        { code: 'HOST', message: /^it has no transport .*start its agent with --transport FILE/ },
        name,
      );
  });

  it('has plug-ins of the user, wherever their files are, if run and agent were started with them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ibc-'));
    try {
      const [ofRun, ofAgent] = ['run', 'agent'].map((place) => {
        const file = join(folder, `${place}.js`);
        writeFileSync(file, 'export default {};');
        return { kind: /** @type {const} */ ('transport'), name: 'mine', url: pathToFileURL(file).href };
      });
      const sent = new Installation([ofRun]).describe({ ...urls, transportUrl: ofRun.url });
      assert.equal(sent.plugins.transport, 'mine');
      assert.match(refusal(sent), /it has no transport mine/);
      const agent = new Installation([ofAgent]);
      assert.equal(refusal(sent, agent), 'accepted');
      assert.equal(agent.findUrl('transport', 'mine'), ofAgent.url);
      writeFileSync(join(folder, 'agent.js'), 'export default { other: true };');
      assert.match(refusal(sent, agent), /its transport mine has the hash/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the hash of a folder', () => {
  it('covers the names and contents of its sources in all languages, and nothing else', () => {
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

  it('is the same on Windows, which separates names by a backslash', {
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
  it('is that of --bind, by default the one at which ssh reached the host, or the loopback', () => {
    assert.equal(addressToBind('10.0.0.7', {}), '10.0.0.7');
    assert.equal(addressToBind(undefined, { SSH_CONNECTION: '10.0.0.1 5000 10.0.0.2 22' }), '10.0.0.2');
    assert.equal(addressToBind(undefined, {}), '127.0.0.1');
    for (const bad of ['localhost', '10.0.0', '', '::g', '[::1]:80'])
      assert.throws(() => addressToBind(bad, {}), /--bind: this is no IP address/);
  });

  it('must be one of the host', async () => {
    await tryToBind('127.0.0.1');
    const documented = '203.0.113.77'; // RFC 5737: no host has it
    await assert.rejects(tryToBind(documented), {
      code: 'BAD_ARGUMENT',
      message:
        /^--bind: 203\.0\.113\.77 is not usable on this host \(EADDRNOTAVAIL\); (?:those that it has: |it has none)/,
    });
  });

  it('may be an IPv6 address, in its shortest form, but not a link-local one', () => {
    for (const text of ['::1', '[::1]', '0:0::1']) assert.equal(addressToBind(text, {}), '::1');
    assert.equal(addressToBind('FD00:0:0::02', {}), 'fd00::2');
    assert.equal(addressToBind(undefined, { SSH_CONNECTION: 'fd00::1 5000 fd00::2 22' }), 'fd00::2');
    for (const bad of ['fe80::1', 'fe80::1%eth0', 'FEBF::1'])
      assert.throws(() => addressToBind(bad, {}), /--bind: an address of a link means something else/);
  });
});

describe('a shared folder', () => {
  const folder = ownFolder('ibf-');

  it('is resolved, and must be an existing folder with a short path', () => {
    assert.equal(resolveSharedFolder(undefined), undefined);
    const link = join(folder, 'link');
    symlinkSync(folder, link, 'junction');
    assert.equal(resolveSharedFolder(link), resolveSharedFolder(folder));
    const file = join(folder, 'file');
    writeFileSync(file, '', { mode: 0o700 });
    const deep = join(folder, 'd'.repeat(60));
    mkdirSync(deep);
    /** @type {[string, RegExp][]} */
    const refused = [
      [join(folder, 'none'), /--shared-folder: this folder cannot be used \(ENOENT\)/],
      [file, /this is not a folder/],
      [deep, /sockets need a path of at most 50 bytes/],
    ];
    for (const [path, why] of refused)
      assert.throws(() => resolveSharedFolder(path), { code: 'BAD_ARGUMENT', message: why });
  });

  it('must be the same for all agents of the run', () => {
    const choice = { master: 'a', workers: ['b', 'c'] };
    const facts = (/** @type {(string | undefined)[]} */ ...folders) =>
      /** @type {any} */ (new Map(folders.map((sharedFolder, index) => ['abc'[index], { sharedFolder }])));
    refuseOtherFolders(facts(undefined, '/x', '/y'), choice);
    const shared = { ...choice, sharesFolder: /** @type {const} */ (true) };
    refuseOtherFolders(facts('/x', '/x', '/x'), shared);
    const none = /host b has no shared folder: start its agent with --shared-folder/;
    assert.throws(() => refuseOtherFolders(facts('/x', undefined, '/x'), shared), {
      code: 'HOST',
      message: none,
    });
    const other = /host c: its shared folder is \/y, and that of host a is \/x/;
    assert.throws(() => refuseOtherFolders(facts('/x', '/x', '/y'), shared), {
      code: 'HOST',
      message: other,
    });
  });

  it('is proved to be the same by the folder of a launch in it', () => {
    const made = join(folder, 'ipcb-1-2-abcdef');
    mkdirSync(made);
    requireFolder(made, folder);
    const unseen = { code: 'HOST', message: /does not see what the host of the master has/ };
    assert.throws(() => requireFolder(join(folder, 'ipcb-1-2-ghijkl'), folder), unseen);
    assert.throws(() => requireFolder(made, join(folder, 'other')), unseen);
    assert.throws(() => requireFolder(join(folder, '..'), folder), unseen);
    assert.throws(() => requireFolder(made, undefined), unseen);
  });
});

describe('the calibration of several hosts', () => {
  const plugins = /** @type {any} */ ({
    codecs: new Map([['json', { url: builtinUrl('codec', 'json') }]]),
    scenarios: new Map([['round-trip', { url: builtinUrl('scenario', 'round-trip'), plugin: {} }]]),
  });
  const cells = /** @type {any} */ ([{ codec: 'json', scenario: 'round-trip', payloadBytes: 10, loops: 1 }]);
  const measured = (/** @type {number} */ nullUs) => ({
    row: { codecUs: { estimate: 1, low: 1, high: 1 }, checkUs: 0, nullUs },
    timer: { nowNs: nullUs, recordNs: 1 },
  });

  it('measures each host, and none that is gone', async () => {
    /** @type {CommandChannel} */
    const sender = {
      async send(host, _launchId, command) {
        if (host === 'c') throw new BenchError('HOST', 'gone');
        assert.equal(command.kind, 'calibrate');
        return { status: 'calibrated', measured: measured(host === 'a' ? 1 : 2) };
      },
      close: async () => {},
    };
    const run = { cpus: null, seed: 1, signal: new AbortController().signal };
    const byHost = await calibrateOn(sender, ['a', 'b', 'c'])(cells, plugins, run);
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

  it('is aborted with the run', async () => {
    const controller = new AbortController();
    /** @type {CommandChannel} */
    const sender = {
      send: (_host, _launchId, _command, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      close: async () => {},
    };
    const run = { cpus: null, seed: 1, signal: controller.signal };
    const calibrating = calibrateOn(sender, ['a'])(cells, plugins, run);
    setImmediate(() => controller.abort());
    assert.deepEqual((await calibrating).a.rows, []);
  });
});

describe('what is said of hosts', () => {
  const results = buildResults({ series: ['tcp/json'], shapes: ['2x4'] });
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
    const [own, ...others] = wakeUpLines({ ...across, hosts: undefined });
    assert.match(own, /^waking a sleeping CPU costs 10\.0 µs/);
    assert.deepEqual(others, []);
  });
});

describe('a command with messages', () => {
  const folder = ownFolder('ibo-');

  it('has the file of messages under another path while it is executed', async () => {
    const path = join(folder, 'm.ndjson');
    writeFileSync(path, '{"id":1}\n');
    const file = /** @type {any} */ ({ path, content: 'm@1' });
    const localised = await withMessages(packMessages(file, 'm@1'), async (messageFileOf) => {
      const found = messageFileOf(/** @type {any} */ ({ content: 'm@1' }));
      assert.notEqual(found?.path, path);
      assert.equal(readFileSync(String(found?.path), 'utf8'), '{"id":1}\n');
      return String(found?.path);
    });
    assert.equal(existsSync(localised), false, localised);
    assert.match(localised, /messages$/);
    assert.deepEqual(packMessages(file, undefined), {}, 'payloads of this cell are generated');
    const gone = { ...file, path: join(folder, 'gone') };
    assert.throws(() => packMessages(gone, 'm@1'), /cannot be read any more/);
  });

  it('needs no temporary folder if it has none', async () => {
    const before = process.env[TEMPORARY_VARIABLE];
    process.env[TEMPORARY_VARIABLE] = join(folder, 'none');
    try {
      assert.equal(
        await withMessages({}, async (messageFileOf) => messageFileOf(/** @type {any} */ ({}))),
        null,
      );
    } finally {
      process.env[TEMPORARY_VARIABLE] = before;
      if (before === undefined) delete process.env[TEMPORARY_VARIABLE];
    }
  });
});

describe('a launch on several hosts', () => {
  const NOISE = { othersShare: 0, stealShare: null, pressureShare: 0, throttledPeriods: 0, spinRatio: 1 };
  const spec = /** @type {any} */ ({
    launchId: 'l1',
    token: 't',
    cell: { workers: 8, placement: 'split' },
    deadlines: { finishMs: 15_000, exitMs: 5_000, lifeMs: 1_000 },
    cpus: null,
    transportUrl: builtinUrl('transport', 'tcp'),
    codecUrl: builtinUrl('codec', 'json'),
    toMaster: null,
    messageFile: null,
    scenarioUrl: builtinUrl('scenario', 'round-trip'),
  });
  const signal = new AbortController().signal;

  /**
   * @param {(host: string, command: Command) => Promise<CommandResult>} handle
   * @param {number} [copies]   of each event that arrive
   * @returns {{ sender: CommandChannel, sent: { host: string, command: Command }[], stopped: () => string[] }}
   */
  const makeSender = (handle, copies = 1) => {
    /** @type {{ host: string, command: Command, signal: AbortSignal }[]} */
    const sent = [];
    /** @type {CommandChannel} */
    const sender = {
      send(host, _launchId, command, { signal, onEvent }) {
        sent.push({ host, command, signal });
        for (let copy = 0; command.kind === 'controller' && copy < copies; copy += 1)
          onEvent?.({ event: 'awaiting', probeAddress: '10.0.0.1:5', folder: '/tmp/l1' });
        const aborted = new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
        return Promise.race([handle(host, command), aborted]);
      },
      close: async () => {},
    };
    const stopped = () => sent.flatMap(({ host, signal }) => (signal.aborted ? [host] : [])).sort();
    return { sender, sent, stopped };
  };
  /** @param {Command} command @returns {CommandResult} */
  const succeed = (command) =>
    command.kind === 'controller'
      ? {
          status: 'controller-ended',
          end: { kind: 'done', fields: { costs: [{ name: 'w0', cpus: null }] } },
          noise: NOISE,
        }
      : {
          status: 'workers-ended',
          stderr: [],
          noise: { ...NOISE, spinRatio: 2 },
          roundTripUs: 50,
          cpus: { w0: [3] },
        };

  it('distributes the workers in turn, and merges the results of all hosts', async () => {
    const { sender, sent } = makeSender(async (_host, command) => succeed(command));
    const end = await launchAcross(sender, { master: 'a', workers: ['b', 'c', 'd'] })(spec, {
      padding: '',
      signal,
    });
    assert.ok(end.kind === 'done');
    assert.deepEqual(
      sent.flatMap(({ host, command }) => (command.kind === 'workers' ? [[host, command.ids]] : [])),
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

  it('sends no command to a host without a worker', async () => {
    const { sender, sent } = makeSender(async (_host, command) => succeed(command));
    const one = { ...spec, cell: { ...spec.cell, workers: 1 } };
    await launchAcross(sender, { master: 'a', workers: ['b', 'c'] })(one, { padding: '', signal });
    assert.deepEqual(
      sent.map(({ host }) => host),
      ['a', 'b'],
    );
  });

  it('refuses a plug-in that this host does not have by name', async () => {
    const { sender } = makeSender(async (_host, command) => succeed(command));
    const foreign = { ...spec, transportUrl: 'file:///tmp/mine.js' };
    const launch = launchAcross(sender, { master: 'a', workers: ['b'] });
    await assert.rejects(
      launch(foreign, { padding: '', signal }),
      /agents run no transport of file:\/\/\/tmp\/mine\.js/,
    );
  });

  it('has the right end with 64 agents and 1,024 workers, of which some are slow, refuse, die or are lost, and with repeated events', async (t) => {
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
      // Of a lost command nothing is reported: the controller misses the workers.
      const lost = seed % 4 === 1 ? workers.filter((host) => Number(fates.get(host)) > 0.98) : [];
      const copies = [1, 2, 3, 0][seed % 4];
      const { sender, sent, stopped } = makeSender(async (host, command) => {
        const fate = Number(fates.get(host));
        for (let turn = 0; turn < fate * 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        if (faulty.includes(host)) {
          if (fate < 0.01) throw new BenchError('HOST', `host ${host}: gone`);
          return { status: 'refused', message: 'no room' };
        }
        if (lost.includes(host)) return new Promise(() => {});
        if (command.kind === 'workers') return succeed(command);
        if (faulty.some((one) => sent.some((other) => other.host === one))) return new Promise(() => {});
        const isWhole = lost.length === 0 && copies > 0;
        const end = /** @type {any} */ ({ ...LOST, integrity: null, stderr: [] });
        return isWhole ? succeed(command) : { status: 'controller-ended', end, noise: NOISE };
      }, copies);
      const launched = launchAcross(sender, { master, workers })(many, { padding: '', signal });
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
      const failed = faulty.filter((one) => sent.some(({ host }) => host === one));
      if (failed.length > 0) assert.equal(what, 'HOST', `seed ${seed}`);
      else assert.equal(what, lost.length > 0 || copies === 0 ? 'DEADLINE' : 'done', `seed ${seed}`);
      if (end.kind === 'failed' && what === 'HOST')
        assert.ok(
          failed.some((host) => end.message.startsWith(`host ${host}:`)),
          end.message,
        );
      const names = sent.map(({ host }) => host);
      assert.equal(new Set(names).size, names.length, 'no host gets two commands');
      assert.deepEqual(stopped(), [...names].sort());
    }
    for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `never ${what}`);
  });

  it('fails when it hangs, a minute later if it starts private brokers', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    for (const startsBrokers of [false, true]) {
      const { sender, stopped } = makeSender(() => new Promise(() => {}));
      const launch = launchAcross(sender, { master: 'a', workers: ['b'] });
      const launched = launch(spec, { padding: '', signal, startsBrokers });
      t.mock.timers.tick(spec.deadlines.lifeMs + (startsBrokers ? 60_000 : 0));
      assert.deepEqual(stopped(), []);
      t.mock.timers.tick(45_000);
      const end = await launched;
      assert.ok(end.kind === 'failed');
      assert.deepEqual([end.code, end.phase, stopped()], ['DEADLINE', 'start', ['a', 'b']]);
    }
  });

  it('has what the workers wrote to stderr if it fails', async () => {
    const failure = { kind: 'failed', code: 'DEADLINE', message: 'late', phase: 'connect', integrity: null };
    const { sender } = makeSender(async (host, command) =>
      command.kind === 'controller'
        ? /** @type {any} */ ({
            status: 'controller-ended',
            end: { ...failure, stderr: ['a'] },
            noise: NOISE,
          })
        : { ...succeed(command), stderr: [host] },
    );
    const launch = launchAcross(sender, { master: 'a', workers: ['b', 'c'] });
    assert.deepEqual(await launch(spec, { padding: '', signal }), { ...failure, stderr: ['a', 'b', 'c'] });
  });

  it('rejects with an error that is a fault of the program', async () => {
    const { sender } = makeSender(async () => {
      throw new TypeError('no function');
    });
    const launch = launchAcross(sender, { master: 'a', workers: ['b'] });
    await assert.rejects(launch(spec, { padding: '', signal }), TypeError);
  });

  it('ends at once when the run is interrupted, and stops all hosts', async () => {
    const { sender, stopped } = makeSender(() => new Promise(() => {}));
    const controller = new AbortController();
    const launch = launchAcross(sender, { master: 'a', workers: ['b'] })(spec, {
      padding: '',
      signal: controller.signal,
    });
    controller.abort(new Error('stop'));
    await assert.rejects(launch, { code: 'INTERRUPTED' });
    assert.deepEqual(stopped(), ['a', 'b']);
  });
});

describe('a run on several hosts', () => {
  /** @param {(host: string) => any} describeHost */
  async function run(describeHost, options = {}, stop = new AbortController()) {
    const seen = /** @type {any} */ ({ closed: 0, commands: [] });
    const open = async (/** @type {string} */ url, /** @type {string} */ secret) => {
      seen.opened = [url, secret];
      return {
        async send(/** @type {string} */ host, /** @type {string} */ launchId, /** @type {any} */ command) {
          seen.commands.push([host, launchId, command.kind, command.withWakeUp]);
          return describeHost(host);
        },
        async close() {
          seen.closed += 1;
        },
      };
    };
    const hosts = { master: 'a', workers: ['b', 'c'] };
    const agents = { url: 'redis://10.0.0.9', secret: 'of the run' };
    const sides = /** @type {any} */ ([
      { options: { hosts, agents, brokerUrls: {}, ...options }, plugins: {} },
    ]);
    const watch = /** @type {any} */ ({ signal: stop.signal });
    await assert.rejects(runOnHosts(sides, watch, open), (error) => {
      seen.failure = error;
      return true;
    });
    assert.equal(seen.closed, 1);
    return seen;
  }

  it('has each agent describe its host once, and closes its sender', async () => {
    const refuse = () => ({ status: 'refused', message: 'another version' });
    const { commands, opened } = await run(refuse);
    assert.deepEqual(
      commands,
      ['a', 'b', 'c'].map((host) => [host, 'describe', 'describe', true]),
    );
    assert.deepEqual(opened, ['redis://10.0.0.9', 'of the run']);
    const { commands: withoutControls } = await run(refuse, { controls: false });
    assert.deepEqual(withoutControls[0].at(-1), false);
  });

  it('fails with the reasons of all agents that refuse, are gone, or do something else', async () => {
    const { failure } = await run((host) => {
      if (host === 'a') return { status: 'refused', message: 'another version' };
      if (host === 'b') throw new Error('host b: it is gone');
      return { status: 'workers-ended' };
    });
    assert.deepEqual(
      [failure.code, failure.message],
      ['HOST', 'host a: another version; host b: it is gone; host c did not execute its command'],
    );
  });

  it('is interrupted while its agents describe their hosts', async () => {
    const stop = new AbortController();
    const interrupt = () => {
      stop.abort();
      throw new Error('stopped');
    };
    const { failure } = await run(interrupt, {}, stop);
    assert.equal(failure.code, 'INTERRUPTED');
  });

  it('fails if workers of another machine do not reach the master', async () => {
    const { failure } = await run((host) => ({
      status: 'described',
      facts: {
        bindAddress: host === 'a' ? '127.0.0.1' : '10.0.0.1',
        machine: host === 'c' ? 'other' : 'm',
      },
    }));
    assert.equal(failure.code, 'HOST');
    assert.match(
      failure.message,
      /^host a: its agent binds to 127\.0\.0\.1, where host c does not reach it: start/,
    );
  });
});

describe('a command to start workers', () => {
  it('is refused if the host of the master hangs up, and starts none', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const agent = new Agent('127.0.0.1');
    const code = agent.installation.describe({
      transportUrl: builtinUrl('transport', 'tcp'),
      codecUrl: builtinUrl('codec', 'json'),
      scenarioUrl: builtinUrl('scenario', 'round-trip'),
    });
    const spec = { token: 't', cell: { placement: 'free' }, tierUp: 'usual', memoryLimitBytes: null };
    const link = { name: 'l', key: '' };
    const where = { probeAddress: `127.0.0.1:${port}`, controller: 'a', link, ids: ['w0'], padding: '' };
    const command = { ...code, kind: /** @type {const} */ ('workers'), spec, ...where };
    /** @type {object[]} */
    const sent = [];
    try {
      const end = await runWorkers(agent, command, {
        launchId: 'l1',
        onEvent() {},
        openLink: () => ({ send: (_to, message) => void sent.push(message), close() {} }),
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
