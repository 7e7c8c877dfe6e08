// Runs at night.
// Transports of requests and responses, beyond the conformance suite: their connections, sessions and processes, and unauthenticated requests.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { transportLabel } from '../../lib/cell/labels.js';
import command from '../../transports/command/command.js';
import grpc from '../../transports/grpc/grpc.js';
import http from '../../transports/http.js';
import http2 from '../../transports/http2/http2.js';
import zeromq from '../../transports/zeromq/zeromq.js';
import { closeOf, makeRoundTrips, openBothEnds, TOKEN } from '../fixtures/both-ends.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';
import { nextUncaught } from '../fixtures/uncaught.js';

/** @import { Transport } from '../../lib/types/index.js' */

let scratchDir = '';
beforeEach(() => {
  scratchDir = mkdtempSync(join(tmpdir(), 'ibq-'));
});
afterEach(() => rmSync(scratchDir, { recursive: true }));

/**
 * @param {Transport} transport
 * @param {Record<string, string | number | boolean>} settings
 * @param {(ends: Awaited<ReturnType<typeof openBothEnds>> & { rejectedConnections: string[] }) => Promise<void>} work
 */
async function between(transport, settings, work) {
  /** @type {string[]} */
  const rejectedConnections = [];
  const onRejected = (/** @type {string} */ what) => void rejectedConnections.push(what);
  const ends = await openBothEnds(transport, { settings, scratchDir, onRejected });
  try {
    await work({ ...ends, rejectedConnections });
    assert.deepEqual(ends.errors, []);
  } finally {
    await ends.worker.close();
    await ends.listener.close();
  }
  assert.deepEqual(readdirSync(scratchDir), []);
}

const ESTABLISHED = '01';
const MIN_START_US = 10_000; // Node takes 30 ms of CPU time to start and end; spawning alone takes 1 or 2

/**
 * @param {string} address    of the listener
 * @param {number} expected
 */
function assertConnections(address, expected) {
  if (process.platform !== 'linux') return;
  const port = Number(JSON.parse(address).at.split(':')[1]);
  const rows = readFileSync('/proc/net/tcp', 'latin1').trim().split('\n').slice(1);
  const open = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(
      ([, , remote, state]) => state === ESTABLISHED && Number.parseInt(remote.split(':')[1], 16) === port,
    );
  assert.equal(open.length, expected, 'connections');
}

describe('the connections of a worker', () => {
  for (const [
    transport,
    settings,
    expected,
  ] of /** @type {[Transport, Record<string, string | number>, number][]} */ ([
    [http, { client: 'agent', connections: 3 }, 3],
    [http, { client: 'undici', connections: 3 }, 3],
    [http, { client: 'undici', connections: 1, pipelining: 4 }, 1],
    [http2, {}, 1],
    [grpc, { call: 'unary' }, 1],
    [grpc, { call: 'stream' }, 1],
  ])) {
    it(`are ${expected} over ${transportLabel({ transport: transport.name, settings })}`, async () => {
      await between(transport, settings, async ({ worker, address }) => {
        await makeRoundTrips(worker, 10, 5);
        assertConnections(address, expected);
      });
    });
  }
});

describe('http', () => {
  it('rejects pipelining without undici', () => {
    assert.match(String(http.whyImpossible?.({ client: 'agent', pipelining: 2 })), /client=undici/);
    assert.equal(http.whyImpossible?.({ client: 'undici', pipelining: 2 }), null);
    assert.equal(http.whyImpossible?.({ client: 'agent', pipelining: 1 }), null);
  });
});

describe('a requester', () => {
  for (const [transport, settings] of /** @type {[Transport, Record<string, string>][]} */ ([
    [http, { client: 'agent' }],
    [http, { client: 'undici' }],
    [zeromq, { pattern: 'req-rep' }],
  ])) {
    it(`does not count an error of its handler as a failed request, over ${transport.name} ${JSON.stringify(settings)}`, async (t) => {
      await between(transport, settings, async ({ worker }) => {
        const uncaught = nextUncaught(t);
        const bug = new Error('of the handler');
        const closings = /** @type {any[]} */ ([]);
        worker.onClose = (reason) => void closings.push(reason);
        worker.onMessage = () => {
          worker.onMessage = () => {};
          throw bug;
        };
        worker.send('a question');
        assert.equal(await uncaught, bug);
        assert.deepEqual(closings, []);
      });
    });
  }
});

describe('http2', () => {
  it('has no deadline for the first request of a session', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    await between(http2, {}, async ({ worker, connectAgain, rejectedConnections }) => {
      await connectAgain(1); // the master has seen the first session, too
      t.mock.timers.tick(10_000);
      await makeRoundTrips(worker, 1, 1);
      assert.deepEqual(rejectedConnections, []);
    });
  });

  it('fails a channel whose session was closed', async () => {
    await between(http2, {}, async ({ worker, address }) => {
      await makeRoundTrips(worker, 1, 1);
      const port = Number(JSON.parse(address).at.split(':')[1]);
      const handles = /** @type {any} */ (process)._getActiveHandles();
      const own = handles.find((/** @type {any} */ { remotePort }) => remotePort === port);
      const cut = once(own, 'close');
      own.destroy();
      await cut;
      await turn();
      const closed = closeOf(worker);
      worker.send('is anybody there?');
      assert.match(String(await closed), /a request failed: the master has closed the session/);
    });
  });

  it('closes and counts a session without the token', async () => {
    await between(http2, {}, async ({ address, rejectedConnections, worker }) => {
      const session = connectHttp2(`http://${JSON.parse(address).at}`);
      session.on('error', () => {});
      const closed = new Promise((resolve) => session.once('close', resolve));
      session.request({ ':method': 'POST', ':path': '/' }).on('error', () => {});
      await closed;
      assert.deepEqual(rejectedConnections, ['sent no valid token']);
      await makeRoundTrips(worker, 1, 1);
    });
  });
});

describe('command', () => {
  it('starts one process for each request, up to its maximum at a time', {
    timeout: 600_000,
  }, async () => {
    await between(command, { atOnce: 2 }, async ({ worker, master }) => {
      /** @type {Set<string>} */
      const pids = new Set();
      let most = 0;
      const { onMessage } = master;
      master.onMessage = (wire) => {
        const running = programs();
        most = Math.max(most, running.length);
        for (const { pid } of running) pids.add(pid);
        onMessage(wire);
      };
      await makeRoundTrips(worker, 4, 2);
      if (process.platform !== 'linux') return;
      assert.ok(most >= 1 && most <= 2, `${most} at once`);
      assert.equal(pids.size, 8);
    });
  });

  it('has the costs of the processes that it starts', { timeout: 600_000 }, async (t) => {
    if (process.platform !== 'linux') return t.skip('reads /proc');
    const { end } = await launchWithKnownCosts({
      transport: 'command',
      cell: { codec: 'string', workers: 1, loops: 1 },
      timing: { warmupMs: 50, measureMs: 300 },
      deadlines: { replyMs: 10_000, finishMs: 12_000 },
    });
    assert.ok(end.kind === 'done', end.kind === 'failed' ? end.message : '');
    const worker = end.fields.costs.find((/** @type {any} */ { name }) => name === 'w0');
    const usPerRoundTrip = (worker.userUs + worker.systemUs) / end.fields.operations;
    assert.ok(usPerRoundTrip > MIN_START_US, `${usPerRoundTrip} µs`);
  });

  it('keeps the token out of its arguments', { timeout: 600_000 }, async (t) => {
    if (process.platform !== 'linux') return t.skip('reads /proc');
    await between(command, { via: 'argv' }, async ({ worker, master }) => {
      let seen = '';
      const { onMessage } = master;
      master.onMessage = (wire) => {
        seen = programs()[0].words.join(' ');
        onMessage(wire);
      };
      await makeRoundTrips(worker, 1, 1);
      assert.match(seen, /command-program\.js/);
      assert.ok(!seen.includes(TOKEN));
    });
  });
});

/** @returns {{ pid: string, words: string[] }[]} of `command`, below this process */
function programs() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'latin1')
    .split(' ')
    .filter(Boolean);
  return children
    .map((pid) => ({ pid, words: readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0') }))
    .filter(({ words }) => words.some((word) => word.endsWith('command-program.js')));
}
