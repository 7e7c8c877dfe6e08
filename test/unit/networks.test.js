// --network without processes: its values, skip reasons, counters and texts.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { cellLabel } from '../../lib/cell/labels.js';
import { networkUse, readNetwork } from '../../lib/launch/monitors/traffic.js';
import { networkProblem } from '../../lib/machine/delay-line.js';
import { parsePlannedNetwork } from '../../lib/options/axis-values.js';
import { emulationSkipReason, networkSkipReason } from '../../lib/plan/skip-reasons.js';
import { planTiming } from '../../lib/plan/timing.js';
import { networkText } from '../../lib/report/text/machine-words.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import tcp from '../../transports/tcp.js';
import unix from '../../transports/unix.js';
import websocket from '../../transports/websocket/websocket.js';
import { cellsOf } from '../fixtures/axis-cells.js';
import { resolved } from '../fixtures/resolved.js';

const FACTS = { roundTripUs: 1_080, mtuBytes: 1_500 };

describe('--network', () => {
  it('parses round-trip times with or without a rate, and none', () => {
    const cells = cellsOf({ network: 'none,1000us,1ms,1.5ms,1ms+1000kbit,500us+0.5gbit' });
    assert.deepEqual(
      cells.map(({ network }) => network),
      [undefined, '1ms', '1500us', '1ms+1mbit', '500us+500mbit'],
    );
    assert.ok(cellLabel(cells[1]).endsWith(' network=1ms'));
    assert.equal(Object.hasOwn(cells[0], 'network'), false);
  });

  it('parses a rate behind a comma, for the time before it', () => {
    const networksOf = (/** @type {string} */ network) => cellsOf({ network }).map((cell) => cell.network);
    assert.deepEqual(networksOf('1ms,1gbit'), ['1ms+1gbit']);
    assert.deepEqual(networksOf('none,1ms,2ms,100mbit,5ms+1gbit'), [
      undefined,
      '1ms',
      '2ms+100mbit',
      '5ms+1gbit',
    ]);
  });

  it('converts to µs of a round trip and bits per second', () => {
    assert.deepEqual(parsePlannedNetwork('1500us'), { roundTripUs: 1_500, bitsPerSecond: null });
    assert.deepEqual(parsePlannedNetwork('20ms+100mbit'), {
      roundTripUs: 20_000,
      bitsPerSecond: 100_000_000,
    });
  });

  const refused = /** @type {[string, RegExp][]} */ ([
    ['1', /"1" has no unit; write 500us or 1ms/],
    ['fast', /"fast" is not a round-trip time; write 500us or 1ms/],
    ['1gbit', /"1gbit" begins with a rate; write the round-trip time first, as in 1ms\+1gbit/],
    ['none,1gbit', /"1gbit" begins with a rate/],
    ['1ms,1mbit,1gbit', /"1gbit" begins with a rate/],
    ['1ms+1Gbit', /unknown unit "Gbit"; write 500kbit, 100mbit or 1gbit. Did you mean gbit\?/],
    ['1ms+1gbit+2ms', /more than a round-trip time and a rate; write 1ms\+100mbit/],
    ['1ms+', /"" is not a rate; write 500kbit/],
    ['600ms', /"600ms" is out of range; it goes from 10 to 500,000 us/],
    ['1ms+1kbit', /"1kbit" is out of range; it goes from 64,000 to 100,000,000,000 bit/],
    ['1.0005ms', /not a whole number of us/],
  ]);
  for (const [text, expected] of refused) {
    it(`rejects ${text} with what to write instead`, () => {
      assert.throws(() => resolved({ network: text }), { code: 'BAD_ARGUMENT', message: expected });
    });
  }
});

describe('a cell over a network', () => {
  const [cell] = cellsOf({ network: '1ms' });

  it('skips transports that reach no other host, and brokers of the user', () => {
    assert.equal(networkSkipReason(tcp, { ...cell, transport: 'tcp' }), null);
    assert.match(String(networkSkipReason(unix, cell)), /^unix works on one machine only.*use tcp$/);
    const overUnix = { ...cell, transport: 'websocket', settings: { net: 'unix' } };
    assert.match(
      String(networkSkipReason(websocket, overUnix)),
      /net=unix works on one machine only.*net=tcp$/,
    );
    const ofRedis = { ...cell, transport: 'redis-pubsub', settings: { net: 'tcp' } };
    assert.equal(networkSkipReason(redisPubsub, ofRedis), null, 'a private one stands beside the master');
    assert.match(
      String(networkSkipReason(redisPubsub, { ...ofRedis, settings: { net: 'unix' } })),
      /^redis-pubsub:net=unix works on one machine only.*redis-pubsub:net=tcp$/,
    );
    const urls = { redis: 'redis://elsewhere:1' };
    assert.match(
      String(networkSkipReason(redisPubsub, ofRedis, urls)),
      /^redis is given by URL, .*leave out the URL/,
    );
    assert.match(
      String(networkSkipReason(tcp, cell, urls, redisPubsub)),
      /^redis is given by URL/,
      'of a relay',
    );
    assert.equal(networkSkipReason(tcp, cell, urls), null, 'it has none');
    assert.equal(networkSkipReason(tcp, cell, {}, unix), null, 'a relay stands beside the master');
    assert.equal(networkSkipReason(unix, { ...cell, network: undefined }), null);
  });

  it('skips a network with the reason why this machine cannot make one', () => {
    assert.equal(emulationSkipReason(cell, { whyNoNetwork: 'no compiler' }), 'no compiler');
    assert.equal(emulationSkipReason(cell, { whyNoNetwork: null }), null);
    assert.equal(emulationSkipReason({}, { whyNoNetwork: 'no compiler' }), null);
  });

  it('ends the warm-up of a network after fewer operations', () => {
    const { options } = resolved({ network: '1ms' });
    const goalOf = (/** @type {typeof cell} */ one) =>
      planTiming(options, one, { neverSleeps: false }).workGoal;
    const [there, here] = [goalOf(cell), goalOf({ ...cell, network: undefined })];
    assert.ok(there.operations < here.operations);
    assert.equal(there.leastCpuMs, 0);
    assert.equal(there.idleIsEnough, true);
  });

  it('reports that --network needs Linux', async () => {
    assert.match(
      String(await networkProblem('darwin')),
      /needs namespaces of Linux: measure without --network/,
    );
  });
});

describe('the counters of a delay line', () => {
  /** @param {number[]} counters */
  function written(counters) {
    const folder = mkdtempSync(join(tmpdir(), 'ibn-'));
    const countersPath = join(folder, 'counters');
    const bytes = Buffer.alloc(8 * counters.length);
    for (const [place, count] of counters.entries()) bytes.writeBigUInt64LE(BigInt(count), 8 * place);
    writeFileSync(countersPath, bytes);
    try {
      return readNetwork({ pid: process.pid, countersPath });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('counts packets and their lateness (mean and 99th percentile) within the window', () => {
    const from = written([100, 1, 1_000_000, 90, 10, 0, 0]);
    const to = written([300, 4, 2_600_000, 280, 18, 0, 2]);
    const { share, ...use } = networkUse(FACTS, { ...from, atMs: 0 }, { ...to, atMs: 1_000 }) ?? {
      share: -1,
    };
    assert.deepEqual(use, {
      ...FACTS,
      carriedPackets: 200,
      droppedPackets: 3,
      meanLateUs: 8,
      p99LateUs: 10,
    });
    assert.ok(share >= 0);
  });

  it('has the share of a CPU that it used, or 0 if that is unknown', () => {
    const [from, to] = [written([100, 1, 0, 90]), written([300, 4, 0, 280])];
    const shareOf = (/** @type {number | null} */ fromMs, /** @type {number | null} */ toMs) =>
      networkUse(FACTS, { ...from, atMs: 500, cpuMs: fromMs }, { ...to, atMs: 1_500, cpuMs: toMs })?.share;
    assert.deepEqual([shareOf(30, 280), shareOf(null, 280), shareOf(30, null)], [0.25, 0, 0]);
  });

  it('returns nothing if no packet was carried', () => {
    const reading = { atMs: 0, cpuMs: 1, counters: [5, 0, 9, 5, 0] };
    const use = networkUse(FACTS, reading, { ...reading, atMs: 100 });
    assert.equal(use?.carriedPackets, 0);
    assert.equal(use?.meanLateUs, 0);
    assert.equal(networkUse(FACTS, null, null), undefined);
  });

  it('has the median round trip of its launches, and no text without a network', () => {
    const launches = [1_300, 900, 1_100].map((roundTripUs) => ({ network: { ...FACTS, roundTripUs } }));
    assert.match(
      networkText([/** @type {any} */ ({ cell: { network: '1ms' }, launches })]) ?? '',
      /^ping 1,100 µs, /,
    );
    assert.equal(networkText([/** @type {any} */ ({ cell: {}, launches: [{}] })]), null);
  });
});
