// Runs in CI.
// One measuring run per user and host at a time, with several processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { readResults } from '../../lib/results/read.js';
import { acquireLock } from '../../lib/run/lock.js';
import { callCli, startCli, workspaceForEach } from '../fixtures/cli-run.js';
import { eventually } from '../fixtures/launch-cell.js';
import { IS_LINUX } from '../fixtures/named-owners.js';

const ON_POSIX = { skip: process.getuid === undefined ? 'tells users apart by their id' : false };
const FOLDER = `ipc-bench-${process.getuid?.() ?? 'user'}`;
const { signal } = new AbortController();
const LOCK = JSON.stringify(new URL('../../lib/run/lock.js', import.meta.url).href);
const taking = (/** @type {string} */ parent) =>
  `import(${LOCK}).then(({ acquireLock }) => acquireLock({ mode: 'wait', signal: new AbortController().signal, parents: [${parent}] }))`;
const KILLS_ITSELF = `${taking('process.argv[1]')}.then(() => { console.log('taken'); process.kill(process.pid, 'SIGKILL'); })`;
const EXITS = `${taking('process.argv[1]')}.then(() => process.exit(7))`;
const TELLS = `${taking('process.argv[1]')}.catch(({ code, message }) => console.log(code, message))`;

/** @param {string} descriptor @returns {string} '' when it was closed meanwhile */
function fileBehind(descriptor) {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

describe('acquireLock', () => {
  /** @type {string} */
  let parent;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'lock-test-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));
  /** @param {Partial<Parameters<typeof acquireLock>[0]>} [wish] */
  const take = (wish) => acquireLock({ mode: 'wait', signal, parents: [parent], ...wish });
  const openTickets = () => {
    const files = IS_LINUX ? readdirSync('/proc/self/fd') : [];
    return files.map(fileBehind).filter((path) => path.includes('measuring-'));
  };
  const tickets = () => (existsSync(join(parent, FOLDER)) ? readdirSync(join(parent, FOLDER)) : []);

  it('gives the lock to one of many runs at a time', async () => {
    let inside = 0;
    let greatest = 0;
    const turns = Array.from({ length: 6 }, async () => {
      const end = await take();
      inside += 1;
      greatest = Math.max(greatest, inside);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside -= 1;
      await end();
    });
    await Promise.all(turns);
    assert.equal(greatest, 1);
    assert.deepEqual(openTickets(), [], 'files that are still open');
  });

  it('ignores the ticket of a zombie process', {
    skip: IS_LINUX ? false : 'needs /proc',
  }, async () => {
    // The sleeping process is the parent, and never reaps the zombie.
    const parentOfZombie = spawn(
      'sh',
      ['-c', '"$0" -e "$1" "$2" & exec sleep 60', process.execPath, KILLS_ITSELF, parent],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      await once(parentOfZombie.stdout, 'data');
      assert.match(tickets()[0], /^measuring-/);
      await (await take({ longestWaitMs: 3_000 }))();
    } finally {
      parentOfZombie.kill('SIGKILL');
    }
  });

  it('fails if its ticket cannot be written, and leaves nothing', ON_POSIX, async () => {
    // A size limit of nothing stands for a full disk: a file can be made, and holds nothing.
    const limited = spawn('sh', [
      '-c',
      'ulimit -f 0; exec "$0" -e "$1" "$2"',
      process.execPath,
      TELLS,
      parent,
    ]);
    const [told] = await once(limited.stdout, 'data');
    assert.match(String(told), /^SCRATCH_UNUSABLE .*set TMPDIR/);
    assert.deepEqual(readdirSync(parent), []);
  });

  it('is released by a process that calls exit()', async () => {
    const child = spawn(process.execPath, ['-e', EXITS, parent], { stdio: 'ignore' });
    const [code] = await once(child, 'exit');
    assert.equal(code, 7);
    assert.deepEqual(tickets(), []);
  });
});

describe('two runs of the command', () => {
  // At ten round trips a second, the first run leaves the CPUs to the second.
  const SHORT =
    '--transport unix --codec json --rate 10 --warmup 50ms --measure 500ms --workers 1x1 --no-controls --no-charts';
  const workspace = workspaceForEach();
  const start = (/** @type {string} */ args) => startCli(`${SHORT} ${args}`, workspace);
  /** It is refused before it measures. @param {string} args */
  const refused = (args) => callCli(`${SHORT} ${args}`, workspace);
  const isMeasuring = () => existsSync(join(workspace.folder, 'first', 'results.json'));

  it('measure one after the other, and the second names the first', async () => {
    const first = start('--launches 50 --out first');
    await eventually(isMeasuring, 8_000);
    const second = start('--launches 1 --out second');
    await eventually(() => second.stderrSoFar().includes('Waiting'), 8_000);
    first.child.kill('SIGINT');
    const [one, other] = await Promise.all([first.ended, second.ended]);
    assert.deepEqual([one.code, other.code], [130, 0], one.stderr + other.stderr);
    assert.match(
      other.stderr,
      new RegExp(`^Waiting: another ipc-bench run .* \\(pid ${first.child.pid}\\).*--lock ignore`, 'm'),
    );
    assert.doesNotMatch(one.stderr, /Waiting/);
    const [ended, began] = await Promise.all(
      ['first', 'second'].map((out) => readResults(join(workspace.folder, out, 'results.json'))),
    );
    assert.ok(ended.updatedAt <= began.startedAt, `${ended.updatedAt} ${began.startedAt}`);
    assert.deepEqual(workspace.leftovers(), []);
  });

  it('exit with code 6 with --lock fail, without an empty folder', async () => {
    const first = start('--launches 50 --out first');
    await eventually(isMeasuring, 8_000);
    const { code, stderr } = await refused('--lock fail');
    assert.equal(code, 6);
    assert.match(stderr, /^ipc-bench: another ipc-bench run is active/m);
    assert.deepEqual(readdirSync(join(workspace.folder)), ['first', 'ipc-bench-results']);
    assert.deepEqual(readdirSync(join(workspace.folder, 'ipc-bench-results')), []);
    const same = await refused('--lock ignore --out first');
    assert.equal(same.code, 2);
    assert.match(same.stderr, new RegExp(`belongs to another run \\(pid ${first.child.pid}, `));
    const waiting = start('--out second');
    await eventually(() => waiting.stderrSoFar().includes('Waiting'), 8_000);
    waiting.child.kill('SIGTERM');
    const ended = await waiting.ended;
    assert.equal(ended.code, 143);
    assert.match(ended.stderr, /SIGTERM: stopping; nothing was measured\./);
    first.child.kill('SIGKILL');
    await first.ended;
    const after = await start('--launches 1 --lock fail --out third').ended;
    assert.equal(after.code, 0, `that of a killed run is taken over: ${after.stderr}`);
    assert.deepEqual(workspace.leftovers(), []);
  });
});

describe('a process that is killed while it writes its ticket', () => {
  it('does not block later runs', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'lock-test-'));
    const lock = new URL('../../lib/run/lock.js', import.meta.url).href;
    const wish = `{ mode: 'wait', signal: new AbortController().signal, parents: [${JSON.stringify(parent)}] }`;
    const code = `import { acquireLock } from '${lock}'; for (;;) await (await acquireLock(${wish}))();`;
    for (const afterMs of [0, 3, 7]) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
      await eventually(() => existsSync(join(parent, FOLDER)), 5_000);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      child.kill('SIGKILL');
      await once(child, 'close');
      await (await acquireLock({ mode: 'wait', signal, parents: [parent], longestWaitMs: 3_000 }))();
    }
    assert.deepEqual(readdirSync(parent), []);
    rmSync(parent, { recursive: true });
  });
});
