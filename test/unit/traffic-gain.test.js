// What messages cost a recorded program, whether its replay stands for it, and what it would gain.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findConversations, isClosedLoop, readCostUs } from '../../lib/record/traffic-costs.js';
import { recordedSince, WeightedHistogram } from '../../lib/record/weighted-histogram.js';
import { gainLines } from '../../lib/report/recommend/gain-words.js';
import { bestRow, checkReplay, gainRows } from '../../lib/report/recommend/traffic-gain.js';
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
  /** @param {Record<string, number>} costs   CPU time of an operation, µs @param {{ flag?: string, isFit?: (cell: any) => boolean }} [how] */
  const rowsOf = (costs, { flag, isFit = () => true } = {}) => {
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
    return gainRows(results, { reference: 'pipe/json', perSecond: 5_000, isFit });
  };

  it('save the difference at the rate of the program, with an interval', () => {
    const [present, best, other] = rowsOf({ 'pipe/json': 20, 'unix/json': 10, 'tcp/json': 20 });
    assert.deepEqual([present.name, present.saved, present.effort], ['pipe/json', null, null]);
    assert.ok(Math.abs(Number(present.share) - 0.1) < 0.005);
    assert.deepEqual([best.name, best.isCheaper, best.effort], ['unix/json', true, 'mechanism']);
    assert.ok(best.saved && best.saved.low < best.saved.estimate && best.saved.estimate < best.saved.high);
    assert.ok(Math.abs(best.saved.estimate - 0.05) < 0.005);
    assert.equal(other.isCheaper, false);
  });

  it('have what is needed', () => {
    const costs = { 'pipe/json': 20, 'unix/json': 12, 'tcp/json': 10 };
    const names = rowsOf(costs, { isFit: ({ transport }) => transport !== 'tcp' }).map(({ name }) => name);
    assert.deepEqual(names, ['pipe/json', 'unix/json']);
  });

  it('may have been sent late, but not be still warming up', () => {
    const isCheaper = (/** @type {string} */ flag) =>
      rowsOf({ 'pipe/json': 20, 'unix/json': 10 }, { flag })[1].isCheaper;
    assert.equal(isCheaper('generator-limited'), true);
    assert.equal(isCheaper('cold'), false);
  });

  it('tell what has to be changed', () => {
    const costs = { 'pipe/json': 20, 'pipe/v8': 15, 'unix/json': 12, 'threads-message/v8': 8 };
    const efforts = rowsOf(costs).map(({ name, effort }) => `${name} ${effort}`);
    assert.deepEqual(efforts, [
      'pipe/json null',
      'threads-message/v8 threads',
      'unix/json mechanism',
      'pipe/v8 option',
    ]);
  });
});

describe('the answer', () => {
  const traffic = makeTraffic({ requests: REQUESTS, sendUs: SEND_US });
  const [conversation] = findConversations(traffic);
  const row = (/** @type {string} */ name, /** @type {number} */ saved, isCheaper = true) => ({
    name,
    codec: name.split('/')[1],
    share: 0.2 - saved,
    isCheaper,
    saved: { estimate: saved, low: saved - 0.01, high: saved + 0.01 },
    p99: null,
    isLate: false,
    effort: /** @type {const} */ ('mechanism'),
    kind: '',
  });
  const gain = (/** @type {Partial<import('../../lib/report/recommend/traffic-gain.js').Gain>} */ facts) => ({
    traffic,
    share: 0.022,
    conversation: { ...conversation, share: 0.02 },
    why: '',
    sizes: [],
    check: checkReplay(10, [10, 10.1, 9.9]),
    rows: [{ ...row('pipe/json', 0, false), saved: null, effort: null }, row('unix/msgpack', 0.1)],
    requires: { msgpack: 'MessagePack by msgpackr, with a shared record structure' },
    ...facts,
  });
  const text = (/** @type {Parameters<typeof gain>[0]} */ facts) =>
    gainLines(gain(facts), 100)
      .join('\n')
      .replaceAll(/\n {2}/g, ' ');
  const unlike = checkReplay(10, [5, 5.1, 4.9]);

  it('promises a gain only where the replay stands for the program', () => {
    assert.equal(bestRow(gain({}))?.name, 'unix/msgpack');
    assert.match(
      text({}),
      /^To gain: 10 % \(9–11\) of a core, with unix\/msgpack\. IPC takes 2\.2 % of a core now/,
    );
    assert.equal(bestRow(gain({ check: unlike })), null);
    assert.match(
      text({ check: unlike }),
      /^The replay does not stand for the program, so no gain is promised\./,
    );
  });

  it('says what a gain requires of a codec that Node.js does not have', () => {
    assert.match(
      text({}),
      /msgpack requires at both ends: MessagePack by msgpackr, with a shared record structure/,
    );
    const own = [gain({}).rows[0], row('unix/json', 0.1)];
    assert.doesNotMatch(text({ rows: own }), /requires/);
  });

  it('says what is known without a replay where there is no answer', () => {
    const most = /2 % of a core is the most that another way .* could save\./;
    assert.match(text({ check: unlike, rows: [] }), most);
    assert.match(text({ check: null, why: '300 messages cannot show it', rows: [] }), most);
    assert.doesNotMatch(text({}), most);
  });

  it('names what was not recorded instead of an unconditional "nothing to gain"', () => {
    const partial = { ...traffic, notRecorded: ['daemon.js (pid 7): it runs on after the command'] };
    assert.match(text({ conversation: null }), /^Nothing to gain: IPC takes/);
    assert.match(
      text({ conversation: null, traffic: partial }),
      /^Nothing to gain in what was recorded: IPC takes .*\nNot recorded: daemon\.js \(pid 7\)/,
    );
  });

  it('names the difference in size as a cause where there is one', () => {
    const causes = (/** @type {number} */ replayedBytes) =>
      text({ check: unlike, rows: [], sizes: [{ channel: 1, recordedBytes: 100, replayedBytes }] });
    assert.match(causes(20), /\. The difference in size, other load on the machine then or now, /);
    assert.match(causes(101), /\. Other load on the machine then or now, /);
  });
});
