import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { didYouMean, editDistance, nearest } from '../../lib/format/did-you-mean.js';

describe('editDistance', () => {
  it('gives the textbook examples', () => {
    assert.equal(editDistance('kitten', 'sitting'), 3);
    assert.equal(editDistance('', 'abc'), 3);
    assert.equal(editDistance('same', 'same'), 0);
  });

  it('is the same both ways, and at least the difference in length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (one, other) => {
        assert.equal(editDistance(one, other), editDistance(other, one));
        assert.ok(editDistance(one, other) >= Math.abs(one.length - other.length));
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe('nearest', () => {
  const known = ['pipe', 'unix', 'tcp', 'redis-pubsub'];

  it('finds a word with up to two slips, whatever its case', () => {
    assert.equal(nearest('unx', known), 'unix');
    assert.equal(nearest('piep', known), 'pipe');
    assert.equal(nearest('REDIS-PUBSUB', known), 'redis-pubsub');
  });

  it('guesses nothing that is further away, or a word that would be all slips', () => {
    assert.equal(nearest('udp-multicast', known), undefined);
    assert.equal(nearest('ab', ['xy']), undefined);
    assert.equal(nearest('', known), undefined);
  });

  it('prefers the nearer of two', () => {
    assert.equal(nearest('unixx', ['unixyz', 'unix']), 'unix');
  });
});

describe('didYouMean', () => {
  it('is a sentence to append, or nothing', () => {
    assert.equal(
      didYouMean('paylod', ['payload'], { written: (flag) => `--${flag}` }),
      ' Did you mean --payload?',
    );
    assert.equal(didYouMean('something', ['payload']), '');
  });

  it('takes three letters or more for the beginning of the one word that they begin', () => {
    assert.equal(didYouMean('mem', ['mb', 'cpu', 'memory']), ' Did you mean memory?');
    assert.equal(didYouMean('red', ['redis-pubsub', 'redis-list']), '');
    assert.equal(didYouMean('me', ['mb', 'memory']), ' Did you mean mb?');
  });

  it('names all words whose first part was written, and the one that begins what was written', () => {
    const known = ['unix', 'redis-list', 'redis-pubsub', 'redis-streams', 'round-trip', 'stream'];
    assert.equal(didYouMean('redis', known), ' Did you mean redis-list, redis-pubsub or redis-streams?');
    assert.equal(didYouMean('streaming', known), ' Did you mean stream?');
    assert.equal(didYouMean('unix-sockets', known), ' Did you mean unix?');
  });

  it('prefers a name that others use to a word that is merely spelt alike', () => {
    const otherNames = { uds: ['unix'], 'worker-threads': ['threads-message', 'threads-shared'] };
    assert.equal(didYouMean('uds', ['udp', 'unix'], { otherNames }), ' Did you mean unix?');
    assert.equal(
      didYouMean('Worker_Threads', ['unix'], { otherNames }),
      ' Did you mean threads-message or threads-shared?',
    );
    assert.equal(didYouMean('constructor', ['udp'], { otherNames }), '');
  });
});
