// The spec of a launch by scenario and options, and the cause of a failed launch whose server died.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { computeDeadlines } from '../../lib/run/assign.js';
import { explainedByDeath, lastOutput } from '../../lib/run/launch.js';
import { bench } from '../fixtures/simulated-bench.js';

/** @import { LaunchSpec } from '../../lib/launch/launch-spec.js' */

const USUAL = '--quick --launches 1 --transport unix --codec json --no-controls --no-charts --placement free';

describe('the spec of a launch', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ibs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** @param {string} args @returns {Promise<Record<string, LaunchSpec>>} by scenario, and by transport */
  const told = async (args) => {
    /** @type {Record<string, LaunchSpec>} */
    const assignments = {};
    const shape = args.includes('--workers') ? '' : ' --workers 2x2';
    const all = [...`${USUAL}${shape} ${args}`.split(' '), '--force', '--out', join(folder, 'out')];
    const { stderr } = await bench(all, (spec) => {
      assignments[spec.cell.scenario] = spec;
      assignments[spec.cell.transport] = spec;
    });
    assert.notDeepEqual(assignments, {}, stderr);
    return assignments;
  };

  it('has the properties of its scenario, and no others', async () => {
    const names = [
      'round-trip',
      'stream',
      'fan-out',
      'fan-out:way=native',
      'queue',
      'queue:kill=1',
      'first-answer',
    ];
    const all = await told(`--transport udp,unix --scenario ${names.join(',')}`);
    const facts = (/** @type {any} */ { isPublished, sharedQueue, kills, open, toMaster, profileDir }) => ({
      isPublished,
      sharedQueue,
      kills,
      open,
      toMaster,
      profileDir,
    });
    const none = {
      isPublished: false,
      sharedQueue: null,
      kills: 0,
      open: null,
      toMaster: null,
      profileDir: undefined,
    };
    for (const name of ['round-trip', 'stream', 'fan-out', 'queue', 'first-answer'])
      assert.deepEqual(facts(all[name]), none, name);
    assert.deepEqual(facts(all['queue:kill=1']), { ...none, kills: 1 });
    assert.deepEqual(facts(all['fan-out:way=native']), { ...none, isPublished: true });
    assert.equal(all['round-trip'].memoryLimitBytes, null);
    assert.ok(Number(all.stream.memoryLimitBytes) > 0, 'what is sent may pile up');
    assert.ok(all['first-answer'].timing.measureMs > all['round-trip'].timing.measureMs);
  });

  it('limits messages to six bytes for each byte of payload, and 1,024', async () => {
    const { 'round-trip': small } = await told('--payload 1000');
    assert.equal(small.maxMessageBytes, 6 * 1_000 + 1_024);
    assert.equal(small.wireKind, 'text');
    assert.equal(small.bindAddress, '127.0.0.1');
    assert.match(small.token, /^[0-9a-f]{32}$/);
    assert.deepEqual([small.hosts, small.network, small.brokerUrl, small.messageFile], Array(4).fill(null));
  });

  it('has the message file, and the limit of its longest message', async () => {
    const path = join(folder, 'a.ndjson');
    writeFileSync(path, `{"a":1}\n{"a":"${'x'.repeat(200)}"}\n`);
    const { 'round-trip': spec } = await told(`--message-file ${path}`);
    assert.equal(spec.messageFile?.path, path);
    assert.equal(spec.maxMessageBytes, 6 * Number(spec.messageFile?.bytes.greatest) + 1_024);
    assert.ok(Number(spec.messageFile?.bytes.greatest) > spec.cell.payloadBytes);
  });

  it('gives up a response sooner over a transport that may lose it', async () => {
    const { udp, unix } = await told('--transport udp,unix');
    const replyMs = [udp, unix].map(({ deadlines }) => Math.floor(deadlines.replyMs));
    assert.deepEqual(replyMs, [500, 10_000]);
  });

  it('spins for scheduled sends only in processes that never sleep, and never in the master', async () => {
    const rate = '--rate 100 --measure 60s';
    const spinning = await told(`${rate} --poll busy --scenario round-trip`);
    assert.equal(spinning['round-trip'].open?.pacing, 'spin');
    const withRings = (/** @type {string} */ wake) =>
      told(`${rate} --transport threads-shared:wake=${wake} --placement same`);
    assert.equal((await withRings('spin'))['threads-shared'].open?.pacing, 'spin', 'also if it shares a CPU');
    assert.equal((await withRings('wait'))['threads-shared'].open?.pacing, 'tick');
    const byMaster = await told(`${rate} --scenario queue,stream:direction=to-worker`);
    for (const { open } of Object.values(byMaster)) assert.equal(open?.pacing, 'tick');
    const crowded = await told(`--rate 1000 --measure 60s --workers ${availableParallelism()}x1`);
    assert.equal(crowded['round-trip'].open?.pacing, 'tick', 'the master takes a CPU too');
  });
});

describe('explainedByDeath', () => {
  /** @type {import('../../lib/run/launch.js').FailedEnd} */
  const end = {
    kind: 'failed',
    code: 'TRANSPORT',
    message: 'lost the master',
    phase: 'measure',
    integrity: null,
    stderr: [],
  };
  /** @param {(() => string | null)[]} causes @returns {any} */
  const hopsOf = (...causes) => [
    { broker: null },
    ...causes.map((causeOfDeath, index) => ({ broker: { name: `broker ${index}`, causeOfDeath } })),
  ];

  it('names the server that died, also if its death is noticed a little later', async () => {
    let looks = 0;
    const later = () => {
      looks += 1;
      return looks < 5 ? null : 'it was killed by SIGKILL';
    };
    assert.deepEqual(
      await explainedByDeath(
        end,
        hopsOf(() => null, later),
      ),
      {
        ...end,
        code: 'BROKER',
        message: 'broker 1 died: it was killed by SIGKILL; lost the master',
      },
    );
  });

  it('names the network, and all servers that died', async () => {
    const network = /** @type {any} */ ({ causeOfDeath: () => 'it ended with 1' });
    const alone = await explainedByDeath(end, hopsOf(), network);
    assert.deepEqual(
      [alone.code, alone.message],
      ['NETWORK', 'the delay line died: it ended with 1; lost the master'],
    );
    const both = await explainedByDeath(
      end,
      hopsOf(() => 'a'),
      network,
    );
    assert.deepEqual(
      [both.code, both.message],
      ['BROKER', 'broker 0 died: a; the delay line died: it ended with 1; lost the master'],
    );
  });

  it('fails a launch that has finished only if a server is dead', async () => {
    const done = /** @type {const} */ ({ kind: 'done', fields: {} });
    assert.equal(
      await explainedByDeath(
        done,
        hopsOf(() => null),
      ),
      done,
    );
    const failed = await explainedByDeath(
      done,
      hopsOf(() => 'it was killed by SIGKILL'),
    );
    assert.ok(failed.kind === 'failed');
    assert.deepEqual([failed.code, failed.phase], ['BROKER', 'drain']);
    assert.match(failed.message, /^broker 0 died: it was killed by SIGKILL; /);
  });

  it('returns the failure after half a second if all servers live, and at once without servers', async () => {
    const beganMs = performance.now();
    assert.equal(await explainedByDeath(end, hopsOf()), end);
    assert.ok(performance.now() - beganMs < 400);
    let looks = 0;
    const lives = () => {
      looks += 1;
      return null;
    };
    assert.equal(await explainedByDeath(end, hopsOf(lives)), end);
    assert.ok(performance.now() - beganMs >= 490 && looks > 1, `${looks} looks`);
  });

  it('prints the last line with a reason, up to 200 characters', () => {
    const lines = [
      '\u001b[31mTypeError: first\u001b[0m',
      ' Error: x is not a function ',
      'at error (file.js:1)',
      '\u001b[36mhttps://error.example\u001b[0m',
      'Node.js v22',
    ];
    assert.equal(lastOutput(lines), 'Error: x is not a function');
    assert.equal(lastOutput(['hello', 'bye']), null);
    assert.equal(lastOutput(['hello', 'bye'], true), 'bye');
    assert.equal(lastOutput([], true), null);
    assert.equal(lastOutput([`panic: ${'x'.repeat(300)}`])?.length, 200);
  });
});

describe('the deadlines of a launch', () => {
  const CELL = /** @type {any} */ ({ workers: 2, loops: 4, payloadBytes: 0 });
  const TIMING = /** @type {any} */ ({ messages: null, measureMs: 1_000, warmupMs: 500, maxWarmupMs: 8_000 });
  const LOAD = { mayLose: false, slowestOperationMs: 0 };

  /** @param {object} cell @param {object} [timing] @param {object} [load] */
  const of = (cell, timing = {}, load = {}) =>
    computeDeadlines({ ...CELL, ...cell }, { ...TIMING, ...timing }, { ...LOAD, ...load });

  it('allows each worker its time to start, and the launch the sum of its parts', () => {
    assert.deepEqual(of({}), {
      connectMs: 16_200,
      replyMs: 10_000,
      finishMs: 15_000,
      exitMs: 5_000,
      lifeMs: 16_200 + 500 + 1_000 + 15_000 + 2 * 5_000,
    });
    assert.equal(of({}, { warmupMs: null }).lifeMs - of({}).lifeMs, 7_500, 'the longest warm-up');
  });

  it('limits the lifetime to the longest delay of a timer', () => {
    const { lifeMs } = of({}, { messages: 50e6 });
    assert.equal(lifeMs, 2 ** 31 - 1);
  });

  it('allows time for the payloads in flight at 5 MB/s', () => {
    const [small, large] = [of({}), of({ payloadBytes: 1_000_000, connections: 2 })];
    const underWayMs = (2 * 2 * 4 * 1_000_000) / 5_000;
    assert.equal(large.replyMs - small.replyMs, underWayMs);
    assert.equal(large.finishMs - small.finishMs, underWayMs);
    assert.equal(large.connectMs - small.connectMs, underWayMs + 2 * 10);
  });

  it('allows time for queued tasks of a worker and their results', () => {
    const tasks = { steps: 1, workUs: 1_000_000, resultBytes: 50_000 };
    const [usual, working] = [of({}), of({}, {}, { tasks })];
    const underWayMs = 2 * 4 * (1_000 + 50_000 / 5_000);
    for (const name of /** @type {const} */ (['connectMs', 'replyMs', 'finishMs']))
      assert.equal(working[name] - usual[name], underWayMs);
  });

  it('allows 10 ms for each further connection to open and to close', () => {
    const [one, ten] = [of({}), of({ connections: 10 })];
    assert.equal(ten.connectMs - one.connectMs, 180);
    assert.equal(ten.exitMs - one.exitMs, 180);
    assert.equal(ten.lifeMs - one.lifeMs, 3 * 180);
  });

  it('allows 50 ms for each message, or the time of the slowest operation', () => {
    const windowMs = (/** @type {number} */ slowestOperationMs) =>
      of({}, { messages: 100 }, { slowestOperationMs }).lifeMs - of({}, { measureMs: 0 }).lifeMs;
    assert.deepEqual([windowMs(0), windowMs(50), windowMs(80)], [5_000, 5_000, 8_000]);
    const life = (/** @type {number | null} */ messages) =>
      of({ payloadBytes: 5_000 }, { messages, measureMs: 0 }).lifeMs;
    assert.equal(life(100) - life(null), 100 * (50 + 8));
  });
});
