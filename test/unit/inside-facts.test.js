// What the instruments of a process recorded, as times of an operation: by hand-made readings.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { insideFacts } from '../../lib/results/inside-facts.js';

/** @typedef {Parameters<typeof insideFacts>[0]['record']['readings'][number]} Reading */

const WINDOW = { fromMs: 1_000, toMs: 2_000 };
/** What a slice of 100 ms with 50 operations adds. */
const SLICE = {
  atMs: 100,
  operations: 50,
  activeMs: 40,
  onTheWayMs: 25,
  afterMs: 10,
  cpuMs: 30,
  waitedMs: 20,
  userUs: 24_000,
  systemUs: 8_000,
};

/**
 * @param {number} count
 * @param {(slice: number) => Partial<Record<keyof Reading, any>>} [differs]   what a slice adds otherwise; null: the system does not tell
 * @returns {Reading[]} the first one before the window
 */
function readingsOf(count, differs = () => ({})) {
  /** @type {any} */
  let so = { ...Object.fromEntries(Object.keys(SLICE).map((key) => [key, 7])), atMs: 900 };
  const readings = [so];
  for (let slice = 0; slice < count; slice += 1) {
    const added = { ...SLICE, ...differs(slice) };
    so = Object.fromEntries(
      Object.entries(added).map(([key, value]) => [key, value === null ? null : Number(so[key]) + value]),
    );
    readings.push(so);
  }
  return readings;
}

/** @param {Reading[]} readings @param {[number, number][]} [collections] */
const turnsOf = (readings, collections = []) => ({ record: { readings, collections }, window: WINDOW });

const FRAMES = /** @type {const} */ ([
  ['encode', 'codec'],
  ['send', 'transport'],
  ['loop', 'harness'],
  ['(idle)', 'idle'],
]);
/** @param {Reading[]} readings @param {number[]} [counts] of samples in each frame */
function functionsOf(readings, counts = [1, 2, 3, 4]) {
  const [, ...others] = FRAMES.keys();
  const nodes = FRAMES.map(([functionName], id) => ({
    id,
    callFrame: { functionName, url: '' },
    children: id === 0 ? others : [],
  }));
  const samples = counts.flatMap((count, id) => Array.from({ length: count }, () => id));
  const profile = { nodes, samples, timeDeltas: samples.map(() => 1_000), startTime: 1_100_000 };
  return { ...turnsOf(readings), profile };
}
const partOf = (/** @type {{ functionName: string }} */ { functionName }) =>
  String(FRAMES.find(([name]) => name === functionName)?.[1]);

describe('what a process does for an operation', () => {
  const usual = readingsOf(11);

  it('is told by the slices in the window, in µs', () => {
    const facts = insideFacts(turnsOf(usual), functionsOf(usual), partOf);
    assert.deepEqual(facts, {
      activeUs: 800,
      onTheWayUs: 500,
      afterUs: 200,
      cpuUs: 600,
      userShare: 0.75,
      collectingUs: 0,
      // Ten samples of 900 ms, in which it waited for a fifth, and 450 operations.
      codecUs: 160,
      transportUs: 320,
      harnessUs: 480,
      samples: 10,
    });
  });

  it('is that of the slice in which the middle operation falls', () => {
    const slow = readingsOf(11, (slice) => (slice > 2 && slice < 7 ? { activeMs: 400 } : {}));
    assert.equal(insideFacts(turnsOf(slow), functionsOf(usual), partOf)?.activeUs, 800);
    const mostlySlow = readingsOf(11, (slice) => (slice > 2 && slice < 8 ? { activeMs: 400 } : {}));
    assert.equal(insideFacts(turnsOf(mostlySlow), functionsOf(usual), partOf)?.activeUs, 8_000);
    // Nine slices are in the window.
    const activeUsOf = (/** @type {number} */ slowSlices, ofFirst = 1) =>
      insideFacts(
        turnsOf(
          readingsOf(11, (slice) => {
            const operations = slice === 1 ? ofFirst : 1;
            return { operations, activeMs: operations * (slice > 0 && slice <= 9 - slowSlices ? 1 : 2) };
          }),
        ),
        functionsOf(usual),
        partOf,
      )?.activeUs;
    assert.deepEqual([activeUsOf(4), activeUsOf(5)], [1_000, 2_000]);
    assert.equal(activeUsOf(5, 2), 1_000, 'the faster one of two in the middle');
    const busyOnce = readingsOf(11, (slice) => (slice === 5 ? { operations: 1_000, activeMs: 100 } : {}));
    assert.equal(insideFacts(turnsOf(busyOnce), functionsOf(usual), partOf)?.activeUs, 100);
    const idleOnce = readingsOf(11, (slice) => (slice === 5 ? { operations: 0 } : {}));
    assert.equal(insideFacts(turnsOf(idleOnce), functionsOf(usual), partOf)?.activeUs, 800);
  });

  it('has the CPU time of the whole process where that of a thread is not told', () => {
    const readings = readingsOf(11, () => ({ cpuMs: null, waitedMs: null }));
    const facts = insideFacts(turnsOf(readings), functionsOf(readings), partOf);
    assert.equal(facts?.cpuUs, 640);
    assert.equal(facts?.codecUs, 200, 'nobody knows how long it waited');
  });

  it('is no time in a part that no sample met', () => {
    const facts = insideFacts(turnsOf(usual), functionsOf(usual, [0, 2, 3, 5]), partOf);
    assert.deepEqual([facts?.codecUs, facts?.transportUs, facts?.samples], [0, 320, 10]);
  });

  it('is all the user’s where no time was seen', () => {
    const readings = readingsOf(11, () => ({ userUs: 0, systemUs: 0 }));
    assert.equal(insideFacts(turnsOf(readings), functionsOf(readings), partOf)?.userShare, 1);
    const onlyOne = insideFacts(turnsOf(readings), functionsOf(usual), partOf);
    assert.equal(onlyOne?.userShare, 0.75, 'both launches together');
  });

  it('has the collections of garbage in the window, each for as long as the middle one', () => {
    const collections = /** @type {[number, number][]} */ ([
      [999, 100],
      [1_000, 1],
      [1_500, 3],
      [1_999, 50],
      [2_000, 100],
    ]);
    const facts = insideFacts(turnsOf(usual, collections), functionsOf(usual), partOf);
    assert.equal(facts?.collectingUs, (3 * 3 * 1_000) / 450);
  });

  it('is not told of fewer than ten readings, no operation, or no sample', () => {
    const nine = readingsOf(9);
    const idle = readingsOf(11, () => ({ operations: 0 }));
    assert.notEqual(insideFacts(turnsOf(readingsOf(10)), functionsOf(usual), partOf), null);
    for (const [turns, functions] of [
      [turnsOf(nine), functionsOf(usual)],
      [turnsOf(usual), functionsOf(nine)],
      [turnsOf(idle), functionsOf(usual)],
      [turnsOf(usual), functionsOf(idle)],
      [turnsOf(usual), functionsOf(usual, [])],
    ])
      assert.equal(insideFacts(turns, /** @type {any} */ (functions), partOf), null);
  });
});
