// Files that another program has open for a moment, which Windows does not replace.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHeldOpen, unwritableReason } from '../../lib/format/unwritable-reason.js';
import { replaceFile } from '../../lib/results/atomic-file.js';

const CODES = ['EPERM', 'EACCES', 'EBUSY'];
const failure = (/** @type {string} */ code) => Object.assign(new Error(`${code}: it is refused`), { code });

/** @param {string} code @param {number} times   that it is refused */
function refusing(code, times) {
  let tries = 0;
  return {
    tries: () => tries,
    async move() {
      tries += 1;
      if (tries <= times) throw failure(code);
    },
  };
}

describe('a file that another program has open', () => {
  for (const code of CODES) {
    it(`is replaced on Windows once it is closed (${code})`, async () => {
      const { move, tries } = refusing(code, 2);
      await replaceFile('a', 'b', { move, platform: 'win32' });
      assert.equal(tries(), 3);
    });

    it(`is named with the remedy on Windows (${code})`, () => {
      assert.match(unwritableReason(failure(code), 'win32'), /another program has it open: close it/);
    });
  }

  it('fails after two seconds', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => {
      nowMs += 50;
      return nowMs;
    });
    const { move, tries } = refusing('EPERM', Infinity);
    await assert.rejects(replaceFile('a', 'b', { move, platform: 'win32' }), { code: 'EPERM' });
    assert.ok(tries() > 2, `${tries()} tries`);
  });
});

describe('a file that cannot be written on other systems', () => {
  it('fails at once', async () => {
    for (const code of CODES) {
      const { move, tries } = refusing(code, 1);
      await assert.rejects(replaceFile('a', 'b', { move, platform: 'linux' }), { code });
      assert.equal(tries(), 1);
      assert.equal(isHeldOpen(failure(code), 'darwin'), false);
    }
  });
});
