// Runs in CI.
// A cold scenario has no warm-up, and no flags for its absence.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { measuredLaunch } from '../../lib/run/findings/measured-launch.js';
import { countedBy } from '../../lib/workload/measures/usual-measures.js';
import firstAnswer from '../../scenarios/first-answer.js';
import { inThisForm, POOLS } from '../fixtures/house-launches.js';
import { launchCell } from '../fixtures/launch-cell.js';

const POSITION = { group: 0, order: 0, startedAt: '2026-01-01T00:00:00.000Z' };
const COLD_FLAGS = ['cold', 'not-steady', 'too-few-samples'];

/** @param {Parameters<typeof launchCell>[0]} requested */
async function firstAnswers(requested) {
  const { end, spec } = await launchCell({
    scenario: 'first-answer',
    timing: { warmupMs: null, tierUp: 'early' },
    cell: { workers: 1, loops: 2 },
    ...requested,
  });
  assert.equal(end.kind, 'done', JSON.stringify(end));
  const { fields } = /** @type {any} */ (end);
  const judgedAs = (/** @type {{ isCold?: true }} */ { isCold }) =>
    measuredLaunch(fields, spec, POSITION, {
      usableCpus: 8,
      quick: false,
      isBrokerOurs: false,
      isCold,
      ...countedBy(firstAnswer),
    });
  return { fields, judgedAs, spec };
}

describe('first-answer', () => {
  it('has no warm-up, a window for all pauses, and no flag for either', async () => {
    const { judgedAs, spec } = await firstAnswers({});
    const launch = judgedAs(firstAnswer);
    assert.equal(spec.tierUp, 'usual', 'V8 is left alone, whatever was asked');
    const codes = launch.flags.map(({ code }) => code);
    assert.deepEqual(
      COLD_FLAGS.filter((code) => codes.includes(code)),
      [],
    );
    assert.ok(launch.warmup.ms < 50, `${launch.warmup.ms}`); // a busy process opens its window late
    assert.equal(launch.bins.length, 1);
    assert.deepEqual(
      Object.keys(launch.times),
      countedBy(firstAnswer).measures.flatMap(({ kind, name }) => (kind === 'times' ? name : [])),
    );
    const others = judgedAs({}).flags.map(({ code }) => code);
    assert.ok(others.includes('cold') && others.includes('too-few-samples'), others.join());
  });

  it('measures threads, but no master', async () => {
    const { fields } = await firstAnswers({ transport: 'threads-message' });
    const [worker, master] = fields.reports;
    for (const part of ['startMs', 'importMs', 'connectMs', 'answerMs'])
      assert.ok(worker.arrival[part] > 0, part);
    assert.equal(master.arrival, null);
  });

  for (const transport of inThisForm(POOLS, ['inline', 'piscina'])) {
    it(`measures the first task of ${transport.name}, whose workers start with it`, async (t) => {
      const why = (await transport.whyUnavailable?.({})) ?? undefined;
      if (why !== undefined && !process.env.CI) return t.skip(why);
      const codec = transport.serialises?.[0];
      const { fields, judgedAs } = await firstAnswers({
        transport: transport.name,
        asking: { idle: '1+10' },
        cell: { workers: 2, loops: 1, codec },
      });
      const [master, ...others] = fields.reports;
      assert.deepEqual(others, []);
      const { startMs, importMs, connectMs, answerMs } = master.arrival;
      assert.deepEqual([startMs, importMs], [null, null], 'parts that a pool does not show');
      assert.ok(connectMs > 0 && answerMs > 0);
      const { values, times } = judgedAs(firstAnswer);
      assert.ok(Math.abs(Number(values.timeToFirstAnswer) - 1_000 * (connectMs + answerMs)) < 1);
      assert.deepEqual([values.startTime, values.importTime], [null, null]);
      assert.ok(times.after1ms.count > 0 && times.steady.count > 0);
    });
  }
});
