// Runs at night.
// Launches with peers, programs in other languages that are the master, with and without faults.

import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadRuntimes } from '../../lib/plugins/find-runtimes.js';
import { describePeer } from '../conformance/peer.js';
import { callCli, startCli, workspaceForEach } from '../fixtures/cli-run.js';
import {
  eventually,
  launchCell,
  launchUnderLoad,
  launchWithKnownCosts,
  processesBelow,
} from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';
import { countSleepers, SLEEP } from '../fixtures/sleepers.js';

/** @import { PeerProgram } from '../../lib/types/index.js' */

const FAULTY = fileURLToPath(new URL('../fixtures/faulty-peer.js', import.meta.url));
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'what a peer costs is told by Linux only' };

/** @param {string} fault @returns {PeerProgram} */
const faultyPeer = (fault) => ({ name: 'faulty', command: process.execPath, args: [FAULTY, fault] });

/** @param {string} fault @param {Omit<Parameters<typeof launchCell>[0], 'peer'>} [wish] */
async function failed(fault, wish = {}) {
  const { end, left } = await launchCell({ ...wish, cell: { workers: 1 }, peer: faultyPeer(fault) });
  assert.ok(end.kind === 'failed', `${fault}: not noticed`);
  assert.deepEqual(left, [], 'nothing stays behind');
  assert.deepEqual(processesBelow(process.pid, FAULTY), [], 'no process stays behind');
  return { code: end.code, message: end.message };
}

/** @returns {Promise<PeerProgram | string>} why there is none */
async function goPeer() {
  const [{ byRole, unavailable }] = await loadRuntimes(['master:go']);
  return byRole.master?.peer?.program ?? String(unavailable);
}

const go = await goPeer();
// Go is large: a machine without it skips its peer by name, in CI as well.
if (typeof go === 'string') it('peer go', { skip: go });
else await describePeer(go);

describe('a launch with a peer as its master', ON_LINUX, () => {
  const peer = typeof go === 'string' ? faultyPeer('none') : go;

  it('has the costs, work and CPUs of the master, and responds over several connections', async () => {
    const cpu = Number(/Cpus_allowed_list:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
    const cell = /** @type {const} */ ({ placement: 'split', workers: 2, loops: 2, connections: 4 });
    const { end } = await launchWithKnownCosts({ peer, cpus: [cpu], cell });
    assert.ok(end.kind === 'done', JSON.stringify(end));
    const { costs, warmup, operations, reports } = end.fields;
    const [{ name, role, cpus, userUs, systemUs, peakRssBytes }] = costs;
    assert.deepEqual({ name, role, cpus }, { name: 'master', role: 'master', cpus: [cpu] });
    assert.ok(userUs + systemUs > 0);
    assert.ok(peakRssBytes > 0);
    assert.ok(warmup.work[0].operations > 0, 'it tells its count while it warms up');
    assert.ok(operations > 0);
    const made = reports.map((/** @type {any} */ { values }) => values.furtherConnections).filter(Boolean);
    assert.deepEqual(made, [2, 2], 'of the last step, 2 to 4');
  });

  it('measures the time in transit of a stream', async () => {
    const { end, spec } = await launchCell({ peer, scenario: 'stream' });
    assert.ok(end.kind === 'done', JSON.stringify(end));
    const { default: stream } = await import('../../scenarios/stream.js');
    const inTransit = stream.measures?.find(({ name }) => name === 'timeInTransit');
    const times = /** @type {Float64Array} */ (
      inTransit?.read(end.fields.reports, spec.cell, end.fields.costs)
    );
    if (peer.name === 'go') assert.ok(times.length > 0 && times.every((ns) => ns > 0 && ns < 5e9));
  });

  it('fails when its peer is killed, and names it', async () => {
    const { ending, underLoad } = launchUnderLoad({ peer: faultyPeer('none'), cell: { workers: 1 } });
    await underLoad;
    const [pid] = processesBelow(process.pid, FAULTY);
    process.kill(pid, 'SIGKILL');
    const { end, left } = await ending;
    assert.ok(end.kind === 'failed');
    assert.deepEqual(
      [end.code, end.message],
      [
        'PROCESS_DIED',
        `the peer faulty (pid ${pid}) was killed by SIGKILL (by the system, if memory ran out)`,
      ],
    );
    assert.deepEqual(left, []);
  });

  it('ends its peer when its controller is killed', async () => {
    const { ending, underLoad } = launchUnderLoad({
      peer: faultyPeer('none'),
      cell: { workers: 1 },
      timing: { measureMs: 5_000 },
    });
    await underLoad;
    const [controller] = processesBelow(process.pid, 'master.js');
    process.kill(controller, 'SIGKILL');
    const { end } = await ending;
    assert.ok(end.kind === 'failed');
    while (processesBelow(1, FAULTY).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

describe('a faulty peer fails its launch:', ON_LINUX, () => {
  const QUICK = { deadlines: { connectMs: 1_500 } };
  const NAME = String.raw`the peer faulty \(pid \d+\)`;
  /** @type {[fault: string, code: string, message: RegExp, wish?: Omit<Parameters<typeof launchCell>[0], 'peer'>][]} */
  const FAULTS = [
    ['no-hello', 'DEADLINE', /did not say hello within 1500 ms/, QUICK],
    ['prints-first', 'PROTOCOL', /it wrote a line to stdout that is not JSON: "starting up \.\.\."/],
    ['prints', 'PROTOCOL', /it wrote a line to stdout that is not JSON: "a message came"/],
    ['never-listens', 'DEADLINE', /did not respond to listen within 1500 ms/, QUICK],
    ['cannot', 'TRANSPORT', /there is no socket for me/],
    ['other-clock', 'PROTOCOL', /its clock is not that of this host/],
    ['dies', 'PROCESS_DIED', /ended by itself with exit code 3/],
    ['tells-nothing', 'DEADLINE', /did not respond to count within 5000 ms/],
    [
      'stays',
      'DEADLINE',
      /did not end after its stdin closed within 2000 ms/,
      { deadlines: { exitMs: 2_000 } },
    ],
    ['ends-badly', 'PROCESS_DIED', /ended with exit code 7 after its stdin closed/],
  ];
  for (const [fault, code, message, wish] of FAULTS) {
    it(`fails the launch of a faulty peer: ${fault}`, async () => {
      const end = await failed(fault, wish);
      assert.equal(end.code, code, end.message);
      assert.match(end.message, new RegExp(`^${NAME}.*${message.source}`));
    });
  }

  it('fails the launch of a faulty peer: no-welcome', async () => {
    const end = await failed('no-welcome', QUICK);
    assert.equal(end.code, 'DEADLINE', end.message);
    assert.match(end.message, /w0 \(pid \d+\).* did not connect within/);
  });
  it('fails the launch of a faulty peer: wrong-bytes', async () => {
    const end = await failed('wrong-bytes');
    assert.equal(end.code, 'INTEGRITY', end.message);
  });
  it('fails the launch of a faulty peer: hangs', async () => {
    const end = await failed('hangs');
    assert.match(end.message, /did not complete the counted operations|lost/); // whichever is noticed first
  });
  it('fails the launch of a faulty peer: loses', async () => {
    const end = await failed('loses', { scenario: 'stream' });
    assert.equal(end.code, 'INTEGRITY', end.message);
    assert.match(end.message, /lost|by the end of the window/);
  });
});

describe('a peer of the user', ON_LINUX, () => {
  const folder = ownFolder('ipcb-own-');
  /** @param {string} name @param {string} text */
  const program = (name, text) => {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  const workspace = workspaceForEach();
  const correct = program(
    'my-peer',
    `#!/bin/sh\necho >> '${folder}/starts'\n${SLEEP} &\nexec '${process.execPath}' '${FAULTY}'\n`,
  );

  it('is found by its path, and measured next to this Node', async () => {
    const cell = '--transport unix --codec string --workers 1x2 --payload 100';
    const short =
      '--launches 1 --warmup 50ms --messages 50 --no-controls --no-charts --lock ignore --out out';
    const args = ['run', '--runtime', `master:${correct}`, ...`${cell} ${short}`.split(' ')];
    const { code, stdout: shown, stderr } = await callCli(args, { folder, temporary: folder });
    assert.equal(code, 0, shown + stderr);
    assert.match(shown, /unix\/string on master:my-peer/);
    assert.match(shown, /my-peer a script 1\.0\.0/);
    const { length: starts } = readFileSync(join(folder, 'starts'), 'utf8');
    assert.ok(starts > 1, 'once to say who it is, and once for each launch');
    await eventually(() => countSleepers() === 0, 2_000);
  });

  it('is rejected if it is a script without exec, and ends with its children', async () => {
    const noisy = program('noisy', `#!/bin/sh\n${SLEEP} &\nyes garbage\necho never\n`);
    const { code, stderr } = await startCli(`--dry-run --transport unix --runtime master:${noisy}`, workspace)
      .ended;
    assert.equal(code, 2, stderr);
    assert.match(stderr, /it wrote a line to stdout that is not JSON: "garbage"/);
    await eventually(() => countSleepers() === 0, 2_000);
  });

  it('ends with its children when the command is killed', async () => {
    const quiet = program('quiet', `#!/bin/sh\n${SLEEP}\necho never\n`);
    const { child, ended } = startCli(`--dry-run --transport unix --runtime master:${quiet}`, workspace);
    await eventually(() => countSleepers() === 1, 4_000);
    child.kill('SIGKILL');
    await ended;
    await eventually(() => countSleepers() === 0, 2_000);
  });

  it('is rejected with its output if it is no peer', async () => {
    const none = program('none', '#!/bin/sh\necho hello\n');
    await assert.rejects(loadRuntimes([`master:${none}`]), {
      code: 'BAD_ARGUMENT',
      message: /it wrote a line to stdout that is not JSON: "hello"/,
    });
    await assert.rejects(loadRuntimes([`master:${join(folder, 'nowhere')}`]), {
      code: 'BAD_ARGUMENT',
      message: /there is no program that may be executed; check the path/,
    });
  });
});
