// The flags of a launch.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SERVICE_TIME } from '../../lib/cell/headline.js';
import { BYTES_PER_NOTE } from '../../lib/channels/message-channel.js';
import { MOST_IN_FLIGHT } from '../../lib/measure/open-load.js';
import {
  amplification,
  assertOneSampleEach,
  coldProcesses,
  expectedMessages,
  generatorProblem,
  littleLawExcess,
  lowRateProblem,
  measuredLaunch,
  openedEarly,
  openLaunch,
} from '../../lib/run/flags/launch-flags.js';
import { countedTimes } from '../../lib/run/flags/readings.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import { makeResults } from '../fixtures/make-results.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

// 8 loops at 100 µs make 80,000 per second: 74,400 miss the law by 7 %.
const cell = /** @type {any} */ ({ workers: 2, loops: 4 });
const launch = /** @type {any} */ ({
  windowMs: 560,
  times: { serviceTime: { meanNs: 100_000, maxNs: 8_000_000 } },
});
const GOAL = {
  operations: 1_000,
  leastCpuMs: 100,
  enoughCpuMs: 400,
  levelWithinCpuMs: 0,
  idleIsEnough: true,
};

describe('littleLawExcess', () => {
  it('returns the excess over what the longest operation explains', () => {
    assert.equal(littleLawExcess(launch, cell, 74_400)?.toFixed(3), '0.070');
    assert.equal(littleLawExcess(launch, cell, 78_000), null);
  });

  it('compares the times of whole operations with the time of their loops', () => {
    const sumMs = 1_000;
    const times = { serviceTime: { count: 10_000, meanNs: (sumMs * 1e6) / 10_000, maxNs: 8e8 } };
    const excess = (/** @type {number} */ loopsMs) =>
      littleLawExcess(/** @type {any} */ ({ ...launch, times, loopsMs }), cell, 80_000);
    for (const loopsMs of [1_000, 985, 1_015]) assert.equal(excess(loopsMs), null);
    for (const loopsMs of [970, 1_030]) assert.equal(excess(loopsMs)?.toFixed(2), '0.03');
  });
});

describe('coldProcesses', () => {
  const work = [
    { name: 'master', operations: 2_000, cpuMs: 150 },
    { name: 'w0', operations: 1_900, cpuMs: 160 },
    { name: 'w1', operations: 1_100, cpuMs: 40.2 },
  ];
  /** @param {any[] | undefined} done @param {string} [broker] */
  const cold = (done, broker) =>
    coldProcesses(
      /** @type {any} */ ({ warmup: { work: done } }),
      GOAL,
      broker === undefined ? [] : [{ name: broker }],
    );

  it('names processes that worked too little, with their work', () => {
    assert.deepEqual(cold(work), ['w1 after 1,100 operations, 40 ms of CPU time']);
  });

  it('ignores idle processes', () => {
    assert.deepEqual(cold([...work.slice(0, 2), { ...work[2], isIdle: true }]), []);
  });

  it('has a lower goal for a broker', () => {
    const redis = { name: 'redis', operations: 2_000, cpuMs: 140 };
    assert.equal(cold([redis], 'redis').length, 1);
    assert.deepEqual(cold([{ ...redis, cpuMs: 150 }], 'redis'), []);
  });
});

describe('openedEarly', () => {
  const steady = new Array(14).fill(1_000);
  const launch = { warmup: { binMs: 40, operations: steady }, binMs: 40, bins: steady };

  it('detects a level that is only reached within the window', () => {
    const bins = [700, 700, 700, 700, ...steady];
    const early = { ...launch, warmup: { binMs: 40, operations: new Array(14).fill(700) }, bins };
    assert.equal(openedEarly(/** @type {any} */ (early)), true);
    assert.equal(openedEarly(/** @type {any} */ (launch)), false);
  });

  it('ignores a warm-up with bins of another length', () => {
    const bins = [700, 700, 700, 700, ...steady];
    const warmup = { binMs: 100, operations: new Array(14).fill(700) };
    assert.equal(openedEarly(/** @type {any} */ ({ ...launch, warmup, bins })), false);
  });
});

const [{ cell: CELL }] = makeResults({ series: ['unix/json'], launches: 1 }).outcomes;
const RATE = /** @type {any} */ ({ name: 'rate', kind: 'value', unit: 'per second', read: () => 1 });
const TIMING = /** @type {any} */ ({ workGoal: GOAL, messages: null, binMs: 50 });
const SPEC = /** @type {any} */ ({ cell: CELL, timing: TIMING, cpus: null, broker: null, toMaster: null });
const { fields: FIELDS } = /** @type {any} */ (
  await simulatedLauncher()(SPEC, /** @type {any} */ ({ signal: {} }))
);

/** @param {number} operations @returns fields of a launch with as many, in ten bins */
const counting = (operations) => {
  const bins = Array.from({ length: 10 }, (_, bin) => Math.floor((operations + bin) / 10));
  const reports = FIELDS.reports.map((/** @type {any} */ report) => ({ ...report, operations, bins }));
  return { operations, bins, reports };
};

/**
 * @param {object} [fields]    of the report that differ
 * @param {object} [spec]
 * @param {object} [circumstances]
 * @returns {Record<string, string>} messages of the flags by their codes
 */
function flagsOf(fields = {}, spec = {}, circumstances = {}) {
  const place = { group: 0, order: 0, startedAt: '2026-01-15T09:00:00.000Z' };
  const { flags } = measuredLaunch({ ...FIELDS, ...fields }, { ...SPEC, ...spec }, place, {
    usableCpus: 8,
    quick: false,
    isBrokerOurs: false,
    operation: { one: 'round trip', many: 'round trips', done: 'answered' },
    measures: [RATE],
    ...circumstances,
  });
  return Object.fromEntries(flags.map(({ code, message }) => [code, message]));
}

/** @param {object} [fields] @param {object} [spec] @param {object} [circumstances] @returns {string[]} beside that nothing was pinned */
const codesOf = (fields, spec, circumstances) =>
  Object.keys(flagsOf(fields, { cpus: { master: [0], workers: [[1]] }, ...spec }, circumstances));

describe('a launch in slices', () => {
  it('has bins of the planned length of a slice, at the rate of each', () => {
    const slices = { rounds: [0, 1], operations: [80, 90], windowMs: [100, 60], cpuMs: [1, 1] };
    const timing = { ...TIMING, slices: { rounds: 2, skipMs: 5, measureMs: 50 } };
    const place = { group: 0, order: 0, startedAt: '2026-01-15T09:00:00.000Z' };
    const { operation } = countedBy(/** @type {any} */ ({}));
    const circumstances = { usableCpus: 8, quick: false, isBrokerOurs: false, operation, measures: [RATE] };
    const fields = { ...FIELDS, loopsMs: 1, completed: FIELDS.operations };
    const sliced = measuredLaunch(fields, { ...SPEC, timing }, place, { ...circumstances, slices });
    assert.deepEqual([sliced.bins, sliced.binMs, sliced.slices], [[40, 75], 50, slices]);
    const inWindow = measuredLaunch(fields, { ...SPEC, timing }, place, circumstances);
    assert.deepEqual([inWindow.bins, inWindow.slices], [FIELDS.bins, undefined]);
  });
});

describe('the values of a launch', () => {
  /** @param {object} [spec] @returns {any} MB/s */
  const payloadOf = (spec) => {
    const place = { group: 0, order: 0, startedAt: '2026-01-15T09:00:00.000Z' };
    const { operation, measures } = countedBy(/** @type {any} */ ({}));
    const circumstances = { usableCpus: 8, quick: false, isBrokerOurs: false, operation, measures };
    return measuredLaunch(FIELDS, { ...SPEC, ...spec }, place, circumstances).values;
  };

  it('counts payload with responses as long as their requests, or as the recorded ones', () => {
    const { roundTripsPerSecond, megabytesPerSecond } = payloadOf();
    const { payloadBytes } = CELL;
    const bytesOf = (/** @type {number} */ megabytes) => Math.round((megabytes * 1e6) / roundTripsPerSecond);
    assert.equal(bytesOf(megabytesPerSecond), 2 * payloadBytes);
    const messageFile = { responses: { channel: 2, bytes: { mean: 9 * payloadBytes } } };
    assert.equal(bytesOf(payloadOf({ messageFile }).megabytesPerSecond), 10 * payloadBytes);
  });
});

describe('measuredLaunch', () => {
  it('sets no flag without a problem', () => {
    assert.deepEqual(codesOf(), []);
  });

  it('flags a quick launch, and one whose processes could not be pinned', () => {
    assert.deepEqual(codesOf({}, {}, { quick: true }), ['quick']);
    assert.deepEqual(codesOf({}, { cpus: null }), ['free']);
    assert.deepEqual(codesOf({}, { cpus: null, cell: { ...CELL, placement: 'free' } }), []);
  });

  it('flags fewer than 1,000 operations, except for cold starts', () => {
    assert.deepEqual(codesOf(counting(999)), ['too-few-samples']);
    assert.deepEqual(codesOf(counting(1_000)), []);
    assert.deepEqual(codesOf(counting(999), {}, { isCold: true }), []);
  });

  /** @param {number} share   of a core, of each process @param {(string | [string, number])[]} processes   roles, and the CPU of each */
  const using = (share, processes) => ({
    costs: processes.map((process) => {
      const [role, cpu] = [process].flat();
      return { ...FIELDS.costs[0], role, share, cpus: cpu === undefined ? null : [cpu] };
    }),
  });

  it('flags more processes than usable CPUs, if they use these', () => {
    const crowd = (/** @type {number} */ usableCpus, /** @type {any} */ used) =>
      flagsOf(used, {}, { usableCpus }).oversubscribed;
    const three = ['master', 'worker', 'worker'];
    assert.equal(crowd(3, using(1, three)), undefined);
    assert.match(crowd(2, using(0.6, three)), /\(3 processes use 1\.8 of 2 CPUs\)$/);
    assert.match(crowd(3, using(0.7, [...three, 'broker'])), /\(4 processes use 2\.8 of 3 CPUs\)$/);
    assert.equal(crowd(2, using(0.01, three)), undefined, 'processes that wait for a timer');
    assert.equal(crowd(2, { costs: [] }), undefined, 'unknown costs');
  });

  it('flags processes that never sleep and share CPUs', () => {
    const busy = { cell: { ...CELL, poll: 'busy' } };
    /** @type {[string, number][]} */
    const apart = [
      ['master', 0],
      ['worker', 1],
      ['worker', 2],
    ];
    /** @type {[string, number][]} */
    const together = [
      ['master', 0],
      ['worker', 1],
      ['worker', 1],
    ];
    const crowd = using(0.66, together);
    assert.deepEqual(codesOf(crowd), []);
    assert.match(flagsOf(crowd, busy).oversubscribed, /\(3 processes use 2\.0 of 2 CPUs\)$/);
    assert.deepEqual(codesOf(crowd, {}, { isSpinning: true }), ['oversubscribed']);
    assert.deepEqual(codesOf(using(1, apart), busy), []);
    assert.deepEqual(codesOf(using(1, [...apart, ['broker', 0]]), busy), [], 'a broker sleeps');
  });

  it('flags cold processes, except for cold starts', () => {
    const work = [{ name: 'w0', role: 'worker', operations: 5, cpuMs: 9 }];
    const cold = { warmup: { ...FIELDS.warmup, work } };
    assert.match(flagsOf(cold).cold, /\(w0 after 5 operations, 9 ms of CPU time\)$/);
    assert.deepEqual(codesOf(cold, {}, { isCold: true }), []);
  });

  it('flags a launch that was not steady in its warm-up or in ten bins of its window', () => {
    const warmup = (/** @type {string} */ status) => ({ warmup: { ...FIELDS.warmup, status } });
    assert.deepEqual(codesOf(warmup('not-steady')), ['not-steady']);
    assert.deepEqual(codesOf(warmup('fixed')), []);
    const stepping = (/** @type {number} */ length) => {
      const bins = Array.from({ length }, (_, bin) => (bin < length / 2 ? 500 : 1_000));
      const operations = bins.reduce((sum, count) => sum + count, 0);
      const reports = FIELDS.reports.map((/** @type {any} */ each) => ({ ...each, operations, bins }));
      return { operations, bins, reports };
    };
    assert.deepEqual(codesOf(stepping(10)), ['not-steady']);
    assert.deepEqual(codesOf(stepping(9)), [], 'too few bins to tell');
  });

  it('flags a violation of Little’s law, except with losses or a number of messages', () => {
    const latency = new LatencyCounts();
    for (let count = 0; count < FIELDS.operations; count += 1) latency.record(1_000);
    const times = { name: 'serviceTime', kind: 'times', unit: 'µs', read: () => [latency.toLatency()] };
    const measures = { measures: [RATE, times] };
    const lossy = { losses: { requests: 2_000, lost: 1, late: 0, reordered: 0 } };
    assert.match(flagsOf({}, {}, measures)['little-law'], / \(by \d+(\.\d)? %\)$/);
    assert.deepEqual(codesOf({}, { timing: { ...TIMING, messages: 40 } }, measures), []);
    assert.deepEqual(codesOf(lossy, {}, measures), ['lost']);
  });

  it('flags losses, broken guarantees and rejected connections', () => {
    const losses = (/** @type {number} */ lost, /** @type {number} */ late) => ({
      losses: { requests: 2_000, lost, late, reordered: 5 },
    });
    assert.match(flagsOf(losses(3, 0)).lost, /\(3 of 2,000 lost\)$/);
    assert.match(flagsOf(losses(0, 1)).lost, /\(1 of 2,000 late\)$/);
    assert.deepEqual(codesOf(losses(0, 0)), []);
    const outage = (/** @type {object} */ counts) => {
      const of = { promise: 'at least once', lost: 0, doneTwice: 0, ...counts };
      return { reports: [...FIELDS.reports, { ...FIELDS.reports[0], operations: 0, bins: [], outage: of }] };
    };
    assert.deepEqual(codesOf(outage({ lost: 1 })), ['broken-promise']);
    assert.deepEqual(codesOf(outage({ doneTwice: 9 })), [], 'at least once');
    assert.deepEqual(codesOf(outage({ promise: 'at most once', doneTwice: 1 })), ['broken-promise']);
    assert.match(flagsOf({ rejectedConnections: 2 })['rejected-connections'], /\(2\)$/);
  });

  it('flags too many messages of a private broker', () => {
    const traffic = { traffic: { published: 6, delivered: 6, bytes: 0 } };
    const of = (/** @type {object} */ circumstances) =>
      codesOf(traffic, {}, { messagesPerOperation: 2, ...circumstances });
    assert.deepEqual(of({ isBrokerOurs: true }), ['amplified']);
    assert.deepEqual(of({ isBrokerOurs: false }), []);
  });
});

const MS = 1e6;
const OPEN_CELL = /** @type {any} */ ({ ratePerSecond: 1_000, workers: 2, loops: 4 });

/** @param {number} ms @param {number} [count] */
const lagOf = (ms, count = 1_000) => countedTimes(new Float64Array(count).fill(Math.round(ms * MS)));

/** @param {object} open @param {boolean} [isTimed]   by who sent it */
const openLaunchOf = (open, isTimed = true) =>
  /** @type {any} */ ({
    times: isTimed ? { [SERVICE_TIME]: lagOf(1) } : {},
    open: { due: 1_000, started: 1_000, dropped: 0, late: 0, sendLag: lagOf(0.1), ...open },
  });

describe('a plan of sends', () => {
  it('accepts a plan of which 99 % were sent, or all but one of each worker', () => {
    assert.equal(generatorProblem(openLaunchOf({ started: 990 }), OPEN_CELL), null);
    assert.equal(
      generatorProblem(openLaunchOf({ started: 989, dropped: 7 }), OPEN_CELL),
      '98.9 % of the planned sends, 7 never',
    );
    assert.equal(generatorProblem(openLaunchOf({ due: 10, started: 8 }), OPEN_CELL), null);
    assert.match(String(generatorProblem(openLaunchOf({ due: 10, started: 7 }), OPEN_CELL)), /^70\.?0? %/);
  });

  it('does not blame the sender for what the channel had no room for', () => {
    const full = openLaunchOf({ started: 600, dropped: 400, withheld: 400 });
    assert.equal(generatorProblem(full, OPEN_CELL), null);
    const also = openLaunchOf({ started: 500, dropped: 500, withheld: 400 });
    assert.notEqual(generatorProblem(also, OPEN_CELL), null);
  });

  it('accepts late sends, which the response times contain', () => {
    assert.equal(generatorProblem(openLaunchOf({ sendLag: lagOf(300) }), OPEN_CELL), null);
  });

  it('reports the limit of requests in flight', () => {
    assert.equal(generatorProblem(openLaunchOf({ mostInFlight: MOST_IN_FLIGHT / 2 }), OPEN_CELL), null);
    assert.notEqual(generatorProblem(openLaunchOf({ mostInFlight: MOST_IN_FLIGHT }), OPEN_CELL), null);
  });

  it('checks no plan of sends under closed loops', () => {
    assert.equal(generatorProblem({ open: undefined }, OPEN_CELL), null);
  });

  it('sums open load over all senders, with unanswered requests', () => {
    const counts = { due: 10, started: 9, late: 2, dropped: 1 };
    const report = { ...counts, response: lagOf(1, 3), sendLag: lagOf(2, 4) };
    const plan = /** @type {any} */ ({ arrivals: 'fixed', pacing: 'tick' });
    const two = openLaunch([report, { ...report, unanswered: lagOf(9, 5) }], plan);
    assert.deepEqual([two.due, two.started, two.late, two.dropped, two.arrivals], [20, 18, 4, 2, 'fixed']);
    assert.deepEqual([two.response.count, two.sendLag.count, two.unanswered?.count], [6, 8, 5]);
    const delivered = openLaunch([report], plan, new Float64Array(2).fill(MS));
    assert.deepEqual([delivered.response.count, 'unanswered' in delivered], [2, false]);
  });
});

describe('a low rate', () => {
  it('flags a rate at which the worker with the fewest round trips is not warm', () => {
    const of = (/** @type {number[]} */ ...counts) =>
      lowRateProblem(
        /** @type {any} */ ({
          warmup: {
            work: [
              { name: 'master', role: 'master', operations: 1, cpuMs: 1 },
              ...counts.map((operations, place) => ({
                name: `w${place}`,
                operations,
                cpuMs: 1,
                role: 'worker',
              })),
            ],
          },
        }),
        OPEN_CELL,
      );
    assert.equal(of(1e9, 12), '12 when the window opened');
    assert.equal(of(1e9, 1e9), null);
    assert.equal(of(), null, 'nobody knows');
    assert.equal(lowRateProblem(/** @type {any} */ ({ warmup: { work: [] } }), {}), null);
  });
});

describe('the counts of a launch', () => {
  const good = () =>
    /** @type {any} */ ({
      operations: 5,
      bins: [2, 3],
      times: { [SERVICE_TIME]: lagOf(1, 5) },
      open: { response: lagOf(1, 5), sendLag: lagOf(1, 5) },
    });

  it('requires one sample of each operation in every histogram', () => {
    assertOneSampleEach(good());
    assertOneSampleEach({ ...good(), times: {}, open: { response: lagOf(1, 4), sendLag: lagOf(1, 6) } });
    for (const [spoiled, what] of /** @type {[object, RegExp][]} */ ([
      [{ bins: [2, 2] }, /4 in bins/],
      [{ times: { [SERVICE_TIME]: lagOf(1, 6) } }, /6 service times/],
      [{ open: { response: lagOf(1, 4), sendLag: lagOf(1, 5) } }, /4 response times/],
      [{ open: { response: lagOf(1, 5), sendLag: lagOf(1, 6) } }, /6 send lags/],
    ]))
      assert.throws(() => assertOneSampleEach({ ...good(), ...spoiled }), {
        code: 'INTEGRITY',
        message: what,
      });
  });
});

describe('what a launch is blamed for beside its processes', () => {
  it('flags a broker with 1 % more messages than the pattern needs, without notes', () => {
    const of = (/** @type {number} */ published, /** @type {number | null} */ delivered, notes = 0) =>
      amplification(/** @type {any} */ ({ published, delivered, bytes: notes * BYTES_PER_NOTE }), 2);
    assert.deepEqual([of(2.02, 2.02), of(2.5, 2.5, 0.5), of(2.02, null)], [null, null, null]);
    assert.match(String(of(3, null)), /^given 1\.50?/);
    assert.match(String(of(2, 4)), /^given 1.*, delivered 2/);
    assert.equal(amplification(undefined, 2), null);
    assert.equal(
      amplification(/** @type {any} */ ({ published: 9, delivered: 9, bytes: 0 }), undefined),
      null,
    );
    assert.deepEqual(
      [
        expectedMessages(/** @type {any} */ ({}), 2),
        expectedMessages(/** @type {any} */ ({ roundTrips: 3 }), 2),
      ],
      [2, 6],
    );
    assert.equal(expectedMessages(/** @type {any} */ ({ roundTrips: null }), 2), undefined);
    assert.equal(expectedMessages(/** @type {any} */ ({})), undefined);
  });
});
