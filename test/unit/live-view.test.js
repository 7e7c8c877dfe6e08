// The live view: which rows it ranks, what it draws, where it is shown, and how it ends.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { canShowLive, createLiveView, liveLines } from '../../lib/cli/live-view.js';
import { modelLaunches } from '../../lib/results/launch-model.js';
import { interimTables } from '../../lib/run/interim.js';
import { buildResults } from '../fixtures/build-results.js';

const [{ cell: CELL }] = buildResults({ series: ['pipe/json'] }).outcomes;
const HEADLINE = {
  name: 'roundTripsPerSecond',
  title: 'round trips per second',
  unit: 'per second',
  better: 'higher',
};
const PROGRESS = {
  phase: 'launch',
  repetition: 0,
  repetitions: 3,
  cell: null,
  launchesDone: 0,
  launchesTotal: 15,
  failed: 0,
  elapsedMs: 9_000,
  etaMs: 28_000,
};
const ROUND = { kind: 'rounds', done: 4, rounds: 8 };
const NEEDED = { width: 0.05, clear: 1 };
// Small differences between slices, the same in each round for all rows.
const WOBBLE = [0, 0.03, -0.02, 0.01, -0.03, 0.02, 0, -0.01];

/** @param {number} rate @param {number} rounds */
function slicesOf(rate, rounds, shift = 0) {
  const operations = Array.from({ length: rounds }, (_, round) =>
    Math.round(rate * 0.08 * (1 + WOBBLE[(round + shift) % WOBBLE.length])),
  );
  const perRound = (/** @type {number} */ value) => operations.map(() => value);
  return { rounds: [...operations.keys()], operations, windowMs: perRound(80), cpuMs: perRound(100) };
}

/**
 * @param {string} transport
 * @param {number} rate
 * @param {object} [how]
 * @param {number} [how.rounds]   of the launch under way
 * @param {object} [how.axes]
 * @param {any[]} [how.launches]  that have ended
 */
function entry(transport, rate, { rounds = 8, axes = {}, launches = [] } = {}) {
  const sliced = { copySlices: () => (rounds === 0 ? null : slicesOf(rate, rounds, transport.length)) };
  return { cell: { ...CELL, transport, ...axes }, launches, underWay: { group: 0, sliced } };
}

/** @param {any[]} entries @param {{ headline?: object, needed?: object, variants?: string[] }} [how] @returns {any[]} */
function tablesOf(entries, { headline = HEADLINE, needed = NEEDED, variants = [] } = {}) {
  const sides = [undefined, ...variants.slice(1)].map((_, index) => ({
    reference: 'pipe/json',
    results: {
      scenarios: { 'round-trip': { measures: [headline] } },
      ...(variants.length > 0 && { variant: { name: variants[index] } }),
    },
  }));
  const all = entries.map((one) => ({
    side: sides[0],
    ...one,
    ...(one.variant && { side: sides[one.variant] }),
  }));
  return interimTables(/** @type {any} */ (sides), all, all, /** @type {any} */ (needed));
}

const USUAL = [
  entry('pipe', 50_000),
  entry('tcp', 40_000),
  entry('unix', 80_000),
  entry('http', 500),
  entry('fifo', 50_500, { rounds: 2 }),
];
const labels = (/** @type {any} */ { rows }) =>
  rows.map((/** @type {any} */ { label }) => label.replace('/json', ''));
const settled = (/** @type {any} */ table) =>
  labels({ rows: table.rows.filter((/** @type {any} */ row) => row.isSettled) });

describe('interimTables', () => {
  it('ranks rows by their estimates, and those without one last', () => {
    const [table] = tablesOf([...USUAL, entry('udp', 0, { rounds: 0 })]);
    assert.deepEqual(labels(table), ['unix', 'fifo', 'pipe', 'tcp', 'http', 'udp']);
    assert.equal(table.rows.at(-1).value, null);
  });

  it('ranks the least first where less is better', () => {
    const headline = { ...HEADLINE, unit: 'µs', better: 'lower' };
    const ended = (/** @type {string} */ name, /** @type {number} */ us) =>
      entry(name, 1, {
        launches: [
          { group: 0, status: 'measured', operations: 1, windowMs: 1, values: { roundTripsPerSecond: us } },
        ],
      });
    const [table] = tablesOf([ended('pipe', 20), ended('unix', 10), entry('udp', 1)], { headline });
    assert.deepEqual(labels(table), ['unix', 'pipe', 'udp'], 'slices do not tell a time');
  });

  it('estimates by the model of the results', () => {
    const launches = USUAL.map(({ underWay }) => {
      const slices = /** @type {any} */ (underWay.sliced.copySlices());
      const sum = slices.operations.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
      return [{ group: 0, slices, values: { rate: sum / (0.08 * slices.rounds.length) } }];
    });
    const model = modelLaunches(/** @type {any} */ (launches), ({ values }) => Number(values.rate), {
      isRate: true,
    });
    const [{ rows }] = tablesOf(USUAL);
    assert.deepEqual([rows[0].value, rows[0].ratio], [model.valueOf(2), model.ratioOf(2, 0, 4)]);
  });

  it('counts a launch under way in the measure of those that have ended', () => {
    const slices = { rounds: [0, 1], operations: [202, 198], windowMs: [100, 100], cpuMs: [1, 1] };
    const ended = {
      repetition: 1,
      status: 'measured',
      operations: 400,
      windowMs: 200,
      slices,
      values: { roundTripsPerSecond: 6_000 },
    };
    const sliced = { copySlices: () => slices };
    const one = { ...entry('pipe', 1, { launches: [ended] }), underWay: { group: 2, sliced } };
    const [{ rows }] = tablesOf([one]);
    assert.equal(Math.round(rows[0].value.estimate), 6_000, 'each operation counts three times');
    assert.equal(rows[0].value.n, 2);
  });

  it('settles rows by the rule that ends the run', () => {
    const [table] = tablesOf(USUAL);
    assert.ok(settled(table).includes('unix') && settled(table).includes('http'));
    assert.ok(!settled(table).includes('fifo') && !settled(table).includes('pipe'));
    const at = (/** @type {number} */ clear) =>
      settled(tablesOf(USUAL, { needed: { width: 0.001, clear } })[0]);
    assert.ok(at(1).includes('unix'));
    assert.ok(!at(10).includes('unix'), 'an early look needs clearer differences');
    assert.deepEqual(at(Infinity), [], 'a target that the user chose is about widths alone');
  });

  it('compares two variants row by row', () => {
    const all = [
      entry('pipe', 50_000),
      entry('unix', 80_000),
      { ...entry('pipe', 50_000), variant: 1 },
      { ...entry('unix', 120_000), variant: 1 },
    ];
    const [table] = tablesOf(all, { variants: ['A', 'B'] });
    assert.equal(table.reference, 'A');
    assert.deepEqual(
      table.rows.map((/** @type {any} */ { label, ratio }) => [
        label,
        ratio === null ? null : ratio.estimate.toFixed(1),
      ]),
      [
        ['B unix/json', '1.5'],
        ['A unix/json', null],
        ['A pipe/json', null],
        ['B pipe/json', '1.0'],
      ],
    );
  });

  it('gives each payload a table with its own reference', () => {
    const larger = { axes: { payloadBytes: 100_000 } };
    const tables = tablesOf([
      ...USUAL.slice(0, 2),
      entry('pipe', 5_000, larger),
      entry('tcp', 6_000, larger),
    ]);
    assert.deepEqual(tables.map(labels), [
      ['pipe', 'tcp'],
      ['tcp', 'pipe'],
    ]);
  });

  it('marks a row that has failed', () => {
    const failed = entry('pipe', 1, { rounds: 0, launches: [{ status: 'failed', group: 0 }] });
    const [{ rows }] = tablesOf([failed]);
    assert.deepEqual([rows[0].hasFailed, rows[0].value], [true, null]);
  });
});

/** @param {any[]} tables @param {object} [screen] @param {object} [more] */
const linesOf = (tables, screen, more) =>
  liveLines(/** @type {any} */ ({ progress: PROGRESS, step: ROUND, tables, ...more }), {
    ...{ columns: 80, rows: 24, colour: false },
    ...screen,
  });

describe('liveLines', () => {
  it('shows progress, the table and how to end', () => {
    const lines = linesOf(tablesOf(USUAL));
    assert.equal(lines[0], 'about 28 s left · repetition 1/3 · round 5/8');
    assert.match(lines[1], /round trips per second · ratio to pipe\/json$/);
    assert.match(lines[2], /^✓ unix\/json {3}\d\d,\d00 {2}1\.\d\d× \(1\.\d+–1\.\d+\)$/);
    assert.match(
      String(lines.find((line) => line.includes('pipe/json  '))),
      /^ {2}pipe\/json .* 1× \(reference\)$/,
    );
    assert.deepEqual(lines.slice(-2), ['3 of 4 settled (✓)', 'Ctrl-C: end with what is measured']);
  });

  it('says what the run does before it has a number', () => {
    const tables = tablesOf(['pipe', 'unix'].map((name) => entry(name, 0, { rounds: 0 })));
    const step = { kind: 'warm-up', cell: { ...CELL, transport: 'unix' } };
    const lines = linesOf(tables, {}, { step, progress: { ...PROGRESS, etaMs: null, failed: 1 } });
    assert.equal(lines[0], '9 s so far · repetition 1/3 · warms up unix/json · 1 failed');
    assert.match(String(lines.at(-2)), /unix\/json +–$/);
    assert.match(linesOf(tables, {}, { step: null })[0], /launch 1\/15$/);
    assert.match(linesOf(tables, {}, { step: { ...step, kind: 'start' } })[0], /starts unix\/json$/);
  });

  it('never fills the last column, whatever the width', () => {
    const tables = tablesOf([
      ...USUAL,
      entry('unix', 60_000, { axes: { settings: { mark: 'x'.repeat(99) } } }),
    ]);
    for (const columns of [1, 10, 40, 80, 120])
      for (const line of linesOf(tables, { columns }))
        assert.ok([...line].length <= Math.max(1, columns - 1), line);
  });

  it('leaves four rows of the terminal free, and counts the lines that are not shown', () => {
    const many = tablesOf(Array.from({ length: 30 }, (_, index) => entry(`t${index}`, 1_000 * (index + 1))));
    const lines = linesOf(many);
    assert.equal(lines.length, 20);
    assert.equal(lines.at(-2), '  and 14 more lines');
    assert.ok(linesOf(many, { rows: 10 }).length <= 6);
  });

  it('has colours only where they are wanted', () => {
    const isStyled = (/** @type {boolean} */ colour) =>
      linesOf(tablesOf(USUAL), { colour }).join('').includes('\u001b[1m');
    assert.deepEqual([isStyled(false), isStyled(true)], [false, true]);
  });
});

describe('canShowLive', () => {
  const shown = ({ options = {}, stdout = {}, stderr = {}, environment = {} } = {}) =>
    canShowLive(
      /** @type {any} */ ({ isQuiet: false, ...options }),
      /** @type {any} */ ({
        stdout: { isTTY: true, ...stdout },
        stderr: { isTTY: true, ...stderr },
        environment,
      }),
    );

  it('is true in a terminal', () => {
    assert.equal(shown(), true);
    assert.equal(shown({ environment: { CI: '', TERM: 'xterm', NO_COLOR: '1' } }), true);
  });

  it('is false in a pipe, in CI, on a dumb terminal, with --quiet, beside other runs and under open load', () => {
    for (const one of [
      { stdout: { isTTY: undefined } },
      { stderr: { isTTY: undefined } },
      { environment: { CI: 'true' } },
      { environment: { TERM: 'dumb' } },
      { options: { isQuiet: true } },
      { options: { isRanked: false } },
      { options: { open: {} } },
    ])
      assert.equal(shown(/** @type {any} */ (one)), false, JSON.stringify(one));
  });
});

const INTERIM = /** @type {any} */ ({
  progress: PROGRESS,
  step: ROUND,
  tables: tablesOf([entry('pipe', 0, { rounds: 0 })]),
});

async function view() {
  const state = { text: '' };
  const stream = /** @type {any} */ ({
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (/** @type {string} */ text) => {
      state.text += text;
    },
  });
  const live = await createLiveView({ stream, colour: false });
  const takeText = () => {
    const { text } = state;
    state.text = '';
    return text;
  };
  return { live, takeText };
}

describe('createLiveView', () => {
  it('draws what is reported, and erases it at the end', async () => {
    const { live, takeText } = await view();
    assert.equal(takeText(), '');
    live.onInterim(INTERIM);
    assert.match(stripVTControlCharacters(takeText()), /pipe\/json +–\nCtrl-C: end with what is measured\n/);
    live.end();
    assert.ok(takeText().includes('\u001b[2K'));
    live.onInterim(INTERIM);
    live.end();
    assert.equal(takeText(), '');
  });

  it('ends with the repetitions of the run', async () => {
    const { live, takeText } = await view();
    live.onInterim(INTERIM);
    live.onProgress(/** @type {any} */ ({ phase: 'launch' }));
    takeText();
    live.onProgress(/** @type {any} */ ({ phase: 'end' }));
    assert.ok(takeText().includes('\u001b[2K'));
  });
});
