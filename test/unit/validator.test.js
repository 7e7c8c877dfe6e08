// What is wrong with results, in words.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { findFault } from '../../lib/format/shape-fault.js';
import {
  faultInOutcome,
  faultInResults,
  faultOfHeadlines,
  faultOfHistograms,
  faultOfKeys,
} from '../../lib/results/readable.js';
import { LatencyCounts } from '../../lib/statistics/latency-counts.js';
import { Launch } from '../../lib/types/launches.js';
import { Outcome, Results } from '../../lib/types/results-file.js';
import { buildResults } from '../fixtures/build-results.js';

/** @param {(results: any) => void} change @returns {string | null} */
function faultAfter(change) {
  const results = buildResults({ series: ['unix/json', 'tcp/json'] });
  change(results);
  return findFault(Results, results);
}

/** @param {number} word @returns {number[]} bytes */
const leb128 = (word) => (word < 0x80 ? [word] : [(word % 0x80) + 0x80, ...leb128(Math.floor(word / 0x80))]);

/**
 * @param {number[]} words   bytes, which replace those of an empty histogram
 * @param {(plain: Buffer) => void} [change]
 */
function histogramText(words, change = () => {}) {
  const bytes = Buffer.from(new LatencyCounts().toLatency().histogram, 'base64');
  const plain = Buffer.concat([inflateSync(bytes.subarray(8)).subarray(0, 40), Buffer.from(words)]);
  plain.writeInt32BE(words.length, 4);
  change(plain);
  return Buffer.concat([bytes.subarray(0, 8), deflateSync(plain)]).toString('base64');
}

describe('the validator of results', () => {
  it('accepts results with properties that it does not know, but for those of a cell', () => {
    assert.equal(
      faultAfter((results) => Object.assign(results.environment, { someday: 1 })),
      null,
    );
    assert.equal(
      faultAfter(({ outcomes }) => Object.assign(outcomes[1].cell, { someday: 1 })),
      'outcomes[1].cell has an unknown property "someday"',
    );
  });

  for (const [what, change, fault] of /** @type {[string, (results: any) => void, string][]} */ ([
    [
      'a document of another type',
      ({ outcomes }) => outcomes.splice(0, 1, 7),
      'outcomes[0] should be object, not number',
    ],
    ['a missing property', ({ outcomes }) => delete outcomes[0].cell.codec, 'outcomes[0].cell lacks codec'],
    [
      'a value that JSON does not write',
      (results) => Object.assign(results, { seed: undefined }),
      'the document lacks seed',
    ],
    ['a missing status', ({ outcomes }) => delete outcomes[1].status, 'outcomes[1] lacks status'],
    [
      'an unknown status',
      ({ outcomes }) => Object.assign(outcomes[1], { status: 'guessed' }),
      'outcomes[1] has an unknown status',
    ],
    [
      'a number that is not finite',
      ({ outcomes }) => Object.assign(outcomes[0].launches[2], { windowMs: Number.NaN }),
      'outcomes[0].launches[2].windowMs is not a finite number',
    ],
    [
      'a fraction of a whole number',
      ({ outcomes }) => Object.assign(outcomes[0].launches[2], { operations: 1.5 }),
      'outcomes[0].launches[2].operations should be integer, not number',
    ],
    [
      'another type',
      ({ outcomes }) => Object.assign(outcomes[0], { peakRssBytes: 'much' }),
      'outcomes[0].peakRssBytes should be number, not string',
    ],
    [
      'a number below its least',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { workers: 0 }),
      'outcomes[0].cell.workers is less than 1',
    ],
    [
      'a number above its greatest',
      ({ outcomes }) => Object.assign(outcomes[0].measures.roundTripsPerSecond, { level: 2 }),
      'outcomes[0].measures.roundTripsPerSecond.level is more than 1',
    ],
    [
      'a text that is too long',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { codec: '😀'.repeat(151) }),
      'outcomes[0].cell.codec is longer than 300',
    ],
    [
      'an empty text',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { codec: '' }),
      'outcomes[0].cell.codec is empty',
    ],
    [
      'no launch',
      ({ outcomes }) => Object.assign(outcomes[0], { launches: [] }),
      'outcomes[0].launches is empty',
    ],
    [
      'an estimate outside of its interval',
      ({ outcomes }) => Object.assign(outcomes[0].measures.roundTripsPerSecond, { low: 1e9 }),
      'outcomes[0].measures.roundTripsPerSecond should have low <= estimate <= high',
    ],
    [
      'a choice that there is not',
      (results) => Object.assign(results, { status: 'done' }),
      'status should be one of running, complete, interrupted',
    ],
    [
      'a key with the marks of a path',
      ({ environment }) => Object.assign(environment.packages, { 'a/b~c': 1 }),
      'environment.packages.a/b~c should be string, not number',
    ],
    [
      'another constant',
      (results) => Object.assign(results, { schemaVersion: 2 }),
      'schemaVersion should be 1',
    ],
    [
      'a list in place of named values',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { settings: [] }),
      'outcomes[0].cell.settings should be object, not array',
    ],
    [
      'a text that is too short',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { hosts: 'a' }),
      'outcomes[0].cell.hosts is shorter than 3',
    ],
    [
      'a text of another form',
      ({ outcomes }) => Object.assign(outcomes[0].cell, { network: '1h' }),
      'outcomes[0].cell.network should look like ^\\d+(us|ms)(\\+\\d+(kbit|mbit|gbit))?$',
    ],
    [
      'a number at a limit that it has to exceed',
      ({ outcomes }) => Object.assign(outcomes[0].launches[0], { network: { roundTripUs: 0 } }),
      'outcomes[0].launches[0].network.roundTripUs is not more than 0',
    ],
    [
      'the deepest of alternatives',
      (results) =>
        Object.assign(results, { published: { title: 't', source: 's', caveats: [1], results: [] } }),
      'published.caveats[0] should be string, not number',
    ],
  ])) {
    it(`tells in words, and where it is, of ${what}`, () => {
      assert.equal(faultAfter(change), fault);
    });
  }

  it('is asked of an outcome or a launch by itself', () => {
    const { outcomes } = buildResults({ series: ['unix/json'] });
    const [outcome] = /** @type {any[]} */ (outcomes);
    assert.equal(findFault(Outcome, outcome), null);
    assert.equal(findFault(Launch, outcome.launches[0]), null);
    assert.equal(
      findFault(Launch, { ...outcome.launches[0], status: 'measured', bins: 3 }),
      'bins should be array, not number',
    );
  });
});

describe('what the schema cannot say', () => {
  /** @param {(results: any) => void} change @param {(results: any) => string | null} fault */
  function after(change, fault) {
    const results = buildResults({ series: ['unix/json', 'tcp/json'], launches: 2 });
    change(results);
    return fault(results);
  }
  const RATE = 'roundTripsPerSecond';

  for (const [what, change, fault] of /** @type {[string, (results: any) => void, string | null][]} */ ([
    ['a row as it should be', () => {}, null],
    [
      'a scenario that is not explained',
      ({ outcomes }) => Object.assign(outcomes[1].cell, { scenario: 'other' }),
      'outcomes[1] is of a scenario that scenarios does not explain',
    ],
    [
      'a row without its headline',
      ({ outcomes }) => Object.assign(outcomes[1], { headline: 'speed' }),
      'outcomes[1] lacks its headline speed',
    ],
    [
      'a headline of another name',
      ({ outcomes }) => Object.assign(outcomes[1].measures[RATE], { name: 'speed' }),
      `outcomes[1] lacks its headline ${RATE}`,
    ],
    [
      'a value below 0',
      ({ outcomes }) => Object.assign(outcomes[0].measures.megabytesPerSecond, { low: -1e-9 }),
      'outcomes[0].measures.megabytesPerSecond is less than 0',
    ],
    [
      'a value of 0',
      ({ outcomes }) => Object.assign(outcomes[0].measures.megabytesPerSecond, { low: 0 }),
      null,
    ],
    [
      'a value below 0 where it may be',
      ({ outcomes }) => Object.assign(outcomes[0].measures.megabytesPerSecond, { low: -1, scale: 'linear' }),
      null,
    ],
    [
      'a launch without its headline',
      ({ outcomes }) => delete outcomes[0].launches[1].values[RATE],
      `outcomes[0].launches[1] lacks ${RATE}`,
    ],
    [
      'a launch with a headline of 0',
      ({ outcomes }) => Object.assign(outcomes[0].launches[1].values, { [RATE]: 0 }),
      `outcomes[0].launches[1].values.${RATE} is not above 0`,
    ],
    [
      'a launch in which nothing happened',
      ({ outcomes }) => {
        Object.assign(outcomes[0].launches[1].values, { [RATE]: 0 });
        outcomes[0].launches[1].operations = 0;
      },
      null,
    ],
  ]))
    it(`is found of the headline: ${what}`, () => assert.equal(after(change, faultOfHeadlines), fault));

  it('is found of the histogram of any launch, also of a row that failed', () => {
    /** @param {(results: any) => any} latencyOf @param {object} own */
    const fault = (latencyOf, own) =>
      after((results) => Object.assign(latencyOf(results), own), faultOfHistograms);
    const timesOf = (/** @type {any} */ { outcomes }) => outcomes[1].launches[1].times.serviceTime;
    assert.equal(fault(timesOf, {}), null);
    assert.equal(
      fault(timesOf, { histogram: '' }),
      'outcomes[1].launches[1].times.serviceTime.histogram is not a histogram',
    );
    assert.match(
      String(fault(timesOf, { count: 3 })),
      /^outcomes\[1\]\.launches\[1\].* does not hold 3 times$/,
    );
    // A run of empty cells, and a count of 1 beyond them: the layout has 33,792 cells. A number may have no more than eight bytes.
    const wordsOf = (/** @type {number} */ empty) => [...leb128(2 * empty - 1), 2];
    assert.equal(fault(timesOf, { count: 1, histogram: histogramText(wordsOf(33_791)) }), null);
    const low = (/** @type {Buffer} */ plain) => plain.writeBigInt64BE(1_000n, 24); // the first 2,048 cells
    for (const [empty, isRight] of /** @type {const} */ ([
      [2_047, true],
      [2_048, false],
    ]))
      assert.equal(
        fault(timesOf, { count: 1, histogram: histogramText(wordsOf(empty), low) }) === null,
        isRight,
      );
    for (const words of [wordsOf(33_792), [0x82, ...new Array(8).fill(0x80), 0]])
      assert.match(
        String(fault(timesOf, { count: 1, histogram: histogramText(words) })),
        /does not hold 1 times$/,
      );
    for (const change of /** @type {((plain: Buffer) => void)[]} */ ([
      (plain) => plain.writeInt32BE(1, 0), // another format
      (plain) => plain.writeInt32BE(2, 4), // more bytes than there are
      (plain) => plain.writeInt32BE(2, 12), // digits
      (plain) => plain.writeBigInt64BE(2n, 16), // lowest value
      (plain) => plain.writeBigInt64BE(2n ** 42n, 24), // highest value
    ]))
      assert.match(
        String(fault(timesOf, { count: 1, histogram: histogramText([2], change) })),
        /is of another layout$/,
        String(change),
      );
    const usual = timesOf(buildResults({ series: ['unix/json', 'tcp/json'], launches: 2 })).histogram;
    const head = Buffer.from(usual, 'base64').subarray(0, 8);
    for (const histogram of [
      usual.slice(0, 60),
      `${usual.slice(0, 60)}AAAA${usual.slice(64)}`,
      Buffer.concat([head, deflateSync(Buffer.alloc(2 ** 24))]).toString('base64'), // more than any histogram has
    ])
      assert.match(String(fault(timesOf, { histogram })), /histogram is damaged or was cut off$/);
    const missing = (/** @type {any} */ results) => {
      const [launch] = results.outcomes[1].launches;
      const latency = launch.times.serviceTime;
      const unanswered = { ...latency };
      launch.open = { response: latency, sendLag: latency, unanswered };
      return unanswered;
    };
    assert.match(String(fault(missing, { histogram: '' })), /launches\[0\]\.open\.unanswered\.histogram/);
    const failedRow = (/** @type {any} */ results) => {
      const { cell, launches } = results.outcomes[1];
      results.outcomes[0] = { status: 'skipped', cell, reason: 'none' };
      results.outcomes[1] = { status: 'failed', cell, code: 'X', message: 'x', launches };
      launches[0] = { status: 'failed' };
      return timesOf(results);
    };
    assert.match(String(fault(failedRow, { histogram: 'AAAA' })), /^outcomes\[1\]\.launches\[1\]\.times/);
    const openOf = (/** @type {'response' | 'sendLag'} */ name) => (/** @type {any} */ results) => {
      const launch = results.outcomes[0].launches[0];
      launch.open = { response: launch.times.serviceTime, sendLag: launch.times.serviceTime };
      launch.open[name] = { ...launch.times.serviceTime };
      return launch.open[name];
    };
    for (const name of /** @type {const} */ (['response', 'sendLag']))
      assert.match(
        String(fault(openOf(name), { histogram: '' })),
        new RegExp(`launches\\[0\\]\\.open\\.${name}\\.`),
      );
  });

  it('is found of keys, however deep', () => {
    const deep = JSON.parse(`${'{"a":['.repeat(50)}{"__proto__":1}${']}'.repeat(50)}`);
    assert.equal(faultOfKeys(deep), 'it has a key "__proto__"');
    assert.equal(faultOfKeys({ a: [null, { b: 'x' }], proto: 1 }), null);
    assert.equal(faultOfKeys(null), null);
  });

  it('is asked before a file is written, of each row with its place', () => {
    const circle = (/** @type {any} */ { outcomes }) => {
      outcomes[1].launches[1].more = outcomes[1].launches;
    };
    assert.match(String(after(circle, faultInResults)), /^outcomes\[1\]\.launches\[1\]\..*circular/i);
    const wrong = (/** @type {any} */ results) => Object.assign(results, { seed: 'x' });
    assert.match(String(after(wrong, faultInResults)), /^seed should be /);
    assert.equal(
      after(() => {}, faultInResults),
      null,
    );
    const lacking = (/** @type {any} */ results) => delete results.outcomes[1].cell.codec;
    assert.equal(after(lacking, faultInResults), 'outcomes[1].cell lacks codec');
    const skipped = /** @type {any} */ ({ status: 'skipped', cell: {}, reason: 'x' });
    assert.match(String(faultInOutcome(skipped)), /^cell lacks /);
  });
});
