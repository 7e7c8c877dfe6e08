import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { didYouMean, editDistance, nearest } from '../../lib/format/did-you-mean.js';

describe('editDistance', () => {
  it('counts insertions, deletions and replacements', () => {
    assert.equal(editDistance('kitten', 'sitting'), 3);
    assert.equal(editDistance('', 'abc'), 3);
    assert.equal(editDistance('same', 'same'), 0);
  });

  it('is symmetric, and at least the difference in length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (one, other) => {
        assert.equal(editDistance(one, other), editDistance(other, one));
        assert.ok(editDistance(one, other) >= Math.abs(one.length - other.length));
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

const NAMES = ['pipe', 'unix', 'tcp', 'redis-list', 'redis-pubsub', 'round-trip', 'stream', 'memory', 'mb'];
const otherNames = { uds: ['unix'], 'worker-threads': ['threads-message', 'threads-shared'] };

describe('didYouMean', () => {
  for (const [word, suggestion] of [
    ['unx', 'unix'],
    ['piep', 'pipe'],
    ['REDIS-PUBSUB', 'redis-pubsub'],
    ['mem', 'memory'],
    ['me', 'mb'], // two letters begin too much
    ['red', ''], // so do three that begin two names
    ['redis', 'redis-list or redis-pubsub'],
    ['streaming', 'stream'],
    ['unix-sockets', 'unix'],
    ['uds', 'unix'],
    ['Worker_Threads', 'threads-message or threads-shared'],
    ['udp-multicast', ''],
    ['constructor', ''],
    ['', ''],
  ])
    it(`suggests ${suggestion || 'nothing'} for ${JSON.stringify(word)}`, () => {
      assert.equal(
        didYouMean(word, NAMES, { otherNames }),
        suggestion === '' ? '' : ` Did you mean ${suggestion}?`,
      );
    });

  it('writes a suggestion as it is to be typed', () => {
    const written = (/** @type {string} */ flag) => `--${flag}`;
    assert.equal(didYouMean('paylod', ['payload'], { written }), ' Did you mean --payload?');
  });

  it('prefers the nearest word, and none that is all slips', () => {
    assert.equal(nearest('unixx', ['unixyz', 'unix']), 'unix');
    assert.equal(nearest('ab', ['xy']), undefined);
  });
});
