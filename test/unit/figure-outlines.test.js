// What figures of every kind say, held against the text of an earlier version.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { outlineAll } from '../fixtures/figure-outlines.js';

const SAVED = new URL('../fixtures/figures.txt', import.meta.url);

it('figures say what they said before; where a change is meant, run node test/fixtures/refresh-figures.js and read the difference', () => {
  assert.deepEqual(outlineAll().split('\n'), readFileSync(SAVED, 'utf8').split('\n'));
});
