// Launches in which no round trip ended: in the reference, in other rows, in all, in one launch or in several. No report
// may show a rate or a ratio made of them, and each says what happened.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readHeadline } from '../../lib/cell/headline.js';
import { cellLabel, seriesLabel } from '../../lib/cell/labels.js';
import { compareResults } from '../../lib/report/compare/compare-results.js';
import { comparisonMarkdown, comparisonTable } from '../../lib/report/compare/comparison-table.js';
import { parseResults } from '../../lib/results/read.js';
import { summariseResults } from '../../lib/results/summarise.js';
import { ResultsFile, resultsText } from '../../lib/results/write.js';
import { RunEnd, runGroups } from '../../lib/run/run-groups.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import benchstat from '../../reports/benchstat.js';
import csv from '../../reports/csv/csv.js';
import githubActionBenchmark from '../../reports/github-action-benchmark.js';
import hgrm from '../../reports/hgrm.js';
import json from '../../reports/json.js';
import markdown from '../../reports/markdown/markdown.js';
import table from '../../reports/table/table.js';
import { IS_LONG } from '../conformance/long-form.js';
import { buildResults } from '../fixtures/build-results.js';
import { SCENARIOS } from '../fixtures/counted.js';

/** @import { Launch, MeasuredLaunch, Results } from '../../lib/types/index.js' */

const REPORTS = [table, markdown, csv, benchstat, githubActionBenchmark, hgrm, json];
const SERIES = ['pipe/json', 'unix/json', 'tcp/json'];
const NO_NUMBER = /Infinity|NaN|∞|(?<![\d.,])0(\.0+)?×|(?<![\d.,])0(\.0+)? (\(0|\[0|roundtrips)/;
const IDLE = {
  operations: 0,
  values: { roundTripsPerSecond: 0, megabytesPerSecond: 0 },
  times: { serviceTime: new LatencyCounts().toLatency() },
  bins: [0],
};

/** @param {Results} results @returns {MeasuredLaunch[]} */
function launchesOf({ outcomes }) {
  return outcomes.flatMap((outcome) => (outcome.status === 'measured' ? outcome.launches : []));
}

/**
 * @param {number} launches   of each row
 * @param {(series: string, group: number) => boolean} isIdle
 * @returns {Results} as a run leaves them
 */
function resultsWith(launches, isIdle) {
  const results = buildResults({ series: SERIES, payloads: [100, 1000], launches });
  for (const launch of launchesOf(results)) launch.flags = [];
  const byCell = new Map(
    results.outcomes.map(({ cell, ...outcome }) => {
      const made = 'launches' in outcome ? outcome.launches : [];
      const own = made.map((launch) =>
        isIdle(seriesLabel(cell), launch.group) ? { ...launch, ...IDLE } : launch,
      );
      return [cellLabel(cell), /** @type {Launch[]} */ (own)];
    }),
  );
  const plan = results.outcomes.map(({ cell }) => ({ cell, skip: null }));
  const circumstances = { plannedLaunches: launches, quick: false, scenarios: SCENARIOS };
  return { ...results, outcomes: summariseResults(plan, byCell, results.reference, circumstances) };
}

/** @param {Results} results @returns {Promise<string[]>} */
async function textsOf(results) {
  const rendered = await Promise.all(REPORTS.map((report) => report.render(results, {})));
  return rendered.flat().map(({ content }) => String(content));
}

/** @param {Results} old @param {Results} fresh @returns {string[]} */
function comparisonsOf(old, fresh) {
  return /** @type {const} */ (['separate', 'interleaved']).flatMap((design) => {
    try {
      const comparison = compareResults(
        { name: 'old', source: 'old', results: old },
        { name: 'new', source: 'new', results: fresh },
        { design, minEffect: 0.05, isForced: false },
      );
      return [comparisonTable(comparison), comparisonMarkdown(comparison), JSON.stringify(comparison)];
    } catch (error) {
      assert.equal(/** @type {any} */ (error).code, 'NOT_COMPARABLE');
      return [String(error)];
    }
  });
}

const somewhere = fc
  .record({
    launches: fc.constantFrom(1, 2, 3, 6, 10),
    idle: fc.dictionary(fc.constantFrom(...SERIES), fc.array(fc.nat(9), { minLength: 1, maxLength: 10 }), {
      noNullPrototype: true,
    }),
  })
  .map(({ launches, idle }) => ({ launches, idle: /** @type {Record<string, number[]>} */ (idle) }));

describe('a launch without a round trip', () => {
  it('prints no rate or ratio of a launch without a round trip in any report, and says what happened', async () => {
    const scene = fc.asyncProperty(somewhere, async ({ launches, idle }) => {
      const results = resultsWith(launches, (series, group) => idle[series]?.includes(group) ?? false);
      const texts = await textsOf(results);
      const calm = resultsWith(launches, () => false);
      texts.push(...comparisonsOf(calm, results), ...comparisonsOf(results, calm));
      for (const text of texts) assert.doesNotMatch(text, NO_NUMBER);
      for (const outcome of results.outcomes) {
        const groups = new Set(idle[seriesLabel(outcome.cell)]?.filter((group) => group < launches));
        if (groups.size === 0) {
          assert.equal(outcome.status, 'measured');
          continue;
        }
        assert.ok(outcome.status === 'failed' && outcome.code === 'DEADLINE');
        const { message } = outcome;
        assert.match(
          message,
          /^in .*launch.* not one round trip ended within the window: use a longer --measure$/,
        );
        for (const text of texts.slice(0, 2))
          assert.ok(text.replaceAll('\\', '').replace(/\s+/g, ' ').includes(message), text);
      }
      // What was saved is read again as it was.
      assert.deepEqual(parseResults(resultsText(results), 'a.json'), JSON.parse(JSON.stringify(results)));
    });
    await fc.assert(scene, { seed: 1, numRuns: IS_LONG ? 60 : 8 });
  });

  it('gives up a cell after two launches without a round trip', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ipc-bench-idle-'));
    const [{ cell }] = buildResults({ series: ['pipe/json'] }).outcomes;
    const results = { ...buildResults({ series: ['pipe/json'], launches: 1 }), outcomes: [] };
    const [launch] = launchesOf(buildResults({ series: ['pipe/json'], launches: 1 }));
    let tries = 0;
    let failed = 0;
    const runner = {
      canBeSliced: () => false,
      countProcesses: () => 2,
      async run(/** @type {any} */ _cell, /** @type {number} */ group) {
        tries += 1;
        return { ...launch, ...IDLE, group };
      },
    };
    const options = { ...results.options, launches: 6 };
    const plan = [{ cell, skip: null }];
    const side = {
      options,
      plan,
      reference: 'pipe/json',
      file: new ResultsFile(join(folder, 'r.json')),
      results,
      runner,
    };
    const ending = new RunEnd(new AbortController().signal);
    try {
      await runGroups([/** @type {any} */ (side)], {
        onProgress: (progress) => {
          failed = progress.failed;
        },
        signal: ending.signal,
        ending,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    assert.deepEqual([tries, failed > 0, results.outcomes.length], [2, true, 1]);
  });
});

describe('a file that something else wrote', () => {
  it('reads a saved row as failed if a launch had no round trip', async () => {
    const results = resultsWith(6, () => false);
    const [outcome] = results.outcomes;
    assert.ok(outcome.status === 'measured');
    Object.assign(outcome.launches[2], IDLE);
    Object.assign(readHeadline(outcome), { estimate: 0, low: 0 });
    const read = parseResults(resultsText(results), 'edited.json');
    assert.equal(read.outcomes[0].status, 'failed');
    for (const text of [...(await textsOf(read)), ...comparisonsOf(read, read)])
      assert.doesNotMatch(text, NO_NUMBER);
  });
});
