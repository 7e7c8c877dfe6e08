// The live ranking: what is measured so far, as estimates and as lines of text.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rankInterim, rankingLines } from '../../lib/cli/live-ranking.js';
import { modelLaunches } from '../../lib/results/launch-model.js';
import { interimRows } from '../../lib/run/interim.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';

const [{ cell: CELL }] = makeResults({ series: ['pipe/json'] }).outcomes;
const HEADLINE = {
  name: 'roundTripsPerSecond',
  title: 'round trips per second',
  unit: 'per second',
  better: 'higher',
};
const PROGRESS = {
  phase: 'launch',
  block: 0,
  blocks: 3,
  cell: null,
  launchesDone: 0,
  launchesTotal: 15,
  failed: 0,
  elapsedMs: 9_000,
  etaMs: 28_000,
};
const SCREEN = { columns: 80, rows: 24, colour: false, isAscii: false, keys: 'q: end with what is measured' };
// Of slices that differ by a little, the same for each round of all rows.
const WOBBLE = [0, 0.03, -0.02, 0.01, -0.03, 0.02, 0, -0.01];

/**
 * @param {string} transport
 * @param {number} rate
 * @param {number} rounds
 * @param {object} [axes]
 * @param {number} [noise]   times as much as usual
 */
function row(transport, rate, rounds, axes = {}, noise = 1) {
  const operations = Array.from({ length: rounds }, (_, round) =>
    Math.round(rate * 0.08 * (1 + noise * WOBBLE[(round + transport.length) % WOBBLE.length])),
  );
  const slices = {
    rounds: [...operations.keys()],
    operations,
    windowMs: operations.map(() => 80),
    cpuMs: operations.map(() => 100),
  };
  const perSecond = operations.reduce((sum, one) => sum + one, 0) / (0.08 * rounds);
  const launches = rounds === 0 ? [] : [{ block: 0, values: { roundTripsPerSecond: perSecond }, slices }];
  const cell = { ...CELL, transport, ...axes };
  return { cell, variant: null, headline: HEADLINE, launches, hasFailed: false, reference: 0 };
}

/** @param {any[]} rows   the first is the reference of all @param {object} [more] @returns {any} */
function interim(rows, more = {}) {
  const [first, ...others] = rows;
  const step = { kind: 'rounds', done: 4, rounds: 8 };
  const needed = { width: 0.05, clear: 1 };
  return { progress: PROGRESS, step, rows: [{ ...first, reference: null }, ...others], needed, ...more };
}

const USUAL = [
  row('pipe', 50_000, 8),
  row('tcp', 40_000, 8),
  row('unix', 80_000, 8),
  row('http', 500, 8),
  row('fifo', 50_500, 2),
];
const lines = (/** @type {any[]} */ rows, screen = {}, more = {}) =>
  rankingLines(rankInterim(interim(rows, more)), { ...SCREEN, ...screen });
/** @param {string[]} shown @param {string} name @returns {string} */
const lineOf = (shown, name) => String(shown.find((line) => line.slice(2).startsWith(`${name}/json`)));

describe('the rows of the live ranking', () => {
  it('are ranked by their estimates, and those without one come last', () => {
    const [{ rows }] = rankInterim(interim([...USUAL, row('udp', 0, 0)])).tables;
    assert.deepEqual(
      rows.map(({ label }) => label.split('/')[0]),
      ['unix', 'fifo', 'pipe', 'tcp', 'http', 'udp'],
    );
  });

  it('are ranked the other way round where less is better', () => {
    const rows = USUAL.map((one) => ({ ...one, headline: { ...HEADLINE, better: 'lower', unit: 'µs' } }));
    const [{ rows: ranked }] = rankInterim(interim(rows)).tables;
    assert.equal(ranked[0].label, 'http/json');
  });

  it('have the estimates of the model that the results use', () => {
    const rows = interim(USUAL).rows.map((/** @type {any} */ { launches }) => launches);
    const readValue = (/** @type {any} */ { values }) => values.roundTripsPerSecond;
    const model = modelLaunches(rows, readValue, { isRate: true });
    const [{ rows: ranked }] = rankInterim(interim(USUAL)).tables;
    const unix = ranked.find(({ label }) => label === 'unix/json');
    assert.deepEqual(unix?.value, model.valueOf(2));
    assert.deepEqual(unix?.ratio, model.ratioOf(2, 0, 4));
  });

  it('are settled where the difference may be claimed or the ratio is known to 5 %', () => {
    const [{ rows }] = rankInterim(interim(USUAL)).tables;
    const settled = rows.filter(({ isSettled }) => isSettled).map(({ label }) => label);
    assert.ok(settled.includes('unix/json') && settled.includes('http/json'));
    assert.ok(!settled.includes('fifo/json') && !settled.includes('pipe/json'));
  });

  it('are settled by the rule that ends the run: an early look needs clearer differences', () => {
    const labels = (/** @type {number} */ clear) => {
      const needed = { width: 0.001, clear };
      const [{ rows }] = rankInterim(interim([...USUAL, row('udp', 80_000, 8)], { needed })).tables;
      return rows.filter(({ isSettled }) => isSettled).map(({ label }) => label);
    };
    assert.ok(labels(1).includes('udp/json') && labels(1).includes('http/json'));
    assert.ok(!labels(3).includes('udp/json') && labels(3).includes('http/json'));
    assert.deepEqual(labels(Infinity), [], 'a target that the user chose is about widths alone');
  });

  it('are compared with the same row of the first one of two variants', () => {
    const named = (/** @type {any} */ one, /** @type {string} */ variant, reference = null) => ({
      ...one,
      variant,
      reference,
    });
    const rows = [
      named(row('pipe', 50_000, 8), 'A'),
      named(row('unix', 80_000, 8), 'A'),
      named(row('pipe', 50_000, 8), 'B', /** @type {any} */ (0)),
      named(row('unix', 120_000, 8), 'B', /** @type {any} */ (1)),
    ];
    const [table] = rankInterim({ ...interim(rows), rows }).tables;
    assert.equal(table.reference, 'A');
    const ratios = table.rows.map(({ label, ratio }) => [
      label,
      ratio === null ? null : ratio.estimate.toFixed(1),
    ]);
    assert.deepEqual(ratios, [
      ['B unix/json', '1.5'],
      ['A unix/json', null],
      ['A pipe/json', null],
      ['B pipe/json', '1.0'],
    ]);
  });

  it('of several payloads stand in a table each, with their own reference', () => {
    const larger = { payloadBytes: 100_000 };
    const rows = [...USUAL.slice(0, 2), row('pipe', 5_000, 8, larger), row('tcp', 6_000, 8, larger)];
    const told = interim(rows);
    told.rows[2].reference = null;
    told.rows[3].reference = 2;
    const { tables } = rankInterim(told);
    assert.deepEqual(
      tables.map(({ rows: own }) => own.map(({ label }) => label)),
      [
        ['pipe/json', 'tcp/json'],
        ['tcp/json', 'pipe/json'],
      ],
    );
  });
});

describe('the lines of the live ranking', () => {
  it('fit 80 columns with bars, ratios and their intervals', () => {
    const shown = lines(USUAL);
    assert.ok(shown.every((line) => line.length <= 79));
    assert.match(shown[0], /^about 28 s left · block 1\/3 · round 5\/8$/);
    assert.match(shown[1], /round trips per second · ratio to pipe\/json, 95 %$/);
    assert.match(lineOf(shown, 'unix'), /^✓ unix\/json +\d\d,\d00 .*●.* 1\.\d\d× 1\.\d+–1\.\d+$/);
    assert.match(lineOf(shown, 'pipe'), /^ {2}pipe\/json .*● .*1×$/);
    assert.match(
      String(shown.at(-2)),
      /^\d of 4 settled \(✓: differs by 2 % or more, or is known to ±5 %\)$/,
    );
    assert.equal(shown.at(-1), SCREEN.keys);
  });

  it('have bars that get shorter with the rounds, and the mark of the reference', () => {
    const shownAfter = (/** @type {number} */ rounds) =>
      lines(['pipe', 'tcp', 'unix'].map((name, place) => row(name, 40_000 + 9_000 * place, rounds, {}, 6)));
    const lengthOf = (/** @type {string[]} */ shown) =>
      (/[├─●┤]{2,}/.exec(lineOf(shown, 'unix')) ?? [''])[0].length;
    const [early, late] = [2, 8].map(shownAfter);
    assert.ok(lengthOf(early) > lengthOf(late));
    assert.match(lineOf(lines(USUAL), 'http'), /│/);
  });

  it('are shorter on a narrow terminal: no bar at 44 columns, no ratio at 24, and never too long', () => {
    for (let columns = 1; columns <= 120; columns += 1) {
      const shown = lines(USUAL, { columns });
      const greatest = Math.max(1, columns - 1);
      if (columns >= 24)
        assert.ok(
          shown.every((line) => line.length <= greatest),
          `${columns} columns`,
        );
    }
    assert.match(
      lineOf(lines(USUAL, { columns: 44 }), 'unix'),
      /^✓ unix\/json +\d\d,\d00 +1\.\d\d× 1\.\d+–1\.\d+$/,
    );
    assert.match(lineOf(lines(USUAL, { columns: 24 }), 'unix'), /^✓ unix\/json +\d\d,\d00$/);
  });

  it('shorten a long name before anything is wrapped', () => {
    const long = row('unix', 60_000, 8, {
      settings: { flush: 'tick', noDelay: 'false', mark: 'x'.repeat(60) },
    });
    for (const columns of [80, 40]) {
      const shown = lines([...USUAL, long], { columns });
      assert.ok(shown.every((line) => line.length < columns));
      assert.ok(shown.some((line) => line.includes('unix:flu')));
    }
  });

  it('leave four rows of the terminal free, and count the rows that are not shown', () => {
    const many = Array.from({ length: 30 }, (_, place) => row(`t${place}`, 1_000 * (place + 1), 8));
    const shown = lines(many);
    assert.equal(shown.length, 20);
    assert.ok(shown.includes('  and 15 more'));
    assert.ok(lines(many, { rows: 10 }).length <= 6);
    assert.ok(!lines(USUAL).some((line) => /and \d+ more/.test(line)));
  });

  it('of many tables show the first ones, and count the others', () => {
    const rows = Array.from({ length: 8 }, (_, place) =>
      row('pipe', 1_000, 8, { payloadBytes: 10 ** place }),
    );
    const told = interim(rows);
    for (const one of told.rows) one.reference = null;
    const shown = rankingLines(rankInterim(told), SCREEN);
    assert.ok(shown.length <= 20);
    assert.ok(shown.some((line) => /and \d more tables/.test(line)));
  });

  it('are plain without colours, and have nothing but ASCII where the terminal may have no more', () => {
    assert.ok(lines(USUAL).every((line) => !line.includes('\u001b')));
    assert.ok(lines(USUAL, { colour: true }).some((line) => line.includes('\u001b[1m')));
    const ascii = lines(USUAL, { isAscii: true });
    assert.ok(ascii.every((line) => /^[ -~]*$/.test(line)));
    assert.match(lineOf(ascii, 'unix'), /^\* unix\/json .*o.* 1\.\d\dx 1\.\d+-1\.\d+$/);
  });

  it('say what the run does before there is anything to rank', () => {
    const rows = ['pipe', 'unix'].map((name) => row(name, 0, 0));
    const step = { kind: 'warm-up', cell: { ...CELL, transport: 'unix' } };
    const shown = lines(rows, {}, { step, progress: { ...PROGRESS, etaMs: null, failed: 1 } });
    assert.equal(shown[0], '9 s so far · block 1/3 · warms up unix/json · 1 failed');
    assert.match(lineOf(shown, 'unix'), /waits$/);
    assert.ok(!shown.some((line) => line.includes('settled')));
  });
});

describe('the rows of a run under way', () => {
  const results = makeResults({ series: ['pipe/json', 'unix/json', 'tcp/json'], launches: 2 });
  const slices = { rounds: [0, 1], operations: [300, 100], windowMs: [100, 100], cpuMs: [1, 1] };
  const turnsOf = (/** @type {object | null} */ sliced) => ({ block: 2, turns: { sliced: () => sliced } });

  /** @param {object} own   of the entry of unix @param {Partial<typeof results>} [of] */
  function rowsWith(own, of = {}) {
    const side = { results: { ...results, ...of }, reference: 'pipe/json' };
    const entries = measuredOf(results).map(({ cell, launches }) => ({
      side,
      cell,
      launches: [...launches],
    }));
    Object.assign(entries[1], own);
    return interimRows(
      /** @type {any} */ ([side]),
      /** @type {any} */ (entries),
      /** @type {any} */ (entries),
    );
  }

  it('are compared with the row of the reference, which is compared with nothing', () => {
    const rows = rowsWith({});
    assert.deepEqual(
      rows.map(({ reference, variant, hasFailed, launches }) => [
        reference,
        variant,
        hasFailed,
        launches.length,
      ]),
      [
        [null, null, false, 2],
        [0, null, false, 2],
        [0, null, false, 2],
      ],
    );
  });

  it('have the launch under way by its slices, in the measure of those that have ended', () => {
    const [, { launches: plain }] = rowsWith({ underWay: turnsOf(slices) });
    assert.deepEqual(plain.at(-1), { block: 2, slices, values: { roundTripsPerSecond: 2_000 } });
    const ended = measuredOf(results)[1].launches.map((launch) => ({
      ...launch,
      slices,
      values: { roundTripsPerSecond: 6_000 },
    }));
    const [, { launches: scaled }] = rowsWith({ launches: ended, underWay: turnsOf(slices) });
    assert.equal(scaled.at(-1)?.values.roundTripsPerSecond, 6_000, 'each operation counts three times');
    const idle = { ...slices, operations: [0, 0] };
    const [, { launches: none }] = rowsWith({ underWay: turnsOf(idle) });
    assert.equal(none.at(-1)?.values.roundTripsPerSecond, 5, 'one operation at least');
  });

  it('do not have it before a slice counts, nor where slices do not tell the headline', () => {
    assert.equal(rowsWith({ underWay: turnsOf(null) })[1].launches.length, 2);
    const scenarios = structuredClone(results.scenarios);
    Object.assign(scenarios['round-trip'].measures[0], { unit: 'µs' });
    assert.equal(rowsWith({ underWay: turnsOf(slices) }, { scenarios })[1].launches.length, 2);
  });

  it('tell that a launch has failed', () => {
    const failed = { status: 'failed', block: 0 };
    const [, row] = rowsWith({ launches: [failed, ...measuredOf(results)[1].launches.slice(1)] });
    assert.deepEqual([row.hasFailed, row.launches.length], [true, 1]);
  });
});
