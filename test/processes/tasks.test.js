// Runs always.
// Tasks over the built-in transports and pools with real workers, in one window and in slices.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SlicedLaunch } from '../../lib/run/launch-groups.js';
import task from '../../scenarios/task.js';
import { longEnoughMs, patiently } from '../conformance/deadline.js';
import { IS_WIDE } from '../conformance/long-form.js';
import { inThisForm, keepServers, POOLS, TRANSPORTS } from '../fixtures/house-launches.js';
import { launchCell } from '../fixtures/launch-cell.js';

/** @import { Measure, RoleReport, Transport } from '../../lib/types/index.js' */

const TIMEOUT_MS = 600_000;
const WORKERS = 2;
const LOOPS = 3;
const WORK_US = 200;
const SLICE_MS = longEnoughMs(60);
// In CI processes and threads, and one pool of each kind; the long form has all.
const USUAL = IS_WIDE ? ['unix', 'threads-message'] : ['unix'];
const USUAL_POOLS = IS_WIDE ? ['inline', 'piscina', 'cluster'] : ['inline', 'piscina'];
const ON_LINUX = process.platform === 'linux';

/** @param {any} fields   of a launch @param {string} name   of a measure @returns {any} */
function measured({ reports, costs }, name) {
  const measure = /** @type {Measure} */ (task.measures?.find((each) => each.name === name));
  return measure.read(reports, /** @type {any} */ ({ payloadBytes: 100 }), costs);
}

/** @param {any} fields @param {Transport} transport */
function assertMeasured(fields, transport) {
  const { operations, reports, costs } = fields;
  assert.ok(operations > 0, 'something was done');
  const master = reports.find((/** @type {RoleReport} */ { role }) => role === 'master');
  assert.equal(master.latency.count, operations, 'each task was timed');
  assert.ok(measured(fields, 'tasksPerSecond') > 0);
  // The work cannot take much less time than in the calibration.
  assert.ok(measured(fields, 'workTime') > 0.5 * WORK_US, `${measured(fields, 'workTime')} µs`);
  const { class: className } = transport.traits;
  const workers = costs.filter((/** @type {any} */ { role }) => role === 'worker').length;
  // In windows as short as these, a reading of the costs may be too late.
  if (!ON_LINUX || fields.unknownCosts !== undefined) return;
  assert.ok(measured(fields, 'mainCpu') > 0);
  const expected = className === 'inline' ? 0 : WORKERS;
  assert.equal(workers, expected, costs.map((/** @type {any} */ { name }) => name).join());
  if (workers > 0) assert.ok(measured(fields, 'workerCpu') > 0.5 * WORK_US);
}

describe('tasks', { timeout: TIMEOUT_MS }, () => {
  const launched = keepServers();
  const wish = {
    scenario: 'task',
    asking: { work: String(WORK_US) },
    cell: { workers: WORKERS, loops: LOOPS },
  };
  const able = TRANSPORTS.filter(
    ({ traits }) => task.skipReason?.(traits, {}, /** @type {any} */ ({})) === null,
  );

  for (const transport of [...inThisForm(able, USUAL), ...inThisForm(POOLS, USUAL_POOLS)]) {
    it(`does and verifies tasks by ${transport.name}`, async (t) => {
      const { serialises = [], traits } = transport;
      const codec = traits.startsWorkers ? serialises[0] : serialises.includes('json') ? 'json' : 'string';
      const launch = await launched(transport, {
        ...wish,
        cell: { ...wish.cell, codec },
        timing: { warmupMs: 300, measureMs: traits.isCostly ? patiently(1_000) : longEnoughMs(200) },
        deadlines: { replyMs: 10_000, finishMs: 15_000, lifeMs: 60_000 },
      });
      if ('why' in launch) return t.skip(launch.why);
      const { end, left } = launch;
      assert.equal(end.kind, 'done', JSON.stringify(end).slice(0, 1_000));
      const { fields } = /** @type {any} */ (end);
      assertMeasured(fields, transport);
      assert.ok(measured(fields, 'longestBlock') > 0, 'how long it was blocked');
      assert.deepEqual(left, []);
    });
  }

  for (const name of ['piscina', 'unix']) {
    it(`measures tasks in slices by ${name}`, async (t) => {
      const transport = /** @type {Transport} */ (
        [...POOLS, ...TRANSPORTS].find((each) => each.name === name)
      );
      const { traits, serialises } = transport;
      const why = (await transport.whyUnavailable?.({})) ?? undefined;
      if (why !== undefined && !process.env.CI) return t.skip(why);
      const sliced = new SlicedLaunch(1);
      const codec = traits.startsWorkers ? serialises?.[0] : 'string';
      const timing = { warmupMs: 100, measureMs: 2 * SLICE_MS, sliceMs: SLICE_MS };
      const ending = launchCell({ ...wish, transport: name, cell: { ...wish.cell, codec }, timing, sliced });
      const isOver = () => sliced.end();
      ending.then(isOver, isOver);
      await sliced.done;
      await sliced.run({ kind: 'warm-up' });
      const slice = { kind: /** @type {const} */ ('slice'), skipMs: 10, measureMs: SLICE_MS };
      await sliced.run({ ...slice, dropsLast: false });
      const first = await sliced.run({ ...slice, dropsLast: true });
      const second = await sliced.run({ ...slice, dropsLast: false });
      sliced.run({ kind: 'finish' });
      const { end } = await ending;
      assert.ok(end.kind === 'done', JSON.stringify(end).slice(0, 1_000));
      assert.equal(end.fields.operations, Number(first?.operations) + Number(second?.operations));
      for (const slice of [first, second]) assert.ok(Number(slice?.windowMs) >= SLICE_MS);
      assertMeasured(end.fields, transport);
    });
  }
});
