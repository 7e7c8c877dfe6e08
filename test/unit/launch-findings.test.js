// What a launch is found to have: codes, and the numbers that were measured.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SERVICE_TIME } from '../../lib/cell/headline.js';
import { BYTES_PER_CONTROL_FRAME } from '../../lib/channels/message-channel.js';
import { RESULT_FLAGS, WARM_OPERATIONS } from '../../lib/format/result-flags.js';
import { MAX_IN_FLIGHT } from '../../lib/measure/open-load.js';
import { expectedMessages, findFlags } from '../../lib/run/findings/launch-findings.js';
import { aggregateOpenLoad, measuredLaunch } from '../../lib/run/findings/measured-launch.js';
import { countedTimes } from '../../lib/run/findings/readings.js';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import { buildResults } from '../fixtures/build-results.js';
import { simulatedLauncher } from '../fixtures/simulated-launcher.js';

const GOAL = {
  operations: 1_000,
  leastCpuMs: 100,
  enoughCpuMs: 400,
  levelWithinCpuMs: 0,
  idleIsEnough: true,
};
const POSITION = { group: 0, order: 0, startedAt: '2026-01-15T09:00:00.000Z' };

const [{ cell: CELL }] = buildResults({ series: ['unix/json'], launches: 1 }).outcomes;
const RATE = /** @type {any} */ ({ name: 'rate', kind: 'value', unit: 'per second', read: () => 1 });
const TIMES = { name: SERVICE_TIME, kind: 'times', unit: 'µs' };
const TIMING = /** @type {any} */ ({ workGoal: GOAL, messages: null, binMs: 50 });
const PINNED = { master: [0], workers: [[1]] };
const SPEC = /** @type {any} */ ({ cell: CELL, timing: TIMING, cpus: PINNED, broker: null, toMaster: null });
const { fields: FIELDS } = /** @type {any} */ (
  await simulatedLauncher()(SPEC, /** @type {any} */ ({ signal: {} }))
);

const FACTS = { usableCpus: 8, quick: false, isBrokerOurs: false, measures: [RATE] };
const LAUNCH = measuredLaunch(FIELDS, SPEC, POSITION, FACTS);

/**
 * @param {object} [launch]   what differs in it
 * @param {object} [spec]
 * @param {object} [facts]
 */
function found(launch, spec, facts) {
  const all = { ...FACTS, perSecond: 80_000, ...facts };
  return findFlags({ ...LAUNCH, ...launch }, { ...SPEC, ...spec }, all);
}

/** @param {Parameters<typeof found>} of @returns {string[]} */
const codesOf = (...of) => found(...of).map(({ code }) => code);

const MS = 1e6;

/** @param {number} ms @param {number} [count] */
const timesOf = (ms, count = 1_000) => countedTimes(new Float64Array(count).fill(Math.round(ms * MS)));

const OPEN_CELL = { cell: { ...CELL, ratePerSecond: 1_000, workers: 2, loops: 4 } };

/** @param {object} [open] */
const openOf = (open) => ({
  open: { due: 1_000, started: 1_000, dropped: 0, late: 0, sendLag: timesOf(0.1), ...open },
});

/** @param {object[]} work   what differs in that of each process */
const workedOf = (...work) => ({
  warmup: {
    ...LAUNCH.warmup,
    work: work.map((each, index) => ({
      name: `w${index}`,
      role: 'worker',
      operations: 1e6,
      cpuMs: 1e3,
      ...each,
    })),
  },
});

/** @param {number} share   of a core, of each process @param {(string | [string, number])[]} processes   roles, and the CPU of each */
const using = (share, ...processes) => ({
  costs: processes.map((process) => {
    const [role, cpu] = [process].flat();
    return { ...FIELDS.costs[0], role, share, cpus: cpu === undefined ? null : [cpu] };
  }),
});

const NETWORK = { roundTripUs: 1_000, mtuBytes: 1_500, carriedPackets: 5, droppedPackets: 0, p99LateUs: 90 };
const NO_LOSSES = { requests: 2_000, lost: 0, late: 0, reordered: 5 };
const NO_OUTAGE = { promise: 'at least once', lost: 0, doneTwice: 0 };
const stepping = (/** @type {number} */ length) => ({
  bins: Array.from({ length }, (_, bin) => (bin < length / 2 ? 500 : 1_000)),
});
// 8 loops at 100 µs make 80,000 per second.
const TIMED = {
  windowMs: 500,
  times: { [SERVICE_TIME]: { count: 1_000, meanNs: 100_000, maxNs: 100_000 } },
};
const EIGHT_LOOPS = { cell: { ...CELL, workers: 2, loops: 4 } };

describe('a launch in slices', () => {
  it('has bins of the planned length of a slice, at the rate of each', () => {
    const slices = { rounds: [0, 1], operations: [80, 90], windowMs: [100, 60], cpuMs: [1, 1] };
    const timing = { ...TIMING, slices: { rounds: 2, skipMs: 5, measureMs: 50 } };
    const fields = { ...FIELDS, loopsMs: 1, completed: FIELDS.operations };
    const sliced = measuredLaunch(fields, { ...SPEC, timing }, POSITION, { ...FACTS, slices });
    assert.deepEqual([sliced.bins, sliced.binMs, sliced.slices], [[40, 75], 50, slices]);
    const inWindow = measuredLaunch(fields, { ...SPEC, timing }, POSITION, FACTS);
    assert.deepEqual([inWindow.bins, inWindow.slices], [FIELDS.bins, undefined]);
  });
});

describe('a measured launch', () => {
  it('has what the controller reports of it, and no key for what it does not report', () => {
    const reported = {
      unknownCosts: ['w1'],
      traffic: { published: 3, delivered: 4, bytes: 5 },
      losses: NO_LOSSES,
      clocks: { w0: { shiftMs: 2, boundMs: 1 } },
      network: { ...NETWORK, meanLateUs: 1, share: 0.1 },
      toController: { hall: { roundTripUs: 90 } },
      recordedUs: 4,
    };
    const fields = { ...FIELDS, ...reported, loopsMs: 100, completed: FIELDS.operations };
    const { loopsMs, completed, ...launch } = measuredLaunch(fields, SPEC, POSITION, FACTS);
    assert.deepEqual(launch, { ...LAUNCH, ...reported });
    assert.deepEqual([loopsMs, completed], [100, FIELDS.operations]);
    const spinning = measuredLaunch(FIELDS, SPEC, POSITION, { ...FACTS, isSpinning: true });
    assert.equal(spinning.isSpinning, true);
  });

  it('has a blocked master if its pauses take more than a twentieth of the window', () => {
    const of = (/** @type {number} */ blockedInAllMs) => {
      const pauses = { stallMs: 0, blockedMs: 40, blockedInAllMs };
      return measuredLaunch({ ...FIELDS, windowMs: 1_000, pauses }, SPEC, POSITION, FACTS).blockedMaster;
    };
    assert.deepEqual([of(50), of(51)], [undefined, { longestMs: 40, share: 0.051 }]);
  });
});

describe('the outage of a launch', () => {
  it('is that of the role that caused one', () => {
    assert.equal(Object.hasOwn(LAUNCH, 'outage'), false);
    const outage = { ...NO_OUTAGE, lost: 2 };
    const [first, ...rest] = FIELDS.reports;
    const reports = [...rest, { ...first, outage }];
    assert.deepEqual(measuredLaunch({ ...FIELDS, reports }, SPEC, POSITION, FACTS).outage, outage);
  });
});

describe('the values of a launch', () => {
  /** @param {object} [spec] @returns {any} MB/s */
  const payloadOf = (spec) => {
    const { measures } = countedBy(/** @type {any} */ ({}));
    return measuredLaunch(FIELDS, { ...SPEC, ...spec }, POSITION, { ...FACTS, measures }).values;
  };

  it('counts payload with responses as long as their requests, or as the recorded ones', () => {
    const { roundTripsPerSecond, megabytesPerSecond } = payloadOf();
    const { payloadBytes } = CELL;
    const bytesOf = (/** @type {number} */ megabytes) => Math.round((megabytes * 1e6) / roundTripsPerSecond);
    assert.equal(bytesOf(megabytesPerSecond), 2 * payloadBytes);
    const messageFile = { responses: { channel: 2, bytes: { mean: 9 * payloadBytes } } };
    assert.equal(bytesOf(payloadOf({ messageFile }).megabytesPerSecond), 10 * payloadBytes);
  });

  it('have no value that a measure may not return, and no times if there are none', () => {
    const valuesWith = (/** @type {object[]} */ ...own) =>
      measuredLaunch(FIELDS, SPEC, POSITION, {
        ...FACTS,
        measures: own.map((each) => ({ ...RATE, ...each })),
      });
    for (const [given, message] of /** @type {[object, RegExp][]} */ ([
      [{ read: () => 0 }, /measure rate .* it is the headline and gave 0/],
      [{ read: () => -1 }, /it gave -1, not a finite number from 0 on/],
      [{ scale: 'linear', read: () => Number.NaN }, /it gave NaN, not a finite number, or null/],
      [{ read: () => ({}) }, /it gave an object/],
      [{ read: () => undefined }, /it gave undefined/],
      [{ kind: 'times', read: () => 5 }, /it gave 5, not a list of times/],
    ]))
      assert.throws(() => valuesWith(given), { code: 'BAD_PLUGIN', message });
    const none = [[], null, new Float64Array()];
    const { times } = valuesWith(
      {},
      ...none.map((each) => ({ kind: 'times', name: 'none', read: () => each })),
    );
    assert.deepEqual(times, {});
  });

  it('ignores measures that throw in a launch without operations', () => {
    const read = () => assert.fail('there is nothing to read');
    const measures = /** @type {any} */ ([RATE, { ...RATE, name: 'other', read }, { ...TIMES, read }]);
    const of = (/** @type {number} */ operations) => {
      const reports = FIELDS.reports.map((/** @type {object} */ report) => ({ ...report, operations }));
      return measuredLaunch({ ...FIELDS, reports, operations }, SPEC, POSITION, { ...FACTS, measures });
    };
    const { values, times } = of(0);
    assert.deepEqual([values, times], [{ rate: 1, other: null }, {}]);
    assert.throws(() => of(1), { code: 'BAD_PLUGIN', message: /measure other .* there is nothing to read/ });
  });
});

/** @type {[code: string, numbers: object, Parameters<typeof found>][]} */
const FOUND = [
  ['quick', {}, [{}, {}, { quick: true }]],
  ['not-steady', {}, [{ warmup: { ...LAUNCH.warmup, status: 'not-steady' } }]],
  [
    'cold',
    { coldProcesses: [{ name: 'w1', operations: 1_100, cpuMs: 40.2 }] },
    [workedOf({}, { operations: 1_100, cpuMs: 40.2 })],
  ],
  ['too-few-samples', { operations: 999 }, [{ operations: 999 }]],
  ['little-law', { excess: 0.25 }, [TIMED, EIGHT_LOOPS, { perSecond: 60_000 }]],
  [
    'oversubscribed',
    { processes: 3, usedCpus: 1.5, cpus: 2 },
    [using(0.5, 'master', 'worker', 'worker'), {}, { usableCpus: 2 }],
  ],
  ['blocked', { longestMs: 40, share: 0.3 }, [{ blockedMaster: { longestMs: 40, share: 0.3 } }]],
  ['free', {}, [{}, { cpus: null }]],
  ['generator-limited', { sentShare: 0.5, dropped: 7 }, [openOf({ started: 500, dropped: 7 }), OPEN_CELL]],
  ['generator-limited', { inFlight: MAX_IN_FLIGHT }, [openOf({ mostInFlight: MAX_IN_FLIGHT }), OPEN_CELL]],
  ['low-rate', { operations: 12 }, [{ ...openOf(), ...workedOf({}, { operations: 12 }) }, OPEN_CELL]],
  [
    'amplified',
    { publishedRatio: 1.5, deliveredRatio: 2 },
    [
      { traffic: { published: 3, delivered: 4, bytes: 0 } },
      {},
      { isBrokerOurs: true, messagesPerOperation: 2 },
    ],
  ],
  [
    'amplified',
    { publishedRatio: 1.5 },
    [
      { traffic: { published: 3, delivered: null, bytes: 0 } },
      {},
      { isBrokerOurs: true, messagesPerOperation: 2 },
    ],
  ],
  ['lost', { requests: 2_000, lost: 3, late: 1 }, [{ losses: { ...NO_LOSSES, lost: 3, late: 1 } }]],
  ['broken-promise', { lost: 1, doneTwice: 4 }, [{ outage: { ...NO_OUTAGE, lost: 1, doneTwice: 4 } }]],
  [
    'late-network',
    { excess: 0.2, coreShare: 0.1 },
    [{ network: { ...NETWORK, meanLateUs: 100, share: 0.1 } }],
  ],
  ['rejected-connections', { connections: 1 }, [{ rejectedConnections: 1 }]],
];

describe('the findings of a launch', () => {
  it('are none without a problem', () => {
    assert.deepEqual(found(), []);
    assert.deepEqual(LAUNCH.flags, []);
  });

  for (const [code, numbers, of] of FOUND) {
    const names = Object.keys(numbers).join(', ');
    it(`are ${code} with ${names || 'no number'}`, () => {
      assert.deepEqual(found(...of), [{ code, ...numbers }]);
    });
  }

  it('have every code of a launch', () => {
    const ofRows = ['bottleneck', 'harness-limited', 'wake-up', 'interrupted'];
    const tested = new Set(FOUND.map(([code]) => code));
    assert.deepEqual(
      Object.keys(RESULT_FLAGS).filter(
        (code) => !RESULT_FLAGS[code].isNoise && !ofRows.includes(code) && !tested.has(code),
      ),
      [],
    );
  });

  it('are saved with the launch, and with those of noise', () => {
    const noise = { othersShare: 0.2, stealShare: 0, pressureShare: null, throttledPeriods: 0, spinRatio: 1 };
    const { flags } = measuredLaunch({ ...FIELDS, rejectedConnections: 2 }, SPEC, POSITION, {
      ...FACTS,
      noise,
    });
    assert.deepEqual(flags, [
      { code: 'rejected-connections', connections: 2 },
      { code: 'crowded', share: 0.2 },
    ]);
  });
});

describe('the finding', () => {
  it('free is none for a launch that should not be pinned', () => {
    assert.deepEqual(codesOf({}, { cpus: null, cell: { ...CELL, placement: 'free' } }), []);
  });

  it('too-few-samples begins below 1,000 operations, and is none for cold starts', () => {
    assert.deepEqual(codesOf({ operations: 1_000 }), []);
    assert.deepEqual(codesOf({ operations: 999 }, {}, { isCold: true }), []);
  });

  it('not-steady needs ten bins, or a warm-up that was not steady', () => {
    assert.deepEqual(codesOf(stepping(10)), ['not-steady']);
    assert.deepEqual(codesOf(stepping(9)), [], 'too few bins to tell');
    assert.deepEqual(codesOf({ warmup: { ...LAUNCH.warmup, status: 'fixed' } }), []);
    assert.deepEqual(codesOf({ ...stepping(10), ...openOf() }, OPEN_CELL), [], 'under open load');
  });

  it('not-steady includes a level that is only reached within the window', () => {
    const [low, high] = [new Array(14).fill(700), new Array(14).fill(1_000)];
    const of = (/** @type {number[]} */ operations, /** @type {number[]} */ bins, binMs = 40) =>
      codesOf({ warmup: { ...LAUNCH.warmup, binMs, operations }, binMs: 40, bins });
    // A few slow bins of twenty do not leave the steady state by themselves.
    const late = [700, ...high];
    assert.deepEqual(of(low, late), ['not-steady']);
    assert.deepEqual([of(high, high), of(low, high)], [[], []]);
    assert.deepEqual(of(low, late, 100), [], 'bins of another length');
  });

  it('cold ignores idle processes, cold starts and open load', () => {
    const little = { operations: 5, cpuMs: 9 };
    assert.deepEqual(codesOf(workedOf(little)), ['cold']);
    assert.deepEqual(codesOf(workedOf({ ...little, isIdle: true })), []);
    assert.deepEqual(codesOf(workedOf(little), {}, { isCold: true }), []);
    assert.deepEqual(codesOf({ ...workedOf({ operations: 5_000, cpuMs: 9 }), ...openOf() }), []);
  });

  it('cold has a lower goal for a broker', () => {
    const of = (/** @type {number} */ cpuMs) => {
      const redis = { name: 'redis', role: 'broker', operations: 2, cpuMs };
      return codesOf(workedOf(redis), { broker: { name: 'redis' } });
    };
    assert.deepEqual([of(140), of(150)], [['cold'], []]);
  });

  it('little-law allows what the longest operation explains', () => {
    const of = (/** @type {number} */ perSecond, maxNs = 8_000_000) => {
      const times = { [SERVICE_TIME]: { count: 1_000, meanNs: 100_000, maxNs } };
      return codesOf({ windowMs: 560, times }, EIGHT_LOOPS, { perSecond });
    };
    assert.deepEqual([of(74_400), of(78_000), of(78_000, 1)], [['little-law'], [], ['little-law']]);
  });

  it('little-law compares the times of whole operations with the time of their loops', () => {
    const times = { [SERVICE_TIME]: { count: 10_000, meanNs: 100_000, maxNs: 8e8 } };
    const of = (/** @type {number} */ loopsMs) => codesOf({ times, loopsMs }, EIGHT_LOOPS);
    for (const loopsMs of [1_000, 985, 1_015]) assert.deepEqual(of(loopsMs), []);
    for (const loopsMs of [970, 1_030]) assert.deepEqual(of(loopsMs), ['little-law']);
  });

  it('little-law is none with losses or a number of messages', () => {
    const slow = { perSecond: 60_000 };
    const timing = { ...TIMING, messages: 40 };
    assert.deepEqual(codesOf(TIMED, { ...EIGHT_LOOPS, timing }, slow), []);
    assert.deepEqual(codesOf({ ...TIMED, losses: { ...NO_LOSSES, lost: 1 } }, EIGHT_LOOPS, slow), ['lost']);
  });

  it('oversubscribed needs more processes than CPUs, which use these', () => {
    const three = /** @type {const} */ (['master', 'worker', 'worker']);
    const of = (/** @type {object} */ costs, /** @type {number} */ usableCpus) =>
      codesOf(costs, {}, { usableCpus });
    assert.deepEqual(of(using(1, ...three), 3), []);
    assert.deepEqual(of(using(0.7, ...three, 'broker'), 3), ['oversubscribed']);
    assert.deepEqual(of(using(0.01, ...three), 2), [], 'processes that wait for a timer');
    const { costs } = using(0.9, ...three);
    const threads = costs.map((cost, index) => ({ ...cost, ...(index > 0 && { partOf: 'master' }) }));
    assert.deepEqual(of({ costs: threads }, 1), [], 'threads, of which the time is that of their process');
    assert.deepEqual(of({ costs: [] }, 2), [], 'unknown costs');
  });

  it('oversubscribed includes processes that never sleep and share CPUs', () => {
    const busy = { cell: { ...CELL, poll: 'busy' } };
    const crowd = using(0.5, ['master', 0], ['worker', 1], ['worker', 1]);
    const numbers = { code: 'oversubscribed', processes: 3, usedCpus: 1.5, cpus: 2 };
    assert.deepEqual(codesOf(crowd), []);
    assert.deepEqual(found(crowd, busy), [numbers]);
    assert.deepEqual(found(crowd, {}, { isSpinning: true }), [numbers]);
    assert.deepEqual(codesOf(using(1, ['master', 0], ['worker', 1], ['worker', 2]), busy), []);
    const withBroker = using(1, ['master', 0], ['worker', 1], ['worker', 2], ['broker', 0]);
    assert.deepEqual(codesOf(withBroker, busy), [], 'a broker sleeps');
  });

  it('generator-limited begins below 99 % of the sends, or of all but one of each worker', () => {
    const of = (/** @type {object} */ open) => codesOf(openOf(open), OPEN_CELL);
    const limited = ['generator-limited'];
    assert.deepEqual([of({ started: 990 }), of({ started: 989 })], [[], limited]);
    assert.deepEqual([of({ due: 10, started: 8 }), of({ due: 10, started: 7 })], [[], limited]);
    assert.deepEqual(of({ sendLag: timesOf(300) }), [], 'the response times contain late sends');
    assert.deepEqual(
      [2, 1].map((room) => of({ mostInFlight: MAX_IN_FLIGHT - room })),
      [[], limited],
      'room for a send of each worker',
    );
  });

  it('generator-limited does not count what the channel had no room for', () => {
    const of = (/** @type {object} */ open) => codesOf(openOf({ withheld: 400, ...open }), OPEN_CELL);
    assert.deepEqual(of({ started: 600, dropped: 400 }), []);
    assert.deepEqual(of({ started: 500, dropped: 500 }), ['generator-limited']);
  });

  it('low-rate is none without cold workers or a rate', () => {
    const of = (/** @type {number} */ operations) =>
      codesOf({ ...openOf(), ...workedOf({ operations }) }, OPEN_CELL);
    assert.deepEqual([of(WARM_OPERATIONS), of(WARM_OPERATIONS - 1)], [[], ['low-rate']]);
    const master = { role: 'master', operations: 1 };
    assert.deepEqual(codesOf({ ...openOf(), ...workedOf(master, {}) }, OPEN_CELL), []);
    assert.deepEqual(codesOf({ ...openOf(), ...workedOf() }, OPEN_CELL), []);
    assert.deepEqual(codesOf({ ...openOf(), ...workedOf({ operations: 1 }) }), []);
  });

  it('lost includes late responses, and ignores their order', () => {
    assert.deepEqual(codesOf({ losses: NO_LOSSES }), []);
    assert.deepEqual(codesOf({ losses: { ...NO_LOSSES, late: 1 } }), ['lost']);
  });

  it('broken-promise depends on the promise', () => {
    const of = (/** @type {object} */ counts) => codesOf({ outage: { ...NO_OUTAGE, ...counts } });
    assert.deepEqual(of({ doneTwice: 9 }), [], 'at least once');
    assert.deepEqual(of({ promise: 'at most once', doneTwice: 1 }), ['broken-promise']);
  });

  it('late-network begins above a tenth of the round trip, and at half of a core', () => {
    const of = (/** @type {number} */ meanLateUs, /** @type {number} */ share) =>
      codesOf({ network: { ...NETWORK, meanLateUs, share } });
    assert.deepEqual([of(50, 0.4), of(51, 0.4), of(5, 0.5)], [[], ['late-network'], ['late-network']]);
  });

  it('amplified begins 1 % above what the pattern needs, without control frames', () => {
    const of = (
      /** @type {number} */ published,
      /** @type {number | null} */ delivered,
      frames = 0,
      facts = {},
    ) =>
      codesOf(
        { traffic: { published, delivered, bytes: frames * BYTES_PER_CONTROL_FRAME } },
        {},
        {
          isBrokerOurs: true,
          messagesPerOperation: 2,
          ...facts,
        },
      );
    const quiet = [of(2.02, 2.02), of(2.5, 2.5, 0.5), of(2.02, null)];
    assert.deepEqual(quiet, [[], [], []]);
    assert.deepEqual([of(2.03, 2), of(2, 2.03)], [['amplified'], ['amplified']]);
    assert.deepEqual(of(9, 9, 0, { isBrokerOurs: false }), [], 'others may use it');
    assert.deepEqual(of(9, 9, 0, { messagesPerOperation: undefined }), []);
    assert.deepEqual(codesOf({}, {}, { isBrokerOurs: true, messagesPerOperation: 2 }), [], 'no reading');
  });
});

describe('expectedMessages', () => {
  it('multiplies the messages of a round trip by the round trips of an operation, if both are known', () => {
    const of = (/** @type {any} */ scenario, /** @type {number} */ messages) =>
      expectedMessages(scenario, messages);
    assert.deepEqual([of({}, 2), of({ roundTrips: 3 }, 2), of({ roundTrips: null }, 2)], [2, 6, undefined]);
    assert.equal(expectedMessages(/** @type {any} */ ({})), undefined);
  });
});

describe('aggregateOpenLoad', () => {
  it('sums open load over all senders, with unanswered requests', () => {
    const counts = { due: 10, started: 9, late: 2, dropped: 1 };
    const report = { ...counts, response: timesOf(1, 3), sendLag: timesOf(2, 4) };
    const plan = /** @type {any} */ ({ arrivals: 'fixed', pacing: 'tick' });
    const two = aggregateOpenLoad([report, { ...report, unanswered: timesOf(9, 5) }], plan);
    assert.deepEqual([two.due, two.started, two.late, two.dropped, two.arrivals], [20, 18, 4, 2, 'fixed']);
    assert.deepEqual([two.response.count, two.sendLag.count, two.unanswered?.count], [6, 8, 5]);
    const delivered = aggregateOpenLoad([report], plan, new Float64Array(2).fill(MS));
    assert.equal(delivered.response.count, 2);
    const optional = { withheld: 1, mostInFlight: 3, pacingCpuUs: 5 };
    const found = aggregateOpenLoad([{ ...report, ...optional }, report], plan);
    assert.deepEqual(found, { ...aggregateOpenLoad([report, report], plan), ...optional });
    for (const name of ['unanswered', ...Object.keys(optional)]) assert.ok(!(name in delivered), name);
  });
});

describe('the counts of a launch', () => {
  /** @param {object} fields @param {number | null} timed   operations with a time @param {{ response: number, sendLag: number }} [open]   counts */
  const launchWith = (fields, timed, open) => {
    const read = () => (timed === null ? null : [timesOf(1, timed)]);
    const measures = [RATE, { ...TIMES, read }];
    const counts = { due: 5, started: 5, late: 0, dropped: 0 };
    const sent = open && {
      ...counts,
      response: timesOf(1, open.response),
      sendLag: timesOf(1, open.sendLag),
    };
    const [report] = FIELDS.reports;
    const reports = [{ ...report, operations: 5, bins: [2, 3], open: sent }];
    const spec = { ...SPEC, ...(open && { open: { arrivals: 'fixed', pacing: 'tick' } }) };
    const counted = { operations: 5, bins: [2, 3], reports, ...fields };
    return measuredLaunch(
      { ...FIELDS, ...counted },
      spec,
      POSITION,
      /** @type {any} */ ({ ...FACTS, measures }),
    );
  };

  it('requires one sample of each operation in every histogram', () => {
    launchWith({}, 5);
    launchWith({}, 5, { response: 5, sendLag: 5 });
    launchWith({}, null, { response: 4, sendLag: 6 });
    for (const [spoiled, what] of /** @type {[Parameters<typeof launchWith>, RegExp][]} */ ([
      [[{ bins: [2, 2] }, 5], /4 in bins/],
      [[{}, 6], /6 service times/],
      [[{}, 5, { response: 4, sendLag: 5 }], /4 response times/],
      [[{}, 5, { response: 5, sendLag: 6 }], /6 schedule delays/],
    ]))
      assert.throws(() => launchWith(...spoiled), { code: 'INTEGRITY', message: what });
  });
});
