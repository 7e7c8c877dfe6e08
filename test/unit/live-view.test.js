// The live view: where it is shown, what its keys do, and how it ends.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { canShowLive, createLiveView, isAsciiOnly } from '../../lib/cli/live-view.js';
import { makeResults } from '../fixtures/make-results.js';

const [{ cell: CELL }] = makeResults({ series: ['pipe/json'] }).outcomes;
const INTERIM = /** @type {any} */ ({
  progress: { block: 0, blocks: 3, launchesDone: 0, launchesTotal: 3, failed: 0, elapsedMs: 0, etaMs: null },
  step: { kind: 'start', cell: CELL },
  needed: { width: 0.05, clear: 1 },
  rows: [
    {
      cell: CELL,
      variant: null,
      headline: { name: 'rate', title: 'round trips per second', unit: 'per second', better: 'higher' },
      launches: [],
      hasFailed: false,
      reference: null,
    },
  ],
});

describe('the live ranking is shown', () => {
  const shown = ({ options = {}, stdout = {}, stderr = {}, environment = {} } = {}) =>
    canShowLive(
      /** @type {any} */ ({ isQuiet: false, ...options }),
      /** @type {any} */ ({
        stdout: { isTTY: true, ...stdout },
        stderr: { isTTY: true, ...stderr },
        environment,
      }),
    );

  it('in a terminal', () => {
    assert.equal(shown(), true);
    assert.equal(shown({ environment: { CI: '', TERM: 'xterm', NO_COLOR: '1' } }), true);
  });

  it('not in a pipe, in CI, on a dumb terminal, with --quiet, with --no-live or under open load', () => {
    const cases = [
      { stdout: { isTTY: undefined } },
      { stderr: { isTTY: undefined } },
      { environment: { CI: 'true' } },
      { environment: { TERM: 'dumb' } },
      { options: { isQuiet: true } },
      { options: { live: false } },
      { options: { open: {} } },
    ];
    for (const one of cases) assert.equal(shown(/** @type {any} */ (one)), false, JSON.stringify(one));
  });

  it('in ASCII unless the locale is UTF-8', () => {
    assert.equal(isAsciiOnly({ LANG: 'de_CH.UTF-8' }, 'linux'), false);
    assert.equal(isAsciiOnly({ LANG: 'de_CH.UTF-8', LC_ALL: 'C' }, 'linux'), true);
    assert.equal(isAsciiOnly({}, 'linux'), true);
    assert.equal(isAsciiOnly({}, 'win32'), false);
  });
});

async function view({ isInForeground = true, hasKeys = true } = {}) {
  const state = {
    text: '',
    enough: 0,
    closed: 0,
    isOpen: isInForeground,
    handlers: /** @type {any} */ (null),
  };
  const stream = /** @type {any} */ ({
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (/** @type {string} */ text) => {
      state.text += text;
    },
  });
  const open = /** @type {any} */ (
    (/** @type {any} */ _stdin, /** @type {any} */ handlers) => {
      state.handlers = handlers;
      return {
        listen: () => state.isOpen,
        close: () => {
          state.closed += 1;
        },
      };
    }
  );
  const live = await createLiveView({
    stream,
    stdin: hasKeys ? /** @type {any} */ ({}) : undefined,
    colour: false,
    isAscii: false,
    onEnough: () => {
      state.enough += 1;
    },
    open,
  });
  const takeText = () => {
    const { text } = state;
    state.text = '';
    return text;
  };
  return { live, state, takeText };
}

describe('the live view', () => {
  it('draws when it is told, with its keys, and erases what it drew', async () => {
    const { live, state, takeText } = await view();
    assert.equal(takeText(), '');
    live.onInterim(INTERIM);
    const drawn = takeText();
    assert.match(stripVTControlCharacters(drawn), /pipe\/json +waits\nq: end with what is measured\n/);
    live.end();
    assert.ok(takeText().includes('\u001b[2K'));
    assert.equal(state.closed, 1);
    live.onInterim(INTERIM);
    live.end();
    assert.equal(takeText(), '');
  });

  it('writes nothing when a key is pressed, since a slice may be measured, and says next what happens', async () => {
    const { live, state, takeText } = await view();
    live.onInterim(INTERIM);
    takeText();
    for (const key of ['x', 'q', 'Q']) state.handlers.onKey(key);
    assert.deepEqual([state.enough, takeText()], [1, '']);
    live.onInterim(INTERIM);
    assert.match(takeText(), /ends as soon as/);
    live.end();
  });

  it('ends with the blocks of the run', async () => {
    const { live, state } = await view();
    live.onInterim(INTERIM);
    live.onProgress(/** @type {any} */ ({ phase: 'launch' }));
    assert.equal(state.closed, 0);
    live.onProgress(/** @type {any} */ ({ phase: 'end' }));
    assert.equal(state.closed, 1);
  });

  it('draws nothing in the background, and tells of no keys where nobody can press one', async () => {
    const behind = await view({ isInForeground: false });
    behind.live.onInterim(INTERIM);
    behind.live.end();
    assert.equal(behind.takeText(), '');
    const deaf = await view({ hasKeys: false });
    deaf.live.onInterim(INTERIM);
    assert.doesNotMatch(deaf.takeText(), /q:/);
    deaf.live.end();
  });
});
