import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean, nearest } from '../../lib/format/did-you-mean.js';

const NAMES = ['pipe', 'unix', 'tcp', 'redis-list', 'redis-pubsub', 'round-trip', 'stream', 'memory', 'mb'];
const otherNames = { uds: ['unix'], 'worker-threads': ['threads-message', 'threads-shared'] };

describe('didYouMean', () => {
  for (const [word, suggestion] of [
    ['unx', 'unix'],
    ['piep', 'pipe'],
    ['tpc', 'tcp'],
    ['pct', ''],
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
