// Runs always.
// A program with known traffic under the recorder: what is in the file, what is not, and that the program does not notice.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { RECEIVED, readFacts } from '../../lib/record/fact-format.js';
import { FactWriter } from '../../lib/record/fact-writer.js';
import { readTraffic } from '../../lib/record/saved-traffic.js';
import { serialiseTraffic } from '../../lib/record/traffic-file.js';
import { readPercentile } from '../../lib/record/weighted-histogram.js';
import { COMMAND, callCli, startCli, workspaceForEach } from '../fixtures/cli-run.js';
import { withTemporaryFolder } from '../fixtures/temporary-folder.js';

const TIMEOUT_MS = 600_000;
const MAIN = fileURLToPath(new URL('../fixtures/recorded/main.js', import.meta.url));
const KIB = 1_024;

describe('ipc-bench record', { timeout: TIMEOUT_MS }, () => {
  const workspace = workspaceForEach();
  /** @param {string[]} words @param {Record<string, string | undefined>} [environment] */
  const start = (words, environment) => startCli(['record', ...words], workspace, environment);
  const saved = () => readTraffic(join(workspace.folder, 'traffic.json'));
  /** @param {string} name @param {string} text @returns {string} its path */
  const script = (name, text) => {
    const path = join(workspace.folder, name);
    writeFileSync(path, text);
    return path;
  };

  it('counts every message, pairs requests, and stores no text of them', async () => {
    const { code, stdout, stderr } = await start(['--', process.execPath, MAIN]).ended;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'done\n', 'the program prints what it does without');
    assert.match(stderr, /traffic\.json: 8 channels, 1,204 messages\./);
    const { channels, processes, threads, notRecorded, errors } = saved();
    assert.deepEqual(
      { processes, threads, notRecorded, errors },
      { processes: 3, threads: 2, notRecorded: [], errors: [] },
    );
    const found = (/** @type {string} */ from, /** @type {string} */ to, /** @type {string} */ mechanism) => {
      const channel = channels.find(
        (each) => each.from === from && each.to === to && each.mechanism === mechanism,
      );
      assert.ok(
        channel,
        `${from} → ${to}: ${channels.map((each) => `${each.from} → ${each.to} ${each.mechanism} ${each.messages}`).join(', ')}`,
      );
      return channel;
    };
    const requests = found('main.js', 'child.js (child)', 'process.send');
    assert.equal(requests.messages, 400);
    assert.equal(requests.pairs?.requests, 400);
    assert.ok(Number(requests.pairs?.paired) >= 396);
    assert.equal(readPercentile(/** @type {any} */ (requests.pairs).inFlight, 0.5), 4);
    assert.ok(requests.bytes.least >= 80 && requests.bytes.greatest <= 100);
    assert.equal(found('child.js (child)', 'main.js', 'process.send').messages, 400);
    const logs = found('main.js', 'logger.cjs (child)', 'process.send');
    assert.deepEqual([logs.messages, logs.bytes.sum, logs.pairs], [100, 100 * KIB, null]);
    const jobs = found('main.js', 'job-thread.js (thread)', 'postMessage');
    assert.deepEqual([jobs.messages, jobs.bytes.sum, jobs.bytes.greatest], [120, 120 * KIB, KIB]);
    assert.equal(found('job-thread.js (thread)', 'main.js', 'postMessage').messages, 120);
    const bursts = found('main.js', 'burst-thread.js (thread)', 'MessagePort');
    assert.deepEqual([bursts.messages, bursts.withTransfer, bursts.bytes.greatest], [60, 3, KIB * KIB]);
    assert.equal(found('burst-thread.js (thread)', 'main.js', 'MessagePort').messages, 3);
    const text = readFileSync(join(workspace.folder, 'traffic.json'), 'utf8');
    for (const word of ['hunter2', 'correlationToken', 'question', 'password', 'answer'])
      assert.ok(!text.includes(word), word);
    assert.deepEqual(workspace.leftovers(), []);
    const shown = await callCli('traffic.json', workspace);
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /main\.js → child\.js \(child\) +process\.send +400/);
    const replay = `run --traffic traffic.json --channel ${requests.number} --transport pipe --codec json --launches 1 --warmup 20ms --measure 200ms --lock ignore --no-controls --no-charts --out replay`;
    const run = await callCli(replay, workspace);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stdout, /traffic\.json-1@\w+, 1x4/);
  });

  it('stores the messages with --contents, which only the user can read, and reports that', async () => {
    const { stderr } = await start(['--contents', '--', process.execPath, MAIN]).ended;
    assert.match(stderr, /will hold REAL MESSAGES/);
    assert.match(stderr, /WITH THEIR CONTENTS/);
    assert.match(
      readFileSync(join(workspace.folder, 'traffic.json'), 'utf8'),
      /"password":"hunter2-planted-secret"/,
    );
    if (process.getuid) assert.equal(statSync(join(workspace.folder, 'traffic.json')).mode & 0o777, 0o600);
  });

  it('passes on the exit code, and reports that there is nothing to save', async () => {
    assert.equal((await start(['--', process.execPath, MAIN, 'fail']).ended).code, 3);
    const silent = await start(['--out', 'silent.json', '--', process.execPath, MAIN, 'silent']).ended;
    assert.equal(silent.code, 0);
    assert.match(
      silent.stderr,
      /^ipc-bench: nothing was saved: no messages of process\.send\(\) or threads [^\n]+\n$/,
    );
    assert.ok(!existsSync(join(workspace.folder, 'silent.json')));
  });

  it('keeps the exit code of the program if the file cannot be saved', async () => {
    mkdirSync(join(workspace.folder, 'out'));
    const path = script(
      'removing.js',
      `const child = require('child_process').fork('other.js');
       child.once('message', () => { require('fs').rmSync('out', { recursive: true }); process.exit(6); });`,
    );
    script('other.js', `process.send('hello'); process.disconnect();`);
    const { code, stderr } = await start(['--out', 'out/traffic.json', '--', process.execPath, path]).ended;
    assert.equal(code, 6);
    assert.match(stderr, /nothing was saved: .*out\/traffic\.json/);
  });

  it('rejects what it cannot start or write, in one line each', async () => {
    const cases = /** @type {[string[], RegExp][]} */ ([
      [
        ['--', 'no-such-program'],
        /"no-such-program" cannot be started: there is no such program on PATH; check/,
      ],
      [[], /record needs the command of a program; write it behind --/],
      [['node', 'server.js'], /record does not take "node"; write the command of the program behind --/],
      [
        ['--out', 'no/where.json', '--', 'node'],
        /no\/where\.json cannot be written, its folder does not exist/,
      ],
    ]);
    for (const [words, pattern] of cases) {
      const { code, stderr } = await callCli(['record', ...words], workspace);
      assert.equal(code, 2);
      assert.match(stderr, pattern);
      assert.equal(stderr.trim().split('\n').length, 1);
    }
    writeFileSync(join(workspace.folder, 'traffic.json'), '');
    const { code, stderr } = await callCli('record -- node', workspace);
    assert.equal(code, 2);
    assert.match(stderr, /traffic\.json exists; name another file with --out, or overwrite it with --force/);
  });

  it('does not replace what another recording with the same --out saves', async () => {
    const first = start(['--', process.execPath, MAIN, 'hang']);
    await once(first.child.stdout, 'data');
    const second = await start(['--force', '--', process.execPath, MAIN]).ended;
    assert.equal(second.code, 2);
    assert.match(second.stderr, /traffic\.json belongs to another run .*: name another place with --out/);
    first.child.kill('SIGTERM');
    assert.equal((await first.ended).code, 143);
    assert.equal(saved().channels.length, 2);
    assert.deepEqual(readdirSync(workspace.folder), ['traffic.json']);
  });

  it('prints a table of recorded traffic, and writes no document', async () => {
    const fixture = fileURLToPath(new URL('../fixtures/traffic.json', import.meta.url));
    const table = await callCli([fixture], workspace);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /^node main\.js, [\d.]+ s on 2026-11-28: 3 processes and 2 threads\n/);
    for (const wish of [
      ['--csv', '-'],
      ['--html', 'page.html'],
      ['--save-baseline', 'main'],
    ]) {
      const refused = await callCli(['report', fixture, ...wish], workspace);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /is recorded traffic, which has a table only; leave out/);
    }
    assert.match((await callCli(['nowhere.json'], workspace)).stderr, /nowhere\.json cannot be read/);
  });

  it('rejects a traffic file from which endless messages would be made, in every command that reads it', async () => {
    const fixture = fileURLToPath(new URL('../fixtures/traffic.json', import.meta.url));
    const { format: _, version: __, sha256: ___, ...content } = JSON.parse(readFileSync(fixture, 'utf8'));
    content.channels[0].sample[0].shape = { l: [[5, 2e9]] };
    script('hostile.json', serialiseTraffic(content));
    for (const words of [
      '--traffic hostile.json --dry-run',
      'report hostile.json',
      'recommend --traffic hostile.json',
    ]) {
      const { code, stderr } = await callCli(words, workspace);
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        /hostile\.json cannot be read as recorded traffic: channels\[0\]\.sample\[0\]\.shape /,
      );
    }
  });

  it('reports a program that is not of Node.js', async () => {
    const { code, stderr } = await start(['--', 'sh', '-c', 'exit 4']).ended;
    assert.equal(code, 4);
    assert.match(
      stderr,
      /^ipc-bench: nothing was saved: "sh" started no Node\.js process that could be recorded\. [^\n]+\n$/,
    );
  });

  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    it(`ends the program with ${signal}, and saves what was recorded`, async () => {
      const { child, ended } = start(['--', process.execPath, MAIN, 'hang']);
      await once(child.stdout, 'data');
      child.kill(signal);
      const { code, stderr } = await ended;
      assert.equal(code, signal === 'SIGINT' ? 130 : 143, stderr);
      assert.deepEqual(
        saved().channels.map(({ from, to, messages }) => [from, to, messages]),
        [
          ['main.js', 'child.js (child)', 1],
          ['child.js (child)', 'main.js', 1],
        ],
      );
    });
  }

  it('stops the program after --for with exit code 0', async () => {
    const { code, stderr } = await start(['--for', '2s', '--', process.execPath, MAIN, 'hang']).ended;
    assert.equal(code, 0, stderr);
    assert.equal(saved().channels[0].messages, 1);
  });

  it('saves what was recorded before a process was killed', async () => {
    const path = script(
      'killed.js',
      `const child = require('child_process').fork('other.js');
       child.once('message', () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1500));
       child.send({ hello: 1 });`,
    );
    script(
      'other.js',
      `process.on('message', () => process.send('hello')); process.on('disconnect', () => process.exit())`,
    );
    const { code } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 137);
    assert.deepEqual(
      saved().channels.map(({ messages }) => messages),
      [1, 1],
    );
  });

  it('does not change the listeners of signals that the program sees', async () => {
    const path = script(
      'signals.js',
      `const child = require('child_process').fork('other.js');
       child.send('hello');
       const before = process.listenerCount('SIGTERM');
       process.on('SIGTERM', () => { console.log('own listener', process.listeners('SIGTERM').length); child.kill(); process.exit(7); });
       child.once('message', () => console.log('ready'));`,
    );
    script('other.js', `process.on('message', () => process.send('hello'))`);
    const { child, ended } = start(['--', process.execPath, path]);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    assert.deepEqual([code, stdout], [7, 'ready\nown listener 1\n']);
    assert.equal(saved().channels.length, 2);
  });

  it('does not change errors, return values and callbacks of wrapped functions', async () => {
    const path = script(
      'behaviour.js',
      `const assert = require('assert');
       const { MessageChannel, MessagePort, BroadcastChannel } = require('worker_threads');
       const { port1, port2 } = new MessageChannel();
       assert.throws(() => port1.postMessage(() => {}), { name: 'DataCloneError' });
       assert.throws(() => port1.postMessage(), TypeError);
       assert.strictEqual(port1.postMessage(1), true);
       assert.throws(() => MessagePort.prototype.postMessage.call({}, 1), TypeError);
       assert.ok(port1 instanceof MessagePort && new MessageChannel() instanceof MessageChannel);
       assert.strictEqual(MessagePort.prototype.postMessage.name, 'postMessage');
       assert.strictEqual(process.send, undefined);
       const bytes = new Uint8Array(8);
       port1.postMessage({ bytes }, { transfer: [bytes.buffer] });
       assert.strictEqual(bytes.length, 0);
       const readOnce = new Uint8Array(8);
       port1.postMessage(readOnce, { transfer: (function* () { yield readOnce.buffer; })() });
       assert.strictEqual(readOnce.length, 0);
       let reads = 0;
       port1.postMessage({ get x() { reads += 1; return 1; } });
       assert.strictEqual(reads, 1);
       port1.close();
       const child = require('child_process').fork('other.js', { serialization: 'advanced' });
       assert.throws(() => child.send(), { code: 'ERR_MISSING_ARGS' });
       child.send(new Map([['a', 1n]]), (error) => assert.strictEqual(error, null));
       child.once('message', (message) => {
         assert.ok(message instanceof Map);
         child.disconnect();
         child.once('error', (error) => console.log(error.code));
         child.send('late');
       });`,
    );
    script('other.js', `process.once('message', (message) => process.send(message))`);
    const { code, stdout, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'ERR_IPC_CHANNEL_CLOSED\n');
    const { channels, errors } = saved();
    assert.deepEqual(errors, []);
    assert.deepEqual(
      channels
        .filter(({ mechanism }) => mechanism === 'process.send')
        .map(({ mechanism, serialisation }) => [mechanism, serialisation]),
      [
        ['process.send', 'v8'],
        ['process.send', 'v8'],
      ],
    );
  });

  it('counts messages of a cluster without broadcasts, and names a child with other NODE_OPTIONS', async () => {
    const path = script(
      'cluster.js',
      `const cluster = require('cluster');
       const { fork } = require('child_process');
       if (cluster.isPrimary) {
         const worker = cluster.fork();
         worker.on('message', (message) => { if (message === 'up') worker.send({ job: 1 }); else worker.disconnect(); });
         const deaf = fork('deaf.js', { env: {} });
         deaf.once('message', () => deaf.disconnect());
         new BroadcastChannel('news').postMessage('x'.repeat(100));
         setTimeout(() => process.exit(), 60000).unref();
         let left = 2;
         const end = () => { left -= 1; if (left === 0) process.exit(); };
         worker.once('exit', end);
         deaf.once('exit', end);
       } else {
         process.on('message', () => process.send('finished'));
         process.send('up');
       }`,
    );
    script('deaf.js', `process.send('from deaf')`);
    const { code, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /not recorded: deaf\.js \(pid \d+\): cluster\.js started it with NODE_OPTIONS of its own/,
    );
    assert.deepEqual(
      saved()
        .channels.map(({ mechanism, from, to, messages }) => `${mechanism}: ${from} → ${to} ${messages}`)
        .sort(),
      [
        'process.send: cluster.js (child) → cluster.js 2',
        'process.send: cluster.js → cluster.js (child) 1',
        'process.send: deaf.js (not recorded) → cluster.js 1',
      ],
    );
  });

  it('counts messages that were sent and not received as lost', async () => {
    const path = script(
      'losing.js',
      `const child = require('child_process').fork('sender.js');
       let received = 0;
       child.on('message', () => { received += 1; });
       child.once('exit', () => {
         let open = 20;
         for (let late = 0; late < 20; late += 1)
           child.send({ late }, (error) => {
             if (error === null) throw new Error('it was sent');
             open -= 1;
             if (open === 0) console.log(received);
           });
       });`,
    );
    script(
      'sender.js',
      `for (let id = 0; id < 100; id += 1) process.send({ id, text: 'x'.repeat(300000) });
       process.exit();`,
    );
    const { code, stdout, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    const [first, second] = saved().channels.toSorted((one, other) => Number(other.lost) - Number(one.lost));
    assert.deepEqual(
      [first.from, first.messages, first.lost],
      ['sender.js (child)', Number(stdout), 100 - Number(stdout)],
    );
    assert.deepEqual([second.from, second.messages, second.lost], ['losing.js', 0, 20]);
    const table = await callCli('traffic.json', workspace);
    assert.match(table.stdout, /20 of 20 messages were sent and not received/);
  });

  it('knows the sender of a port that receiveMessageOnPort() returns', async () => {
    const path = script(
      'passed.js',
      `const { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } = require('worker_threads');
       if (isMainThread) {
         const { port1, port2 } = new MessageChannel();
         const passed = new MessageChannel();
         port1.postMessage(passed.port2, [passed.port2]);
         for (let id = 0; id < 30; id += 1) passed.port1.postMessage({ id });
         new Worker(__filename, { workerData: { port: port2 }, transferList: [port2] }).once('exit', () => {
           port1.close();
           passed.port1.close();
         });
       } else {
         const { message: port } = receiveMessageOnPort(workerData.port);
         while (receiveMessageOnPort(port) !== undefined);
       }`,
    );
    const { code, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      saved().channels.map(({ from, to, messages }) => [from, to, messages]),
      [['passed.js', 'passed.js (thread)', 31]],
    );
  });

  it('names a daemon that runs on after the command', async () => {
    const path = script(
      'launch.js',
      `const child = require('child_process').spawn(process.execPath, ['daemon.js'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
       child.stdout.once('data', () => { child.stdout.destroy(); child.unref(); });
       console.log(child.pid);`,
    );
    script(
      'daemon.js',
      `const { Worker, isMainThread, parentPort } = require('worker_threads');
       if (!isMainThread) parentPort.on('message', () => parentPort.postMessage(1));
       else {
         const worker = new Worker(__filename);
         worker.once('message', () => setTimeout(() => console.log('ready'), 600));
         worker.postMessage('x');
         setTimeout(() => process.exit(), 60000);
       }`,
    );
    const { code, stdout, stderr } = await start(['--', process.execPath, path]).ended;
    process.kill(Number(stdout), 'SIGKILL');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /not recorded: daemon\.js \(pid \d+\): it outlives the command/);
    const table = await callCli('traffic.json', workspace);
    assert.match(table.stdout, /Not recorded: daemon\.js/);
    assert.doesNotMatch(table.stdout, /There is nothing to gain/);
  });

  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  it('shows and stores no argument, variable or source code of a process or thread', {
    skip: process.platform === 'win32',
  }, async () => {
    const old = join(workspace.folder, 'node');
    writeFileSync(old, `#!/bin/sh\nexec ${process.execPath} --no-experimental-require-module "$@"\n`, {
      mode: 0o755,
    });
    script('app', `process.send('hello'); process.disconnect();`);
    script(
      'blocked.js',
      `require('worker_threads').parentPort.postMessage('hello');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
    );
    // Each child sends a message or receives one, so that a channel has its label.
    const source = `/* SECRET-source */
      const { spawn } = require('child_process');
      const { once } = require('events');
      const { Worker } = require('worker_threads');
      const code = 'const key = "/SECRET-source"; process.send(1); process.disconnect();';
      const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
      const run = (file, args, options) => {
        const child = spawn(file, args, { stdio, ...options });
        child.on('error', () => {});
        child.send('hello', () => {});
        return once(child, 'exit');
      };
      const runThread = async (name, options) => {
        const thread = new Worker(name, options);
        thread.postMessage('hello');
        await once(thread, 'message');
        await thread.terminate();
      };
      const post = 'require("worker_threads").parentPort.postMessage("SECRET-text"); // /SECRET-source';
      const module = 'data:text/javascript,import{parentPort}from"worker_threads";parentPort.postMessage(1)/*/SECRET-source*/';
      const end = async () => {
        const thread = new Worker('./blocked.js', { argv: ['SECRET-argument'] });
        await once(thread, 'message');
        process.exit();
      };
      Promise.all([
        run(process.execPath, ['-e', code, 'SECRET-argument']),
        run(process.execPath, ['--eval=' + code, 'SECRET-argument'], { env: {} }),
        run(process.execPath, ['-pe', code, 'SECRET-argument'], { env: {} }),
        run(process.execPath, ['--title', 'SECRET-argument', 'app'], { env: {} }),
        run(process.execPath, ['app', 'SECRET-argument']),
        run(${JSON.stringify(old)}, ['-e', code, 'SECRET-argument']),
        run('KEY=SECRET-variable true', [], { shell: true }),
        run('true', ['SECRET-argument']),
        runThread(post, { eval: true, argv: ['SECRET-argument'], execArgv: ['--conditions=SECRET-argument'] }),
        runThread(new URL(module), { argv: ['SECRET-argument'] }),
      ]).then(end);`;
    const { code, stderr } = await start(['--', process.execPath, '-e', source, 'SECRET-argument']).ended;
    assert.equal(code, 0, stderr);
    const table = await callCli(['report', 'traffic.json', '--notes'], workspace);
    const file = readFileSync(join(workspace.folder, 'traffic.json'), 'utf8');
    for (const text of [stderr, file, table.stdout, table.stderr]) assert.doesNotMatch(text, /SECRET/);
    const { channels, program } = saved();
    assert.equal(program, 'node -e');
    const labels = new Set(channels.flatMap(({ from, to }) => [from, to]));
    for (const label of [
      'node -e',
      'node -e (child)',
      'app (child)',
      'sh (not recorded)',
      'true (not recorded)',
    ])
      assert.ok(labels.has(label), `${label}: ${[...labels]}`);
    for (const command of ['KEY=SECRET-variable', 'node app.js --key=SECRET-argument']) {
      const refused = await callCli(['record', '--force', '--', command], workspace);
      assert.equal(refused.code, 2);
      assert.doesNotMatch(refused.stderr, /SECRET/);
    }
  });

  it('runs a program under the permission model without the recorder, and reports why', async () => {
    const path = script('app.js', `console.log('runs', process.permission.has('fs.write'))`);
    const flags = ['--no-warnings', permission, `--allow-fs-read=${workspace.folder}/*`];
    const { code, stdout, stderr } = await start(['--', process.execPath, ...flags, path]).ended;
    assert.deepEqual([code, stdout], [0, 'runs false\n'], stderr);
    assert.match(
      stderr,
      /^ipc-bench: nothing was saved: node app\.js: it runs under the permission model, [^\n]+\n$/,
    );
  });

  it('does not record a child under the permission model, and counts what it sends', async () => {
    const path = script(
      'parent.js',
      `const child = require('child_process').fork('child.js', { execArgv: ['--no-warnings', '${permission}', '--allow-fs-read=*'] });
       child.on('message', (message) => console.log(message));`,
    );
    script('child.js', `process.send('from the child'); process.disconnect()`);
    const { code, stdout, stderr } = await start(['--', process.execPath, path]).ended;
    assert.deepEqual([code, stdout], [0, 'from the child\n'], stderr);
    assert.match(stderr, /not recorded: child\.js \(pid \d+\): it runs under the permission model/);
    assert.equal(saved().channels[0].messages, 1);
  });

  it('does not record a child of a Node.js that cannot load the recorder', {
    skip: process.platform === 'win32',
  }, async () => {
    const old = join(workspace.folder, 'node');
    const refusal =
      'case "$NODE_OPTIONS" in *--import*) echo "--import is not allowed in NODE_OPTIONS"; exit 9;; esac';
    writeFileSync(
      old,
      `#!/bin/sh\n${refusal}\nexec ${process.execPath} --no-experimental-require-module "$@"\n`,
      { mode: 0o755 },
    );
    const path = script(
      'parent.js',
      `const child = require('child_process').fork('child.js', { execPath: ${JSON.stringify(old)} });
       child.on('message', (message) => console.log(message));`,
    );
    script('child.js', `process.send('from the child'); process.disconnect()`);
    const { code, stdout, stderr } = await start(['--', process.execPath, path]).ended;
    assert.deepEqual([code, stdout], [0, 'from the child\n'], stderr);
    assert.match(stderr, /not recorded: child\.js \(pid \d+\): Node\.js \S+ cannot load the recorder/);
    assert.equal(saved().channels[0].messages, 1);
  });

  it('leaves out the messages of Node.js: module hooks and structuredClone()', async () => {
    script('hooks.mjs', 'export const load = (url, context, next) => next(url, context);');
    const register = `import { register } from 'node:module'; register('./hooks.mjs', import.meta.url);`;
    script('register.mjs', register);
    for (const name of ['one', 'two', 'three']) script(`${name}.mjs`, 'export default 1;');
    const imports = `import './one.mjs'; import './two.mjs'; import './three.mjs'; structuredClone({ a: 1 });`;
    const silent = script('silent.mjs', imports);
    const hooked = ['--no-warnings', '--import', './register.mjs'];
    const none = await start(['--', process.execPath, ...hooked, silent]).ended;
    assert.match(none.stderr, /nothing was saved: no messages of process\.send\(\) or threads in 1 process /);
    const talking = script(
      'talking.mjs',
      `${imports}
       import { Worker, isMainThread, parentPort } from 'node:worker_threads';
       if (isMainThread) {
         const worker = new Worker(new URL(import.meta.url));
         let left = 50;
         worker.on('message', () => { left -= 1; if (left === 0) worker.terminate(); });
         for (let id = 0; id < 50; id += 1) worker.postMessage({ id });
       } else parentPort.on('message', (message) => parentPort.postMessage(message));`,
    );
    const { code, stderr } = await start(['--', process.execPath, ...hooked, talking]).ended;
    assert.equal(code, 0, stderr);
    const { channels, threads } = saved();
    assert.equal(threads, 1);
    assert.deepEqual(
      channels.map(({ mechanism, messages }) => [mechanism, messages]),
      [
        ['postMessage', 50],
        ['postMessage', 50],
      ],
    );
  });

  it('counts the replies on thousands of ports, each made for one reply', async () => {
    const path = script(
      'ports.js',
      `const { MessageChannel, Worker, isMainThread, parentPort } = require('worker_threads');
       if (isMainThread) {
         const worker = new Worker(__filename);
         const times = [];
         const end = () => {
           worker.terminate();
           console.log(times.sort((one, other) => one - other)[1500]);
         };
         const ask = (id) => {
           const { port1, port2 } = new MessageChannel();
           const began = performance.now();
           port1.on('message', () => {
             times.push(performance.now() - began);
             port1.close();
             if (times.length === 3000) end();
             else if (id + 8 < 3000) ask(id + 8);
           });
           worker.postMessage({ port: port2 }, [port2]);
         };
         for (let id = 0; id < 8; id += 1) ask(id);
       } else parentPort.on('message', ({ port }) => port.postMessage('done'));`,
    );
    const { code, stdout, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    const { channels } = saved();
    const { pairs } = channels[0];
    assert.ok(pairs !== null);
    assert.deepEqual([pairs.requests, pairs.paired, pairs.field], [3_000, 3_000, null]);
    const [us, ownUs] = [readPercentile(pairs.roundTripUs, 0.5), 1_000 * Number(stdout)];
    assert.ok(Math.abs(us / ownUs - 1) < 0.05, `${us} instead of ${ownUs} µs`);
    assert.equal(readPercentile(pairs.inFlight, 0.5), 8);
    const table = await callCli('traffic.json', workspace);
    assert.match(table.stdout, /3,000 requests, all with a response, on a port of its own, 8 in flight/);
    assert.deepEqual(
      channels.map(({ mechanism, from, messages, lost = 0, unsized }) => [
        mechanism,
        from,
        messages,
        lost,
        unsized,
      ]),
      [
        ['postMessage', 'ports.js', 3_000, 0, 0],
        ['MessagePort', 'ports.js (thread)', 3_000, 0, 0],
      ],
    );
  });

  it('has all messages of a thread that waits in Atomics.wait until it is terminated', async () => {
    const path = script(
      'pool.js',
      `const { MessageChannel, Worker, isMainThread, receiveMessageOnPort, workerData } = require('worker_threads');
       const { port1, port2 } = new MessageChannel();
       if (isMainThread) {
         const wake = new Int32Array(new SharedArrayBuffer(4));
         const worker = new Worker(__filename, { workerData: { port: port2, wake }, transferList: [port2] });
         let id = 0;
         const ask = () => { port1.postMessage({ id }); Atomics.add(wake, 0, 1); Atomics.notify(wake, 0); };
         port1.on('message', () => { id += 1; if (id < 200) ask(); else worker.terminate().then(() => port1.close()); });
         ask();
       } else {
         for (let seen = 0; ; seen = Atomics.load(workerData.wake, 0)) {
           for (let found; (found = receiveMessageOnPort(workerData.port)); ) workerData.port.postMessage(found.message);
           Atomics.wait(workerData.wake, 0, seen);
         }
       }`,
    );
    const { code, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      saved().channels.map(({ from, messages, isLeast = false, bytes }) => [
        from,
        messages,
        isLeast,
        bytes.count > 0,
      ]),
      [
        ['pool.js', 200, false, true],
        ['pool.js (thread)', 200, false, true],
      ],
    );
  });

  it('follows ports that are passed on to the threads that use them', async () => {
    const path = script(
      'main.js',
      `const { MessageChannel, Worker } = require('worker_threads');
       const [a, b, c] = ['./a.js', './b.js', './c.js'].map((name) => new Worker(name));
       // a → b over a port that a has created; a → c and b → c over two of this thread.
       a.once('message', (port) => b.postMessage({ port, from: 10 }, [port]));
       const one = new MessageChannel();
       const two = new MessageChannel();
       a.postMessage({ port: one.port1, send: 20 }, [one.port1]);
       c.postMessage({ port: one.port2, from: 20 }, new Set([one.port2]));
       b.postMessage({ port: two.port1, send: 30 }, [two.port1]);
       c.postMessage({ port: two.port2, from: 30 }, { transfer: (function* () { yield two.port2; })() });
       // From this thread to b, over a port that c passes on over that of b.
       const three = new MessageChannel();
       c.postMessage({ port: three.port2, pass: true }, [three.port2]);
       for (let count = 0; count < 5; count += 1) three.port1.postMessage({ count });
       three.port1.once('message', () => three.port1.close());`,
    );
    const common = `
      const { parentPort } = require('worker_threads');
      const use = ({ port, send = 0, from }) => {
        let received = 0;
        for (let count = 0; count < send; count += 1) port.postMessage({ count });
        port.on('message', (message) => {
          if (message === 'done') port.close();
          else if (message.pass) use({ port: message.pass, from: 5 });
          else {
            received += 1;
            if (received === from) port.postMessage('done');
          }
        });
      };`;
    script(
      'a.js',
      `${common}
       const { port1, port2 } = new MessageChannel();
       parentPort.postMessage(port2, [port2]);
       use({ port: port1, send: 10 });
       parentPort.once('message', use);`,
    );
    script(
      'b.js',
      `${common}
       let left = 2;
       parentPort.on('message', (message) => { use(message); left -= 1; if (left === 0) parentPort.close(); });`,
    );
    script(
      'c.js',
      `${common}
       let passed, last;
       let left = 3;
       parentPort.on('message', (message) => {
         if (message.pass) passed = message.port;
         else {
           if (message.from === 30) last = message.port;
           use(message);
         }
         left -= 1;
         if (left > 0) return;
         parentPort.close();
         last.postMessage({ pass: passed }, [passed]);
       });`,
    );
    const { code, stderr } = await start(['--', process.execPath, path]).ended;
    assert.equal(code, 0, stderr);
    assert.deepEqual(
      saved()
        .channels.filter(({ mechanism }) => mechanism === 'MessagePort')
        .map(({ from, to, messages, lost = 0 }) => [from, to, messages, lost])
        .sort(),
      [
        ['a.js (thread)', 'b.js (thread)', 10, 0],
        ['a.js (thread)', 'c.js (thread)', 20, 0],
        ['b.js (thread)', 'a.js (thread)', 1, 0],
        ['b.js (thread)', 'c.js (thread)', 30, 0],
        ['b.js (thread)', 'main.js', 1, 0],
        ['c.js (thread)', 'a.js (thread)', 1, 0],
        ['c.js (thread)', 'b.js (thread)', 2, 0],
        ['main.js', 'b.js (thread)', 5, 0],
      ],
    );
  });

  it('ends at --limit, and says when', async () => {
    const { code, stderr } = await start(['--limit', '1MiB', '--', process.execPath, MAIN, 'long']).ended;
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /the recording ended after [\d.]+ s: its facts reached 1 MiB; --limit allows more\./,
    );
    const { stopped, channels, durationMs } = saved();
    assert.ok(stopped?.why === 'cap' && stopped.ms <= durationMs);
    assert.ok(channels[0].messages < 20_000 && channels[0].isLeast);
    assert.match((await callCli('traffic.json', workspace)).stdout, /Counts are those\s+until then\./);
  });

  it('names a temporary folder that is missing or that the program removes', {
    skip: process.platform === 'win32',
  }, async () => {
    const missing = await start(
      ['--', process.execPath, MAIN],
      withTemporaryFolder(join(workspace.folder, 'none')),
    ).ended;
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /the temporary folder .*none cannot be used \(ENOENT.*\): set TMPDIR to/);
    const temporary = join(workspace.folder, 'temporary');
    mkdirSync(temporary);
    const removing = script(
      'removing.js',
      `const { fork } = require('child_process');
       const { rmSync } = require('fs');
       rmSync(${JSON.stringify(temporary)}, { recursive: true });
       fork('other.js').once('message', (message) => console.log(message));`,
    );
    script('other.js', `process.send('hello'); process.disconnect();`);
    const { code, stdout, stderr } = await start(
      ['--', process.execPath, removing],
      withTemporaryFolder(temporary),
    ).ended;
    assert.deepEqual([code, stdout], [0, 'hello\n'], stderr);
    assert.match(stderr, /nothing was saved: ipcb-\S+ was removed from the temporary folder .*temporary\./);
  });

  it('has each fact once if a thread and the main thread write the facts of that thread at the same time', async () => {
    const [path, sizePath] = ['shared', 'shared-size'].map((name) => join(workspace.folder, name));
    const thread = new FactWriter(path, sizePath, 2 ** 30, () => 1);
    const isOver = new Int32Array(new SharedArrayBuffer(4));
    const main = new Worker(
      `const { workerData, parentPort } = require('node:worker_threads');
      const { shared, isOver, url, sizePath } = workerData;
      import(url).then(({ FactWriter }) => {
        const main = new FactWriter(shared.path, sizePath, 2 ** 30, () => 1);
        parentPort.postMessage('begins');
        while (Atomics.load(isOver, 0) === 0) main.writeForThread(shared, false);
      });`,
      {
        eval: true,
        workerData: {
          shared: { path, memory: thread.memory },
          isOver,
          url: new URL('../../lib/record/fact-writer.js', import.meta.url).href,
          sizePath,
        },
      },
    );
    await once(main, 'message');
    const ids = Array.from({ length: 3_000 }, (_, id) => id);
    for (const id of ids) {
      thread.commit(thread.begin(RECEIVED, id, 1));
      if (id % 3 === 0) thread.flush();
    }
    thread.flush();
    Atomics.store(isOver, 0, 1);
    await once(main, 'exit');
    /** @type {number[]} */
    const found = [];
    readFacts(
      readFileSync(path),
      () => {},
      ({ link }) => found.push(link),
    );
    assert.deepEqual(found, ids);
  });

  it('removes the facts of a recorder that was killed', async () => {
    const forever = script('forever.js', `console.log(process.pid); setInterval(() => {}, 1000);`);
    const killed = start(['--', process.execPath, forever]);
    const [pid] = await once(/** @type {import('node:stream').Readable} */ (killed.child.stdout), 'data');
    killed.child.kill('SIGKILL');
    await once(killed.child, 'exit');
    process.kill(Number(pid), 'SIGKILL');
    assert.equal(workspace.leftovers().length, 1);
    await start(['--', process.execPath, '-e', '0']).ended;
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('passes a signal on once, whether it was sent to the recorder or to its process group', {
    skip: process.platform === 'win32',
  }, async () => {
    const path = script(
      'once.js',
      `let count = 0;
       process.on('SIGINT', () => { count += 1; if (count === 1) setTimeout(() => { console.log(count); process.exit(5); }, 500); });
       setInterval(() => {}, 1000);
       console.log('ready');`,
    );
    for (const isGroup of [false, true]) {
      const words = [COMMAND, 'record', '--force', '--', process.execPath, path];
      const child = spawn(process.execPath, words, {
        cwd: workspace.folder,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let stdout = '';
      child.stdout.setEncoding('utf8').on('data', (chunk) => {
        stdout += chunk;
      });
      await once(child.stdout, 'data');
      process.kill(isGroup ? -Number(child.pid) : Number(child.pid), 'SIGINT');
      const [code, signal] = await once(child, 'close');
      const ended = { code, signal, stdout };
      const to = isGroup ? 'to the group' : 'to the recorder';
      assert.deepEqual(ended, { code: 5, signal: null, stdout: 'ready\n1\n' }, to);
    }
  });

  it('adds the recorder to existing NODE_OPTIONS', async () => {
    const path = script(
      'options.js',
      `console.log(process.execArgv.length, process.env.NODE_OPTIONS.endsWith(' --max-http-header-size=9999'), require('http').maxHeaderSize)`,
    );
    const { stdout } = await start(['--', process.execPath, path], {
      NODE_OPTIONS: '--max-http-header-size=9999',
    }).ended;
    assert.equal(stdout, '0 true 9999\n');
  });
});
