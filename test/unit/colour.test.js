import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readColumns, wantsColour } from '../../lib/cli/process-io.js';

const TERMINAL = { isTTY: true };
const FILE = {};

describe('wantsColour', () => {
  /** @type {[string, { isTTY?: boolean }, Record<string, string>, boolean][]} */
  const cases = [
    ['is on at a terminal', TERMINAL, {}, true],
    ['is off elsewhere', FILE, {}, false],
    ['heeds NO_COLOR', TERMINAL, { NO_COLOR: '1' }, false],
    ['ignores an empty NO_COLOR', TERMINAL, { NO_COLOR: '' }, true],
    ['heeds FORCE_COLOR', FILE, { FORCE_COLOR: '1' }, true],
    ['heeds FORCE_COLOR=0', TERMINAL, { FORCE_COLOR: '0' }, false],
    ['lets FORCE_COLOR win over NO_COLOR, as Node does', FILE, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['is off at a dumb terminal', TERMINAL, { TERM: 'dumb' }, false],
  ];
  for (const [name, stream, environment, expected] of cases) {
    it(name, () => assert.equal(wantsColour(stream, environment), expected));
  }
});

describe('readColumns', () => {
  it('returns those of the terminal, 80 if it reports hardly any, and no limit elsewhere', () => {
    const columns = [200, 20, 19, 0, undefined].map((reported) => readColumns({ columns: reported }));
    assert.deepEqual(columns, [200, 20, 80, 80, Infinity]);
    assert.deepEqual([readColumns({ columns: 200 }, 120), readColumns({}, 120)], [120, 120]);
  });
});
