// Runs always.
// Launches and controls with payloads of other contents than ASCII.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeNotes } from '../../lib/report/text/notes.js';
import { findControl } from '../../lib/results/calibration-rows.js';
import { calibrate } from '../../lib/run/diagnostics/calibration.js';
import { cellsOf } from '../fixtures/axis-cells.js';
import { buildResults } from '../fixtures/build-results.js';
import { launchCell } from '../fixtures/launch-cell.js';

const OTHER_KINDS = /** @type {const} */ ([
  ['utf8', 'binary'],
  ['binary', 'json'],
  ['json', 'json'],
]);

const WITH_BYTES = /** @type {const} */ ([
  ['pipe', 'v8'],
  ['unix', 'json'],
  ['unix', 'msgpack'],
  ['threads-message', 'binary'],
  ['shared-memory', 'none'],
]);

describe('a launch with bytes', () => {
  for (const [transport, codec] of WITH_BYTES) {
    it(`gets every answer right: ${transport}/${codec}`, async () => {
      for (const payloadBytes of [1, 3_000, 100_000]) {
        const cell = { workers: 1, loops: 2, codec, content: /** @type {const} */ ('bytes'), payloadBytes };
        const { end } = await launchCell({ transport, cell, timing: { messages: 20 } });
        assert.equal(end.kind === 'done' && end.fields.operations, 40, JSON.stringify(end));
      }
    });
  }
});

describe('a launch with other contents', () => {
  for (const [content, codec] of OTHER_KINDS) {
    it(`gets every answer right: ${content} in ${codec}`, async () => {
      const cell = { workers: 1, loops: 2, codec, content, payloadBytes: 3_000 };
      const { end } = await launchCell({ cell, timing: { messages: 50 } });
      assert.equal(end.kind === 'done' && end.fields.operations, 100, JSON.stringify(end));
    });
  }
});

describe('controls', () => {
  it('are measured for each content, told apart, and said', async () => {
    const url = (/** @type {string} */ path) => new URL(path, import.meta.url).href;
    const plugins = /** @type {any} */ ({
      codecs: new Map([['json', { url: url('../../lib/codecs/builtin/json.js') }]]),
      scenarios: new Map([['round-trip', { url: url('../../scenarios/round-trip.js'), plugin: {} }]]),
    });
    const cells = cellsOf({ content: 'ascii,binary', payload: '10k' });
    const { signal } = new AbortController();
    const controls = await calibrate(cells, plugins, { cpus: null, seed: 1, signal });
    assert.deepEqual(
      controls.rows.map(({ content }) => content),
      [undefined, 'binary'],
    );
    for (const [index, cell] of cells.entries()) {
      assert.equal(findControl(controls, cell), controls.rows[index]);
    }
    // As on a quiet machine: samples that differ too much are not printed.
    const rows = controls.rows.map((row) => ({ ...row, spread: 0, nullUs: 2 * row.codecUs.estimate }));
    const notes = makeNotes({ ...buildResults(), controls: { ...controls, rows } }).join('\n');
    assert.match(notes, /Controls at 10,000 B: json alone .*\n.*Controls at 10,000 B of binary: json alone/);
  });
});
