import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConfig } from '../../lib/options/print-config.js';
import { resolved } from '../fixtures/resolved.js';

/** @param {Record<string, unknown>} argv */
const openOf = (argv) => resolved(argv).options.open;
/** @param {Record<string, unknown>} argv @param {RegExp} message */
const refuses = (argv, message) => assert.throws(() => resolved(argv), { code: 'BAD_ARGUMENT', message });

describe('open load', () => {
  it('is off unless it is asked for', () => {
    assert.equal('open' in resolved({}).options, false);
  });

  it('takes rates as a list and as ranges, each once', () => {
    const { ratesPerSecond } = /** @type {any} */ (openOf({ rate: '1k,5k,1k..8k*2' }));
    assert.deepEqual(ratesPerSecond, [1_000, 5_000, 2_000, 4_000, 8_000]);
  });

  it('sends at fixed intervals and catches up unless told otherwise', () => {
    assert.deepEqual(openOf({ rate: '10' }), {
      ratesPerSecond: [10],
      arrivals: 'fixed',
      catchesUp: true,
      slo: null,
    });
    const other = openOf({ rate: '10', arrivals: 'poisson', catchup: false });
    assert.deepEqual([other?.arrivals, other?.catchesUp], ['poisson', false]);
  });

  it('searches for its rate with --sweep and Poisson arrivals, so that p99 stays below 5 ms or what --slo says', () => {
    const sweep = { ratesPerSecond: [], arrivals: 'poisson', catchesUp: true, maxTimeMs: 120_000 };
    assert.deepEqual(openOf({ sweep: true }), { ...sweep, slo: { percentile: 'p99', us: 5_000 } });
    for (const [text, percentile, us] of /** @type {[string, string, number][]} */ ([
      ['p50<500us', 'p50', 500],
      ['p99.9 < 1s', 'p999', 1e6],
      ['p90<0.5ms', 'p90', 500],
    ])) {
      assert.deepEqual(openOf({ sweep: true, slo: text })?.slo, { percentile, us });
    }
  });

  it('takes --max-time of a sweep for the time of each cell, and launches no more than is said', () => {
    for (const [text, ms] of /** @type {[string, number][]} */ ([
      ['30s', 30_000],
      ['5m', 300_000],
      ['1h', 3_600_000],
    ])) {
      const { options } = resolved({ sweep: true, 'max-time': text });
      assert.deepEqual([options.open?.maxTimeMs, options.stop], [ms, undefined]);
    }
    const { options } = resolved({ sweep: true }, { IPC_BENCH_MAX_TIME: '40s' });
    assert.equal(options.open?.maxTimeMs, 40_000);
    assert.equal(resolved({ sweep: false, 'max-time': '30s' }).options.stop?.maxTimeMs, 30_000);
    refuses({ sweep: true, 'max-time': '0s' }, /^--max-time: .* out of range/);
    refuses({ sweep: true, 'max-time': 'soon' }, /^--max-time: .* is not a time/);
    refuses({ sweep: true, 'target-error': '2%' }, /contradicts --target-error/);
    refuses({ rate: '1k', 'max-time': '30s' }, /contradicts --max-time/);
  });

  it('refuses what would change nothing, contradicts itself or is no limit', () => {
    refuses({ arrivals: 'poisson' }, /^--arrivals: is for open load only; add --rate N or --sweep$/);
    refuses({ catchup: false }, /^--catchup: is for open load only/);
    assert.deepEqual(resolved({ rate: '1k', slo: 'p90<7ms' }).options.open?.slo, {
      percentile: 'p90',
      us: 7e3,
    });
    assert.equal(resolved({ rate: '1k' }).options.open?.slo, null);
    refuses({ slo: 'p99<5ms' }, /^--slo: is for open load only; add --rate N or --sweep$/);
    refuses({ rate: '1k', sweep: true }, /contradicts --sweep/);
    refuses({ rate: '1k', messages: '5' }, /contradicts --rate/);
    refuses({ sweep: true, messages: '5' }, /contradicts --sweep/);
    refuses({ rate: '0' }, /out of range/);
    refuses({ rate: '10000001' }, /out of range/);
    assert.deepEqual(openOf({ rate: '10000000' })?.ratesPerSecond, [10_000_000]);
    refuses({ rate: '1k', arrivals: 'bursts' }, /not one of fixed, poisson/);
    for (const slo of ['5ms', 'p95<5ms', 'p99<5', 'p99<5kg', 'p99>5ms', '__proto__<5ms', 'p99<0.5us']) {
      refuses({ sweep: true, slo }, /^--slo: /);
    }
  });

  it('is told apart from a target of precision, which goes from 0.1 to 100 %', () => {
    for (const [text, share] of /** @type {const} */ ([
      ['0.1%', 0.001],
      ['100%', 1],
    ]))
      assert.equal(resolved({ 'target-error': text }).options.stop?.targetError, share);
    for (const text of ['0.09%', '100.1%', '0'])
      refuses({ 'target-error': text }, /is not a share from 0\.1 to 100 %/);
  });

  it('comes out of --print-config as it went in', () => {
    for (const argv of [
      { rate: '1k,2k', arrivals: 'poisson', catchup: false },
      { sweep: true, slo: 'p99.9<1500us' },
      { sweep: true, slo: 'p50<2s', arrivals: 'fixed', 'max-time': '90s' },
    ]) {
      const first = resolved(argv);
      const { rate, sweep, slo, arrivals, catchup, 'max-time': maxTime } = first.config;
      const again = Object.fromEntries(
        Object.entries({ rate, sweep, slo, arrivals, catchup, 'max-time': maxTime }).filter(
          ([, value]) => value !== undefined,
        ),
      );
      assert.deepEqual(openOf(again), first.options.open);
    }
  });

  it('has no time in --print-config where a sweep was saved before it had one', () => {
    const { options } = resolved({ sweep: true });
    const { maxTimeMs: _, ...open } = /** @type {any} */ (options.open);
    assert.equal(toConfig({ ...options, open }, new Set())['max-time'], undefined);
  });
});
