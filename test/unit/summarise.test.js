import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readHeadline, timesIn, valuesIn } from '../../lib/cell/headline.js';
import { cellLabel } from '../../lib/cell/labels.js';
import { cpuUsInAll } from '../../lib/results/calibration-rows.js';
import { isNotLaunched, listRoles, summariseCosts, summariseResults } from '../../lib/results/summarise.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { buildRow } from '../fixtures/build-results.js';
import { SCENARIOS } from '../fixtures/counted.js';

/** @import { Cell, Flag, MeasuredLaunch, MeasuredOutcome } from '../../lib/types/index.js' */

const RATES = [9_800, 10_000, 10_100, 9_900, 10_200, 10_050];
const REFERENCE = 'pipe/json';
const OPTIONS = { plannedLaunches: 6, quick: false, scenarios: SCENARIOS };

/** @param {Partial<Cell>} [differences] @returns {Cell} */
function cellOf(differences = {}) {
  return {
    transport: 'unix',
    codec: 'json',
    scenario: 'round-trip',
    payloadBytes: 1_000,
    workers: 1,
    loops: 4,
    placement: 'split',
    settings: {},
    ...differences,
  };
}

/**
 * @param {string} name @param {Partial<import('../../lib/types/launches.js').ProcessCost>} [differences]
 * @returns {import('../../lib/types/launches.js').ProcessCost}
 */
function costOf(name, differences = {}) {
  return {
    name,
    role: /^w\d+$/.test(name) ? 'worker' : ['master', 'helpers'].includes(name) ? name : 'broker',
    userUs: 100_000,
    systemUs: 50_000,
    share: 0.3,
    voluntarySwitches: 1,
    involuntarySwitches: 1,
    peakRssBytes: 50e6,
    grownRssBytes: null,
    cpus: [0],
    ...differences,
  };
}

/** @param {number} [count] @param {number} [nanoseconds] */
function latencyOf(count = 5_000, nanoseconds = 400_000) {
  const counts = new LatencyCounts();
  for (let index = 0; index < count; index++) counts.record(nanoseconds + index);
  return counts.toLatency();
}

/**
 * @param {number} group
 * @param {Partial<MeasuredLaunch> & { rate?: number, latency?: import('../../lib/types/launches.js').Latency }} [differences]
 * @returns {MeasuredLaunch}
 */
function launchOf(group, { rate = RATES[group], latency = latencyOf(), ...differences } = {}) {
  return {
    status: 'measured',
    group,
    order: group,
    startedAt: '2026-01-01T00:00:00.000Z',
    operations: Math.floor(rate / 2),
    windowMs: 500,
    values: { roundTripsPerSecond: rate, megabytesPerSecond: (2 * 1_000 * rate) / 1e6 },
    times: { serviceTime: latency },
    warmup: { status: 'steady', ms: 600, binMs: 50, operations: [], work: [] },
    binMs: 50,
    bins: [],
    costs: [costOf('master'), costOf('w0')],
    rejectedConnections: 0,
    flags: [],
    ...differences,
  };
}

/** @param {number} group @param {string} message @returns {import('../../lib/types/launches.js').FailedLaunch} */
function failedLaunch(group, message) {
  return {
    status: 'failed',
    group,
    order: group,
    startedAt: '2026-01-01T00:00:00.000Z',
    code: 'PROCESS_DIED',
    message,
    phase: 'measure',
    stderr: [],
    integrity: null,
  };
}

/** @param {(group: number) => Parameters<typeof launchOf>[1]} [differences] */
function sixLaunches(differences = () => ({})) {
  return RATES.map((_, group) => launchOf(group, differences(group)));
}

/** @param {Parameters<typeof buildRow>[1]} launches @param {Parameters<typeof buildRow>[2]} [references] */
function outcomeOf(launches, references = null, options = OPTIONS) {
  return buildRow(cellOf(), launches, references, REFERENCE, options);
}

/** @param {Parameters<typeof outcomeOf>} rest @returns {MeasuredOutcome} */
function measuredOutcomeOf(...rest) {
  const outcome = outcomeOf(...rest);
  assert.equal(outcome.status, 'measured');
  return /** @type {MeasuredOutcome} */ (outcome);
}

/** @param {number} actual @param {number} expected */
function assertClose(actual, expected) {
  assert.ok(Math.abs(actual / expected - 1) < 1e-9, `${actual}, not ${expected}`);
}

describe('the estimates of a cell', () => {
  test('estimates a rate with launches as the sample, and not bins', () => {
    const few = readHeadline(measuredOutcomeOf(sixLaunches(() => ({ bins: [1, 2] }))));
    const many = readHeadline(measuredOutcomeOf(sixLaunches(() => ({ bins: new Array(1_000).fill(500) }))));
    assert.deepEqual(few, many);
    assert.deepEqual([few.n, few.level, few.method], [6, 0.95, 'log-model']);
    assert.ok(few.low > 9_700 && few.low < few.estimate && few.estimate < few.high && few.high < 10_300);
  });

  test('gives an estimate an interval with two launches or more', () => {
    const once = readHeadline(measuredOutcomeOf(sixLaunches().slice(0, 1)));
    assert.deepEqual([once.level, once.method], [null, 'range']);
    const twice = readHeadline(measuredOutcomeOf(sixLaunches().slice(0, 2)));
    assert.deepEqual([twice.level, twice.method], [0.95, 'log-model']);
  });

  test('counts the payload in both directions for megabytes per second', () => {
    const outcome = measuredOutcomeOf(sixLaunches());
    const [{ name, estimate }] = valuesIn(outcome);
    assert.equal(name, 'megabytesPerSecond');
    assertClose(estimate, (2 * 1_000 * readHeadline(outcome).estimate) / 1e6);
  });
});

describe('the ratio of a cell', () => {
  test('pairs launches by group, not by index', () => {
    const references = sixLaunches().reverse();
    const launches = sixLaunches((group) => ({ rate: 1.5 * RATES[group] }));
    const ratio = measuredOutcomeOf(launches, references).ratio;
    assertClose(ratio?.low ?? 0, 1.5);
    assertClose(ratio?.high ?? 0, 1.5);
    assert.deepEqual([ratio?.to, ratio?.n, ratio?.method], [REFERENCE, 6, 'log-model']);
  });

  test('uses the groups that both rows have', () => {
    const references = [launchOf(4), failedLaunch(1, 'gone'), launchOf(5)];
    assert.equal(measuredOutcomeOf(sixLaunches(), references).ratio?.n, 2);
  });

  test('is null if no reference was measured', () => {
    assert.equal(measuredOutcomeOf(sixLaunches(), null).ratio, null);
    assert.equal(measuredOutcomeOf(sixLaunches(), []).ratio, null);
    assert.equal(measuredOutcomeOf(sixLaunches(), [failedLaunch(0, 'gone')]).ratio, null);
  });

  test('is null if a launch of the reference completed no round trip, because the others were faster', () => {
    const references = sixLaunches((group) => (group === 3 ? { rate: 0 } : {}));
    assert.equal(measuredOutcomeOf(sixLaunches(), references).ratio, null);
  });

  test('is null if the quotient of two rates is too large or too small for a number', () => {
    for (const factor of [1e200, 1e-200]) {
      const [launches, references] = [factor, 1 / factor].map((times) =>
        sixLaunches((group) => ({ values: { roundTripsPerSecond: times * RATES[group] } })),
      );
      assert.equal(measuredOutcomeOf(launches, references).ratio, null);
    }
  });

  test('has a wider simultaneous interval for each other row that was measured', () => {
    const widthBeside = (/** @type {(import('../../lib/types/index.js').Launch[])[]} */ others) => {
      const rows = [sixLaunches((group) => ({ rate: RATES[5 - group] })), sixLaunches(), ...others];
      const names = ['unix', 'pipe', 'tcp', 'fifo'].slice(0, rows.length);
      const plan = names.map((transport) => ({ cell: cellOf({ transport }), skip: null }));
      const launches = new Map(plan.map(({ cell }, index) => [cellLabel(cell), rows[index]]));
      const [outcome] = summariseResults(plan, launches, REFERENCE, OPTIONS);
      const { simultaneous } = /** @type {MeasuredOutcome} */ (outcome).ratio ?? {};
      return Number(simultaneous?.high) / Number(simultaneous?.low);
    };
    const [alone, besideFailed, besideOne] = [[], [[failedLaunch(0, 'gone')]], [sixLaunches()]].map(
      widthBeside,
    );
    assertClose(besideFailed, alone);
    assert.ok(besideOne > alone * 1.001);
  });
});

describe('the latency of a cell', () => {
  test('merges all round trips of all launches', () => {
    const launches = sixLaunches((group) => ({
      latency: latencyOf(5_000, group === 5 ? 9_000_000 : 100_000),
    }));
    const [latencyUs] = timesIn(measuredOutcomeOf(launches));
    assert.deepEqual([latencyUs.count, latencyUs.min, latencyUs.max], [30_000, 100, 9_004.999]);
    assert.ok(latencyUs.p50 < 106 && (latencyUs.p99 ?? 0) > 9_000);
    assertClose(latencyUs.mean, (5 * 102.4995 + 9_002.4995) / 6);
  });

  test('is also estimated with launches as samples', () => {
    const [{ perLaunch }] = timesIn(measuredOutcomeOf(sixLaunches()));
    assert.deepEqual([perLaunch.p50.n, perLaunch.p50.method, perLaunch.p99?.n], [6, 'log-model', 6]);
    assert.ok(perLaunch.p50.estimate > 400 && perLaunch.p50.estimate < 406);
  });

  test('is not given if a launch has none', () => {
    const launches = sixLaunches((group) => (group === 2 ? { times: {} } : {}));
    assert.deepEqual(timesIn(measuredOutcomeOf(launches)), []);
  });

  test('has no p99 per launch if one launch has too few samples', () => {
    const launches = sixLaunches((group) => ({ latency: latencyOf(group === 2 ? 999 : 5_000) }));
    const [{ p99, perLaunch }] = timesIn(measuredOutcomeOf(launches));
    assert.equal(perLaunch.p99, null);
    assert.notEqual(p99, null);
  });
});

describe('losses and backpressure of a cell', () => {
  test('sums losses and averages backpressure of the launches', () => {
    const losses = { requests: 1_000, lost: 1, late: 2, reordered: 3 };
    const one = { waits: 1, backlog: 10, backlogPerSecond: 4, lostShare: 0, grownIn: null };
    const outcome = measuredOutcomeOf(
      sixLaunches((group) => ({ losses, backpressure: { ...one, backlog: 10 + group } })),
    );
    assert.deepEqual(outcome.losses, { requests: 6_000, lost: 6, late: 12, reordered: 18 });
    assert.deepEqual(outcome.backpressure, { ...one, backlog: 12.5 });
    const plain = measuredOutcomeOf(sixLaunches());
    assert.ok(!('losses' in plain) && !('backpressure' in plain));
  });
});

describe('the costs of a cell', () => {
  test('returns the CPU time per round trip by role', () => {
    const costs = [
      costOf('master', { userUs: 100_000, systemUs: 20_000 }),
      costOf('w0', { userUs: 50_000, systemUs: 10_000 }),
      costOf('w12', { userUs: 30_000, systemUs: 0 }),
      costOf('redis', { userUs: 200_000, systemUs: 40_000 }),
    ];
    const { cpuUsPerOperation } = measuredOutcomeOf(sixLaunches(() => ({ operations: 1_000, costs })));
    assert.deepEqual(cpuUsPerOperation, { workers: 90, master: 120, broker: 240 });
  });

  test('attributes costs by role, not by name', () => {
    const named = [costOf('controller', { role: 'master' }), costOf('asker', { role: 'worker', share: 1 })];
    const { busiest, cpuUsPerOperation } = measuredOutcomeOf(sixLaunches(() => ({ costs: named })));
    assert.deepEqual(busiest, { name: 'asker', role: 'worker', share: 1 });
    assert.deepEqual(
      [cpuUsPerOperation.workers === null, Number(cpuUsPerOperation.master) > 0, cpuUsPerOperation.broker],
      [false, true, null],
    );
  });

  test('returns the costs of every other role', () => {
    const relay = costOf('relay', { role: 'relay', userUs: 60_000, systemUs: 10_000 });
    const costs = [costOf('master'), costOf('w0'), relay, { ...relay, name: 'relay-2', userUs: 10_000 }];
    const { cpuUsPerOperation } = measuredOutcomeOf(sixLaunches(() => ({ operations: 1_000, costs })));
    assert.equal(cpuUsPerOperation.relay, 90);
  });

  test('takes costs from launches with known costs, and returns null without one', () => {
    const costs = [costOf('master', { userUs: 100_000, systemUs: 20_000, share: 1 }), costOf('w0')];
    const unknown = { costs: [], unknownCosts: ['w0'] };
    const withUnknown = (/** @type {number} */ count) =>
      measuredOutcomeOf(
        sixLaunches((group) => ({ operations: 1_000, ...(group < count ? unknown : { costs }) })),
      );
    const { cpuUsPerOperation, busiest, peakRssBytes } = withUnknown(1);
    assert.equal(cpuUsPerOperation.master, 120);
    assert.deepEqual(busiest, { name: 'master', role: 'master', share: 1 });
    assert.ok(peakRssBytes !== null);
    const none = withUnknown(6);
    assert.deepEqual(none.cpuUsPerOperation, { workers: null, master: null, broker: null });
    assert.deepEqual([none.busiest, none.peakRssBytes], [null, null]);
    assert.ok(none.flags.every(({ code }) => code !== 'bottleneck'));
  });

  test('does not call a worker that spins the busiest process', () => {
    const costs = [costOf('master', { share: 0.5 }), costOf('w0', { share: 1 })];
    const paced = (/** @type {'spin' | 'sleep'} */ pacing) =>
      summariseCosts(sixLaunches(() => ({ costs, open: /** @type {any} */ ({ pacing }) })));
    assert.deepEqual(paced('spin').busiest, { name: 'master', role: 'master', share: 0.5 });
    assert.deepEqual(paced('sleep').busiest, { name: 'w0', role: 'worker', share: 1 });
  });

  test('names no busiest process if all are busy by design', () => {
    const costs = [costOf('master', { share: 1 }), costOf('w0')];
    assert.equal(measuredOutcomeOf(sixLaunches(() => ({ costs, isSpinning: true }))).busiest, null);
    const polling = buildRow(
      cellOf({ poll: 'busy' }),
      sixLaunches(() => ({ costs })),
      null,
      REFERENCE,
    );
    assert.equal(polling.status === 'measured' && polling.busiest, null);
    assert.equal(measuredOutcomeOf(sixLaunches(() => ({ costs }))).busiest?.name, 'master');
  });

  test('lists the usual roles if nothing was measured', () => {
    assert.deepEqual(listRoles([]), ['workers', 'master', 'broker']);
    assert.deepEqual(listRoles([{ cpuUsPerOperation: { master: 1 } }]), ['master']);
  });

  test('returns no cost of a broker without one', () => {
    assert.equal(measuredOutcomeOf(sixLaunches()).cpuUsPerOperation.broker, null);
  });

  test('returns the memory of all processes of the largest launch', () => {
    const launches = sixLaunches((group) => ({
      costs: [costOf('master', { peakRssBytes: 1e6 * group }), costOf('w0')],
    }));
    assert.equal(measuredOutcomeOf(launches).peakRssBytes, 55e6);
  });

  test('returns the costs of threads, with the memory of their process, and counts helper threads for the master', () => {
    const thread = { partOf: /** @type {const} */ ('master'), peakRssBytes: null };
    const costs = [
      costOf('master', { userUs: 100_000, systemUs: 0, share: 0.5 }),
      costOf('w0', { ...thread, userUs: 60_000, systemUs: 0, share: 0.2 }),
      costOf('helpers', { ...thread, userUs: 40_000, systemUs: 0, share: 1.4 }),
    ];
    const outcome = measuredOutcomeOf(sixLaunches(() => ({ operations: 1_000, costs })));
    assert.deepEqual(outcome.cpuUsPerOperation, { workers: 60, master: 140, broker: null });
    assert.equal(outcome.peakRssBytes, 50e6);
    assert.deepEqual(
      outcome.busiest,
      { name: 'master', role: 'master', share: 0.5 },
      'several threads limit nothing together',
    );
  });

  describe('with threads of which only the sum is known', () => {
    const undivided = costOf('threads', { role: 'undivided', userUs: 300_000, systemUs: 0, share: 1.8 });
    const main = costOf('master', { userUs: 10_000, systemUs: 0, share: 0.1 });
    const worker = costOf('w0', { userUs: 60_000, systemUs: 0, share: 0.5, partOf: 'master' });

    test('returns the sum, no cost of a role, and no busiest process', () => {
      for (const costs of [[undivided], [main, { ...undivided, partOf: /** @type {const} */ ('master') }]]) {
        const outcome = measuredOutcomeOf(sixLaunches(() => ({ operations: 1_000, costs })));
        const { workers, master } = outcome.cpuUsPerOperation;
        assert.deepEqual([workers, master, outcome.busiest], [null, null, null]);
        const wholeUs = costs.reduce((us, { userUs, systemUs }) => us + userUs + systemUs, 0);
        assert.equal(cpuUsInAll(outcome.cpuUsPerOperation), wholeUs / 1_000);
      }
    });

    test('leaves their launches out if others are divided', () => {
      const outcome = measuredOutcomeOf(
        sixLaunches((group) => ({
          operations: 1_000,
          costs: group < 2 ? [main, undivided] : [main, worker],
        })),
      );
      assert.deepEqual(outcome.cpuUsPerOperation, { workers: 60, master: 10, broker: null });
      assert.deepEqual(outcome.busiest, { name: 'w0', role: 'worker', share: 0.5 });
    });

    test('estimates the CPU time of a role from the launches that have it', () => {
      const counted = SCENARIOS['round-trip'];
      /** @type {import('../../lib/types/index.js').MeasureFacts} */
      const workerCpu = {
        name: 'workerCpu',
        title: 'worker CPU',
        unit: 'µs',
        better: 'lower',
        kind: 'value',
      };
      const scenarios = { 'round-trip': { ...counted, measures: [...counted.measures, workerCpu] } };
      const estimateFor = (/** @type {boolean} */ explains) => {
        const launches = sixLaunches((group) => ({
          values: { roundTripsPerSecond: RATES[group], workerCpu: group === 0 ? null : 50 },
          ...(group === 0 && explains && { unknownCosts: ['w0'] }),
        }));
        const row = buildRow(cellOf(), launches, null, REFERENCE, { scenarios });
        return row.status === 'measured' ? row.measures.workerCpu : null;
      };
      const found = /** @type {any} */ (estimateFor(true));
      assert.deepEqual([Math.round(found.estimate), found.n], [50, 5]);
      // Beside a row with this launch, whose group was four times as slow, that counts for the other row as well.
      const beside = (/** @type {boolean} */ isWhole) =>
        sixLaunches((group) => ({
          values: { roundTripsPerSecond: RATES[group], workerCpu: group > 0 ? 50 : isWhole ? 200 : null },
          ...(group === 0 && !isWhole && { unknownCosts: ['w0'] }),
        }));
      const row = /** @type {any} */ (
        buildRow(cellOf(), beside(false), beside(true), REFERENCE, { scenarios })
      );
      assertClose(row.measures.workerCpu.estimate, 50 * 4 ** (1 / 6));
      assert.equal(
        estimateFor(false),
        undefined,
        'a value that is missing for another reason may bias the rest',
      );
    });
  });

  test('ignores launches with a process of unknown memory', () => {
    const unknown = [costOf('master', { peakRssBytes: null }), costOf('w0', { peakRssBytes: 900e6 })];
    const some = sixLaunches((group) => (group === 0 ? { costs: unknown } : {}));
    assert.equal(measuredOutcomeOf(some).peakRssBytes, 100e6);
    assert.equal(measuredOutcomeOf(sixLaunches(() => ({ costs: unknown }))).peakRssBytes, null);
  });

  test('names the busiest process by its mean share', () => {
    const launches = sixLaunches((group) => ({
      costs: [costOf('master', { share: 0.5 }), costOf('w0', { share: group === 0 ? 1 : 0.2 })],
    }));
    assert.deepEqual(measuredOutcomeOf(launches).busiest, {
      name: 'master',
      role: 'master',
      share: 0.5,
    });
    assert.equal(measuredOutcomeOf(sixLaunches(() => ({ costs: [] }))).busiest, null);
  });
});

describe('the flags of a cell', () => {
  /** @param {MeasuredLaunch[]} launches @param {Partial<typeof OPTIONS>} [options] */
  const flagsOf = (launches, options = {}) =>
    measuredOutcomeOf(launches, null, { ...OPTIONS, ...options }).flags;
  /** @param {Flag} flag @param {number} launches that carry it */
  const flagged = (flag, launches) => sixLaunches((group) => (group < launches ? { flags: [flag] } : {}));

  test('gives a cell without a problem no flags', () => {
    assert.deepEqual(flagsOf(sixLaunches()), []);
  });

  test('gives a cell each flag of its launches once, with the number of launches', () => {
    const rejected = { code: 'rejected-connections', connections: 9 };
    for (const launches of [6, 2])
      assert.deepEqual(flagsOf(flagged(rejected, launches)), [{ code: rejected.code, launches, of: 6 }]);
  });

  test('flags a cell as disturbed if more than a fifth of the launches were, by whatever', () => {
    const disturbed = (/** @type {string[]} */ ...codes) =>
      flagsOf(sixLaunches((group) => (group < codes.length ? { flags: [{ code: codes[group] }] } : {})));
    assert.deepEqual(disturbed('crowded'), []);
    assert.deepEqual(disturbed('crowded', 'steal'), [
      { code: 'crowded', launches: 1, of: 6 },
      { code: 'steal', launches: 1, of: 6 },
    ]);
  });

  test('flags a cell as not-steady for more than a fifth of the launches', () => {
    const unsteady = { code: 'not-steady' };
    assert.deepEqual(flagsOf(flagged(unsteady, 1)), []);
    assert.deepEqual(flagsOf(flagged(unsteady, 2)), [{ ...unsteady, launches: 2, of: 6 }]);
  });

  test('flags a cell as cold for more than a fifth of the launches, or if all windows got faster', () => {
    const cold = { code: 'cold', coldProcesses: [{ name: 'w0', operations: 10, cpuMs: 9 }] };
    const options = { plannedLaunches: 4 };
    assert.deepEqual(flagsOf(flagged(cold, 1).slice(0, 5), options), []);
    const [ofFour] = flagsOf(flagged(cold, 1).slice(0, 4), options);
    assert.deepEqual(ofFour, { code: 'cold', launches: 1, of: 4 });
    assert.deepEqual(flagsOf(flagged(cold, 2)), [{ code: 'cold', launches: 2, of: 6 }]);
    const [{ code, climb }] = flagsOf(sixLaunches((group) => ({ bins: [60, 100, 100, 117 + group, 109] })));
    assert.deepEqual([code, climb?.toFixed(2)], ['cold', '1.14']);
    // The windows of two workers may differ by a few µs, and the last bin may be incomplete.
    const short = { windowMs: 249.998, bins: [60, 100, 100, 117, 117, 3] };
    assert.equal(flagsOf(sixLaunches(() => short))[0]?.climb?.toFixed(2), '1.17');
    assert.deepEqual(flagsOf(sixLaunches((group) => ({ bins: [60, 100, 101, 99 + group, 100] }))), []);
  });

  test('does not flag windows that are too noisy to show a climb', () => {
    assert.deepEqual(
      flagsOf(sixLaunches((group) => ({ bins: [60, 100, 100, group % 2 ? 130 : 80, 100] }))),
      [],
    );
  });

  test('flags a violation of Little’s law in two launches or more', () => {
    const violated = { code: 'little-law', excess: 0.08 };
    assert.deepEqual(flagsOf(flagged(violated, 1)), []);
    assert.deepEqual(
      flagsOf(flagged(violated, 2)).map(({ code }) => code),
      ['little-law'],
    );
  });

  test('flags a cell of three launches as not-steady for at least two', () => {
    const unsteady = { code: 'not-steady' };
    assert.deepEqual(flagsOf(flagged(unsteady, 1).slice(0, 3), { plannedLaunches: 3 }), []);
    assert.deepEqual(flagsOf(flagged(unsteady, 2).slice(0, 3), { plannedLaunches: 3 }), [
      { ...unsteady, launches: 2, of: 3 },
    ]);
  });

  test('names the process that is the bottleneck', () => {
    const busy = (/** @type {number} */ share) =>
      sixLaunches(() => ({ costs: [costOf('master', { share }), costOf('w0')] }));
    assert.deepEqual(flagsOf(busy(0.9375)), [{ code: 'bottleneck', process: 'master', share: 0.9375 }]);
    assert.equal(flagsOf(busy(0.9)).length, 1);
    assert.deepEqual(flagsOf(busy(0.89)), []);
  });

  test('flags a cell that is hardly slower than the loop without a transport', () => {
    const control = { ...cellOf(), nullUs: 50, codecUs: { estimate: 10, low: 9, high: 11 } };
    const controlled = /** @type {any} */ ({ controls: { timer: null, rows: [control] } });
    assert.deepEqual(
      flagsOf(sixLaunches(), controlled).map(({ code }) => code),
      ['harness-limited'],
    );
  });

  test('flags a cell as interrupted and as quick', () => {
    assert.deepEqual(flagsOf(sixLaunches().slice(0, 4)), [{ code: 'interrupted', launches: 4, planned: 6 }]);
    assert.deepEqual(flagsOf(sixLaunches(), { quick: true }), [{ code: 'quick' }]);
    assert.deepEqual(flagsOf(flagged({ code: 'quick' }, 6), { quick: true }), [{ code: 'quick' }]);
  });
});

describe('a cell without estimates', () => {
  test('fails with the first failure, and keeps every launch', () => {
    const launches = [launchOf(0), failedLaunch(1, 'w0 died'), launchOf(2), failedLaunch(3, 'w1 died')];
    assert.deepEqual(outcomeOf(launches), {
      status: 'failed',
      cell: cellOf(),
      code: 'PROCESS_DIED',
      message: 'in 2 of 4 launches: w0 died',
      launches,
    });
  });

  test('fails if a launch completed no round trip, or has no window', () => {
    for (const idle of [{ rate: 0 }, { windowMs: 0 }]) {
      const outcome = outcomeOf(sixLaunches((group) => (group === 3 ? idle : {})));
      assert.equal(outcome.status, 'failed');
      assert.match(
        outcome.status === 'failed' ? outcome.message : '',
        /^in 1 of 6 launches not one round trip ended .*use a longer --measure$/,
      );
    }
  });

  test('is skipped if the run ended before its first launch', () => {
    const outcome = outcomeOf([]);
    assert.equal(outcome.status === 'skipped' && outcome.cause, 'not-launched');
    assert.equal(isNotLaunched(outcome), true);
    assert.equal(isNotLaunched({ status: 'skipped', cell: outcome.cell, reason: 'no sockets' }), false);
  });
});

describe('summariseResults', () => {
  const pipe = cellOf({ transport: 'pipe' });
  const unix = cellOf();
  const unixLarge = cellOf({ payloadBytes: 100_000 });
  const pipeLarge = cellOf({ transport: 'pipe', payloadBytes: 100_000 });
  const plan = [unix, unixLarge, pipe, pipeLarge].map((cell) => ({ cell, skip: null }));
  const launchesByCell = new Map([
    [cellLabel(unix), sixLaunches((group) => ({ rate: 2 * RATES[group] }))],
    [cellLabel(unixLarge), sixLaunches((group) => ({ rate: 300 + group }))],
    [cellLabel(pipe), sixLaunches()],
    [cellLabel(pipeLarge), sixLaunches((group) => ({ rate: 100 + group }))],
  ]);

  test('compares each cell with the reference of its own group, in the order of the plan', () => {
    const outcomes = summariseResults(plan, launchesByCell, REFERENCE, OPTIONS);
    const ratios = outcomes.map((outcome) => outcome.status === 'measured' && outcome.ratio?.estimate);
    assert.deepEqual(
      outcomes.map(({ cell }) => cell),
      plan.map(({ cell }) => cell),
    );
    assert.deepEqual(
      ratios.map((ratio) => Number(ratio).toFixed(2)),
      ['2.00', '2.95', '1.00', '1.00'],
    );
  });

  test('marks skipped cells that no machine can measure', () => {
    const outcomes = summariseResults(
      [
        { cell: pipe, skip: 'encoded twice', isImpossible: true },
        { cell: unix, skip: 'no sockets here' },
      ],
      new Map(),
      REFERENCE,
      OPTIONS,
    );
    assert.deepEqual(outcomes, [
      { status: 'skipped', cell: pipe, reason: 'encoded twice', isImpossible: true },
      { status: 'skipped', cell: unix, reason: 'no sockets here' },
    ]);
  });

  test('gives the reference a ratio of exactly 1', () => {
    const outcome = summariseResults(plan, launchesByCell, REFERENCE, OPTIONS)[2];
    const ratio = outcome.status === 'measured' ? outcome.ratio : null;
    const one = { estimate: 1, low: 1, high: 1, to: REFERENCE };
    assert.deepEqual(ratio, { ...one, n: 6, level: 0.95, method: 'log-model' });
    const alone = buildRow(pipe, sixLaunches().slice(0, 1), null, REFERENCE);
    assert.deepEqual(alone.status === 'measured' && alone.ratio, {
      ...one,
      n: 1,
      level: null,
      method: 'range',
    });
  });

  test('gives a quick run only ratios with an interval', () => {
    const options = { ...OPTIONS, plannedLaunches: 2, quick: true };
    const twice = (/** @type {number[]} */ rates) => rates.map((rate, group) => launchOf(group, { rate }));
    const ratioOf = (/** @type {number[]} */ rates) => {
      const launches = new Map([
        [cellLabel(unix), twice(rates)],
        [cellLabel(pipe), twice([10_000, 10_000].slice(0, rates.length))],
      ]);
      const [outcome, reference] = summariseResults([plan[0], plan[2]], launches, REFERENCE, options);
      assert.equal(reference.status === 'measured' && reference.ratio?.estimate, 1);
      return outcome.status === 'measured' ? outcome.ratio?.estimate : undefined;
    };
    assert.equal(Number(ratioOf([20_000, 22_000])).toFixed(1), '2.1');
    assert.equal(Number(ratioOf([20_000, 26_000])).toFixed(1), '2.3');
    assert.equal(ratioOf([20_000]), undefined);
  });

  test('gives no ratio without a reference, and keeps the reasons of skipped cells', () => {
    const skipped = { cell: pipe, skip: 'no pipes here' };
    const [outcome, second] = summariseResults([plan[0], skipped], launchesByCell, 'tcp/json', OPTIONS);
    assert.equal(outcome.status === 'measured' && outcome.ratio, null);
    assert.deepEqual(second, { status: 'skipped', cell: pipe, reason: 'no pipes here' });
  });
});
