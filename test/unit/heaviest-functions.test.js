// Where the time of a CPU profile went.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heaviestFunctions } from '../../lib/statistics/heaviest-functions.js';

/** @param {[name: string, url: string, us: number][]} functions   each sampled once, in this order */
function profileOf(functions) {
  return {
    nodes: functions.map(([functionName, url], id) => ({
      ...{ id, callFrame: { functionName, url, lineNumber: 6 } },
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
