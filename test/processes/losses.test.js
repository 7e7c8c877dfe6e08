// Runs at night.
// What a transport that says so may lose is counted and reported, and the launch goes on; what it may not do fails it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkIntegrity } from '../../lib/launch/controller/aggregate-reports.js';
import { LOST, Meter } from '../../lib/measure/meter.js';
import { measuredLaunch } from '../../lib/run/findings/measured-launch.js';
import { Requester } from '../../lib/workload/endpoints/requester.js';
import csv from '../../reports/csv/csv.js';
import { buildResults, buildRow } from '../fixtures/build-results.js';
import { COUNTED } from '../fixtures/counted.js';
import { launchCell } from '../fixtures/launch-cell.js';
import mayLose from '../fixtures/may-lose.js';

const MAY_LOSE = '../fixtures/may-lose.js';
const ON_POSIX = { skip: process.platform === 'win32' ? 'a unix socket is needed' : false };
const POSITION = { group: 0, order: 0, startedAt: '2026-01-01T00:00:00.000Z' };
const CIRCUMSTANCES = { usableCpus: 8, quick: false, isBrokerOurs: false, ...COUNTED };

/** @import { Losses } from '../../lib/types/index.js' */

/**
 * @param {string} fault
 * @param {Parameters<typeof launchCell>[0]} [how]
 */
async function launchWith(fault, how = {}) {
  const { cell, ...rest } = how;
  const { end, spec } = await launchCell({
    transport: MAY_LOSE,
    cell: { workers: 1, settings: { fault, every: 50 }, ...cell },
    timing: { messages: 400, warmupMs: 0 },
    deadlines: { replyMs: 100 },
    ...rest,
  });
  const made = end.kind === 'done' ? null : Number(/faults made: (\d+)/.exec(end.stderr.join('\n'))?.[1]);
  return { end, spec, made };
}

describe('a launch over a transport that may lose messages', ON_POSIX, () => {
  it('counts and flags lost messages, and is measured', async () => {
    const { end, spec } = await launchWith('drop', {
      timing: { messages: null, warmupMs: 50, measureMs: 600 },
    });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    const launch = measuredLaunch(/** @type {any} */ (end).fields, spec, POSITION, CIRCUMSTANCES);
    const losses = /** @type {Losses} */ (launch.losses);
    assert.ok(losses.lost > 0);
    // One of 50 answers, to four loops that may each wait for one at the end.
    assert.ok(Math.abs(losses.requests / 50 - losses.lost) <= 1, JSON.stringify(losses));
    assert.deepEqual([losses.late, losses.reordered], [0, 0]);
    const { reordered: _, ...lost } = losses;
    assert.deepEqual(
      launch.flags.find(({ code }) => code === 'lost'),
      { code: 'lost', ...lost },
    );
    assert.ok(!launch.flags.some(({ code }) => code === 'little-law'), 'loops that wait in vain explain it');
  });

  it('counts reordered responses, without a flag', async () => {
    const { end, spec } = await launchWith('reorder');
    assert.equal(end.kind, 'done', JSON.stringify(end));
    const launch = measuredLaunch(/** @type {any} */ (end).fields, spec, POSITION, CIRCUMSTANCES);
    assert.ok(/** @type {Losses} */ (launch.losses).reordered > 0);
    assert.ok(!launch.flags.some(({ code }) => code === 'lost'));
  });

  it('reports that nothing was lost', async () => {
    const { end } = await launchWith('none');
    const { losses } = /** @type {any} */ (end).fields;
    assert.ok(losses.requests >= 4 * 400);
    assert.deepEqual({ ...losses, requests: 0 }, { requests: 0, lost: 0, late: 0, reordered: 0 });
  });

  it('has no response time for lost messages under open load, and its counts agree', async () => {
    const { end, spec } = await launchWith('drop', {
      cell: { workers: 1, loops: 20, ratePerSecond: 500, settings: { fault: 'drop', every: 20 } },
      timing: {
        warmupMs: 100,
        measureMs: 800,
      },
    });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    const launch = measuredLaunch(/** @type {any} */ (end).fields, spec, POSITION, CIRCUMSTANCES);
    assert.ok(/** @type {Losses} */ (launch.losses).lost > 0);
    assert.equal(launch.open?.response.count, launch.operations);
  });
});

describe('a response after its deadline', () => {
  it('counts as late, not as lost or duplicate', async () => {
    /** @type {any} */
    const channel = { send: (/** @type {any} */ wire) => sent.push(wire), drained: async () => {} };
    /** @type {any[]} */
    const sent = [];
    const meter = new Meter();
    const codec = {
      encode: (/** @type {any} */ message) => message,
      decode: (/** @type {any} */ wire) => wire,
    };
    const requester = new Requester({ channel, codec, payloads: ['x'], loops: 1, meter });
    requester.begin(0);
    const requests = requester.request(0);
    requester.sweep(0);
    assert.equal(await requests, LOST);
    const again = requester.request(0);
    channel.onMessage(sent[0]);
    channel.onMessage(sent[1]);
    assert.equal(await again, undefined);
    const report = /** @type {any} */ ({ requests: requester.requests, mistakes: requester.integrity });
    const traits = mayLose.traits;
    assert.deepEqual(checkIntegrity([report], traits), { requests: 2, lost: 0, late: 1, reordered: 0 });
    assert.throws(() => checkIntegrity([report], { ...traits, loss: undefined }), { code: 'INTEGRITY' });
    const doubled = { ...report, mistakes: { ...report.mistakes, duplicate: 2 } };
    assert.throws(() => checkIntegrity([doubled], traits), { message: 'wrong responses: 1 duplicate' });
  });
});

describe('the number of lost messages', () => {
  const results = buildResults({
    series: ['unix/json', 'udp/json', 'udp/string'],
    payloads: [100, 1000],
    reference: 'unix/json',
  });
  for (const outcome of results.outcomes) {
    if (outcome.status !== 'measured' || outcome.cell.transport !== 'udp') continue;
    const isLossy = outcome.cell.codec === 'json' && outcome.cell.payloadBytes === 1000;
    for (const launch of outcome.launches) {
      launch.losses = {
        requests: 100_000,
        lost: isLossy ? 2 : 0,
        late: isLossy ? 1 : 0,
        reordered: isLossy ? 4 : 0,
      };
      if (isLossy) launch.flags = [{ code: 'lost' }];
    }
    Object.assign(outcome, buildRow(outcome.cell, outcome.launches, null, 'unix/json'));
  }

  it('has columns in CSV if a run has such a transport', async () => {
    const [{ content }] = await csv.render(results, {});
    const [names, ...rows] = String(content)
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    const at = names.indexOf('lostResponses');
    assert.deepEqual(names.slice(at - 1, at + 3), [
      'requests',
      'lostResponses',
      'lateResponses',
      'reorderedResponses',
    ]);
    assert.ok(rows.some((row) => row[names.indexOf('lostResponses')] === '12'));
    const [without] = await csv.render(buildResults(), {});
    assert.ok(!String(without.content).includes('lostResponses'));
  });
});
