// Runs at night.
// Named pipes have no connections of their own: who comes through the door, what is seen of it in the folder, and what
// remains when an end is killed. That messages arrive is conformance/transport.js' business.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import stream from '../../scenarios/stream.js';
import fifo, { fifoUnavailableReason } from '../../transports/fifo/fifo.js';
import { connectOverFifos, listenOverFifos } from '../../transports/fifo/fifo-ends.js';
import { patiently } from '../conformance/deadline.js';
import { killInLaunch } from '../fixtures/kill-in-launch.js';
import { eventually, launchCell, launchUnderLoad, processesBelow } from '../fixtures/launch-cell.js';
import { withPath } from '../fixtures/with-path.js';

const reason =
  process.platform === 'win32' ? 'there is no mkfifo on Windows' : (fifoUnavailableReason() ?? undefined);
const ON_LINUX = { skip: process.platform === 'linux' ? false : 'finds processes in /proc' };
const TOKEN = 'a'.repeat(32);
const NAME = '0123456789abcdef';

/** @type {string} */
let folder;
/** @type {string[]} */
let rejectedConnections;
/** @type {Map<string, import('../../lib/types/transports.js').Channel>} */
let channels;
/** @type {Error[]} */
let errors;
/** @type {import('../../lib/types/transports.js').Listener} */
let listener;

const end = {
  settings: { flush: 'direct', blocking: false },
  codec: 'json',
  maxMessageBytes: 1_000_000,
  token: TOKEN,
  launchId: 'l1',
  brokerUrl: null,
  wireKind: /** @type {const} */ ('text'),
};

/** @param {Partial<import('../../lib/types/transports.js').GuestContext>} [other] */
const guest = (other) =>
  /** @type {import('../../lib/types/transports.js').GuestContext} */ ({
    ...end,
    address: listener.address,
    workerId: 'w0',
    ...other,
  });

/** @param {string | Buffer} what */
async function knockWith(what) {
  const door = await open(listener.address, 'w');
  await door.write(/** @type {any} */ (what));
  await door.close();
}

/** That a worker is let in, and both ends hear each other. */
async function assertWorkerGetsIn() {
  const channel = await connectOverFifos(guest());
  const host = await eventually(() => channels.get('w0'), 2_000);
  host.onMessage = (wire) => host.send(`${wire} indeed`);
  const answer = await new Promise((resolve) => {
    channel.onMessage = resolve;
    channel.send('here');
  });
  assert.equal(answer, 'here indeed');
  return channel;
}

describe('listenOverFifos', { skip: reason ?? false, timeout: 600_000 }, () => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ipcb-fifo-'));
    rejectedConnections = [];
    errors = [];
    channels = new Map();
    listener = await listenOverFifos(
      /** @type {import('../../lib/types/transports.js').HostContext} */ ({
        ...end,
        scratchDir: folder,
        workers: 1,
        onChannel: (channel, workerId) => channels.set(workerId, channel),
        onRejected: (what) => rejectedConnections.push(what),
        onError: (error) => errors.push(error),
      }),
    );
  });
  afterEach(async () => {
    for (const channel of channels.values()) await channel.close();
    await listener.close();
    await listener.close();
    assert.deepEqual(errors, []);
    rmSync(folder, { recursive: true });
  });

  it('is accessible to this user only, and leaves no file', async () => {
    assert.equal(statSync(listener.address).mode & 0o777, 0o600);
    const channel = await assertWorkerGetsIn();
    await eventually(() => readdirSync(folder).length === 1, 1_000);
    await channel.close();
    await listener.close();
    assert.deepEqual(readdirSync(folder), []);
  });

  /** @type {[string, string | Buffer, number][]} how unauthenticated peers knock, and how many of them are counted */
  const knocks = [
    ['a line of garbage', 'GARBAGE\n', 1],
    ['an unfinished line', 'GARBA', 1],
    ['half a name', NAME.slice(0, 7), 1],
    ['the name of no pipes', `${NAME}\n`, 1],
    ['a path out of the folder', '../../../etc/passwd\n', 1],
    ['60,000 bytes of nothing', Buffer.alloc(60_000), 1],
    ['a thousand lines', 'x\n'.repeat(1_000), 1_000],
  ];
  for (const [what, words, counted] of knocks) {
    it(`accepts a worker after an unauthenticated peer wrote ${what}`, async () => {
      await knockWith(words);
      await assertWorkerGetsIn();
      assert.equal(rejectedConnections.length, counted);
    });
  }

  /** @type {[string, (path: string) => void][]} */
  const traps = [
    ['files', (path) => writeFileSync(path, 'no pipe')],
    ['links', (path) => symlinkSync(listener.address, path)],
    ['pipes that nobody reads', (path) => void execFileSync('mkfifo', [path])],
  ];
  for (const [what, make] of traps) {
    it(`ignores a name of ${what}`, async () => {
      for (const way of ['to-master', 'to-worker']) make(join(folder, `${NAME}.${way}`));
      await knockWith(`${NAME}\n`);
      await eventually(() => rejectedConnections.length === 1, 3_000);
      await assertWorkerGetsIn();
    });
  }

  it('rejects a worker without the token, which then fails and leaves nothing', async () => {
    const refused = connectOverFifos(guest({ token: 'b'.repeat(32) }));
    await assert.rejects(refused, { code: 'TRANSPORT', message: /w0 could not connect to the master/ });
    assert.deepEqual(rejectedConnections, ['sent no valid token']);
    assert.deepEqual(readdirSync(folder), ['master.fifo']);
  });

  it('fails a worker at once after it has closed', async () => {
    await listener.close();
    await assert.rejects(connectOverFifos(guest()), {
      code: 'TRANSPORT',
      message: /the master has ended/,
    });
    assert.deepEqual(readdirSync(folder), []);
  });

  it('fails if something else is at its path', async () => {
    await assert.rejects(listenOverFifos(/** @type {any} */ ({ ...end, scratchDir: folder, workers: 1 })), {
      code: 'TRANSPORT',
      message: /no named pipes could be made: .*exist/s,
    });
    assert.ok(statSync(listener.address).isFIFO());
  });
});

describe('a system without mkfifo', () => {
  it('is reported with a remedy', async () => {
    await withPath('/nowhere', async () => {
      if (process.platform !== 'win32')
        assert.match(String(await fifo.whyUnavailable?.()), /install coreutils/);
    });
  });
});

describe('a launch over named pipes', { skip: reason ?? ON_LINUX.skip, timeout: 600_000 }, () => {
  const transport = 'fifo';

  // A worker or a master that is killed is the subject of describe-faults.js; a blocking worker notices it in another way.
  it('ends at once when its master is killed, with blocking=true', async () => {
    const cell = { settings: { blocking: true } };
    const { end, left, tookMs } = await killInLaunch({ transport, cell }, 'master');
    assert.equal(end.kind === 'failed' && end.code, 'PROCESS_DIED');
    assert.ok(tookMs < patiently(1_500), `${tookMs} ms`);
    assert.deepEqual(left, ['master.fifo']); // it goes with the scratch folder
  });

  it('receives control messages while it waits for responses, with blocking=true', async () => {
    for (const loops of [1, 50]) {
      const cell = { loops, settings: { blocking: true } };
      const { end, left } = await launchCell({ transport, cell, timing: { measureMs: 150 } });
      assert.equal(end.kind, 'done', JSON.stringify(end));
      if (end.kind !== 'done') return;
      assert.ok(
        end.fields.windowMs >= 150 && end.fields.windowMs < 150 + patiently(1_000),
        `window of ${end.fields.windowMs} ms`,
      );
      assert.deepEqual(left, []);
    }
  });

  it('is skipped if its workers would wait for responses that do not exist, with blocking=true', () => {
    const { traitsOf } = fifo;
    const reasonFor = (/** @type {any} */ settings, /** @type {string} */ direction) => {
      const traits = /** @type {any} */ ({ ...fifo.traits, ...traitsOf?.(settings) });
      return stream.skipReason?.(traits, { direction }, /** @type {any} */ ({ loops: 1, workers: 1 }));
    };
    for (const direction of ['to-master', 'both'])
      assert.match(String(reasonFor({ blocking: true }, direction)), /direction=to-worker/);
    assert.equal(reasonFor({ blocking: true }, 'to-worker'), null);
    assert.equal(reasonFor({ blocking: false }, 'to-master'), null);
  });

  it('fails by its deadline when its master hangs, and names it, with blocking=true', async () => {
    const { ending, underLoad } = launchUnderLoad({
      transport,
      cell: { workers: 1, settings: { blocking: true } },
      deadlines: { finishMs: 1_000, lifeMs: 5_000 },
    });
    await underLoad;
    const [master] = processesBelow(process.pid, 'controller/master.js');
    process.kill(master, 'SIGSTOP');
    const { end } = await ending;
    assert.equal(end.kind === 'failed' && end.code, 'DEADLINE', JSON.stringify(end));
    await eventually(() => processesBelow(process.pid, '/lib/launch/').length === 0, 2_000);
  });
});
