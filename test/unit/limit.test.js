// `run --rate --slo`: whether each row meets the limit, and the exit code of that.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evaluateLimit } from '../../lib/report/compare/gate.js';
import { buildResults } from '../fixtures/build-results.js';

/** @import { MeasuredOutcome, Slo } from '../../lib/types/index.js' */

const RATES = [2_000];
const results = buildResults({ series: ['unix', 'zeromq'], rates: RATES });

/** @param {number} us @param {Partial<Slo>} [slo] @param {number[]} [ratesPerSecond] @param {typeof results} [of] */
function limitedTo(us, slo = {}, ratesPerSecond = RATES, of = results) {
  const open = { ratesPerSecond, arrivals: /** @type {const} */ ('fixed') };
  /** @type {Slo} */
  const limit = { percentile: 'p99', us, ...slo };
  return evaluateLimit({ ...of, options: { ...of.options, open: { ...open, slo: limit } } });
}

/** @param {string} transport */
function p99Of(transport) {
  const found = results.outcomes.find(({ cell }) => cell.transport === transport);
  const p99 = /** @type {MeasuredOutcome} */ (found).open?.responseUs.perLaunch.p99;
  assert.ok(p99);
  return p99;
}

describe('a limit of response time at a fixed rate', () => {
  it('meets the limit if the whole interval is below it', () => {
    const { exitCode, lines } = limitedTo(1e6);
    assert.equal(exitCode, 0);
    assert.equal(lines.length, 1);
    assert.match(
      lines[0],
      /^Meets p99<1s: unix\/json at 2,000\/s, \d.* µs \(.*\); zeromq\/json at 2,000\/s, .*\.$/,
    );
  });

  it('exceeds the limit if the whole interval is at or above it, with exit code 4', () => {
    const { exitCode, lines } = limitedTo(1);
    assert.equal(exitCode, 4);
    assert.match(lines[0], /^Exceeds p99<1us: unix/);
    assert.equal(lines.at(-1), 'Failed with exit code 4: --slo p99<1us, and 2 of 2 rows exceed it.');
  });

  it('returns the exit code of the worst row', () => {
    const between = Math.round((p99Of('unix').high + p99Of('zeromq').low) / 2);
    const { exitCode, lines } = limitedTo(between);
    assert.equal(exitCode, 4);
    assert.deepEqual(
      lines.map((line) => line.split(' ')[0]),
      ['Exceeds', 'Meets', 'Failed'],
    );
  });

  it('is undecided if the limit is within the interval, with exit code 5', () => {
    const { low, high } = p99Of('unix');
    assert.ok(low < high);
    const { exitCode, lines } = limitedTo((low + high) / 2);
    const isBeyondOther = p99Of('zeromq').low >= (low + high) / 2;
    assert.equal(exitCode, isBeyondOther ? 4 : 5);
    assert.ok(lines.some((line) => line.startsWith('Unclear whether it meets')));
  });

  it('is not met if an end of the interval is the limit', () => {
    const firstAt = (/** @type {number} */ us) =>
      limitedTo(us, {}, RATES, { ...results, outcomes: results.outcomes.slice(0, 1) }).exitCode;
    const { low, high } = p99Of('unix');
    assert.deepEqual([low, high, high * 1.001].map(firstAt), [4, 5, 0]);
  });

  it('is undecided on a disturbed machine, unless every response or blocked time of the master exceeds the limit', () => {
    const exitWith = (
      /** @type {(launch: any) => void} */ change,
      { code = 'crowded', min = 0.5, percentile = /** @type {Slo['percentile']} */ ('p99') } = {},
    ) => {
      const copy = structuredClone(results);
      for (const outcome of /** @type {any[]} */ (copy.outcomes)) {
        outcome.flags = [{ code }];
        outcome.open.responseUs.min = min;
        outcome.launches.forEach(change);
      }
      return limitedTo(1, { percentile }, RATES, copy).exitCode;
    };
    const unchanged = () => {};
    assert.equal(exitWith(unchanged), 5);
    assert.equal(exitWith(unchanged, { code: 'bottleneck' }), 4);
    assert.equal(exitWith(unchanged, { min: 1 }), 4);
    // Half of the requests that are due while the master is blocked wait for half of the block or longer.
    const blocked =
      (/** @type {number} */ longestMs, /** @type {number} */ share, isFirstFree = false) =>
      (/** @type {any} */ launch) => {
        if (launch.group > 0 || !isFirstFree) launch.blockedMaster = { longestMs, share };
      };
    for (const [percentile, share] of /** @type {const} */ ([
      ['p50', 1],
      ['p90', 0.2],
      ['p99', 0.02],
      ['p999', 0.002],
    ])) {
      assert.equal(exitWith(blocked(0.002, share), { percentile }), 4, percentile);
      assert.equal(exitWith(blocked(0.0019, share), { percentile }), 5, percentile);
      assert.equal(exitWith(blocked(0.002, 0.95 * share), { percentile }), 5, percentile);
    }
    assert.equal(exitWith(blocked(300, 0.3, true)), 5);
  });

  it('is undecided at a rate that was not kept on a disturbed machine, and exceeded otherwise', () => {
    const exitWith = (/** @type {string[]} */ codes) => {
      const copy = structuredClone(results);
      for (const outcome of /** @type {any[]} */ (copy.outcomes))
        outcome.flags = codes.map((code) => ({ code }));
      return limitedTo(1e6, {}, RATES, copy).exitCode;
    };
    assert.deepEqual([exitWith(['generator-limited']), exitWith(['generator-limited', 'crowded'])], [4, 5]);
  });

  it('exceeds the limit by more than a slower CPU explains', () => {
    const exitAt = (/** @type {number} */ us, /** @type {object} */ noise = { spinRatio: 1.5 }) => {
      const copy = structuredClone(results);
      for (const outcome of /** @type {any[]} */ (copy.outcomes)) {
        outcome.flags = [{ code: 'frequency' }];
        outcome.open.responseUs.min = 0.5;
        for (const launch of outcome.launches) launch.noise = noise;
      }
      return limitedTo(us, {}, RATES, copy).exitCode;
    };
    const lows = [p99Of('unix').low, p99Of('zeromq').low];
    assert.equal(exitAt(Math.min(...lows) / 2), 4);
    assert.equal(exitAt(Math.max(...lows) / 1.2), 5);
    assert.equal(exitAt(Math.max(...lows) / 1.2, {}), 4, 'by how much is unknown');
  });

  it('is undecided with too few responses, or if those that are missing may exceed the limit', () => {
    const decided = (/** @type {(responseUs: any) => void} */ change, /** @type {number} */ us) => {
      const copy = structuredClone(results);
      for (const { open } of /** @type {any[]} */ (copy.outcomes)) change(open.responseUs);
      return limitedTo(us, {}, RATES, copy).exitCode;
    };
    const few = (/** @type {any} */ responseUs) =>
      Object.assign(responseUs, { p99: null, perLaunch: { ...responseUs.perLaunch, p99: null } });
    assert.equal(decided(few, 1e6), 5);
    const missing = (/** @type {any} */ responseUs) =>
      Object.assign(responseUs.perLaunch, { atLeast: ['p99'] });
    assert.equal(decided(missing, 1e6), 5);
    assert.equal(decided(missing, 1), 4);
  });

  it('is undecided if the launches leave the interval open', () => {
    const unknown = structuredClone(results);
    for (const outcome of unknown.outcomes) {
      const responseUs = /** @type {MeasuredOutcome} */ (outcome).open?.responseUs ?? assert.fail();
      responseUs.min = 0.5; // not every response exceeds the limit
      const { perLaunch } = responseUs;
      const { estimate } = perLaunch.p99 ?? assert.fail();
      perLaunch.p99 = { estimate, low: estimate, high: estimate, level: null, n: 2, method: 'unknown' };
    }
    assert.equal(limitedTo(1e6, {}, RATES, unknown).exitCode, 5);
    assert.equal(limitedTo(1, {}, RATES, unknown).exitCode, 5);
  });

  it('checks nothing without a limit, or if the rate is searched', () => {
    assert.deepEqual(evaluateLimit(results), { exitCode: 0, findings: [], lines: [] });
    assert.deepEqual(limitedTo(1, {}, []), { exitCode: 0, findings: [], lines: [] });
  });
});
