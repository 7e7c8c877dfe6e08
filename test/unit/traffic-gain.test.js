// What messages cost a recorded program, whether its replay stands for it, and what it would gain.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findConversations, isClosedLoop, readCostUs } from '../../lib/record/traffic-costs.js';
import { WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { checkReplay, gainFindings, gainRows } from '../../lib/report/recommend/gain-findings.js';
import { buildResults, measuredOf } from '../fixtures/build-results.js';
import { makeTraffic } from '../fixtures/make-traffic.js';

const REQUESTS = 2_000;
const SEND_US = 12;

/** @param {number[]} values */
const histogramOf = (values) => {
  const histogram = new WeightedHistogram();
  for (const value of values) histogram.record(value);
  return histogram.save();
};

describe('the cost of a message', () => {
  it('leaves out the time that the process waited for the CPU', () => {
    const usual = new Array(99).fill(5);
    assert.equal(readCostUs(histogramOf(usual), 100), 5);
    assert.ok(Math.abs(readCostUs(histogramOf([...usual, 80_000]), 100) - (99 * 5 + 20) / 100) < 0.2);
    // Of a message of a mebibyte it is no waiting.
    assert.ok(readCostUs(histogramOf([...usual, 1_000]), 2 ** 20) > 14);
    assert.equal(readCostUs(histogramOf([]), 100), 0);
  });

  it('adds up both ends, with the responses', () => {
    const [{ channel, responses, share, fromShare, toShare, messageUs }] = findConversations(
      makeTraffic({ requests: REQUESTS, sendUs: SEND_US }),
    );
    assert.deepEqual([channel.from, responses?.from], ['client.js (child)', 'server.js']);
    assert.ok(Math.abs(messageUs - 2 * SEND_US) < 2, String(messageUs));
    assert.equal(share, fromShare + toShare);
    assert.ok(share > 0.1 && share < 0.4, String(share));
  });

  it('joins two channels that respond to each other into one conversation', () => {
    const traffic = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
    const [asking, answering] = traffic.channels;
    answering.pairs = asking.pairs;
    assert.deepEqual(
      findConversations(traffic).map(({ channel, responses }) => [channel.number, responses?.number]),
      [[1, 2]],
    );
    const alone = { ...traffic, channels: [{ ...asking, to: asking.from }] };
    assert.deepEqual(
      findConversations(alone).map(({ channel, responses }) => [channel.number, responses]),
      [[1, null]],
    );
  });
});

describe('a closed loop', () => {
  const of = (/** @type {number} */ pauseMs) =>
    isClosedLoop(makeTraffic({ requests: REQUESTS, sendUs: SEND_US, pauseMs }).channels[0]);

  it('is recognised by a constant number of requests in flight', () => {
    assert.equal(of(0), true);
    assert.equal(of(5), false);
  });
});

describe('a replay', () => {
  const whyOf = (/** @type {number[]} */ replayUs) => checkReplay('pipe/json', 10, replayUs).why?.code;

  it('represents the program within 20 %, if its launches agree', () => {
    assert.equal(whyOf([11, 11.5, 11]), undefined);
    assert.equal(whyOf([13, 13.1, 12.9]), 'replay-unlike');
    assert.equal(whyOf([7, 7.1, 6.9]), 'replay-unlike');
    assert.equal(whyOf([5, 10, 20]), 'replay-noisy');
    assert.equal(whyOf([10]), 'replay-noisy', 'one launch has no interval');
  });
});

describe('rows', () => {
  const savedBy = ({ numbers = {} }) => /** @type {Record<string, number>} */ (numbers);

  /** @param {Record<string, number>} costs   CPU time of an operation, µs @param {{ flag?: string, isFit?: (cell: any) => boolean, unknown?: boolean }} [how] */
  const rowsOf = (costs, { flag, isFit = () => true, unknown = false } = {}) => {
    const results = buildResults({
      series: Object.keys(costs),
      payloads: [1_000],
      shapes: ['1x1'],
      launches: 6,
      flag: () => (flag === undefined ? [] : [flag]),
    });
    for (const { cell, launches } of measuredOf(results)) {
      const us = costs[`${cell.transport}/${cell.codec}`];
      launches.forEach((launch, group) => {
        const [first] = launch.costs;
        launch.costs = [
          { ...first, userUs: us * launch.operations * (1 + 0.01 * ((group * us) % 7)), systemUs: 0 },
        ];
      });
    }
    if (unknown) Object.assign(measuredOf(results)[1].launches[2], { costs: [], unknownCosts: ['w0'] });
    return gainRows(results, { reference: 'pipe/json', perSecond: 5_000, isFit });
  };

  it('saves the difference at the rate of the program, with an interval', () => {
    const [present, best, other] = rowsOf({ 'pipe/json': 20, 'unix/json': 10, 'tcp/json': 20 });
    assert.deepEqual(
      [present.row, present.verdict, present.names?.changes],
      ['pipe/json', undefined, undefined],
    );
    assert.ok(Math.abs(Number(present.value?.estimate) - 0.1) < 0.005);
    assert.deepEqual([best.row, best.verdict, best.names?.changes], ['unix/json', 'better', 'mechanism']);
    const { savedCoreShare: saved, leastSavedCoreShare: least, mostSavedCoreShare: most } = savedBy(best);
    assert.ok(least < saved && saved < most);
    assert.ok(Math.abs(saved - 0.05) < 0.005);
    assert.equal(other.verdict, 'unclear');
  });

  it('leaves out rows that do not meet the needs', () => {
    const costs = { 'pipe/json': 20, 'unix/json': 12, 'tcp/json': 10 };
    const names = rowsOf(costs, { isFit: ({ transport }) => transport !== 'tcp' }).map(({ row }) => row);
    assert.deepEqual(names, ['pipe/json', 'unix/json']);
  });

  it('leaves out launches whose CPU time is unknown', () => {
    const [, best] = rowsOf({ 'pipe/json': 20, 'unix/json': 10 }, { unknown: true });
    assert.deepEqual([best.verdict, Number(best.value?.low) > 0], ['better', true]);
  });

  it('judges rows that were sent late, but none that was still warming up', () => {
    const verdictWith = (/** @type {string} */ flag) => {
      const { verdict, why } = rowsOf({ 'pipe/json': 20, 'unix/json': 10 }, { flag })[1];
      return [verdict, why];
    };
    assert.deepEqual(verdictWith('generator-limited'), ['better', null]);
    assert.deepEqual(verdictWith('cold'), ['none', { code: 'cold' }]);
  });

  it('names what has to be changed', () => {
    const costs = { 'pipe/json': 20, 'pipe/v8': 15, 'unix/json': 12, 'threads-message/v8': 8 };
    const changes = rowsOf(costs).map(({ row, names }) => `${row} ${names?.changes}`);
    assert.deepEqual(changes, [
      'pipe/json undefined',
      'threads-message/v8 mechanism',
      'unix/json mechanism',
      'pipe/v8 option',
    ]);
  });
});

describe('a gain', () => {
  const traffic = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
  const [conversation] = findConversations(traffic);
  const rows = /** @type {import('../../lib/types/index.js').FoundRow[]} */ ([
    { row: 'pipe/json' },
    { row: 'tcp/json', verdict: 'unclear' },
    { row: 'unix/msgpack', verdict: 'better' },
  ]);
  const gainOf = (/** @type {number[]} */ replayUs, found = rows) => {
    const check = checkReplay('pipe/json', 10, replayUs);
    return gainFindings({ traffic, coreShare: 0.1, conversation }, { check, rows: found })[0];
  };

  it('is promised only if the replay is like the program, and a row is proven cheaper', () => {
    const alike = [10, 10.1, 9.9];
    const { verdict, rows: found, against, why } = gainOf(alike);
    assert.deepEqual([verdict, found[0].row, against, why], ['better', 'unix/msgpack', 'pipe/json', null]);
    assert.equal(gainOf(alike, rows.slice(0, 2)).verdict, 'unclear');
    const unlike = gainOf([5, 5.1, 4.9]);
    assert.deepEqual([unlike.verdict, unlike.why], ['none', { code: 'replay-unlike' }]);
  });
});
