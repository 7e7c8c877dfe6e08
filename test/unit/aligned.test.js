// Rows of text in columns of a given width, and sentences in lines.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wrapped } from '../../lib/format/wrapped.js';
import { linesOfTable } from '../../lib/report/columns/aligned.js';

describe('a sentence in lines', () => {
  it('breaks a sentence between words at the given column, and indents further lines', () => {
    assert.deepEqual(wrapped('aaa bbb ccc', 11), ['aaa bbb ccc']);
    assert.deepEqual(wrapped('aaa bbb ccc', 10), ['aaa bbb', '  ccc']);
    assert.deepEqual(wrapped('aaa bbb ccc ddd', 9), ['aaa bbb', '  ccc ddd']);
    assert.deepEqual(wrapped('aaa bbb ccc ddd', 8), ['aaa bbb', '  ccc', '  ddd']);
    assert.deepEqual(wrapped('', 8), ['']);
  });

  it('puts a word that is longer than a line on a line of its own', () => {
    assert.deepEqual(wrapped('a bbbbbbbbbbbb c', 8), ['a', '  bbbbbbbbbbbb', '  c']);
  });

  it('keeps a number with its sign, its unit, its ratio and its interval', () => {
    const together = [
      '± 2 %',
      '1,000 B',
      '12 ms',
      '3 MiB',
      '≥ 5',
      '4.2 µs',
      '7 MB/s',
      'tcp 1.90×',
      'tcp (1.8–2.0)',
    ];
    for (const text of together) {
      const [first, second] = wrapped(`xx ${text} yy`, 2 + text.length);
      assert.deepEqual([first, second], ['xx', `  ${text}`], text);
    }
    assert.deepEqual(wrapped('xx 12 minutes yy', 12), ['xx 12', '  minutes yy'], 'no unit but a word');
    assert.deepEqual(
      wrapped('aa bbbbb 1.90× (1.8–2.0) cc', 14),
      ['aa bbbbb 1.90×', '  (1.8–2.0) cc'],
      'unless it is longer than a line',
    );
  });

  it('counts printed characters', () => {
    assert.deepEqual(wrapped('😀😀 😀', 4), ['😀😀 😀']);
  });
});

/** @typedef {[span: string, title: string, align: 'left' | 'right' | 'first word', texts: string[]]} Told */

/** @param {Told[]} told @param {number} columns @param {string | null} [heading] */
function linesIn(told, columns, heading = null) {
  const shown = told.map(([span, title, align, texts]) => ({
    span,
    title,
    align,
    text: (/** @type {number} */ row) => texts[row],
  }));
  const rows = told[0][3].map((_, row) => row);
  return linesOfTable(shown, [{ heading, rows }], columns, (_, text) => `<${text}>`);
}

const NAMES = /** @type {Told} */ (['', 'name', 'left', ['a', 'bb']]);

describe('rows in columns', () => {
  it('aligns columns to the left, to the right, or by their first words', () => {
    const numbers = /** @type {Told} */ (['', 'rate', 'right', ['1,000', '20']]);
    const ratios = /** @type {Told} */ (['', 'ratio', 'first word', ['1.00', '12.50 (12–13)']]);
    assert.deepEqual(linesIn([NAMES, numbers, ratios], 80), [
      '<name   rate  ratio>',
      'a     1,000   1.00',
      'bb       20  12.50 (12–13)',
    ]);
  });

  it('widens the columns of a span to its title', () => {
    const wide = /** @type {Told[]} */ ([
      ['times in µs', 'p50', 'right', ['1', '2']],
      ['times in µs', 'p99', 'right', ['3', '4']],
    ]);
    assert.deepEqual(linesIn([NAMES, ...wide], 80), [
      '<      times in µs>',
      '<name     p50  p99>',
      'a          1    3',
      'bb         2    4',
    ]);
    const narrow = /** @type {Told[]} */ ([
      ['µs', 'p50', 'left', ['1', '2']],
      ['µs', 'p99', 'left', ['3', '4']],
    ]);
    assert.deepEqual(linesIn([NAMES, ...narrow], 80), [
      '<      µs>',
      '<name  p50  p99>',
      'a     1    3',
      'bb    2    4',
    ]);
  });

  it('continues in as few panels as possible, of about equal width', () => {
    const many = Array.from(
      { length: 4 },
      (_, index) => /** @type {Told} */ (['', `c${index}`, 'right', ['1234', '5']]),
    );
    const fits = 'name'.length + 4 * (2 + 4);
    assert.equal(linesIn([NAMES, ...many], fits).length, 3);
    assert.deepEqual(linesIn([NAMES, ...many], fits - 1), [
      '<name    c0    c1>',
      'a     1234  1234',
      'bb       5     5',
      '',
      '<name    c2    c3>',
      'a     1234  1234',
      'bb       5     5',
    ]);
  });

  it('keeps a span together, unless it is wider than a panel', () => {
    const span = (/** @type {string} */ name, /** @type {number} */ columns) =>
      Array.from(
        { length: columns },
        (_, index) => /** @type {Told} */ ([name, `${name}${index}`, 'right', ['1234', '5']]),
      );
    const heads = (/** @type {Told[]} */ told, /** @type {number} */ columns) =>
      linesIn([NAMES, ...told], columns).filter((line) => line.startsWith('<name'));
    assert.deepEqual(heads([...span('a', 2), ...span('b', 2)], 27), [
      '<name    a0    a1>',
      '<name    b0    b1>',
    ]);
    assert.deepEqual(heads(span('a', 3), 16), ['<name    a0    a1>', '<name    a2>']);
    const long = span('a long title', 1).map(
      ([name, , ...rest]) => /** @type {Told} */ ([name, 'x', ...rest]),
    );
    assert.equal(
      heads([...long, ...span('b', 1)], 'name'.length + 2 + 'a long title'.length + 2 + 3).length,
      2,
    );
    assert.equal(
      heads([...long, ...span('b', 1)], 'name'.length + 2 + 'a long title'.length + 2 + 4).length,
      1,
    );
  });

  it('shortens names to 16 to 60 characters, so that a number fits', () => {
    const long = 'x'.repeat(100);
    const widthAt = (/** @type {number} */ columns, /** @type {string | null} */ heading = null) =>
      String(linesIn([['', 'name', 'left', [long]]], columns, heading).at(-1)).length;
    assert.deepEqual(
      [30, 42, 43, 86, 200].map((columns) => widthAt(columns)),
      [16, 16, 17, 60, 60],
    );
    assert.equal(widthAt(60, 'heading'), 1 + 60 - 1 - 26);
  });
});
