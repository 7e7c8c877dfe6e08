// What the loops without a transport say of a cell.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingsIn } from '../../lib/report/findings/index.js';
import { makeNotes } from '../../lib/report/text/notes.js';
import {
  cpuUsInAll,
  findControl,
  harnessFlags,
  harnessShare,
  hasCpuCost,
  joinedControls,
  joinedWakeUp,
  netCpuUs,
  totalCpuUs,
} from '../../lib/results/calibration-rows.js';
import { MIN_LEAD_OF_NULL } from '../../lib/results/thresholds.js';
import { estimateTypical } from '../../lib/statistics/estimate.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';

const [outcome] = measuredOf(buildResults({ series: ['unix/json'], payloads: [10], launches: 8 }));
const { cell } = outcome;
/** @param {object} [rest] @returns {any} */
const rowOf = (rest) => ({ ...cell, nullUs: 2, codecUs: { estimate: 1.5, low: 1, high: 2 }, ...rest });
/** @param {object[]} rows @param {any} [timer] @returns {any} */
const controlsOf = (rows, timer = null) => ({ timer, rows });

describe('the control of a cell', () => {
  it('is the row of its codec and payload', () => {
    const own = rowOf();
    const others = [rowOf({ codec: 'v8' }), rowOf({ payloadBytes: 11 })];
    assert.equal(findControl(controlsOf([...others, own]), cell), own);
    assert.equal(findControl(controlsOf(others), cell), null);
    assert.equal(findControl(undefined, cell), null);
  });

  it('takes the middle control of several machines, and the slower one of two', () => {
    const of = (/** @type {number[]} */ ...all) =>
      joinedControls(all.map((nullUs) => controlsOf([rowOf({ nullUs })], { nowNs: nullUs })));
    for (const [all, middle] of /** @type {[number[], number][]} */ ([
      [[7], 7],
      [[9, 7], 9],
      [[9, 7, 8], 8],
      [[10, 7, 9, 8], 9],
    ])) {
      const joined = of(...all);
      assert.deepEqual(
        joined?.rows.map(({ nullUs }) => nullUs),
        [middle],
      );
      assert.equal(joined?.timer?.nowNs, middle);
      const costs = all.map((costUs) => /** @type {any} */ ({ costUs }));
      assert.equal(joinedWakeUp([null, ...costs, undefined])?.costUs, middle);
    }
    assert.equal(joinedControls([]), undefined);
    assert.equal(joinedControls([controlsOf([rowOf()])])?.timer, null);
    assert.equal(joinedWakeUp([null, undefined]), null);
  });

  it('flags a cell that is hardly slower than it, which a planned rate never is', () => {
    const controls = controlsOf([rowOf()]);
    // 2 µs each are 500,000 a second.
    const limit = 500_000 / MIN_LEAD_OF_NULL;
    const codesAt = (/** @type {number | null} */ perSecond, of = cell) =>
      harnessFlags(of, perSecond, controls).map(({ code }) => code);
    assert.deepEqual(codesAt(limit), []);
    assert.deepEqual(codesAt(limit * 1.01), ['harness-limited']);
    assert.deepEqual(harnessFlags(cell, 250_000, controls), [{ code: 'harness-limited', lead: 2 }]);
    assert.deepEqual(codesAt(null), []);
    assert.deepEqual(codesAt(limit * 2, { ...cell, ratePerSecond: 5 }), []);
    assert.deepEqual(harnessFlags(cell, limit * 2, undefined), []);
  });
});

describe('the share of codec and harness', () => {
  const shareOf = (/** @type {typeof outcome.cpuUsPerOperation} */ cpuUsPerOperation) =>
    harnessShare({ ...outcome, cpuUsPerOperation }, controlsOf([rowOf()]));

  it('is at most 1, and unknown without CPU time', () => {
    assert.equal(shareOf({ master: 3, workers: 5, broker: null }), 0.25);
    assert.equal(shareOf({ master: 1, workers: 0.5, broker: null }), 1);
    assert.equal(shareOf({ master: 0, workers: 0, broker: null }), null);
    assert.equal(shareOf({ master: null, workers: null, broker: null }), null);
  });

  it('is a finding from a tenth on', () => {
    const results = buildResults({ series: ['unix/json'], payloads: [10] });
    const [row] = measuredOf(results);
    row.flags.push({ code: 'harness-limited' });
    const codecUs = { estimate: 0, low: 0, high: 0 };
    const isSaidOf = (/** @type {number} */ share) => {
      const nullUs = share * Number(cpuUsInAll(row.cpuUsPerOperation));
      results.controls = controlsOf([rowOf({ nullUs, codecUs, checkUs: 0 })]);
      return findingsIn(results).some(({ kind }) => kind === 'harness');
    };
    assert.deepEqual([0.099, 0.101].map(isSaidOf), [false, true]);
  });
});

describe('a control that is not reliable', () => {
  const reliable = rowOf({ spread: 0.2 });
  const isKnown = (/** @type {object} */ row) => {
    const controls = controlsOf([row]);
    return [
      harnessShare(outcome, controls) !== null,
      netCpuUs(outcome, controls) !== null,
      harnessFlags(cell, 500_000, controls).length > 0,
    ];
  };

  it('gives no share, no remainder and no flag', () => {
    for (const row of [reliable, rowOf()]) assert.deepEqual(isKnown(row), [true, true, true]);
    for (const doubtful of [{ spread: 0.21 }, { nullUs: 1.4, spread: 0 }, { nullUs: 1.4 }])
      assert.deepEqual(isKnown(rowOf(doubtful)), [false, false, false], JSON.stringify(doubtful));
  });

  it('is in no sentence', () => {
    const results = buildResults({ series: ['unix/json'], payloads: [10], launches: 8 });
    const [row] = measuredOf(results);
    row.flags.push({ code: 'harness-limited' });
    const textWith = (/** @type {object} */ control) => {
      results.controls = controlsOf([{ ...control, checkUs: 0.1 }]);
      return makeNotes(results).join(' ');
    };
    const nullUs = Number(cpuUsInAll(row.cpuUsPerOperation)) / 2;
    assert.match(textWith(rowOf({ nullUs, spread: 0.1 })), /Codec and harness .*json alone/);
    assert.doesNotMatch(textWith(rowOf({ nullUs, spread: 0.3 })), /Codec and harness|json alone/);
  });
});

describe('the CPU time of an operation', () => {
  it('is that of all processes, in the kernel as well', () => {
    const costs = /** @type {any} */ ([
      { userUs: 10, systemUs: 20 },
      { userUs: 30, systemUs: 0 },
    ]);
    assert.equal(totalCpuUs({ costs, operations: 4 }), 15);
    assert.equal(cpuUsInAll({ workers: 1, master: 2, broker: null }), 3);
    assert.equal(cpuUsInAll({ workers: null, master: null, broker: null }), null);
  });

  it('is no cost of what never sleeps', () => {
    const launch = outcome.launches[0];
    const is = (/** @type {object} */ ofCell, /** @type {object} */ ofLaunch) =>
      hasCpuCost({ cell: { ...cell, ...ofCell }, launches: [launch, { ...launch, ...ofLaunch }] });
    assert.equal(is({}, {}), true);
    assert.equal(is({ poll: 'busy' }, {}), false);
    assert.equal(is({}, { isSpinning: true }), false);
    assert.equal(is({}, { open: { pacing: 'spin' } }), false);
    assert.equal(is({}, { open: { pacing: 'timer' } }), true);
  });

  it('returns the CPU time without the codec with the uncertainty of both', () => {
    const controls = controlsOf([rowOf()]);
    const net = netCpuUs(outcome, controls);
    const whole = Number(cpuUsInAll(outcome.cpuUsPerOperation));
    assert.ok(net);
    assert.equal(net.wholeUs, whole);
    assert.ok(Math.abs(net.us - (whole - 1.5)) < 1e-9);
    assert.ok(net.halfWidthUs > 0.5);
    const exact = netCpuUs(outcome, controlsOf([rowOf({ codecUs: { estimate: 1.5, low: 1.5, high: 1.5 } })]));
    assert.ok(Math.abs(Number(exact?.halfWidthUs) ** 2 + 0.25 - net.halfWidthUs ** 2) < 1e-9);
    const { low, high } = estimateTypical(outcome.launches.map(totalCpuUs));
    const reach = Number(exact?.halfWidthUs) + 1e-9;
    assert.ok(whole - reach <= low && high <= whole + reach, 'the interval of the launches is within');
    assert.equal(netCpuUs(outcome, undefined), null);
    assert.equal(
      netCpuUs({ ...outcome, cell: { ...cell, poll: 'busy' } }, controlsOf([rowOf({ poll: 'busy' })])),
      null,
    );
    const cheap = outcome.launches.map((launch) => {
      const [cost] = launch.costs;
      return { ...launch, costs: [{ ...cost, userUs: 0.4 * launch.operations, systemUs: 0 }] };
    });
    assert.ok(netCpuUs({ ...outcome, launches: cheap }, controls), 'half a microsecond is a cost');
    const idle = outcome.launches.map((launch) => ({ ...launch, costs: [] }));
    assert.equal(netCpuUs({ ...outcome, launches: idle }, controls), null);
  });
});
