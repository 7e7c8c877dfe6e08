// Runs in CI, alone.
// What one launch with real processes counts and times: within some milliseconds, which takes a machine of its own.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import firstAnswer from '../../scenarios/first-answer.js';
import { launchCell } from '../fixtures/launch-cell.js';

/** @import { Arrival } from '../../lib/types/index.js' */

const TIMING = { warmupMs: 100, measureMs: 300 };

/** @param {Record<string, string | number>} settings */
const faulty = (settings) => ({ transport: './faulty-transport.js', cell: { settings } });

describe('a launch', () => {
  it('attributes a slow connection to that part of a first response', async () => {
    const { end } = await launchCell({
      ...faulty({ fault: 'slow', afterMs: 300 }),
      scenario: 'first-answer',
      asking: { idle: '1' },
    });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    if (end.kind !== 'done') return;
    /** @type {Arrival[]} */
    const [usual, slow] = end.fields.reports.map((/** @type {any} */ { arrival }) => arrival);
    const later = slow.connectMs - usual.connectMs;
    assert.ok(slow.connectMs >= 300 && later > 150, `connects ${later} ms later`);
    assert.ok(usual.connectMs < later, `the other one connects in ${usual.connectMs} ms`);
    assert.ok(slow.answerMs < slow.connectMs / 2, `answered after ${slow.answerMs} ms`);
    for (const ms of [...Object.values(usual), ...Object.values(slow)]) assert.ok(Number(ms) > 0);
    const measured = firstAnswer.measures?.map(({ name, kind, read }) =>
      kind === 'value' ? [[name, Number(read(end.fields.reports, /** @type {any} */ ({}), []))]] : [],
    );
    const { timeToFirstAnswer, ...parts } = Object.fromEntries(measured?.flat() ?? []);
    const sum = Object.values(parts).reduce((total, us) => total + us, 0);
    assert.ok(Math.abs(timeToFirstAnswer - sum) < 1e-6, 'the parts add up');
    assert.equal(Math.round(parts.connectTime), Math.round(500 * (usual.connectMs + slow.connectMs)));
  });

  it('excludes connecting from the window', async () => {
    const { end } = await launchCell({ ...faulty({ fault: 'slow', afterMs: 800 }), timing: TIMING });
    assert.equal(end.kind, 'done', JSON.stringify(end));
    if (end.kind !== 'done') return;
    assert.ok(end.fields.windowMs >= 300 && end.fields.windowMs < 800, `${end.fields.windowMs} ms`);
    assert.ok(
      end.fields.bins.every((/** @type {number} */ bin) => bin > 0),
      'both workers were there all the time',
    );
  });
});
