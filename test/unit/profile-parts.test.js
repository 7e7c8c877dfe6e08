// The parts of a CPU profile.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { profileParts } from '../../lib/statistics/profile.js';

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

  it('assigns the samples of the window to parts, its start included and its end excluded', () => {
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

  it('returns no parts without samples', () => {
    assert.deepEqual(profileParts(profile, partOf, { fromMs: 20, toMs: 30 }), { samples: 0, shares: {} });
  });
});
