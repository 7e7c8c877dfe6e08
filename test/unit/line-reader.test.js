import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lineReader } from '../../lib/children/peer-process.js';

/** @param {number} [longest] */
function start(longest = 100) {
  /** @type {string[]} */
  const lines = [];
  let tooLong = 0;
  const read = lineReader(
    (line) => lines.push(line),
    longest,
    () => {
      tooLong += 1;
    },
  );
  return { lines, read, tooLong: () => tooLong };
}

describe('lineReader', () => {
  it('passes on each complete line, however the text is divided', () => {
    const text = 'one\n\ntwo and\nthree\nrest';
    for (let size = 1; size <= text.length; size += 1) {
      const { lines, read } = start();
      for (let at = 0; at < text.length; at += size) read(text.slice(at, at + size));
      assert.deepEqual(lines, ['one', '', 'two and', 'three']);
      read('\n');
      assert.equal(lines.at(-1), 'rest');
    }
  });

  it('reports a line that is too long, and discards it', () => {
    const { lines, read, tooLong } = start(4);
    read('12');
    read('34');
    assert.equal(tooLong(), 0);
    read('5');
    assert.equal(tooLong(), 1);
    read('6\n');
    assert.deepEqual(lines, ['6']);
  });

  it('reads a line of 100 MB without searching any piece twice', { timeout: 10_000 }, () => {
    // Searching all that is held with each piece takes more than a minute.
    const { lines, read } = start(200e6);
    const piece = 'x'.repeat(65_536);
    for (let count = 0; count < 1_600; count += 1) read(piece);
    read('\n');
    assert.equal(lines[0].length, 1_600 * 65_536);
  });
});
