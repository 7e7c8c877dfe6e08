// The command that a run proposes at its end can be pasted, and asks for something that can be measured.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextCommand } from '../../lib/cli/next-command.js';

/** @param {Record<string, unknown>} options @param {number} payloadBytes   of its cell @param {Record<string, unknown>} [config] */
function proposed(options, payloadBytes, config = {}) {
  const asked = {
    ...{ options: { payloadBytes: [1_000], ...options }, config, chosen: new Set(Object.keys(config)) },
    plan: { cells: [{ cell: { payloadBytes }, skip: null }] },
  };
  return nextCommand(/** @type {any} */ (asked), 'r.json');
}

describe('the next command', () => {
  it('is a sweep over payloads where one was measured', () => {
    assert.match(proposed({}, 1_000), /^ipc-bench --payload 10\.\.100k\*10 /);
  });

  it('is none where a scenario or a file decides what is carried', () => {
    for (const command of [proposed({}, 2_560), proposed({ messageFile: {} }, 1_000)])
      assert.match(command, /^ipc-bench report r\.json /);
  });

  it('has a path with blanks as one word', () => {
    const command = proposed({ quick: true }, 1_000, {
      'message-file': "my file's.json",
      codec: ['json', 'v8'],
    });
    assert.match(command, /^ipc-bench --codec json,v8 --message-file 'my file'\\''s\.json' /);
  });
});
