// Runs always.
// A transport that spins while it waits: flagged where its processes share a CPU, and its CPU time is taken for no cost.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { resolveTraits } from '../../lib/cell/traits.js';
import { netCpuUs } from '../../lib/results/calibration-rows.js';
import { assign, prepareCell } from '../../lib/run/assign.js';
import { measuredLaunch } from '../../lib/run/findings/measured-launch.js';
import sharedMemory from '../../transports/shared-memory/shared-memory.js';
import threadsShared from '../../transports/threads-shared/threads-shared.js';
import { buildRow } from '../fixtures/build-results.js';
import { COUNTED } from '../fixtures/counted.js';
import { launchWithKnownCosts } from '../fixtures/launch-cell.js';

/** @import { Cell } from '../../lib/types/index.js' */

const POSITION = { group: 0, order: 0, startedAt: '2026-01-01T00:00:00Z' };
const APART = { master: [0], workers: [[1]] };
const TOGETHER = { master: [0], workers: [[0]] };

/** @type {any} */
let fields;
/** @type {ReturnType<typeof assign>} */
let spec;
before(async () => {
  const launch = await launchWithKnownCosts({ cell: { workers: 1, loops: 1 } });
  assert.ok(launch.end.kind === 'done', JSON.stringify(launch.end));
  ({ spec } = launch);
  fields = launch.end.fields;
  for (const cost of fields.costs) Object.assign(cost, { share: 1, mainShare: 1 });
});

/**
 * @param {typeof APART | null} cpus
 * @param {{ isSpinning?: true, usableCpus?: number }} [how]
 */
function launchOn(cpus, { isSpinning, usableCpus = 8 } = {}) {
  const circumstances = { usableCpus, quick: false, isBrokerOurs: false, isSpinning, ...COUNTED };
  const costs = fields.costs.map((/** @type {any} */ cost) => ({
    ...cost,
    cpus: cpus && (cost.role === 'master' ? cpus.master : cpus.workers[0]),
  }));
  return measuredLaunch({ ...fields, costs }, { ...spec, cpus }, POSITION, circumstances);
}

/** @param {Parameters<typeof launchOn>} launch */
function crowdOn(...launch) {
  return launchOn(...launch).flags.find(({ code }) => code === 'oversubscribed');
}

/** @param {ReturnType<typeof launchOn>} launch */
function outcomeOf(launch) {
  const outcome = buildRow(spec.cell, [launch], null, 'unix/json');
  assert.ok(outcome.status === 'measured');
  return outcome;
}

describe('processes that spin while they wait', () => {
  it('flags spinning processes that share a CPU, or that are more than the CPUs', () => {
    const crowd = { code: 'oversubscribed', processes: 2, usedCpus: 2, cpus: 1 };
    const spinning = /** @type {const} */ ({ isSpinning: true });
    assert.deepEqual(crowdOn(TOGETHER, spinning), crowd);
    assert.deepEqual(crowdOn(null, { ...spinning, usableCpus: 1 }), crowd);
    assert.equal(crowdOn(APART, spinning), undefined);
    assert.equal(crowdOn(null, spinning), undefined);
  });

  it('does not flag processes that share a CPU and sleep', () => {
    assert.equal(crowdOn(TOGETHER), undefined);
  });

  it('reports no bottleneck and no CPU cost of spinning processes', () => {
    const controls = /** @type {any} */ ({
      rows: [{ ...spec.cell, content: undefined, nullUs: 1, codecUs: { estimate: 1, low: 1, high: 1 } }],
    });
    const codesOf = (/** @type {ReturnType<typeof outcomeOf>} */ { flags }) => flags.map(({ code }) => code);
    const asleep = outcomeOf(launchOn(APART));
    const spinning = outcomeOf(launchOn(APART, { isSpinning: true }));
    assert.ok(codesOf(asleep).includes('bottleneck'));
    assert.ok(!codesOf(spinning).includes('bottleneck'));
    assert.notEqual(netCpuUs(asleep, controls), null);
    assert.equal(netCpuUs(spinning, controls), null);
  });
});

describe('a transport of rings', () => {
  for (const transport of [sharedMemory, threadsShared]) {
    it(`declares that ${transport.name} spins only with wake=spin`, () => {
      assert.equal(resolveTraits(transport, { wake: 'spin' }).isSpinning, true);
      for (const wake of transport.settings?.wake.choices ?? []) {
        if (wake !== 'spin') assert.equal(resolveTraits(transport, { wake }).isSpinning, undefined);
      }
    });
  }

  it('polls its plan in every iteration of a spinning worker, also if it shares a CPU', () => {
    const pacing = (/** @type {Cell['settings']} */ settings) => {
      const cell = {
        ...spec.cell,
        transport: 'shared-memory',
        settings,
        placement: 'same',
        ratePerSecond: 10,
      };
      const loaded = (/** @type {any} */ plugin) => ({ plugin, url: '' });
      const plugins = {
        transports: new Map([['shared-memory', loaded(sharedMemory)]]),
        codecs: new Map([['json', loaded({ produces: 'text' })]]),
        scenarios: new Map([['round-trip', loaded({})]]),
      };
      const options = {
        measureMs: 100,
        open: { ratesPerSecond: [10], arrivals: 'fixed', slo: null, isWindowChosen: true },
      };
      const prepared = prepareCell(/** @type {any} */ (cell), {
        options: /** @type {any} */ (options),
        plugins,
        cpus: [0, 1],
      });
      return prepared.spec.open?.pacing;
    };
    assert.equal(pacing({ wake: 'spin' }), 'spin');
    assert.equal(pacing({}), 'tick');
  });
});
