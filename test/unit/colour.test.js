import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wantsColour } from '../../lib/cli/process-io.js';

const TERMINAL = { isTTY: true };
const FILE = {};

describe('wantsColour', () => {
  /** @type {[string, { isTTY?: boolean }, boolean | null, Record<string, string>, boolean][]} */
  const cases = [
    ['is on at a terminal', TERMINAL, null, {}, true],
    ['is off elsewhere', FILE, null, {}, false],
    ['heeds NO_COLOR', TERMINAL, null, { NO_COLOR: '1' }, false],
    ['ignores an empty NO_COLOR', TERMINAL, null, { NO_COLOR: '' }, true],
    ['heeds FORCE_COLOR', FILE, null, { FORCE_COLOR: '1' }, true],
    ['heeds FORCE_COLOR=0', TERMINAL, null, { FORCE_COLOR: '0' }, false],
    [
      'lets FORCE_COLOR win over NO_COLOR, as Node does',
      FILE,
      null,
      { FORCE_COLOR: '1', NO_COLOR: '1' },
      true,
    ],
    ['is off at a dumb terminal', TERMINAL, null, { TERM: 'dumb' }, false],
    ['lets --color win over everything', FILE, true, { NO_COLOR: '1', TERM: 'dumb' }, true],
    ['lets --no-color win over everything', TERMINAL, false, { FORCE_COLOR: '1' }, false],
  ];
  for (const [name, stream, choice, environment, expected] of cases) {
    it(name, () => assert.equal(wantsColour(stream, choice, environment), expected));
  }
});
