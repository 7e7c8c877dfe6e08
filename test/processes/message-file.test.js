// Runs always.
// Messages of a file in real launches: every scenario that sends texts otherwise counts what was verified, as objects and as texts, and a file
// that has changed fails the launch.

import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { resolveOptions } from '../../lib/options/options.js';
import { IS_LONG } from '../conformance/long-form.js';
import { launchCell } from '../fixtures/launch-cell.js';

const TIMEOUT_MS = 600_000;
// Each kind of what is sent is once among the others.
const FURTHER = [
  ['round-trip', 'unix', 'string'],
  ['queue', 'unix', 'json'],
  ['task', 'unix', 'json'],
  ['task', 'cluster', 'json'],
  ['stream', 'unix', 'msgpack'],
  ['queue', 'pipe', 'json'],
];
const SERIES = /** @type {[string, string, string][]} */ ([
  ['round-trip', 'unix', 'json'],
  ['stream', 'pipe', 'json'],
  ['fan-out', 'unix', 'avro'],
  ['task', 'piscina', 'v8'],
  ...(IS_LONG ? FURTHER : []),
]);

describe('messages of a file', { timeout: TIMEOUT_MS }, () => {
  let folder = '';
  let path = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ibmf-'));
    path = join(folder, 'orders.ndjson');
    const orders = Array.from({ length: 50 }, (_, id) => ({ id, at: { x: id / 3 }, tags: ['é'.repeat(id)] }));
    writeFileSync(path, orders.map((order) => `${JSON.stringify(order)}\n`).join(''));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** @param {string} scenario @param {string} transport @param {string} codec @param {() => void} [meanwhile] */
  async function launched(scenario, transport, codec, meanwhile) {
    const { options } = resolveOptions(
      { 'message-file': path },
      { environment: {}, now: new Date(), randomSeed: 1 },
    );
    const { messageFile } = options;
    assert.ok(messageFile);
    meanwhile?.();
    const cell = { codec, content: messageFile.content, payloadBytes: messageFile.bytes.mean };
    return launchCell({ scenario, transport, cell, timing: { messageFile } });
  }

  for (const [scenario, transport, codec] of SERIES) {
    it(`carries messages by ${transport}/${codec} in ${scenario}`, async () => {
      const { end, left } = await launched(scenario, transport, codec);
      assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
      assert.ok(/** @type {any} */ (end).fields.operations > 0);
      assert.deepEqual(left, []);
    });
  }

  it('fails a launch if the file has changed', async () => {
    const { end } = await launched('round-trip', 'unix', 'json', () => appendFileSync(path, '{"id":-1}\n'));
    assert.equal(end.kind, 'failed');
    assert.match(/** @type {any} */ (end).message, /has changed since the run began/);
  });
});
