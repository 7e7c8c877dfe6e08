// What a user may count on whatever the transport: a worker that dies is noticed within a second, one that
// is stopped is waited for until a deadline and named, nobody outlives a master that dies, and nothing is left behind.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { defaultsOf, traitsOf } from '../../lib/cell/traits.js';
import { builtinNames, builtinUrl } from '../../lib/plugins/builtins.js';
import {
  commandOf,
  eventually,
  launchUnderLoad,
  namesInSharedMemory,
  processesBelow,
} from '../fixtures/launch-cell.js';

/** @import { Transport } from '../../lib/types/transports.js' */

const ON_LINUX = process.platform === 'linux' ? false : 'finds processes in /proc';
const NOTICED_MS = 1_500; // told at once; the goodbye to one that is dead is waited for, over a broker for a second
const GONE_MS = 2_000;
const CODEC_OF_KIND = { text: 'string', bytes: 'binary', value: 'json' };

for (const name of builtinNames('transport')) {
  /** @type {Transport} */
  const transport = (await import(builtinUrl('transport', name))).default;
  describe(transport.name, { skip: ON_LINUX }, () => describeFaults(transport));
}

/** @param {Transport} transport */
function describeFaults(transport) {
  /** @type {string | undefined} */
  let reason;
  let scratchDir = '';
  /** @type {import('../../lib/types/brokers.js').RunningBroker | undefined} */
  let broker;
  before(async () => {
    reason = (await transport.whyUnavailable?.()) ?? (await transport.broker?.whyUnavailable());
    if (reason !== undefined || transport.broker === undefined) return;
    scratchDir = mkdtempSync(join(tmpdir(), 'ibf-'));
    broker = await transport.broker.start({ scratchDir, settings: defaultsOf(transport), cpus: null });
  });
  after(async () => {
    await broker?.close();
    if (scratchDir !== '') rmSync(scratchDir, { recursive: true });
  });
  const areThreads = traitsOf(transport, {}).class === 'thread';

  /**
   * @param {(pids: { master: number, workers: number[] }) => void} disturb   once it is under way
   * @param {{ measureMs?: number, deadlines?: Record<string, number> }} [how]
   */
  const disturbed = async (disturb, { measureMs = 20_000, deadlines = {} } = {}) => {
    const codec = transport.serialises?.[0] ?? CODEC_OF_KIND[transport.carries[0]];
    const known = new Set(processesBelow(process.pid, ''));
    const { ending, underLoad } = launchUnderLoad({
      transport: transport.name,
      cell: { codec, loops: 2 },
      timing: { warmupMs: 50, measureMs },
      deadlines: { connectMs: 8_000, ...deadlines },
      brokerUrl: broker?.url ?? null,
    });
    await underLoad;
    const [master] = processesBelow(process.pid, 'launch/master.js');
    const workers = areThreads ? [] : processesBelow(master, 'launch/worker.js');
    const all = processesBelow(process.pid, '').filter((pid) => !known.has(pid));
    const fromMs = performance.now();
    disturb({ master, workers });
    const { end, left } = await ending;
    const tookMs = performance.now() - fromMs;
    await eventually(() => all.every((pid) => commandOf(pid) === ''), GONE_MS);
    assert.deepEqual(namesInSharedMemory(), []);
    const { code, message } = end.kind === 'failed' ? end : { code: 'measured', message: '' };
    return { code, message, tookMs, left };
  };
  const isSkipped = (/** @type {import('node:test').TestContext} */ t) => {
    if (reason === undefined) return false;
    if (process.env.CI) assert.fail(reason);
    t.skip(reason);
    return true;
  };

  it('notices at once that a worker was killed', async (t) => {
    if (isSkipped(t)) return;
    if (areThreads) return t.skip('its workers are threads: nobody kills one but the master');
    const { code, message, tookMs, left } = await disturbed(({ workers }) =>
      process.kill(workers[0], 'SIGKILL'),
    );
    assert.equal(code, 'PROCESS_DIED', message);
    assert.match(message, /worker w\d \(pid \d+\) was killed by SIGKILL/);
    assert.ok(tookMs < NOTICED_MS, `${tookMs} ms`);
    assert.deepEqual(left, []);
  });

  it('waits for a worker that is stopped until the deadline, and names it', async (t) => {
    if (isSkipped(t)) return;
    if (areThreads) return t.skip('its workers are threads: none is stopped alone');
    const { code, message } = await disturbed(({ workers }) => process.kill(workers[0], 'SIGSTOP'), {
      measureMs: 800,
      deadlines: { connectMs: 2_000, replyMs: 500, finishMs: 800, exitMs: 800 },
    });
    assert.equal(code, 'DEADLINE', message);
    assert.match(message, /w\d \(pid \d+\)/);
  });

  it('leaves no process behind when the master is killed', async (t) => {
    if (isSkipped(t)) return;
    const { code, message } = await disturbed(({ master }) => process.kill(master, 'SIGKILL'));
    assert.equal(code, 'PROCESS_DIED', message);
  });
}
