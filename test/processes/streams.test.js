// Runs in CI.
// Streams and fan-outs over the built-in transports with real servers.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { transitTimes, untilLastTimes } from '../../lib/workload/measures/stream-measures.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_LONG } from '../conformance/long-form.js';
import { inThisForm, keepServers, TRANSPORTS } from '../fixtures/house-launches.js';
import { launchCell } from '../fixtures/launch-cell.js';

/** @import { RoleReport, Transport } from '../../lib/types/index.js' */

const TIMEOUT_MS = 600_000;
const WORKERS = 2;
/** @type {Record<string, string[]>} */
const TAKERS = {
  'to-master': ['master'],
  'to-worker': ['worker', 'worker'],
  both: ['worker', 'worker', 'master'],
};
// Each of these pushes back in its own way; the long form has all. One message per worker is the same code over all transports.
const USUAL = ['pipe', 'zeromq', 'redis-pubsub'];
const streaming = TRANSPORTS.filter(({ traits }) => traits.direction !== 'request-reply');
const tested = inThisForm(streaming, USUAL);

describe('streams', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();

  /**
   * @param {Transport} transport
   * @param {string} scenario
   * @param {Record<string, string>} asking
   * @returns {Promise<{ why: string } | { reports: RoleReport[] }>} why: unavailable on this machine
   */
  async function streamed(transport, scenario, asking) {
    const { traits, serialises } = transport;
    const costlyMs = scenario === 'fan-out' ? 2_500 : 8_000; // where only one end writes, the other reads at once
    const launch = await launched(transport, {
      // Thousands of files are created before the first one can be read.
      scenario,
      asking,
      timing: { warmupMs: 30, measureMs: traits.isCostly ? patiently(costlyMs) : longEnoughMs(150) },
      cell: {
        workers: WORKERS,
        loops: 4,
        codec: serialises === undefined ? 'string' : 'json',
      },
      // As in a run, so that messages in flight at the end of the window are received too.
      deadlines: { replyMs: 10_000, finishMs: 15_000, lifeMs: 60_000 },
    });
    if ('why' in launch) return launch;
    const { end, left } = launch;
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
    const { operations, reports, rejectedConnections, losses } = /** @type {any} */ (end).fields;
    assert.ok(operations > 0, 'something was delivered');
    assert.equal(rejectedConnections, 0);
    assert.deepEqual(left, []);
    if (traits.loss !== 'possible') assert.equal(losses, null);
    assert.ok(transitTimes(reports).every((ns) => ns > 0));
    const takers = reports.filter((/** @type {RoleReport} */ { operations }) => operations !== null);
    assert.deepEqual(
      takers.map((/** @type {RoleReport} */ { role }) => role),
      scenario === 'stream' ? TAKERS[asking.direction ?? 'to-master'] : TAKERS['to-worker'],
    );
    return { reports };
  }

  for (const transport of tested) {
    // Both directions at once include each direction alone.
    const isWhole = IS_LONG && USUAL.includes(transport.name);
    for (const direction of isWhole ? ['to-master', 'to-worker', 'both'] : ['both']) {
      it(`delivers a stream over ${transport.name}, ${direction}`, async (t) => {
        const found = await streamed(transport, 'stream', { direction });
        if ('why' in found) t.skip(found.why);
      });
    }
    const ways = transport.traits.publishes ? ['each', 'native'] : ['each'];
    for (const way of ways.filter((each) => IS_LONG || each === 'native')) {
      it(`delivers each message to every worker over ${transport.name}, way=${way}`, async (t) => {
        const found = await streamed(transport, 'fan-out', { way });
        if ('why' in found) return t.skip(found.why);
        const counts = found.reports.map(({ operations }) => operations).filter((count) => count !== null);
        assert.equal(counts.length, WORKERS);
        assert.ok(counts.every((count) => count > 0));
        assert.ok(untilLastTimes(found.reports).every((ns) => ns > 0));
      });
    }
  }

  it('ends a launch that fills the memory, and reports what grew', async () => {
    const { end, left } = await launchCell({
      transport: '../fixtures/faulty-unix.js?fault=never-full',
      scenario: 'stream',
      asking: { direction: 'to-worker', handle: '5000' },
      timing: { warmupMs: 50, measureMs: 10_000 },
      cell: { workers: WORKERS, loops: 8, codec: 'string', payloadBytes: 100_000 },
      memoryLimitBytes: 2 ** 26,
    });
    const { kind, code, message } = /** @type {any} */ (end);
    assert.deepEqual([kind, code], ['failed', 'MEMORY'], JSON.stringify(end).slice(0, 1_000));
    assert.match(
      message,
      /grew by .+ within [\d,]+ ms \(master by .+\), more than the limit of 64.* MiB .+ counted [\d,]+ operations/,
    );
    assert.deepEqual(left, []);
  });
});
