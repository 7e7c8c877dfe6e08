import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { listed } from '../../lib/format/lists.js';
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatMemory,
  formatNumber,
  formatPercent,
  formatRatio,
  formatRatioInterval,
  formatTenthsOfPercent,
  hasRange,
  NOTHING,
  orNothing,
} from '../../lib/format/numbers.js';
import { printable, quoted } from '../../lib/format/printable.js';
import { RESULT_FLAGS } from '../../lib/format/result-flags.js';
import { DISTURBING_SHARE } from '../../lib/machine/noise.js';
import {
  BOTTLENECK_SHARE,
  MAX_RESIDUAL,
  MIN_ACHIEVED,
  MIN_LEAD_OF_NULL,
  MIN_SAMPLES,
} from '../../lib/results/thresholds.js';

const RUNS = { seed: 1, numRuns: 500 };
const positive = fc.double({ min: 1e-6, max: 1e12, noNaN: true });

/**
 * @param {number} estimate
 * @param {number} low
 * @param {number} high
 * @param {number | null} [level]
 * @returns {import('../../lib/types/launches.js').Estimate}
 */
function estimateOf(estimate, low, high, level = 0.95) {
  return { estimate, low, high, level, n: 6, method: level === null ? 'range' : 'signed-rank' };
}

/** @param {string} text @returns {number[]} the numbers in it */
function numbersIn(text) {
  return [...text.matchAll(/[\d,]+(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')));
}

describe('numbers', () => {
  it('shows three significant digits with separated thousands', () => {
    const examples = /** @type {[number, string][]} */ ([
      [13024, '13,000'],
      [1234567, '1,230,000'],
      [38.234, '38.2'],
      [999.6, '1,000'],
      [99.96, '100'],
      [5, '5.00'],
      [0.041, '0.0410'],
      [0, '0'],
    ]);
    for (const [value, text] of examples) assert.equal(formatNumber(value), text);
    assert.equal(formatCount(1_000_003), '1,000,003');
    assert.equal(formatCount(12), '12');
  });

  it('rounds to half of the third digit', () => {
    fc.assert(
      fc.property(positive, (value) => {
        const [shown] = numbersIn(formatNumber(value));
        assert.ok(Math.abs(shown - value) <= value * 0.005001, `${value}: ${formatNumber(value)}`);
        assert.match(formatNumber(value), /^(\d{1,3}(,\d{3})*|\d{1,3})(\.\d+)?$/);
      }),
      RUNS,
    );
  });

  it('shows an interval with the digits of its estimate', () => {
    assert.equal(formatInterval(estimateOf(13024, 12640, 13380)), '13,000 (12,600–13,400)');
    assert.equal(formatInterval(estimateOf(13024, 950, 40000)), '13,000 (1,000–40,000)');
    assert.equal(formatRatioInterval(estimateOf(1.6213, 1.551, 1.698)), '1.62× (1.55–1.70)');
    assert.equal(formatRatioInterval(estimateOf(0.962, 0.9, 1.03)), '0.96× (0.90–1.03)');
    assert.equal(formatRatioInterval(estimateOf(12.345, 11, 13)), '12.3× (11.0–13.0)');
    assert.equal(formatRatioInterval(estimateOf(0.0432, 0.04, 0.05)), '0.043× (0.040–0.050)');
    assert.equal(formatRatio(1.6213), '1.62×');
  });

  it('shows more digits if an interval would look as if it had no width', () => {
    assert.equal(formatInterval(estimateOf(69012, 68990, 69040)), '69,010 (68,990–69,040)');
    assert.equal(formatRatioInterval(estimateOf(1.004, 1.001, 1.008)), '1.004× (1.001–1.008)');
  });

  it('shows the range of too few launches in brackets', () => {
    assert.equal(formatInterval(estimateOf(13024, 12640, 13380, null)), '13,000 [12,600–13,400]');
    assert.equal(formatRatioInterval(estimateOf(1, 1, 1, null)), '1.00× [1.00–1.00]');
  });

  it('shows no range of a single launch', () => {
    const once = { ...estimateOf(13024, 13024, 13024, null), n: 1 };
    assert.equal(formatInterval(once), '13,000');
    assert.equal(formatRatioInterval({ ...once, estimate: 1.6213 }), '1.62×');
    assert.deepEqual([hasRange(once), hasRange({ ...once, n: 2 })], [false, true]);
    assert.equal(formatRatioInterval({ ...estimateOf(1.6213, 1.3, 1.9), n: 1 }), '1.62× (1.30–1.90)');
  });

  it('keeps low, estimate and high in order', () => {
    const three = fc.tuple(positive, positive, positive);
    fc.assert(
      fc.property(three, (values) => {
        const [low, estimate, high] = values.toSorted((left, right) => left - right);
        for (const format of [formatInterval, formatRatioInterval]) {
          const [middle, from, to] = numbersIn(format(estimateOf(estimate, low, high)));
          assert.ok(from <= middle && middle <= to, format(estimateOf(estimate, low, high)));
        }
      }),
      RUNS,
    );
  });

  it('shows exact sizes exactly and measured ones rounded', () => {
    assert.deepEqual([1, 1000, 1024, 65_536, 65_537, 100_000, 2 ** 20, 16 * 2 ** 20].map(formatBytes), [
      '1 B',
      '1,000 B',
      '1 KiB',
      '64 KiB',
      '65,537 B',
      '100,000 B',
      '1 MiB',
      '16 MiB',
    ]);
    assert.deepEqual([0, 900, 1000, 190_840_832, 1_073_000_000, 2 ** 30].map(formatMemory), [
      '0 B',
      '900 B',
      '0.977 KiB',
      '182 MiB',
      '0.999 GiB',
      '1.00 GiB',
    ]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (bytes) => {
        const [number, unit] = formatBytes(bytes).split(' ');
        const factor = 1024 ** ['B', 'KiB', 'MiB', 'GiB', 'TiB'].indexOf(unit);
        assert.equal(numbersIn(number)[0] * factor, bytes);
      }),
      RUNS,
    );
  });

  it('shows shares in percent', () => {
    assert.equal(formatPercent(0.974), '97 %');
    assert.deepEqual([formatPercent(0.025, 2), formatPercent(0.03456, 2)], ['2.5 %', '3.5 %']);
    assert.deepEqual([0, 0.05, 0.0493].map(formatTenthsOfPercent), ['0.0 %', '5.0 %', '4.9 %']);
    assert.deepEqual(
      [orNothing(null), orNothing(3), orNothing(0.5, formatPercent)],
      [NOTHING, '3.00', '50 %'],
    );
  });
});

describe('numbers below 0', () => {
  it('shows a minus sign, but none for 0', () => {
    assert.equal(formatNumber(-1181), '−1,180');
    assert.equal(formatCount(-0.4), '0');
    assert.equal(formatPercent(-0.031), '−3 %');
    assert.equal(formatPercent(-0.0315, 2), '−3.1 %');
    assert.equal(formatInterval(estimateOf(-0.04, -0.05, -0.03)), '−0.0400 (−0.0500 to −0.0300)');
    assert.equal(formatInterval(estimateOf(0.2, -1.5, 2)), '0.200 (−1.500 to 2.000)');
  });
});

describe('RESULT_FLAGS', () => {
  it('states the threshold of each flag', () => {
    const said = {
      'too-few-samples': MIN_SAMPLES.toLocaleString('en'),
      'little-law': formatPercent(MAX_RESIDUAL),
      bottleneck: formatPercent(BOTTLENECK_SHARE),
      'generator-limited': formatPercent(MIN_ACHIEVED),
      'harness-limited': `${MIN_LEAD_OF_NULL} times`,
      crowded: formatPercent(DISTURBING_SHARE),
    };
    for (const [code, words] of Object.entries(said))
      assert.ok(RESULT_FLAGS[code].summary.includes(` ${words}`), code);
  });
});

describe('listed', () => {
  it('separates items by semicolons if one of them has a comma outside parentheses', () => {
    assert.equal(listed(['a (1, 2)', 'b']), 'a (1, 2), b');
    assert.equal(listed(['a at 100 B, 1x1', 'b at 100 B, 2x4']), 'a at 100 B, 1x1; b at 100 B, 2x4');
    assert.equal(listed(['a, b', 'c', 'd', 'e'], 2), 'a, b; c and 2 more');
  });
});

describe('quoted', () => {
  it('escapes what a terminal would execute or turn around', () => {
    assert.equal(quoted('a\u001b[2Jb\u009b2J\u202e"'), '"a\\u001b[2Jb\\u009b2J\\u202e\\""');
  });
});

describe('printable', () => {
  it('removes control characters that move the cursor, colour, hide or reverse text', () => {
    assert.equal(printable('a\u001b[31mb\u001b[0m\u001b]0;title\u0007c'), 'abc');
    assert.equal(printable('a\nb\r\nc\td'), 'a b c d');
    assert.equal(
      printable('\u0000x\u0008\u007f\u009b2J'),
      printable(printable('\u0000x\u0008\u007f\u009b2J')),
    );
    assert.equal(printable('a\u202eb'), 'a\ufffdb');
  });

  it('returns one line without control characters for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        assert.match(printable(text), /^[^\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e]*$/u);
      }),
      RUNS,
    );
  });
});
