// Runs at night.
// A worker whose stdin and stdout belong to the transport: what else wants to print there, and how it ends.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { patiently } from '../conformance/deadline.js';
import { launchCell } from '../fixtures/launch-cell.js';

const PRINTING = '../fixtures/printing-stdio.js';

describe('a worker that prints while its stdout belongs to the transport', () => {
  for (const prints of ['console', 'process']) {
    it(`causes no failure: by ${prints}`, async () => {
      const { end } = await launchCell({ transport: PRINTING, cell: { settings: { prints } } });
      assert.equal(end.kind, 'done', JSON.stringify(end));
    });
  }

  it('has its output in the error of a failed launch', async () => {
    const timing = { measureMs: 60_000 };
    const { end } = await launchCell({
      transport: PRINTING,
      timing,
      deadlines: { lifeMs: patiently(1_500) },
    });
    assert.ok(end.kind === 'failed');
    assert.match(end.stderr.join('\n'), /printed while it was loaded/);
  });

  it('fails its launch with a reason if its output cannot be redirected', async () => {
    const settings = { prints: 'descriptor' };
    const { end } = await launchCell({
      transport: PRINTING,
      cell: { settings },
      timing: { measureMs: 30_000 },
    });
    assert.ok(end.kind === 'failed');
    assert.deepEqual([end.code, end.phase], ['PROTOCOL', 'measure']);
    assert.match(
      end.message,
      /^the master closed the channel of w\d: a frame announces \d+ bytes .*begins with the text "/,
    );
  });
});
