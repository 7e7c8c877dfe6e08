// The last lines that processes have printed before they ended.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { stderrTail } from '../../lib/children/child-exit.js';

/** @param {ReturnType<typeof stderrTail>} last */
function stream(last) {
  const printed = new PassThrough();
  last.take(printed);
  return printed;
}

describe('the last lines of processes', () => {
  it('are twenty that are not empty, of all of them, each of 400 characters at the most', async () => {
    const last = stderrTail();
    last.take(null);
    const [one, other] = [stream(last), stream(last)];
    for (let line = 0; line < 15; line += 1) {
      one.write(`one ${line}  \n\n`);
      other.write(`other ${line}\n`);
      await turn();
    }
    const lines = last.lines();
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [20, 'one 5', 'other 14']);
    one.write(`${'x'.repeat(399)}yz\n`);
    await turn();
    assert.equal(last.lines().at(-1), `${'x'.repeat(399)}y`);
  });

  it('are heard to the end of each stream, and none is held open', async () => {
    const last = stderrTail();
    const [one, other] = [stream(last), stream(last)];
    let isHeard = false;
    const heard = last.heard().then(() => (isHeard = true));
    one.end('first');
    await turn();
    await turn();
    assert.equal(isHeard, false);
    other.end(' and second');
    await heard;
    assert.deepEqual(last.lines(), ['first and second']);
    assert.deepEqual([one.destroyed, other.destroyed], [true, true]);
  });

  it('are not waited for where a child of the process holds its stream open', async () => {
    const last = stderrTail();
    const open = stream(last);
    open.write('last words');
    const keepsAlive = setTimeout(() => {}, 60_000); // the wait itself does not
    await last.heard();
    clearTimeout(keepsAlive);
    assert.deepEqual([last.lines(), open.destroyed], [['last words'], true]);
  });
});
