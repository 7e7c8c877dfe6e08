// How long a launch may wait, by what its cell is.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computeDeadlines } from '../../lib/run/assign.js';

const CELL = /** @type {any} */ ({ workers: 2, loops: 4, payloadBytes: 0 });
const TIMING = /** @type {any} */ ({ messages: null, measureMs: 1_000, warmupMs: 500, maxWarmupMs: 8_000 });
const LOAD = { mayLose: false, slowestOperationMs: 0 };

/** @param {object} cell @param {object} [timing] @param {object} [load] */
const of = (cell, timing = {}, load = {}) =>
  computeDeadlines({ ...CELL, ...cell }, { ...TIMING, ...timing }, { ...LOAD, ...load });

describe('the deadlines of a launch', () => {
  it('allow each worker its time to start, and the launch the sum of its parts', () => {
    assert.deepEqual(of({}), {
      connectMs: 16_200,
      replyMs: 10_000,
      finishMs: 15_000,
      exitMs: 5_000,
      lifeMs: 16_200 + 500 + 1_000 + 15_000 + 2 * 5_000,
    });
    assert.equal(of({}, { warmupMs: null }).lifeMs - of({}).lifeMs, 7_500, 'the longest warm-up');
  });

  it('allow for the payloads in flight at 5 MB/s', () => {
    const [small, large] = [of({}), of({ payloadBytes: 1_000_000, connections: 2 })];
    const underWayMs = (2 * 2 * 4 * 1_000_000) / 5_000;
    assert.equal(large.replyMs - small.replyMs, underWayMs);
    assert.equal(large.finishMs - small.finishMs, underWayMs);
    assert.equal(large.connectMs - small.connectMs, underWayMs + 2 * 10);
  });

  it('allow for queued tasks of a worker and their results', () => {
    const tasks = { steps: 1, workUs: 1_000_000, resultBytes: 50_000 };
    const [usual, working] = [of({}), of({}, {}, { tasks })];
    const underWayMs = 2 * 4 * (1_000 + 50_000 / 5_000);
    for (const name of /** @type {const} */ (['connectMs', 'replyMs', 'finishMs']))
      assert.equal(working[name] - usual[name], underWayMs);
  });

  it('allow 10 ms for each further connection to open and to close', () => {
    const [one, ten] = [of({}), of({ connections: 10 })];
    assert.equal(ten.connectMs - one.connectMs, 180);
    assert.equal(ten.exitMs - one.exitMs, 180);
    assert.equal(ten.lifeMs - one.lifeMs, 3 * 180);
  });

  it('allow half a second for a response that may be lost', () => {
    assert.equal(of({}, {}, { mayLose: true }).replyMs, 500);
  });

  it('allow 50 ms for each message, or the time of the slowest operation', () => {
    const windowMs = (/** @type {number} */ slowestOperationMs) =>
      of({}, { messages: 100 }, { slowestOperationMs }).lifeMs - of({}, { measureMs: 0 }).lifeMs;
    assert.deepEqual([windowMs(0), windowMs(50), windowMs(80)], [5_000, 5_000, 8_000]);
    const life = (/** @type {number | null} */ messages) =>
      of({ payloadBytes: 5_000 }, { messages, measureMs: 0 }).lifeMs;
    assert.equal(life(100) - life(null), 100 * (50 + 8));
  });
});
