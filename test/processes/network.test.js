// Runs at night.
// Launches over a network of our own, in real namespaces: TCP is real from end to end, nothing of it is left whatever dies, and
// who has no rights is told so.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { compileDelayLine, networkProblem, openNetwork } from '../../lib/machine/delay-line.js';
import { loadRuntimes } from '../../lib/plugins/find-runtimes.js';
import redisPubsub from '../../transports/redis-pubsub.js';
import { callCli, makeWorkspace, startCli } from '../fixtures/cli-run.js';
import { inThisForm, TRANSPORTS } from '../fixtures/house-launches.js';
import { commandOf, eventually, launchCell, processesBelow } from '../fixtures/launch-cell.js';
import { ownFolder } from '../fixtures/own-folder.js';

const LOOPS = 2;
const TIMEOUT_MS = 600_000;
const ROUND_TRIP_US = 2_000;
const NS_PER_US = 1_000;
const DELAYED_ACK_NS = 40e6; // the least that Linux waits for something to send an acknowledgement with
const GONE_MS = 5_000;
const TWO_CELLS = ['--transport', 'tcp,unix', '--measure', '3s'];
const WISH = Object.freeze({ roundTripUs: ROUND_TRIP_US, bitsPerSecond: null });
const reaching = TRANSPORTS.filter(
  ({ traits, broker }) => traits.reach === 'network' && broker === undefined,
);
const missing = (await networkProblem()) ?? undefined;
// In CI a machine without the means is a failure.
const skip = process.env.CI ? undefined : missing;

describe('a launch over a network of its own', { skip, timeout: TIMEOUT_MS }, () => {
  const folder = ownFolder('ibn-');
  let program = '';
  let networks = 0;
  before(async () => {
    program = await compileDelayLine(folder);
  });

  /**
   * @param {Omit<Parameters<typeof launchCell>[0], 'network'>} wish
   * @param {Parameters<typeof openNetwork>[1]} [network]
   */
  async function launched(wish, network = WISH) {
    networks += 1;
    const opened = await openNetwork(program, network, mkdtempSync(join(folder, `n${networks}-`)));
    try {
      return await launchCell({
        network: opened,
        timing: { warmupMs: 100, measureMs: 300 },
        deadlines: { replyMs: 5_000, finishMs: 8_000, lifeMs: 40_000 },
        ...wish,
        cell: { network: '2ms', workers: 1, loops: LOOPS, ...wish.cell },
      });
    } finally {
      await opened.close();
      assert.equal(commandOf(opened.pid), '', 'the delay line has ended');
    }
  }

  /** @param {Awaited<ReturnType<typeof launchCell>>} launch */
  function fieldsOf({ end, left }) {
    assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 2_000));
    assert.deepEqual(
      left.filter((name) => !name.startsWith('delay-line')),
      [],
    );
    return /** @type {any} */ (end).fields;
  }

  /** @param {Awaited<ReturnType<typeof launchCell>>} launch @returns {import('../../lib/types/launches.js').Latency} of its one worker */
  const timesOf = (launch) =>
    fieldsOf(launch).reports.find((/** @type {any} */ { role }) => role === 'worker').latency;

  it('runs a peer in another language at its end', async (t) => {
    const [{ byRole, unavailable }] = await loadRuntimes(['master:go']);
    const peer = byRole.master?.peer?.program;
    if (peer === undefined && !process.env.CI) return t.skip(String(unavailable));
    const launch = await launched({ peer, transport: 'tcp' });
    assert.ok(fieldsOf(launch).operations > 0);
    assert.ok(timesOf(launch).minNs >= ROUND_TRIP_US * NS_PER_US);
  });

  // The others of this suite are over tcp.
  for (const transport of inThisForm(reaching, ['udp', 'https', 'zeromq'])) {
    it(`measures ${transport.name} with no round trip quicker than the network, and none lost`, async () => {
      const cell = { settings: { ...(transport.settings?.net && { net: 'tcp' }) } };
      const launch = await launched({ transport: transport.name, cell });
      const { operations, rejectedConnections, network } = fieldsOf(launch);
      assert.ok(operations > 0);
      assert.equal(rejectedConnections, 0);
      assert.ok(timesOf(launch).minNs >= ROUND_TRIP_US * NS_PER_US);
      assert.ok(network.roundTripUs >= ROUND_TRIP_US);
      // A packet may carry what all loops have asked meanwhile.
      assert.ok(network.carriedPackets * LOOPS > operations, 'its packets went over the line');
      assert.equal(network.droppedPackets, 0);
      assert.equal(network.mtuBytes, 1_500);
    });
  }

  it('takes the requested time for a round trip, and not twice', async () => {
    const roundTripUs = 100_000;
    const own = mkdtempSync(join(folder, 'there-and-back-'));
    const opened = await openNetwork(program, { roundTripUs, bitsPerSecond: null }, own);
    await opened.close();
    const { facts } = opened;
    assert.ok(
      facts.roundTripUs >= roundTripUs && facts.roundTripUs < 2 * roundTripUs,
      `${facts.roundTripUs} µs`,
    );
  });

  it('shows Nagle’s algorithm and delayed acknowledgements, as between two machines', async () => {
    const way = (/** @type {Record<string, string>} */ settings) =>
      launched({
        transport: 'tcp',
        cell: { loops: 1, settings },
        timing: { warmupMs: 200, measureMs: 1_000 },
      });
    const slow = await way({ flush: 'split', noDelay: 'false' });
    assert.ok(timesOf(slow).meanNs >= 2 * DELAYED_ACK_NS, 'an acknowledgement is waited for at each end');
    const halfSlow = await way({ flush: 'split', noDelay: 'master' });
    assert.ok(timesOf(halfSlow).meanNs >= DELAYED_ACK_NS, 'at one end');
    assert.ok(timesOf(halfSlow).minNs < 2 * DELAYED_ACK_NS, 'and at one end only');
    assert.ok(timesOf(await way({ flush: 'split' })).minNs < DELAYED_ACK_NS);
    assert.ok(timesOf(await way({ noDelay: 'false' })).minNs < DELAYED_ACK_NS, 'one write waits for nothing');
  });

  it('keeps to the rate: a large message takes the time of its bytes', async () => {
    const rate = { roundTripUs: 100, bitsPerSecond: 10_000_000 };
    const cell = { loops: 1, payloadBytes: 20_000 };
    const launch = await launched(
      { transport: 'tcp', cell, timing: { warmupMs: 100, measureMs: 500 } },
      rate,
    );
    // Question and answer, 8 bits a byte at 10 bits a µs.
    assert.ok(timesOf(launch).minNs >= ((2 * 20_000 * 8) / 10) * NS_PER_US);
  });

  it('runs workers and master in two networks, and fails when one is killed', async () => {
    const spaceOf = (/** @type {number | 'self'} */ pid) => readlinkSync(`/proc/${pid}/ns/net`);
    /** @type {string[]} */
    let seen = [];
    const { end } = await launched({
      transport: 'tcp',
      timing: { warmupMs: 50, measureMs: 1_000 },
      onPhase(phase) {
        if (phase !== 'measure') return;
        const [master, worker] = ['master.js', 'worker.js'].map(
          (name) => processesBelow(process.pid, name)[0],
        );
        seen = [spaceOf('self'), spaceOf(master), spaceOf(worker)];
        process.kill(worker, 'SIGKILL');
      },
    });
    assert.equal(new Set(seen).size, 3);
    assert.equal(end.kind, 'failed');
    assert.match(/** @type {any} */ (end).message, /w0 .*was killed by SIGKILL/);
  });
});

const noRedis = process.env.CI ? undefined : ((await redisPubsub.broker?.whyUnavailable()) ?? undefined);

describe('a run over a network of its own', { skip, timeout: TIMEOUT_MS }, () => {
  const args = ['--codec', 'json', '--workers', '1x1', '--network', '1ms', '--lock', 'ignore'];
  const short = ['--launches', '1', '--warmup', '100ms', '--no-controls', '--no-charts', '--out', 'out'];
  /** @param {number} runner @returns {Promise<number>} pid of the delay line of a launch that is under way, behind its supervisor */
  async function lineOf(runner) {
    await eventually(() => processesBelow(runner, 'worker.js').length > 0, TIMEOUT_MS);
    const isLine = (/** @type {number} */ pid) => /^\S*delay-line-\S+ line /.test(commandOf(pid));
    return Number(processesBelow(runner, 'delay-line').find(isLine));
  }

  it('names transports that cannot use it, and the dead line of a failed launch', async () => {
    const workspace = makeWorkspace();
    try {
      const run = callCli([...args, ...short, ...TWO_CELLS], workspace);
      process.kill(await lineOf(process.pid), 'SIGKILL');
      const { code, stdout } = await run;
      assert.equal(code, 3);
      assert.match(stdout.replaceAll(/\s+/g, ' '), /the delay line died: it was killed by SIGKILL/);
      assert.match(stdout.replaceAll(/\s+/g, ' '), /unix works on one machine only/);
      assert.deepEqual(workspace.leftovers(), []);
    } finally {
      workspace.remove();
    }
  });

  /** @param {string} transports @param {string} measure */
  const overBrokers = (transports, measure) => [
    ...args,
    ...short,
    ...['--transport', transports, '--measure', measure],
  ];
  const isOther = (/** @type {string} */ name) => ['nats', 'mqtt', 'rabbitmq'].includes(name);
  const others = inThisForm(
    TRANSPORTS.filter(({ name }) => isOther(name)),
    [],
  ).map(({ name }) => name);

  it('starts a private broker at the master’s end, with its costs, in reach of both', {
    skip: noRedis,
  }, async () => {
    const workspace = makeWorkspace();
    try {
      const all = [
        'redis-pubsub:net=tcp',
        ...others.map((name) => (name === 'mqtt' ? 'mqtt:net=tcp' : name)),
      ];
      const { code, stdout, stderr } = await callCli(overBrokers(all.join(), '2s'), workspace);
      assert.equal(code, 0, stdout + stderr);
      const results = JSON.parse(readFileSync(join(workspace.folder, 'out', 'results.json'), 'utf8'));
      assert.equal(results.environment.brokers.redis.origin, 'private');
      assert.doesNotMatch(JSON.stringify(results.environment.brokers), /10\.255\.0\.1/);
      for (const { cell, launches } of results.outcomes) {
        const [{ costs, unknownCosts, times, network }] = launches;
        const [{ minNs }] = /** @type {{ minNs: number }[]} */ (Object.values(times));
        const cost = costs.find((/** @type {any} */ { role }) => role === 'broker');
        assert.ok(unknownCosts !== undefined || cost.userUs + cost.systemUs > 0, cell.transport);
        assert.ok(minNs >= 1_000 * NS_PER_US, `${cell.transport}: ${minNs}`);
        assert.ok(network.carriedPackets > 0);
      }
      assert.doesNotMatch(JSON.stringify(results), /(?<![\da-f])[\da-f]{48}(?![\da-f])/, 'no password');
      assert.deepEqual(workspace.leftovers(), []);
    } finally {
      workspace.remove();
    }
  });

  const findServer = () =>
    processesBelow(process.pid, 'redis-server').find((pid) => !/supervisor/.test(commandOf(pid)));
  for (const [victim, find, cause] of /** @type {const} */ ([
    ['the server', findServer, /redis died: it was killed by SIGKILL/],
    [
      'the process that started it',
      () => processesBelow(process.pid, 'serve-beside')[0],
      /redis died: the process that started it was killed by SIGKILL/,
    ],
  ]))
    it(`names the dead broker of a failed launch, and leaves nothing behind: ${victim}`, {
      skip: noRedis,
    }, async () => {
      const workspace = makeWorkspace();
      try {
        const run = callCli(overBrokers('redis-pubsub:net=tcp', '5s'), workspace);
        await lineOf(process.pid);
        const all = processesBelow(process.pid, '');
        process.kill(Number(find()), 'SIGKILL');
        const { code, stdout } = await run;
        assert.equal(code, 3);
        assert.match(stdout.replaceAll(/\s+/g, ' '), cause);
        assert.ok(all.every((pid) => commandOf(pid) === ''));
        assert.deepEqual(workspace.leftovers(), []);
      } finally {
        workspace.remove();
      }
    });

  it('leaves no process, no broker and no namespace when its runner is killed', async () => {
    const workspace = makeWorkspace();
    try {
      const cells = noRedis ? [...args, ...short, ...TWO_CELLS] : overBrokers('redis-pubsub:net=tcp', '5s');
      const run = startCli(cells, workspace);
      const runner = Number(run.child.pid);
      const space = readlinkSync(`/proc/${await lineOf(runner)}/ns/net`);
      const all = processesBelow(runner, '');
      process.kill(runner, 'SIGKILL');
      await run.ended;
      await eventually(() => all.every((pid) => commandOf(pid) === ''), GONE_MS);
      assert.deepEqual(
        readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && spaceOfAny(pid) === space),
        [],
      );
    } finally {
      workspace.remove();
    }
  });
});

/** @param {string} pid @returns {string} '' when it has ended */
function spaceOfAny(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return '';
  }
}
