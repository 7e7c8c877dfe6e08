// Where the time of a CPU profile went.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heaviestFunctions, profileParts } from '../../lib/statistics/profile.js';

/** @param {[name: string, url: string, us: number][]} functions   each sampled once, in this order */
function profileOf(functions) {
  return {
    nodes: functions.map(([functionName, url], id) => ({
      id,
      callFrame: { functionName, url, lineNumber: 6 },
    })),
    samples: functions.map((_, id) => id),
    timeDeltas: [999, ...functions.map(([, , us]) => us)], // the first is the time before the first sample
  };
}

describe('the heaviest functions of a profile', () => {
  it('have their shares of the time that was not idle, with the file and the line, from 1', () => {
    const found = heaviestFunctions(
      profileOf([
        ['read', 'node:internal/fs.js', 100],
        ['(idle)', '', 5_000],
        ['(root)', '', 5_000],
        ['', 'file:///a/b/frame.js', 250],
        ['(garbage collector)', '', 50],
        ['skewed', '', -20],
      ]),
    );
    assert.deepEqual(found, [
      { name: '(anonymous) frame.js:7', share: 0.625 },
      { name: 'read fs.js:7', share: 0.25 },
      { name: '(garbage collector)', share: 0.125 },
      { name: 'skewed', share: 0 },
    ]);
  });

  it('add up the samples of one function, and are five', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'a'];
    const found = heaviestFunctions(profileOf(names.map((name, place) => [name, '', 10 + place])));
    assert.deepEqual(
      found.map(({ name, share }) => [name, Math.round(share * 91)]),
      [
        ['a', 26],
        ['f', 15],
        ['e', 14],
        ['d', 13],
        ['c', 12],
      ],
    );
  });

  it('are none of an idle profile, and a function that the profile does not name is unknown', () => {
    assert.deepEqual(heaviestFunctions(profileOf([['(idle)', '', 10]])), []);
    assert.deepEqual(heaviestFunctions({ nodes: [], samples: [7], timeDeltas: [0, 10] }), [
      { name: '(unknown)', share: 1 },
    ]);
    assert.deepEqual(
      heaviestFunctions({ nodes: [], samples: [7], timeDeltas: [10] }),
      [],
      'the last sample has no time',
    );
  });
});

describe('the parts of a profile', () => {
  const frame = (/** @type {string} */ functionName) => ({ functionName, url: '' });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('root'), children: [2, 3, 9] },
      { id: 2, callFrame: frame('codec'), children: [4] },
      { id: 3, callFrame: frame('idle') },
      { id: 4, callFrame: frame('helper') },
    ],
    samples: [1, 2, 4, 3, 4, 7],
    timeDeltas: [0, 1_000, 1_000, 1_000, 1_000, 1_000],
    startTime: 10_000,
  };
  const partOf = (
    /** @type {{ functionName: string }} */ { functionName },
    /** @type {string} */ ofCaller,
  ) => (functionName === 'helper' ? ofCaller : functionName);

  it('have their shares of the samples in the window, its first instant included and its last not', () => {
    const { samples, shares } = profileParts(profile, partOf, { fromMs: 11, toMs: 14 });
    assert.equal(samples, 3);
    assert.deepEqual(shares, { codec: 2 / 3, idle: 1 / 3 });
    const whole = profileParts(profile, partOf, { fromMs: 10, toMs: 15.001 });
    assert.equal(whole.samples, 6);
    assert.deepEqual(
      whole.shares,
      { root: 1 / 6, codec: 3 / 6, idle: 1 / 6 },
      'without a function that nobody knows',
    );
  });

  it('are none where nothing was sampled', () => {
    assert.deepEqual(profileParts(profile, partOf, { fromMs: 20, toMs: 30 }), { samples: 0, shares: {} });
  });
});
