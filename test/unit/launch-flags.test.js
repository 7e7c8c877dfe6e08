// What the launch flags allow for.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { littleLawExcess } from '../../lib/run/flags/launch-flags.js';

// 8 loops at 100 µs make 80,000 per second: 74,400 miss the law by 7 %.
const cell = /** @type {any} */ ({ workers: 2, loops: 4 });
const launch = /** @type {any} */ ({
  windowMs: 560,
  times: { serviceTime: { meanNs: 100_000, maxNs: 8_000_000 } },
});
const slices = { windowMs: [80, 80, 80, 80, 80, 80, 80] };

describe('Little’s law', () => {
  it('is violated where a window misses it by more than its longest operation explains', () => {
    assert.equal(littleLawExcess(launch, cell, 74_400)?.toFixed(3), '0.070');
    assert.equal(littleLawExcess(launch, cell, 78_000), null);
  });

  it('is not violated where the ends of several slices explain as much', () => {
    assert.equal(littleLawExcess({ ...launch, slices }, cell, 74_400), null);
    assert.equal(littleLawExcess({ ...launch, slices }, cell, 60_000)?.toFixed(2), '0.25');
  });
});
