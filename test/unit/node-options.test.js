// NODE_OPTIONS as Node.js reads it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quoteNodeOption, splitNodeOptions } from '../../lib/machine/node-options.js';

describe('NODE_OPTIONS', () => {
  for (const [text, words] of /** @type {[string, string[]][]} */ ([
    ['', []],
    ['  --a   --b=1 ', ['--a', '--b=1']],
    ['--require "/First Last/x.cjs"', ['--require', '/First Last/x.cjs']],
    ['--title="a \\"b\\" \\\\c" --d', ['--title=a "b" \\c', '--d']],
    ['--path=C:\\x', ['--path=C:\\x']],
  ]))
    it(`splits ${text}`, () => assert.deepEqual(splitNodeOptions(text), words));

  it('quotes a word so that splitting returns it', () => {
    for (const word of ['--a', '--title=a "quoted" \\ title', 'C:\\First Last'])
      assert.deepEqual(splitNodeOptions(quoteNodeOption(word)), [word]);
  });
});
