// A scenario that counts something else than round trips: every sentence, table, picture and comparison uses its words,
// and nothing of them is known anywhere but in the results.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { operationOf } from '../../lib/cell/operation.js';
import { figuresOf } from '../../lib/charts/figures.js';
import { compareResults } from '../../lib/compare/compare-results.js';
import { comparisonTable } from '../../lib/compare/comparison-table.js';
import { conclusionsOf } from '../../lib/compare/comparison-words.js';
import { parseResults } from '../../lib/results/read.js';
import { summariseOutcome } from '../../lib/results/summarise.js';
import { resultsText } from '../../lib/results/write.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import githubActionBenchmark from '../../reports/github-action-benchmark.js';
import markdown from '../../reports/markdown/markdown.js';
import table from '../../reports/table/table.js';
import { makeResults } from '../fixtures/make-results.js';

/** @import { MeasuredOutcome } from '../../lib/types/outcomes.js' */
/** @import { Results } from '../../lib/types/results-file.js' */

const OPERATION = { one: 'handshake', many: 'handshakes', done: 'made' };
const TIMES = { greeting: 'greeting' };

/** @param {number} us */
function timesOf(us) {
  const counts = new LatencyCounts();
  for (let sample = 0; sample < 2_000; sample += 1) counts.record(us * 1_000);
  return counts.toLatency();
}

/** @param {Parameters<typeof makeResults>[0]} [recipe] */
function handshakes(recipe = { series: ['pipe/json', 'unix/json'], flag: () => [] }) {
  const results = makeResults(recipe);
  const scenarios = { 'round-trip': { operation: OPERATION, times: TIMES } };
  const outcomes = results.outcomes.map((outcome) => {
    if (outcome.status !== 'measured') return outcome;
    const launches = outcome.launches.map((launch) => ({ ...launch, times: { greeting: timesOf(120) } }));
    const made = /** @type {MeasuredOutcome} */ (
      summariseOutcome(outcome.cell, launches, null, results.reference, {
        ...{ plannedLaunches: launches.length, quick: false, scenarios },
      })
    );
    return { ...made, ratio: outcome.ratio, flags: [] };
  });
  return parseResults(resultsText({ ...results, scenarios, outcomes }), 'handshakes');
}

/** @param {import('../../lib/types/scenarios.js').Report} report @param {ReturnType<typeof handshakes>} results */
async function textOf(report, results) {
  const documents = await report.render(results, {});
  return documents.map(({ content }) => stripVTControlCharacters(String(content))).join('\n');
}

describe('operationOf', () => {
  it('is a round trip where nothing else is said, and a word for all where rows differ', () => {
    assert.equal(operationOf([]).many, 'round trips');
    assert.equal(operationOf([{}, {}]).one, 'round trip');
    assert.equal(operationOf([{ operation: OPERATION }, { operation: { ...OPERATION } }]).done, 'made');
    assert.equal(operationOf([{}, { operation: OPERATION }]).many, 'operations');
  });
});

describe('a scenario with words of its own', () => {
  it('is summed up with them, and with the times that it reports besides', () => {
    const [first] = handshakes().outcomes;
    assert.ok(first.status === 'measured');
    assert.deepEqual(first.operation, OPERATION);
    assert.equal(first.timesUs?.greeting.title, 'greeting');
    assert.ok(Math.abs(Number(first.timesUs?.greeting.p50) - 120) < 1);
  });

  it('has them in tables and conclusions, and no round trip', async () => {
    for (const report of [table, markdown]) {
      const text = await textOf(report, handshakes());
      assert.match(text, /handshakes(\/s| per second)/, report.name);
      assert.match(text, /unix\/json made \S+× .*as many handshakes per second as pipe\/json/s, report.name);
      assert.match(text, /greeting/, report.name);
    }
    assert.doesNotMatch(await textOf(table, handshakes()), /round trip/);
    assert.match(await textOf(githubActionBenchmark, handshakes()), /"unit": "handshakes\/s"/);
  });

  it('has them in pictures, their titles and their alt texts', () => {
    const figures = figuresOf(handshakes(), {});
    assert.ok(figures.length >= 2);
    const texts = JSON.stringify(figures.map(({ title, message, altText }) => ({ title, message, altText })));
    assert.match(texts, /Handshakes per second/);
    assert.match(texts, /Latency of a handshake/);
    assert.doesNotMatch(JSON.stringify(figures), /[Rr]ound trips? (per second|took)/);
  });

  it('has them in comparisons', () => {
    const fresh = handshakes({ series: ['pipe/json', 'unix/json'], flag: () => [], seed: 9 });
    const side = (/** @type {string} */ name, /** @type {Results} */ results) => ({
      ...{ name, source: `${name}.json`, results },
    });
    const comparison = compareResults(side('old', handshakes()), side('new', fresh), {
      ...{ design: 'separate', minEffect: 0.0001, isForced: false },
    });
    const text = [comparisonTable(comparison, {}), ...conclusionsOf(comparison)].join('\n');
    assert.match(text, /handshakes per second/);
    assert.doesNotMatch(text, /round trip/);
  });
});
