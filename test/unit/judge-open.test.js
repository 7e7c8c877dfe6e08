// Whether a plan of sends was kept, at the limits of what is still called kept.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SERVICE_TIME } from '../../lib/cell/headline.js';
import { BYTES_PER_NOTE } from '../../lib/channels/message-channel.js';
import {
  amplification,
  assertOneSampleEach,
  expectedMessages,
  generatorProblem,
  lowRateProblem,
  openLaunch,
} from '../../lib/run/flags/launch-flags.js';
import { countedTimes } from '../../lib/run/flags/readings.js';

const MS = 1e6;
const CELL = /** @type {any} */ ({ ratePerSecond: 1_000, workers: 2, loops: 4 });

/** @param {number} ms @param {number} [count] */
const lagOf = (ms, count = 1_000) => countedTimes(new Float64Array(count).fill(Math.round(ms * MS)));

/** @param {object} open @param {boolean} [isTimed]   by who sent it */
const launchOf = (open, isTimed = true) =>
  /** @type {any} */ ({
    times: isTimed ? { [SERVICE_TIME]: lagOf(1) } : {},
    open: { due: 1_000, started: 1_000, dropped: 0, missed: 0, late: 0, sendLag: lagOf(0.1), ...open },
  });

describe('a plan of sends', () => {
  it('is kept by 99 % of them, or where no more than one of each worker is missing', () => {
    assert.equal(generatorProblem(launchOf({ started: 990 }), CELL), null);
    assert.equal(
      generatorProblem(launchOf({ started: 989, dropped: 4, missed: 3 }), CELL),
      '98.9 % of the planned sends, 7 never',
    );
    assert.equal(generatorProblem(launchOf({ due: 10, started: 8 }), CELL), null);
    assert.match(String(generatorProblem(launchOf({ due: 10, started: 7 }), CELL)), /^70\.?0? %/);
  });

  it('is kept where sends are late by less than the turn of a loop', () => {
    assert.equal(generatorProblem(launchOf({ sendLag: lagOf(7.9) }), CELL), null, '8 loops at 1,000/s');
    assert.match(
      String(generatorProblem(launchOf({ sendLag: lagOf(8.2) }), CELL)),
      /^sends up to 8\.\d\d ms late, each loop is scheduled every 8\.00 ms$/,
    );
  });

  it('is kept where timers alone are as late, if nobody waits for answers', () => {
    const fast = { ...CELL, ratePerSecond: 100_000 };
    const of = (/** @type {number} */ ms) => generatorProblem(launchOf({ sendLag: lagOf(ms) }, false), fast);
    assert.equal(of(1.9), null);
    assert.match(String(of(2.1)), /and timers alone by 2 ms$/);
    assert.equal(generatorProblem(launchOf({ sendLag: lagOf(7.9) }, false), CELL), null, 'a slower turn');
  });

  it('is not there under closed loops', () => {
    const late = launchOf({ started: 0, sendLag: lagOf(100) });
    assert.equal(generatorProblem({ ...late, open: undefined }, CELL), null);
    assert.equal(generatorProblem(late, { ...CELL, ratePerSecond: undefined }), null);
  });

  it('is summed up over all who sent, with what nobody answered', () => {
    const counts = { due: 10, started: 9, late: 2, missed: 1, dropped: 0 };
    const report = { ...counts, response: lagOf(1, 3), sendLag: lagOf(2, 4) };
    const plan = /** @type {any} */ ({ arrivals: 'fixed', catchesUp: true, pacing: 'tick' });
    const two = openLaunch([report, { ...report, unanswered: lagOf(9, 5) }], plan);
    assert.deepEqual(
      [two.due, two.started, two.late, two.missed, two.dropped, two.arrivals],
      [20, 18, 4, 2, 0, 'fixed'],
    );
    assert.deepEqual([two.response.count, two.sendLag.count, two.unanswered?.count], [6, 8, 5]);
    const delivered = openLaunch([report], plan, new Float64Array(2).fill(MS));
    assert.deepEqual([delivered.response.count, 'unanswered' in delivered], [2, false]);
  });
});

describe('a low rate', () => {
  it('is one by which the worker with the fewest round trips has made too few to be warm', () => {
    const of = (/** @type {number[]} */ ...counts) =>
      lowRateProblem(
        /** @type {any} */ ({
          warmup: {
            work: [
              { name: 'master', role: 'master', operations: 1, cpuMs: 1 },
              ...counts.map((operations, place) => ({
                name: `w${place}`,
                operations,
                cpuMs: 1,
                role: 'worker',
              })),
            ],
          },
        }),
        CELL,
      );
    assert.equal(of(1e9, 12), '12 when the window opened');
    assert.equal(of(1e9, 1e9), null);
    assert.equal(of(), null, 'nobody knows');
    assert.equal(lowRateProblem(/** @type {any} */ ({ warmup: { work: [] } }), {}), null);
  });
});

describe('the counts of a launch', () => {
  const good = () =>
    /** @type {any} */ ({
      operations: 5,
      bins: [2, 3],
      times: { [SERVICE_TIME]: lagOf(1, 5) },
      open: { response: lagOf(1, 5), sendLag: lagOf(1, 5) },
    });

  it('are one sample of each operation in every histogram, or a bug', () => {
    assertOneSampleEach(good());
    assertOneSampleEach({ ...good(), times: {}, open: { response: lagOf(1, 4), sendLag: lagOf(1, 6) } });
    for (const [spoiled, what] of /** @type {[object, RegExp][]} */ ([
      [{ bins: [2, 2] }, /4 in bins/],
      [{ times: { [SERVICE_TIME]: lagOf(1, 6) } }, /6 service times/],
      [{ open: { response: lagOf(1, 4), sendLag: lagOf(1, 5) } }, /4 response times/],
      [{ open: { response: lagOf(1, 5), sendLag: lagOf(1, 6) } }, /6 send lags/],
    ]))
      assert.throws(() => assertOneSampleEach({ ...good(), ...spoiled }), {
        code: 'INTEGRITY',
        message: what,
      });
  });
});

describe('what a launch is blamed for beside its processes', () => {
  it('is a broker that was given, or delivered, more than 1 % beyond what the pattern needs, notes aside', () => {
    const of = (/** @type {number} */ published, /** @type {number | null} */ delivered, notes = 0) =>
      amplification(/** @type {any} */ ({ published, delivered, bytes: notes * BYTES_PER_NOTE }), 2);
    assert.deepEqual([of(2.02, 2.02), of(2.5, 2.5, 0.5), of(2.02, null)], [null, null, null]);
    assert.match(String(of(3, null)), /^given 1\.50?/);
    assert.match(String(of(2, 4)), /^given 1.*, delivered 2/);
    assert.equal(amplification(undefined, 2), null);
    assert.equal(
      amplification(/** @type {any} */ ({ published: 9, delivered: 9, bytes: 0 }), undefined),
      null,
    );
    assert.deepEqual(
      [
        expectedMessages(/** @type {any} */ ({}), 2),
        expectedMessages(/** @type {any} */ ({ roundTrips: 3 }), 2),
      ],
      [2, 6],
    );
    assert.equal(expectedMessages(/** @type {any} */ ({ roundTrips: null }), 2), undefined);
    assert.equal(expectedMessages(/** @type {any} */ ({})), undefined);
  });
});
