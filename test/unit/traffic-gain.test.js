// What messages cost a recorded program, whether its replay stands for it, and what it would gain.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findConversations, isClosedLoop, readCostUs } from '../../lib/record/traffic-costs.js';
import { recordedSince, WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { gainWords } from '../../lib/report/recommend/gain-words.js';
import {
  bestRow,
  checkReplay,
  chooseRows,
  evidenceIn,
  gainRows,
  savedInSum,
} from '../../lib/report/recommend/traffic-gain.js';
import { makeResults, measuredOf } from '../fixtures/make-results.js';
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
  it('leaves out what the process waited for the CPU', () => {
    const usual = new Array(99).fill(5);
    assert.equal(readCostUs(histogramOf(usual), 100), 5);
    assert.ok(Math.abs(readCostUs(histogramOf([...usual, 80_000]), 100) - (99 * 5 + 20) / 100) < 0.2);
    // Of a message of a mebibyte it is no waiting.
    assert.ok(readCostUs(histogramOf([...usual, 1_000]), 2 ** 20) > 14);
    assert.equal(readCostUs(histogramOf([]), 100), 0);
  });

  it('is that of both ends, with the responses', () => {
    const [{ channel, responses, share, fromShare, toShare, messageUs }] = findConversations(
      makeTraffic({ requests: REQUESTS, sendUs: SEND_US }),
    );
    assert.deepEqual([channel.from, responses?.from], ['client.js (child)', 'server.js']);
    assert.ok(Math.abs(messageUs - 2 * SEND_US) < 2, String(messageUs));
    assert.equal(share, fromShare + toShare);
    assert.ok(share > 0.1 && share < 0.4, String(share));
  });

  it('is that of one conversation where two channels answer each other, and of none with itself', () => {
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

  it('is known since an instant', () => {
    const [early, late] = [
      [1, 2, 3],
      [1, 2, 3, 2, 4],
    ].map(histogramOf);
    assert.deepEqual(recordedSince(late, early).cells, [
      [2, 1],
      [4, 1],
    ]);
  });
});

describe('a closed loop', () => {
  const of = (/** @type {number} */ pauseMs) =>
    isClosedLoop(makeTraffic({ requests: REQUESTS, sendUs: SEND_US, pauseMs }).channels[0]);

  it('always has the same number in flight, and no pauses', () => {
    assert.equal(of(0), true);
    assert.equal(of(5), false);
  });
});

describe('a replay', () => {
  it('stands for the program within 20 %, where its launches agree', () => {
    assert.equal(checkReplay(10, [11, 11.5, 11]).isAlike, true);
    assert.equal(checkReplay(10, [13, 13.1, 12.9]).isAlike, false);
    assert.equal(checkReplay(10, [7, 7.1, 6.9]).isAlike, false);
    const noisy = checkReplay(10, [5, 10, 20]);
    assert.deepEqual([noisy.isAlike, noisy.isNoisy], [false, true]);
    assert.equal(checkReplay(10, [10]).isAlike, false, 'one launch has no interval');
  });
});

describe('rows', () => {
  /** @param {Record<string, number>} costs   CPU time of an operation, µs @param {{ flag?: string }} [how] */
  const evidenceOf = (costs, { flag } = {}) => {
    const results = makeResults({
      series: Object.keys(costs),
      payloads: [1_000],
      shapes: ['1x1'],
      launches: 6,
      flag: () => (flag === undefined ? [] : [flag]),
    });
    for (const { cell, launches } of measuredOf(results)) {
      const us = costs[`${cell.transport}/${cell.codec}`];
      launches.forEach((launch, block) => {
        const [first] = launch.costs;
        launch.costs = [
          { ...first, userUs: us * launch.operations * (1 + 0.01 * ((block * us) % 7)), systemUs: 0 },
        ];
      });
    }
    const traitsFor = (/** @type {any} */ { transport }) => ({
      durability: /** @type {'memory' | 'disk'} */ (transport === 'unix' ? 'disk' : 'memory'),
    });
    return evidenceIn(results, null, traitsFor);
  };
  const names = (/** @type {{ name: string }[]} */ rows) => rows.map(({ name }) => name);

  it('go on if they are cheaper: the cheapest, and the one of the least work', () => {
    const costs = {
      'pipe/json': 20,
      'pipe/v8': 15,
      'unix/json': 12,
      'unix/string': 11,
      'tcp/json': 25,
      'threads-message/v8': 8,
    };
    const { chosen, others } = chooseRows(evidenceOf(costs), 'pipe/json', []);
    assert.deepEqual(names(chosen), ['threads-message/v8', 'pipe/v8']);
    assert.deepEqual(others, ['tcp/json']);
    const dearOption = chooseRows(
      evidenceOf({ 'pipe/json': 20, 'pipe/v8': 22, 'unix/json': 12 }),
      'pipe/json',
      [],
    );
    assert.deepEqual(names(dearOption.chosen), ['unix/json']);
    assert.deepEqual(
      chooseRows(evidenceOf({ 'pipe/json': 20, 'unix/json': 20 }), 'pipe/json', []).chosen,
      [],
    );
  });

  it('have what is needed', () => {
    const costs = { 'pipe/json': 20, 'unix/json': 12, 'tcp/json': 10 };
    assert.deepEqual(names(chooseRows(evidenceOf(costs), 'pipe/json', ['durable']).chosen), ['unix/json']);
  });

  it('save the difference at the rate of the program, with an interval', () => {
    const [present, best, other] = gainRows(
      evidenceOf({ 'pipe/json': 20, 'unix/json': 10, 'tcp/json': 20 }),
      'pipe/json',
      5_000,
      () => '',
    );
    assert.deepEqual([present.name, present.saved, present.effort], ['pipe/json', null, null]);
    assert.ok(Math.abs(Number(present.share) - 0.1) < 0.005);
    assert.deepEqual([best.name, best.isCheaper, best.effort], ['unix/json', true, 'mechanism']);
    assert.ok(best.saved && best.saved.low < best.saved.estimate && best.saved.estimate < best.saved.high);
    assert.ok(Math.abs(best.saved.estimate - 0.05) < 0.005);
    assert.equal(other.isCheaper, false);
  });

  it('may have been sent late, but not be still warming up', () => {
    const isCheaper = (/** @type {string} */ flag) =>
      gainRows(evidenceOf({ 'pipe/json': 20, 'unix/json': 10 }, { flag }), 'pipe/json', 5_000, () => '')[1]
        .isCheaper;
    assert.equal(isCheaper('generator-limited'), true);
    assert.equal(isCheaper('cold'), false);
  });
});

describe('what is gained', () => {
  const row = (/** @type {string} */ name, /** @type {number} */ saved, isCheaper = true) => ({
    name,
    share: 0.2 - saved,
    isCheaper,
    saved: { estimate: saved, low: saved - 0.01, high: saved + 0.01 },
  });
  const gain = (/** @type {boolean} */ isAlike) =>
    /** @type {any} */ ({
      conversation: { channel: { number: 1 } },
      check: { isAlike },
      rows: [
        { name: 'pipe/json', share: 0.2, saved: null, isCheaper: false },
        row('unix/json', 0.1),
        row('tcp/json', 0.08),
      ],
    });

  it('is promised only where the replay stands for the program', () => {
    assert.equal(bestRow(gain(true))?.name, 'unix/json');
    assert.equal(bestRow(gain(false)), null);
    assert.equal(savedInSum([gain(false)]), null);
    const sum = savedInSum([gain(true), gain(true), gain(false)]);
    assert.deepEqual(
      [sum?.estimate, sum?.low, sum?.high].map((value) => Number(value?.toFixed(4))),
      [0.2, 0.18, 0.22],
    );
  });

  it('is not promised with the likely causes', () => {
    const traffic = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
    const [conversation] = findConversations(traffic);
    const check = checkReplay(10, [5, 5.1, 4.9]);
    const saidOf = (/** @type {any[]} */ sizes) => {
      const one = { conversation, why: '', reference: '', sizes, check, rows: [], others: [] };
      return String(gainWords({ traffic, gains: [one], others: [] }).channels[0].head.at(-1));
    };
    assert.match(
      saidOf([{ channel: 1, recordedBytes: 49_216, replayedBytes: 9_852 }]),
      /\. The difference in size, other load on the machine then or now, /,
    );
    assert.match(
      saidOf([{ channel: 1, recordedBytes: 100, replayedBytes: 101 }]),
      /\. Other load on the machine then or now, /,
    );
  });
});
