import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHeadline } from '../../lib/cell/headline.js';
import { cellLabel, seriesLabel } from '../../lib/cell/labels.js';
import { formatRatioInterval } from '../../lib/format/numbers.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { verdictGrids } from '../../lib/report/columns/verdict-grid.js';
import { alongFindings } from '../../lib/report/findings/along-findings.js';
import { groupRows } from '../../lib/report/findings/groups.js';
import { findLeader, judgeIn, notRankedReason } from '../../lib/report/findings/row-verdicts.js';
import { winnersFinding } from '../../lib/report/findings/winner-findings.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { summariseResults } from '../../lib/results/summarise.js';
import { claimDirection } from '../../lib/statistics/verdict.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { SCENARIOS } from '../fixtures/counted.js';

/** @import { MeasuredOutcome, Results } from '../../lib/types/index.js' */

const REFERENCE = 'pipe/json';
/** What disturbs all rows of a group alike. */
const COMMON = [1, 0.7, 1.3, 0.8, 1.25, 0.9, 1.15, 1.05, 0.95, 1.1, 0.85, 1.2];
const JITTER = [1, 1.004, 0.997, 1.002, 0.999, 1.003, 0.998, 1.001, 1.005, 0.996, 1.002, 0.999];

/** @param {number} rate @param {number} groups */
const sharing = (rate, groups) =>
  JITTER.slice(0, groups).map((jitter, group) => rate * jitter * COMMON[group]);
/** @param {number} rate @param {number} groups */
const steady = (rate, groups) => JITTER.slice(0, groups).map((jitter) => rate * jitter);

/**
 * @param {Record<string, number[]>} rates    series → of each launch; the same in all groups
 * @param {Parameters<typeof buildResults>[0]} [recipe]
 * @returns {Results} summarised as a run does it
 */
function resultsOf(rates, recipe = {}) {
  const results = buildResults({
    series: Object.keys(rates),
    launches: Math.max(...Object.values(rates).map(({ length }) => length)),
    ...recipe,
  });
  for (const { cell, launches } of measuredOf(results)) {
    launches.length = rates[seriesLabel(cell)].length;
    for (const launch of launches) launch.values.roundTripsPerSecond = rates[seriesLabel(cell)][launch.group];
  }
  return summarised(results);
}

/** @param {Results} results @returns {Results} with estimates and ratios of its launches */
function summarised(results) {
  const plan = results.outcomes.map(({ cell, ...outcome }) => ({
    cell,
    skip: outcome.status === 'skipped' ? outcome.reason : null,
  }));
  const launches = new Map(measuredOf(results).map((outcome) => [cellLabel(outcome.cell), outcome.launches]));
  const options = { plannedLaunches: 7, quick: results.options.quick, scenarios: SCENARIOS };
  return { ...results, outcomes: summariseResults(plan, launches, REFERENCE, options) };
}

/** @param {Results} results @param {string} series @returns {MeasuredOutcome} */
function rowOf(results, series) {
  const row = measuredOf(results).find(({ cell }) => seriesLabel(cell) === series);
  assert.ok(row, series);
  return row;
}

/** @param {Results} results @param {string} first @param {string} second */
function doIntervalsOverlap(results, first, second) {
  const [one, other] = [first, second].map((series) => readHeadline(rowOf(results, series)));
  return one.low <= other.high && other.low <= one.high;
}

/** Two rows that take turns in being the faster one. */
const restless = () => ({
  'tcp/json': steady(20_000, 12).map((rate, group) => rate * (group % 3 === 0 ? 1.15 : 1)),
  'unix/json': steady(22_000, 12).map((rate, group) => rate * (group % 4 === 1 ? 0.88 : 1)),
});

/** @param {Results} results @returns {{ message: string, alt: string, table: string, grid: string }} what each of them says */
function saidOf(results) {
  const [{ message, altText }] = makeFigures(results);
  const grid = verdictGrids(results).flatMap(({ sections, legend }) => [
    ...sections.flatMap(({ rows }) =>
      rows.map(({ name, cells }) => [name, ...cells.map(({ text }) => text)].join(' ')),
    ),
    legend,
  ]);
  return { message, alt: altText, table: conclusions(results).join('\n'), grid: grid.join('\n') };
}

describe('table, chart and alt text', () => {
  it('calls a row fastest by launches of the same groups, although intervals overlap', () => {
    const results = resultsOf({
      [REFERENCE]: sharing(10_000, 7),
      'tcp/json': sharing(20_000, 7),
      'unix/json': sharing(22_000, 7),
    });
    assert.ok(doIntervalsOverlap(results, 'unix/json', 'tcp/json'));
    const { message, alt, table } = saidOf(results);
    assert.match(message, /^unix\/json is fastest: 2\.\d+× the throughput of pipe\/json \(.*\)$/);
    assert.ok(alt.includes(message));
    assert.match(table, /^unix\/json is fastest at 1,000 B, 2x4: 2\.\d+× /);
    assert.doesNotMatch(table, /No clear difference/i);
  });

  it('finds no clear difference between rows that are faster in turn', () => {
    const results = resultsOf({ [REFERENCE]: steady(10_000, 12), ...restless() });
    const { message, alt, table } = saidOf(results);
    const claim = 'No clear difference between unix/json and tcp/json';
    assert.match(message, new RegExp(`^${claim} \\(0\\.\\d+–1\\.\\d+\\); unix/json: `));
    assert.ok(alt.includes(claim));
    assert.match(table, new RegExp(`^${claim} at 1,000 B, 2x4 \\(0\\.\\d+–1\\.\\d+\\); unix/json: `, 'm'));
  });

  it('calls no row fastest that does not clearly differ from a noisy row farther down', () => {
    const noisy = steady(10_000, 7);
    for (const group of [0, 2, 5]) noisy[group] = 40_000;
    const results = resultsOf({
      [REFERENCE]: noisy,
      'tcp/json': steady(20_000, 7),
      'unix/json': steady(22_000, 7),
    });
    const { message, alt, table } = saidOf(results);
    assert.match(message, /^No clear difference between unix\/json and pipe\/json; /);
    assert.ok(alt.includes(message));
    assert.match(table, /^No clear difference between unix\/json and pipe\/json at 1,000 B, 2x4; /m);
    assert.equal(table.match(/unix\/json and/g)?.length, 1, 'it is said once');
  });

  it('claims nothing of a row whose printed interval begins at 1.00', () => {
    const times = [1.01, 1.03, 1.17, 1.13, 1.02, 1.15];
    const results = resultsOf({
      [REFERENCE]: times.map(() => 10_000),
      'unix/json': times.map((factor) => 10_000 * factor),
    });
    assert.match(formatRatioInterval(rowOf(results, 'unix/json').ratio ?? assert.fail()), /\(1\.00–1\.18\)$/);
    const { message, table } = saidOf(results);
    assert.match(message, /^No clear difference between unix\/json and pipe\/json; /);
    assert.match(
      table,
      /^No clear difference between unix\/json and pipe\/json at 1,000 B, 2x4; .* \(95 % CI 1\.00–1\.18\)\.$/m,
    );
    assert.deepEqual(
      conclusions(results, { isBrief: true }).filter((text) => /more|fastest/i.test(text)),
      [],
    );
    const many = saidOf(
      resultsOf(
        { [REFERENCE]: times.map(() => 10_000), 'unix/json': times.map((each) => 10_000 * each) },
        { payloads: [100, 1_000, 10_000] },
      ),
    );
    assert.match(many.table, /^No clear difference from pipe\/json at any of the 3 payload sizes\.$/m);
    assert.match(many.grid, /^unix\/json(?: \*?· 1\.08×){3}$/m);
    assert.ok(many.alt.startsWith('No clear difference from pipe/json. '), many.alt);
  });

  it('claims a difference from a printed 1.02 or 0.98 on', () => {
    const claims = [1.005, 1.0149, 1.0152, 1.3, 0.995, 0.9852, 0.9848, 0.7].map((end) =>
      claimDirection({
        estimate: end > 1 ? end + 0.1 : end - 0.1,
        low: end > 1 ? end : 0.5,
        high: end > 1 ? 1.5 : end,
      }),
    );
    assert.deepEqual(claims, [0, 0, 1, 1, 0, 0, -1, -1]);
  });

  it('has no verdict for the fault of a row, rather than for an interval that is unknown because of it', () => {
    const [, row] = measuredOf(resultsOf({ [REFERENCE]: steady(10_000, 7), 'unix/json': steady(12_000, 7) }));
    const headline = readHeadline(row);
    Object.assign(headline, { level: null, method: 'unknown' });
    assert.equal(notRankedReason(row)?.code, 'interval-unknown');
    row.flags.push(/** @type {any} */ ({ code: 'cold', launches: 1, of: 7 }));
    assert.equal(notRankedReason(row)?.code, 'cold');
  });

  it('judges threads beside processes, with the interval', () => {
    const wide = steady(8_000, 7);
    [wide[1], wide[4]] = [14_000, 13_000];
    const rates = {
      [REFERENCE]: steady(10_000, 7),
      'threads-message/json': wide,
      'threads-shared/json': steady(20_000, 7),
    };
    const facts = /** @type {any} */ ({ class: 'thread' });
    const threaded = (/** @type {Results} */ results) => ({
      ...results,
      transports: { 'threads-message': facts, 'threads-shared': facts },
    });
    const { message, alt, table } = saidOf(threaded(resultsOf(rates)));
    const said =
      /faster: threads-shared\/json 2\.\d+× \(.*\); no clear difference: threads-message\/json \(0\.\d+–1\.\d+\)/;
    assert.match(
      table,
      new RegExp(
        `^Of another kind \\(threads, not processes\\), compared with pipe/json at 1,000 B, 2x4, ${said.source}\\.$`,
        'm',
      ),
    );
    assert.match(
      message,
      /^Of another kind .* compared with pipe\/json, faster: threads-shared\/json 2\.\d+×; no clear difference: threads-message\/json \(0\.\d+–1\.\d+\)$/,
    );
    assert.ok(alt.includes(message));
    const many = saidOf(threaded(resultsOf(rates, { payloads: [100, 1_000, 10_000] })));
    assert.match(many.grid, /^threads-message\/json(?: · \d\.\d+×){3}$/m);
  });

  it('compares two rows with each other by their plain interval, and more rows by wider ones', () => {
    const widthsOf = (/** @type {Record<string, number[]>} */ rates) => {
      const { ratio } = findLeader(measuredOf(resultsOf(rates)), () => '') ?? assert.fail();
      assert.ok(ratio?.simultaneous);
      return [ratio.high / ratio.low, ratio.simultaneous.high / ratio.simultaneous.low];
    };
    const [plain, together] = widthsOf(restless());
    assert.equal(together, plain);
    const [plainOfThree, togetherOfThree] = widthsOf({ ...restless(), 'unix/string': steady(9_000, 12) });
    assert.ok(togetherOfThree > plainOfThree);
  });

  it('says the opposite of two rows in the other order', () => {
    const measured = measuredOf(
      resultsOf({ [REFERENCE]: sharing(10_000, 7), 'tcp/json': sharing(20_000, 7) }),
    );
    const judge = judgeIn(measured);
    const [there, back] = [judge(measured[1], measured[0]), judge(measured[0], measured[1])];
    assert.deepEqual([there.verdict, back.verdict], ['better', 'worse']);
    const products = ({ estimate = 0, low = 0, high = 0, simultaneous = { low: 0, high: 0 } }) => [
      estimate * Number(back.ratio?.estimate),
      low * Number(back.ratio?.high),
      high * Number(back.ratio?.low),
      simultaneous.low * Number(back.ratio?.simultaneous?.high),
      simultaneous.high * Number(back.ratio?.simultaneous?.low),
    ];
    for (const product of products(there.ratio ?? {}))
      assert.ok(Math.abs(product - 1) < 1e-9, String(product));
  });

  it('counts the same winners over many groups in table and chart', () => {
    const rates = {
      [REFERENCE]: sharing(10_000, 7),
      'tcp/json': sharing(20_000, 7),
      'unix/json': sharing(22_000, 7),
    };
    const payloads = [10, 100, 1000];
    const inAll = resultsOf(rates, { payloads });
    const messageOf = (/** @type {Results} */ results) =>
      makeFigures(results).find(({ name }) => name === 'throughput-ratio-by-payload')?.altText ?? '';
    assert.match(messageOf(inAll), /^unix\/json is fastest at all 3 payload sizes, with 2\.20×/);
    assert.equal(
      conclusions(inAll)[0],
      'unix/json is fastest at all 3 payload sizes, with 2.20× the throughput of pipe/json.',
    );

    const [first] = measuredOf(inAll).filter(({ cell }) => seriesLabel(cell) === 'unix/json');
    for (const launch of first.launches.slice(0, 3))
      launch.values.roundTripsPerSecond = 0.88 * (launch.values.roundTripsPerSecond ?? 0);
    const inTwo = summarised(inAll);
    assert.match(
      messageOf(inTwo),
      /^At all 3 payload sizes, unix\/json and tcp\/json have 2\.00–2\.20× the throughput/,
    );
    assert.match(
      conclusions(inTwo)[0],
      /^At all 3 payload sizes, unix\/json and tcp\/json have 2\.00–2\.20× the/,
    );

    const quick = resultsOf(rates, { payloads, quick: true });
    assert.match(
      messageOf(quick),
      /^Throughput relative to pipe\/json by payload, 2x4\. No verdict: a quick run\./,
    );
    const { table, grid } = saidOf(quick);
    assert.match(table, /^No verdict at any of the 3 payload sizes: a quick run\.$/m);
    assert.match(grid, /^unix\/json(?: \*\? 2\.20×){3}$/m);
    assert.match(grid, /\? no verdict \(a quick run\)/);
  });
});

describe('the winners of several tables', () => {
  /** @param {number} bytes   where unix is the best @param {number} perSecond   of unix there @returns {unknown[][]} each row with the tables where it is the best and clearly the best */
  const winnersWith = (bytes, perSecond) => {
    const results = buildResults({
      series: [REFERENCE, 'unix/json', 'tcp/json'],
      payloads: [10, 100, 1_000],
      perSecond: ({ transport, payloadBytes }) =>
        transport === 'pipe' ? 10_000 : transport === 'unix' && payloadBytes === bytes ? perSecond : 20_000,
    });
    for (const { cell, measures } of measuredOf(results)) {
      const isBest = cell.transport === (cell.payloadBytes === bytes ? 'unix' : 'tcp');
      if (isBest) Object.assign(measures.roundTripsPerSecond, { estimate: 21_000 });
      else if (cell.transport !== 'pipe') Object.assign(measures.roundTripsPerSecond, { estimate: 20_000 });
    }
    const [{ verdict, rows }] = winnersFinding(groupRows(results), () => '');
    assert.equal(verdict, 'unclear');
    return rows.map(({ row, numbers }) => [row, numbers?.groups, numbers?.clear]);
  };

  it('begin with the row that is clearly the best of most tables, or else the best of most', () => {
    const tcp = ['tcp/json', 2, 0];
    assert.deepEqual(winnersWith(10, 20_000), [tcp, ['unix/json', 1, 0]]);
    assert.deepEqual(winnersWith(1_000, 30_000), [['unix/json', 1, 1], tcp]);
  });
});

describe('what holds along an axis', () => {
  it('has the ranges of its ratios in all tables', () => {
    const times = { '1x1': { 10: 2, 1000: 4 }, '2x4': { 10: 3, 1000: 5 } };
    const results = buildResults({
      series: [REFERENCE, 'unix/json'],
      shapes: Object.keys(times),
      payloads: [10, 1_000],
      perSecond: ({ transport, workers, loops, payloadBytes }) =>
        10_000 * (transport === 'pipe' ? 1 : /** @type {any} */ (times)[`${workers}x${loops}`][payloadBytes]),
    });
    const [{ rows, names }] = alongFindings(groupRows(results), results, () => '');
    assert.equal(names.panel, undefined);
    const numbers = Object.entries(rows[0].numbers ?? {}).map(([name, value]) => [
      name,
      Math.round(5 * Number(value)) / 5,
    ]);
    assert.deepEqual(Object.fromEntries(numbers), {
      leastFirst: 2,
      greatestFirst: 3,
      leastLast: 4,
      greatestLast: 5,
      leastRatio: 2,
      greatestRatio: 5,
      leastChange: 1.6,
      greatestChange: 2,
    });
  });
});

describe('the grid of verdicts', () => {
  it('begins with the row of the base, unless its first section has several bases', () => {
    const namesOf = (/** @type {Results} */ results) =>
      verdictGrids(results)[0].sections.map(({ rows }) => rows.map(({ name }) => name));
    const buildSeries = (/** @type {string[]} */ series) =>
      buildResults({ series, reference: 'unix/json', shapes: ['1x1', '1x4'] });
    assert.deepEqual(namesOf(buildSeries(['unix/json', 'unix/string'])), [['unix/json', 'unix/string']]);
    const runtimes = buildSeries(['unix/json', 'unix/string', 'tcp/json', 'tcp/string']);
    for (const { cell } of runtimes.outcomes)
      if (cell.transport === 'tcp') Object.assign(cell, { transport: 'unix', runtime: 'bun' });
    assert.deepEqual(namesOf(runtimes), [['unix/string', 'unix/string on bun'], ['unix/json on bun']]);
  });
});

describe('notRankedReason', () => {
  it('is null for six launches without a flag that forbids a rank', () => {
    const results = resultsOf({ [REFERENCE]: steady(10_000, 6), 'unix/json': steady(22_000, 1) });
    assert.equal(notRankedReason(rowOf(results, REFERENCE)), null);
    assert.deepEqual(notRankedReason(rowOf(results, 'unix/json')), {
      code: 'few-launches',
      least: 2,
      of: 'launches',
    });
    const row = rowOf(results, REFERENCE);
    row.flags = [{ code: 'bottleneck' }];
    assert.equal(notRankedReason(row), null);
    row.flags.push({ code: 'quick' });
    assert.deepEqual(notRankedReason(row), { code: 'quick' });
  });
});
