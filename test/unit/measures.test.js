// A scenario with another operation than round trips: sentences, tables, pictures and comparisons read its words from the results.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { commonOperation, timesIn, usualFacts } from '../../lib/cell/headline.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { comparisonTable } from '../../lib/report/compare/comparison-table.js';
import { conclusionsOf } from '../../lib/report/compare/comparison-words.js';
import { valueText } from '../../lib/report/text/measure-words.js';
import { cellName } from '../../lib/report/text/names.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { countedBy, cpuUsPerOperation } from '../../lib/workload/measures/usual-measures.js';
import benchstat from '../../reports/benchstat.js';
import csv from '../../reports/csv/csv.js';
import githubActionBenchmark from '../../reports/github-action-benchmark.js';
import markdown from '../../reports/markdown/markdown.js';
import table from '../../reports/table/table.js';
import firstAnswer from '../../scenarios/first-answer.js';
import { buildResults, buildRow } from '../fixtures/build-results.js';

/** @import { MeasuredOutcome, Results } from '../../lib/types/index.js' */

const OPERATION = { one: 'handshake', many: 'handshakes', done: 'made' };
const [RATE, SERVICE_TIME] = usualFacts(OPERATION).measures;
/** @type {import('../../lib/types/scenarios.js').MeasureFacts} */
const GREETING = { name: 'greeting', title: 'greeting', unit: 'µs', better: 'lower', kind: 'times' };

/** @param {number} us */
function timesOf(us) {
  const counts = new LatencyCounts();
  for (let sample = 0; sample < 2_000; sample += 1) counts.record(us * 1_000);
  return counts.toLatency();
}

/** @param {Parameters<typeof buildResults>[0]} [recipe] */
function handshakes(recipe = { series: ['pipe/json', 'unix/json'], flag: () => [] }) {
  const results = buildResults(recipe);
  const scenarios = { 'round-trip': { operation: OPERATION, measures: [RATE, SERVICE_TIME, GREETING] } };
  const outcomes = results.outcomes.map((outcome) => {
    if (outcome.status !== 'measured') return outcome;
    const launches = outcome.launches.map((launch) => ({
      ...launch,
      values: { handshakesPerSecond: launch.values.roundTripsPerSecond },
      times: { ...launch.times, greeting: timesOf(120) },
    }));
    const made = /** @type {MeasuredOutcome} */ (
      buildRow(outcome.cell, launches, null, results.reference, { scenarios })
    );
    return { ...made, ratio: outcome.ratio, flags: [] };
  });
  return parseResults(resultsText({ ...results, scenarios, outcomes }), 'handshakes');
}

/** @param {import('../../lib/types/reports.js').Report} report @param {ReturnType<typeof handshakes>} results */
async function textOf(report, results) {
  const documents = await report.render(results, {});
  return documents.map(({ content }) => stripVTControlCharacters(String(content))).join('\n');
}

describe('commonOperation', () => {
  it('returns what all rows count, or a generic word if they differ', () => {
    const other = { one: 'round trip', many: 'round trips', done: 'answered' };
    assert.equal(commonOperation([]).many, 'operations');
    assert.equal(commonOperation([{ operation: OPERATION }, { operation: { ...OPERATION } }]).done, 'made');
    assert.equal(commonOperation([{ operation: other }, { operation: OPERATION }]).many, 'operations');
  });
});

describe('a scenario with its own operation', () => {
  it('summarises its operation and its further times', () => {
    const [first] = handshakes().outcomes;
    assert.ok(first.status === 'measured');
    assert.deepEqual(first.operation, OPERATION);
    const [, greeting] = timesIn(first);
    assert.equal(greeting.title, 'greeting');
    assert.ok(Math.abs(greeting.p50 - 120) < 1);
  });

  it('uses its words in tables and conclusions', async () => {
    for (const report of [table, markdown]) {
      const text = await textOf(report, handshakes());
      assert.match(text, /handshakes(\/s| per second)/, report.name);
      assert.match(
        text,
        /unix\/json is fastest at .*: \S+× the\s+throughput\s+of\s+pipe\/json/s,
        report.name,
      );
      assert.match(text, /greeting/, report.name);
    }
    assert.doesNotMatch(await textOf(table, handshakes()), /round trip/);
    assert.match(await textOf(githubActionBenchmark, handshakes()), /"unit": "handshakes\/s"/);
  });
});

/** A scenario without a rate, in which less is better. */
const SETTLING = {
  operation: { one: 'settling', many: 'settlings', done: 'did' },
  measures: [
    /** @type {const} */ ({
      name: 'toSettle',
      title: 'time to settle',
      unit: 'µs',
      better: 'lower',
      kind: 'times',
    }),
    /** @type {const} */ ({ name: 'tries', title: 'tries', unit: 'count', better: null, kind: 'value' }),
  ],
};
const MICROSECONDS = { 'pipe/json': 400, 'tcp/json': 900, 'unix/json': 100 };

/** @param {import('../../lib/types/results-file.js').Outcome} outcome */
const microsecondsOf = ({ cell }) => MICROSECONDS[/** @type {'pipe/json'} */ (cellName(cell))];

/** @param {number} [factor] of all times */
function settled(factor = 1) {
  const results = buildResults({ series: Object.keys(MICROSECONDS), launches: 9, flag: () => [] });
  const scenarios = { 'round-trip': SETTLING };
  const launchesOf = (/** @type {import('../../lib/types/results-file.js').Outcome} */ outcome) =>
    outcome.status !== 'measured'
      ? []
      : outcome.launches.map((launch) => ({
          ...launch,
          values: { tries: 3, toSettle: factor * microsecondsOf(outcome) },
          times: {
            toSettle: timesOf(factor * microsecondsOf(outcome)),
          },
        }));
  const [reference] = results.outcomes.map(launchesOf);
  const outcomes = results.outcomes.map((outcome) => {
    const launches = launchesOf(outcome);
    return buildRow(outcome.cell, launches, reference, 'pipe/json', { scenarios });
  });
  return parseResults(resultsText({ ...results, scenarios, outcomes }), 'settled');
}

describe('a scenario in which less is better', () => {
  it('ranks the lowest value first', async () => {
    const text = await textOf(table, settled());
    assert.match(text, /time to settle µs/);
    const rows = text.split('\n').flatMap((line) => line.match(/^ *(\w+\/json) /)?.[1] ?? []);
    // By class, and the best of a class first.
    assert.deepEqual(rows.slice(0, 3), ['pipe/json', 'unix/json', 'tcp/json']);
    assert.match(text, /unix\/json is fastest at .*: 0\.25× the\s+time to settle of pipe\/json/s);
    assert.match(text, /Compared with pipe\/json, slower: tcp\/json 2\.2\d×/);
    assert.match(text, /tries/);
    assert.doesNotMatch(text, /round trip|per second|throughput/);
  });

  it('draws the lowest bar first', () => {
    const [bars, ranges] = makeFigures(settled(), {});
    assert.match(bars.title, /^Time to settle in µs/);
    assert.match(bars.message, /^unix\/json is fastest: 0\.25× the time to settle of pipe\/json \(/);
    assert.match(ranges.title, /^Time to settle of a settling/);
  });

  it('compares times as speeds', () => {
    const side = (/** @type {string} */ name, /** @type {Results} */ results) => ({
      name,
      source: `${name}.json`,
      results,
    });
    const comparison = compareResults(side('old', settled()), side('new', settled(0.5)), {
      design: 'interleaved',
      minEffect: 0.05,
      isForced: true,
    });
    assert.deepEqual(
      comparison.rows.map(({ verdict, measure: { name } }) => [verdict, name]),
      [0, 1, 2].map(() => ['faster', 'toSettle']),
    );
    assert.match(conclusionsOf(comparison).join('\n'), /new has 2\.00× the speed by time to settle of old/);
    assert.match(comparisonTable(comparison, {}), /time to settle, µs/);
  });

  it('has its own columns in exports', async () => {
    const [names] = (await textOf(csv, settled())).split('\r\n');
    for (const name of ['toSettle', 'toSettleLow', 'tries', 'settlings', 'cpuUsPerSettlingWorkers'])
      assert.ok(names.split(',').includes(name), name);
    assert.doesNotMatch(names, /roundTrip/);
    assert.match(await textOf(benchstat, settled()), /Unit timetosettle-ns better=lower/);
    assert.equal(await textOf(githubActionBenchmark, settled()), '[]\n');
  });
});

describe('parseResults', () => {
  it('removes control characters from words of scenarios', () => {
    const results = settled();
    const worded = (/** @type {Results} */ { scenarios, outcomes }) => [
      scenarios['round-trip'],
      ...outcomes.filter((outcome) => outcome.status === 'measured'),
    ];
    for (const each of worded(results)) each.operation = { ...each.operation, many: 'set\u001b[2Jtlings\n' };
    const read = worded(parseResults(resultsText(results), 'hostile'));
    assert.doesNotMatch(JSON.stringify(read.map(({ operation }) => operation)), /u001b|\\n/);
  });

  it('keeps the number of round trips of an operation', () => {
    const results = settled();
    results.scenarios['round-trip'].roundTrips = null;
    const { scenarios } = parseResults(resultsText(results), 'kept');
    assert.equal(scenarios['round-trip'].roundTrips, null);
  });
});

describe('valueText', () => {
  /** @param {Partial<import('../../lib/types/scenarios.js').MeasureFacts>} facts */
  const textFor = (facts) => valueText(/** @type {any} */ ({ name: 'it', ...facts }), '35');

  it('writes a rate after its number, a time before it, and an amount after it', () => {
    assert.equal(textFor({ unit: 'per second', title: 'handshakes per second' }), '35 handshakes per second');
    assert.equal(textFor({ unit: 'µs', title: 'first answer' }), 'a first answer of 35 µs');
    assert.equal(textFor({ unit: 'bytes', title: 'memory' }), '35 B of memory');
  });
});

it('does not call the CPU time of the answers after a pause that of the first answer', async () => {
  const { operation, measures } = countedBy(firstAnswer);
  const results = buildResults({ series: ['pipe/json', 'unix/json'] });
  const scenarios = {
    'round-trip': { operation, measures: measures.map(({ read: _read, ...facts }) => facts) },
  };
  const outcomes = results.outcomes.map((outcome) => {
    if (outcome.status !== 'measured') return outcome;
    const launches = outcome.launches.map((launch) => ({
      ...launch,
      values: { [measures[0].name]: 390_000 },
    }));
    return buildRow(outcome.cell, launches, null, results.reference, { scenarios });
  });
  const made = /** @type {Results} */ ({ ...results, scenarios, outcomes });
  /** @type {[import('../../lib/types/index.js').Report, import('../../lib/types/index.js').ReportOptions][]} */
  const forms = [
    [table, { columns: 300 }],
    [table, { columns: 300, furtherColumns: ['cpu'] }],
    [csv, {}],
  ];
  for (const [report, options] of forms) {
    const text = stripVTControlCharacters(String((await report.render(made, options))[0].content));
    const title = /CPU µs.*|cpuUs\w*/.exec(text)?.[0] ?? '';
    assert.match(title, /pause/i);
    assert.doesNotMatch(title, /first/i);
  }
});

it('divides CPU time by the operations of the processes that count any', () => {
  const reports = [{ operations: 10 }, { operations: null }];
  const costs = [{ userUs: 30, systemUs: 10 }];
  assert.equal(cpuUsPerOperation(/** @type {any} */ (reports), /** @type {any} */ (costs)), 4);
  assert.equal(
    cpuUsPerOperation(/** @type {any} */ ([{ operations: null }]), /** @type {any} */ (costs)),
    null,
  );
});
