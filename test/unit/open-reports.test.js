// What reports make of open load: three times in three columns, no headline where the plan was not kept, and never a
// table or chart together with closed loops.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FURTHER_COLUMNS } from '../../lib/options/flags.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { findingsIn } from '../../lib/report/findings/index.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { duration, FORMATS } from '../../lib/report/text/quantity-words.js';
import { parseResults } from '../../lib/results/read.js';
import { judgedBySlo, sustainedRate } from '../../lib/results/sustained-rate.js';
import { resultsText } from '../../lib/results/write.js';
import csv from '../../reports/csv/csv.js';
import hgrm from '../../reports/hgrm.js';
import table from '../../reports/table/table.js';
import { buildResults, measuredOf, RATES } from '../fixtures/build-results.js';
import { closedSchema, validatorOf } from '../fixtures/strict-schema.js';
import { RESULTS_SCHEMA } from '../fixtures/write-schemas.js';

/** @import { Results } from '../../lib/types/index.js' */

const slo = /** @type {const} */ ({ percentile: 'p99', us: 500 });
const [{ cell: unix }] = buildResults({ series: ['unix/json'], shapes: ['1x32'], launches: 1 }).outcomes;
/** @type {import('../../lib/types/results-file.js').Sweep} */
const sweep = {
  cell: unix,
  slo,
  probes: [],
  foundPerSecond: 8_000,
  endedBy: 'found',
  elapsedMs: 9_000,
};
/** @type {import('../../lib/types/results-file.js').Sweep} as it is when the time is over */
const cutSweep = {
  ...sweep,
  probes: [
    { ratePerSecond: 8_000, us: 177, keeps: true, why: '', flags: ['crowded', 'low-rate'] },
    { ratePerSecond: 8_000, us: null, keeps: false, why: 'failed: worker w0 died' },
  ],
  endedBy: 'time',
  elapsedMs: 61_000,
  next: { ratePerSecond: 11_314, maxTimeMs: 130_000 },
  ratesLeftOut: 4,
};
const open = buildResults({ rates: RATES });
const swept = buildResults({ rates: RATES, series: ['unix'], slo, sweeps: [sweep] });
const closed = buildResults({ shapes: ['1x32'] });
/** @type {Results} */
const both = { ...closed, outcomes: [...closed.outcomes, ...open.outcomes] };

/** @param {import('../../lib/types/reports.js').Report} report @param {Results} results */
async function textOf(report, results) {
  /** @type {import('../../lib/types/reports.js').ReportOptions} */
  const all = { columns: 200, hasNotes: true, furtherColumns: [...FURTHER_COLUMNS] };
  const [document] = await report.render(results, all);
  return String(document.content);
}

/** @param {string} line */
const wordsOf = (line) => line.split(/\s{2,}/);

describe('results of open load', () => {
  it('writes open load that conforms to the schema, with every property in it, and reads it back', () => {
    for (const results of [open, swept, { ...swept, sweeps: [cutSweep] }]) {
      const text = resultsText(results);
      assert.deepEqual(parseResults(text, 'open'), JSON.parse(JSON.stringify(results)));
      const validate = validatorOf(closedSchema(RESULTS_SCHEMA));
      assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
    }
  });

  it('explains an interval that is unknown, and names no loops, which do not limit open load', async () => {
    const results = structuredClone(open);
    const noNote = await textOf(table, results);
    assert.doesNotMatch(noNote, /unknown = /);
    const [{ open: summary }] = measuredOf(results);
    Object.assign(summary?.responseUs.perLaunch.p50 ?? {}, { level: null, method: 'unknown' });
    const text = await textOf(table, results);
    assert.match(text, /\(unknown\)/);
    assert.match(text, /unknown = /);
    assert.match(text, /^1,000 B, 1x32, open load \(1 worker\)/m);
  });

  it('may have a rate that is a fraction, as recorded rates are', () => {
    const results = buildResults({ rates: [0.5, 824.8] });
    const { outcomes, options } = parseResults(resultsText(results), 'fraction');
    assert.deepEqual([...new Set(outcomes.map(({ cell }) => cell.ratePerSecond))], [0.5, 824.8]);
    assert.deepEqual(options.open?.ratesPerSecond, [0.5, 824.8]);
  });

  it('gives rows of open load no ratios', () => {
    assert.ok(open.outcomes.every((outcome) => outcome.status === 'measured' && outcome.ratio === null));
  });
});

describe('tables of open load', () => {
  it('writes columns of open load to CSV only in a run that has open load', async () => {
    const names = (await textOf(csv, closed)).split('\r\n')[0];
    assert.doesNotMatch(names, /model|responseP99Us/);
    const [head, ...rows] = (await textOf(csv, both))
      .trim()
      .split('\r\n')
      .map((row) => row.split(','));
    const model = head.indexOf('model');
    const response = head.indexOf('responseP99Us');
    assert.ok(rows.every((row) => (row[model] === 'open') === (row[response] !== '')));
  });
});

describe('response times of which some were missing when windows closed', () => {
  // Four launches of six stand still for the last 20 ms of its second: 1.6 % of what was due, with ages of up to 20 ms.
  const late = buildResults({
    series: ['unix', 'tcp'],
    rates: [8_000],
    shapes: ['1x400'],
    slo,
    stallsAtMs: ({ transport }, group) => (transport === 'unix' ? (group < 4 ? 980 : undefined) : undefined),
  });
  const [unixRow, tcpRow] = late.outcomes.map((outcome) =>
    outcome.status === 'measured' && outcome.open ? { outcome, open: outcome.open } : assert.fail(),
  );

  it('saves a percentile that falls among missing responses as a lower bound', () => {
    const { responseUs } = unixRow.open;
    assert.deepEqual(responseUs.perLaunch.atLeast, ['p99']);
    assert.ok(responseUs.atLeast?.includes('p99') && !responseUs.atLeast.includes('p50'));
    assert.ok(Number(responseUs.p99) > 1_000, `a p99 of at least ${responseUs.p99}`);
    assert.ok(responseUs.p50 < 60, 'the median is known');
    assert.equal(tcpRow.open.responseUs.perLaunch.atLeast, undefined);
    const text = resultsText(late);
    assert.deepEqual(parseResults(text, 'late'), JSON.parse(JSON.stringify(late)));
    const validate = validatorOf(closedSchema(RESULTS_SCHEMA));
    assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
  });

  it('prints lower bounds as "> x" in tables, sentences, charts and alt texts, and names them in CSV', async () => {
    const text = await textOf(table, late);
    assert.match(text.split('\n').find((line) => line.trim().startsWith('unix/json at')) ?? '', / > [\d,]+ /);
    assert.doesNotMatch(text.split('\n').find((line) => line.trim().startsWith('tcp/json at')) ?? '', />/);
    assert.match(text, /> x: at least x,/);
    assert.ok(conclusions(late).some((sentence) => /unix\/json > [\d,]+ µs/.test(sentence)));
    const [{ message, altText }] = makeFigures(late);
    assert.match(message, /to > [\d.]+ ms \(unix\/json\)$/);
    assert.match(altText, /unix\/json [\d.]+ µs \(p99 > [\d.]+ ms\)/);
    const [{ notes }] = makeFigures(
      buildResults({
        series: ['unix'],
        rates: [4_000, 8_000],
        shapes: ['1x400'],
        stallsAtMs: ({ ratePerSecond }) => (ratePerSecond === 8_000 ? 980 : undefined),
      }),
    );
    assert.ok(
      notes.includes(
        'lower bounds, since responses were missing when the window closed: unix/json at 8,000/s (p99)',
      ),
      notes.join('\n'),
    );
    const [head, ...rows] = (await textOf(csv, late))
      .trim()
      .split('\r\n')
      .map((row) => row.split(','));
    const column = head.indexOf('responsePerLaunchAtLeast');
    assert.deepEqual(
      rows.map((row) => row[column]),
      ['p99', ''],
    );
  });

  it('calls no limit kept by a lower bound, however high it is', () => {
    const sustained = (/** @type {typeof unixRow} */ { outcome }, /** @type {number} */ us) => {
      const cell = { ...outcome.cell, ratePerSecond: undefined };
      return sustainedRate({ ...sweep, cell, slo: { ...slo, us } }, late.outcomes);
    };
    assert.equal(sustained(tcpRow, 1e6)?.isBounded, false);
    assert.notEqual(sustained(unixRow, 1e6)?.isBounded, false);
    const judged = (/** @type {number} */ us) =>
      judgedBySlo(unixRow.outcome.launches[0], { percentile: 'p99', us });
    assert.deepEqual(judged(1e6), {
      us: null,
      keeps: false,
      why: `${unixRow.outcome.launches[0].open?.unanswered?.count} had no response when the window closed`,
    });
    assert.deepEqual({ ...judged(500), us: null }, { us: null, keeps: false, why: 'too slow' });
    assert.equal(judgedBySlo(tcpRow.outcome.launches[0], { percentile: 'p99', us: 1e6 }).keeps, true);
  });
});

describe('the conclusion of open load', () => {
  it('names the highest rate only if there are several', () => {
    /** @param {number[]} rates */
    const saidAt = (rates) => conclusions(buildResults({ rates, series: ['unix'] })).join('\n');
    assert.match(saidAt([1_000]), /^Response time \(p99\) at 1,000\/s, 1,000 B, 1x32, open load: /m);
    assert.match(saidAt([1_000, 2_000]), / at 2,000\/s, the highest rate, 1,000 B, 1x32, open load: /);
  });

  it('has the response times at the highest rate that all rows sustained, the fastest first, of two tables at most', () => {
    const results = buildResults({
      series: ['pipe', 'unix'],
      rates: [1_000, 4_000, 2_000],
      payloads: [10, 100, 1_000],
      launches: 2,
    });
    const [first, ...others] = measuredOf(results).filter(({ cell }) => cell.ratePerSecond === 4_000);
    first.flags = [{ code: 'generator-limited' }];
    const timesIn = () => findingsIn(results).filter(({ kind }) => kind === 'response-times');
    assert.deepEqual(
      timesIn().map(({ numbers, rows }) => [numbers, rows.map(({ row }) => row)]),
      [2_000, 4_000].map((perSecond) => [
        { perSecond, rates: 3, highestPerSecond: 4_000 },
        ['unix/json', 'pipe/json'],
      ]),
    );
    const [{ open: withoutP99 }] = measuredOf(results).filter(({ cell }) => cell.ratePerSecond === 2_000);
    Object.assign(withoutP99?.responseUs ?? {}, { p99: null });
    assert.deepEqual(
      timesIn().map(({ names }) => names.percentile),
      ['p50', 'p99'],
    );
    for (const { flags } of others) flags.push({ code: 'generator-limited' });
    assert.deepEqual(
      timesIn().map(({ numbers }) => numbers.perSecond),
      [2_000, 2_000],
    );
  });

  it('says where the schedule delay is more than a fifth of the median response time', () => {
    const results = buildResults({ series: ['unix', 'tcp'], rates: [1_000] });
    const [one, other] = /** @type {any[]} */ (results.outcomes);
    const told = (/** @type {number} */ lagUs) => {
      Object.assign(one.open, {
        sendLagUs: { p50: lagUs },
        responseUs: { ...one.open.responseUs, p50: 100 },
      });
      Object.assign(other.open, {
        sendLagUs: { p50: 1 },
        responseUs: { ...other.open.responseUs, p50: 100 },
      });
      return /^Up to (.*) of the median response time is schedule delay, .*, in (.* rows);/m.exec(
        conclusions(results).join('\n'),
      );
    };
    assert.equal(told(20), null);
    assert.deepEqual(told(21)?.slice(1), ['21 %', '1 of 2 rows']);
    assert.deepEqual(told(130)?.slice(1), ['100 %', '1 of 2 rows'], 'never more than all of it');
  });

  it('says which rate nine launches of ten sustain, by those of the search and all others', () => {
    const sentences = (/** @type {Partial<typeof sweep>} */ changes, from = swept) =>
      conclusions({ ...from, sweeps: [{ ...sweep, ...changes }] })[0];
    assert.match(
      sentences({}),
      /^unix\/json \(1,000 B, 1x32\) sustains [\d,]+\/s or more in 9 of 10 launches within p99 < 500us \(95 % interval, 30 launches at different rates\)\.$/,
    );
    const strict = { ...slo, us: 150 };
    const [, rate, low, high, launches] =
      / sustains ([\d,]+)\/s \(([\d,]+)–([\d,]+)\) in 9 of 10 launches within p99 < 150us \(95 % interval, (\d+) launches at different rates\)\.$/.exec(
        sentences({ slo: strict }),
      ) ?? [];
    const [estimate, ...ends] = [rate, low, high].map((text) => Number(text.replaceAll(',', '')));
    assert.ok(4_000 <= estimate && estimate <= 8_000 && ends[0] < estimate && estimate < ends[1]);
    assert.equal(launches, '30');
    const probes = Array.from({ length: 10 }, () => ({
      ratePerSecond: 6_000,
      us: 300,
      keeps: false,
      why: 'too slow',
    }));
    const more = sustainedRate({ ...sweep, slo: strict, probes }, swept.outcomes);
    const less = sustainedRate({ ...sweep, slo: strict }, swept.outcomes);
    assert.ok(more && less && more.high < less.high, 'launches of the search count');
    const untimed = measuredOf(swept).map(({ launches, ...row }) => ({
      ...row,
      launches: [...launches, { ...launches[0], open: undefined }],
    }));
    assert.deepEqual(
      sustainedRate({ ...sweep, slo: strict }, untimed),
      less,
      'a launch without times counts for nothing',
    );
    assert.match(sentences({ slo: { ...slo, us: 10 } }), /met p99 < 10us at no rate\.$/);
  });
});

describe('charts of open load', () => {
  const [byRate, percentiles] = makeFigures(swept);

  it('draws p50 and p99 with their intervals at each planned rate, and the limit of a sweep', () => {
    assert.deepEqual(
      byRate.panels.map(({ title }) => title),
      ['p50', 'p99'],
    );
    const [p50, p99] = byRate.panels.map(({ data }) => data.datasets);
    assert.deepEqual(
      p50[0].data.map((/** @type {any} */ { x }) => x),
      [1_000, 2_000, 4_000, 8_000, 12_000],
    );
    const outcome = swept.outcomes[3];
    assert.ok(outcome.status === 'measured' && outcome.open?.responseUs.perLaunch.p99);
    const { estimate, low, high } = outcome.open.responseUs.perLaunch.p99;
    assert.deepEqual(p99[0].data[3], { x: 8_000, y: estimate, yMin: low, yMax: high });
    assert.deepEqual([p50.length, p99.length], [1, 2]);
    assert.equal(p99[1].data[0].y, 500);
  });

  it('says that the limit is dashed only where it is drawn', () => {
    const notesWith = (/** @type {import('../../lib/types/plans.js').Slo} */ other) => {
      const results = {
        ...swept,
        options: { ...swept.options, open: { ...swept.options.open, slo: other } },
      };
      const [{ notes, panels }] = makeFigures(/** @type {Results} */ (results));
      const lines = panels.map(({ data }) => data.datasets.length);
      return [lines, notes.find((note) => note.includes('the limit,'))];
    };
    assert.deepEqual(notesWith(slo), [[1, 2], 'dashed: the limit, p99 < 500us']);
    assert.deepEqual(notesWith({ ...slo, us: 5e6 }), [[1, 1], 'the limit, p99 < 5s, lies beyond the axis']);
    assert.deepEqual(notesWith({ ...slo, percentile: 'p90' }), [
      [1, 1],
      'the limit, p90 < 500us, is of a percentile that is not drawn',
    ]);
  });

  it('names the percentile of the response times in the message', () => {
    const few = structuredClone(swept);
    assert.match(makeFigures(few)[0].message, /^p99 of unix\/json goes from /);
    for (const outcome of few.outcomes)
      if (outcome.status === 'measured' && outcome.open) outcome.open.responseUs.p99 = null;
    const [first, last] = [few.outcomes[0], few.outcomes[4]];
    assert.ok(first.status === 'measured' && last.status === 'measured' && first.open && last.open);
    assert.equal(
      makeFigures(few)[0].message,
      `p50 (too few samples for p99) of unix/json goes from ${duration(first.open.responseUs.p50)} at 1,000/s to ` +
        `${duration(last.open.responseUs.p50)} at 12,000/s`,
    );
  });

  it('spreads the percentiles by 1 / (1 - percentile), up to where ten samples lie beyond', () => {
    const panel = percentiles.panels[4];
    const { data } = panel.data.datasets[0];
    const outcome = swept.outcomes[4];
    assert.ok(outcome.status === 'measured' && outcome.open);
    const { count, p90, p999 } = outcome.open.responseUs;
    const at = (/** @type {number} */ rarity) =>
      data.find((/** @type {any} */ { x }) => Math.abs(x / rarity - 1) < 1e-9)?.y;
    assert.deepEqual([at(10), at(1_000)], [p90, p999]);
    const last = data[data.length - 1].x;
    assert.ok(count / last >= 10 && count / last < 12);
    const { x } = panel.options.scales;
    assert.deepEqual([1, 10, 100, 1_000].map(FORMATS[/** @type {'percentile'} */ (x.format)]), [
      '0 %',
      '90 %',
      '99 %',
      '99.9 %',
    ]);
  });

  it('states below the title of the percentiles what their curves show, of all launches together', () => {
    const results = buildResults({ series: ['unix'], rates: [2_000] });
    const [outcome] = measuredOf(results);
    Object.assign(outcome.open?.responseUs.perLaunch.p99 ?? assert.fail(), { estimate: 1e7 });
    const [{ message, panels }] = makeFigures(results);
    const { data } = panels[0].data.datasets[0];
    const p99 = data.find((/** @type {any} */ { x }) => Math.abs(x / 100 - 1) < 1e-9);
    assert.equal(message, `At 2,000/s p99 is ${duration(p99.y)} (unix/json)`);
  });

  it('draws open load apart from closed loops and other scenarios', () => {
    const names = makeFigures(both).map(({ name }) => name);
    assert.deepEqual(names, [
      'throughput-1000B',
      'latency-1000B',
      'response-by-rate-1000B',
      'percentiles-1000B',
    ]);
  });
});

describe('the hgrm report', () => {
  it('gives each time of each cell as lines of value, percentile, count and 1 / (1 - percentile)', async () => {
    const documents = await hgrm.render(swept, {});
    assert.equal(documents.length, 15);
    assert.equal(new Set(documents.map(({ name }) => name)).size, 15);
    const [{ name, content }] = documents;
    assert.match(name, /^unix-json-.*-open-1000-s-response\.hgrm$/);
    const lines = String(content).split('\n');
    assert.deepEqual(wordsOf(lines[0].trim()), ['Value', 'Percentile TotalCount 1/(1-Percentile)']);
    const rows = lines
      .filter((line) => /^\s+\d/.test(line))
      .map((line) => line.trim().split(/\s+/).map(Number));
    const outcome = swept.outcomes[0];
    assert.ok(outcome.status === 'measured' && outcome.open);
    const [value, percentile, count] = rows[rows.length - 1];
    assert.equal(percentile, 1);
    assert.equal(count, outcome.open.responseUs.count);
    assert.ok(Math.abs(value * 1_000 - outcome.open.responseUs.max) < 2);
    assert.ok(rows.slice(0, -1).every((row) => row.length === 4));
    // The plotter skips what begins with #, and takes what has four numbers.
    assert.ok(lines.slice(2).every((line) => line === '' || line.startsWith('#') || /^[\s\d.]+$/.test(line)));
  });

  it('gives closed loops and plans that were not kept their service times only', async () => {
    const kinds = (/** @type {Results} */ results) =>
      Promise.resolve(hgrm.render(results, {})).then((documents) =>
        documents.map(({ name }) => /(service|response|send-lag)\.hgrm$/.exec(name)?.[1]),
      );
    assert.deepEqual(await kinds(buildResults({ series: ['unix/json'] })), ['service']);
    const pipe = open.outcomes.filter(
      ({ cell }) => cell.transport === 'pipe' && cell.ratePerSecond === 12_000,
    );
    assert.deepEqual(await kinds({ ...open, outcomes: pipe }), ['service']);
  });
});
