// Runs always.
// What the machine does to numbers, and what is said of it: wake-ups of sleeping CPUs, and launches that were disturbed.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readHeadline, timesIn } from '../../lib/cell/headline.js';
import { canPin } from '../../lib/children/launcher.js';
import { readTopology } from '../../lib/machine/placement.js';
import { measureWakeLatency, measureWakeUp } from '../../lib/machine/wake-up.js';
import { makeFigures } from '../../lib/report/charts/figures/figures.js';
import { conclusions } from '../../lib/report/text/conclusion.js';
import { surroundingLines } from '../../lib/report/text/surroundings.js';
import { areOftenDisturbed, wakeUpFlags } from '../../lib/results/cell-flags.js';
import { parseResults } from '../../lib/results/read.js';
import { resultsText } from '../../lib/results/write.js';
import { columnInCsv } from '../fixtures/axis-cells.js';
import { buildResults, buildRow } from '../fixtures/build-results.js';

/** @import { MeasuredOutcome, Noise } from '../../lib/types/index.js' */

const WAKE_UP = { sameUs: 20, splitUs: 76, costUs: 28, cpus: [0, 1] };
/** @type {Noise} */
const NOISE = {
  othersShare: 0.34,
  stealShare: null,
  pressureShare: 0.5,
  throttledPeriods: 0,
  spinRatio: 1.01,
  masterStallMs: 12,
};

/** @param {Partial<Parameters<typeof buildResults>[0]>} [recipe] */
function resultsOf(recipe = {}) {
  const results = buildResults({ series: ['pipe/json', 'unix/json'], shapes: ['1x1'], ...recipe });
  results.machine = { wakeUp: WAKE_UP };
  const measured = /** @type {MeasuredOutcome[]} */ (results.outcomes);
  return { results, measured };
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {number[]} disturbed    groups
 * @param {string} [code]
 */
function disturb({ launches }, disturbed, code = 'crowded') {
  for (const launch of launches) {
    if (disturbed.includes(launch.group)) launch.flags = [...launch.flags, { code }];
  }
}

/** @param {MeasuredOutcome} outcome @param {{ wakeUpUs?: number }} [known] */
function summarised({ cell, launches }, known = {}) {
  const outcome = buildRow(cell, launches, null, 'pipe/json', known);
  return outcome.status === 'measured' ? outcome.flags : [];
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {number} sleepsPerRoundTrip    of master and of workers
 */
function withSleeps({ launches }, sleepsPerRoundTrip) {
  return launches.map((launch) => ({
    ...launch,
    costs: launch.costs.map((cost) => ({
      ...cost,
      voluntarySwitches: Math.round(launch.operations * sleepsPerRoundTrip),
    })),
  }));
}

describe('the wake-up of a sleeping CPU', () => {
  it('does not measure the wake-up of a CPU without pinning, or on one CPU', async () => {
    assert.equal(await measureWakeUp(null), null);
    assert.equal(await measureWakeUp([3]), null);
  });

  const cpus = canPin() ? (readTopology()?.siblingsLast ?? []) : [];
  const WITH_TWO_CPUS = { skip: cpus.length < 2 ? 'needs two CPUs and taskset' : false };
  it(
    'measures a wake-up as half of the extra time of a round trip across two CPUs',
    WITH_TWO_CPUS,
    async () => {
      const wakeUp = await measureWakeUp(cpus);
      if (wakeUp === null) return; // others keep the CPUs too busy to tell
      assert.ok(wakeUp.sameUs > 0 && wakeUp.splitUs > 0);
      assert.equal(wakeUp.costUs, Math.max(0, (wakeUp.splitUs - wakeUp.sameUs) / 2));
      assert.deepEqual(wakeUp.cpus, cpus.slice(0, 2));
    },
  );

  it('measures the latency of a wake-up across two CPUs', WITH_TWO_CPUS, async () => {
    const [from, to] = cpus;
    let us = await measureWakeLatency(from, to);
    // Others may keep the CPUs busy for longer than its deadline.
    for (let tries = 1; us === null && tries < 3; tries += 1) us = await measureWakeLatency(from, to);
    assert.ok(us !== null && us >= 0, `${us} µs`);
  });

  it('flags a cell whose round trips are hardly longer than two wake-ups', () => {
    const [outcome] = resultsOf().measured;
    const launches = withSleeps(outcome, 1);
    const [{ code, share, medianUs }] = wakeUpFlags(outcome.cell, launches, 72, 28);
    assert.deepEqual([code, share?.toFixed(2), medianUs], ['wake-up', '0.78', 72]);
    assert.deepEqual(wakeUpFlags(outcome.cell, launches, 112, 28), [], 'no more than half');
    assert.equal(wakeUpFlags(outcome.cell, launches, 111, 28).length, 1);
    assert.deepEqual(wakeUpFlags(outcome.cell, launches, 72, null), [], 'unknown');
  });

  it('does not flag cells whose processes hardly sleep, never sleep, or share a CPU', () => {
    const [outcome] = resultsOf().measured;
    const sleepless = withSleeps(outcome, 0.2);
    const sleeping = withSleeps(outcome, 1);
    const { cell } = outcome;
    assert.deepEqual(wakeUpFlags(cell, sleepless, 72, 28), []);
    assert.deepEqual(wakeUpFlags({ ...cell, poll: 'busy' }, sleeping, 72, 28), []);
    assert.deepEqual(wakeUpFlags({ ...cell, placement: 'same' }, sleeping, 72, 28), []);
    const together = sleeping.map((launch) => ({
      ...launch,
      costs: launch.costs.map((cost) => ({ ...cost, cpus: [0] })),
    }));
    assert.deepEqual(wakeUpFlags(cell, together, 72, 28), [], 'split on a machine of one CPU');
    const blind = sleeping.map((launch) => ({
      ...launch,
      costs: launch.costs.map((cost) => ({ ...cost, voluntarySwitches: null })),
    }));
    assert.deepEqual(wakeUpFlags(cell, blind, 72, 28), [], 'not told by the system');
  });

  it('adds the flag to the cell', () => {
    const [outcome] = resultsOf().measured;
    outcome.launches = withSleeps(outcome, 1);
    const wakeUpUs = timesIn(outcome)[0].p50;
    assert.ok(summarised(outcome, { wakeUpUs }).some(({ code }) => code === 'wake-up'));
    assert.ok(!summarised(outcome).some(({ code }) => code === 'wake-up'));
  });
});

describe('disturbed launches', () => {
  it('flags a cell with more than one disturbed launch in five, whatever disturbed each', () => {
    const [outcome] = resultsOf({ launches: 10 }).measured;
    disturb(outcome, [0], 'crowded');
    disturb(outcome, [3], 'frequency');
    assert.equal(areOftenDisturbed(outcome.launches), false);
    assert.deepEqual(summarised(outcome), []);
    disturb(outcome, [4], 'frequency');
    assert.equal(areOftenDisturbed(outcome.launches), true);
    assert.deepEqual(summarised(outcome), [
      { code: 'crowded', launches: 1, of: 10 },
      { code: 'frequency', launches: 2, of: 10 },
    ]);
  });

  it('includes disturbed launches in every number', () => {
    const [outcome] = resultsOf().measured;
    const rateOf = () => {
      const { cell, launches } = outcome;
      const again = buildRow(cell, launches, null, 'pipe/json');
      return again.status === 'measured' && readHeadline(again);
    };
    const quiet = rateOf();
    disturb(outcome, [0, 1, 2, 3, 4, 5]);
    assert.deepEqual(rateOf(), quiet);
  });

  it('counts disturbed launches above the table and below the charts', () => {
    const { results, measured } = resultsOf();
    disturb(measured[0], [1, 2]);
    disturb(measured[1], [1], 'steal');
    const text =
      '3 of 12 launches were disturbed (other programs 2, other virtual machines 1) and are included';
    assert.ok(surroundingLines(results).includes(text));
    const [figure] = makeFigures(results);
    assert.ok(
      figure.notes.some((line) => line.includes(text)),
      figure.notes.join('\n'),
    );
  });

  it('reports an unreliable run with more than one disturbed launch in five', () => {
    const { results, measured } = resultsOf({ launches: 10 });
    disturb(measured[0], [0, 1, 2, 3]);
    assert.equal(
      conclusions(results).find((sentence) => sentence.startsWith('Unreliable')),
      undefined,
    );
    disturb(measured[1], [5], 'throttled');
    assert.ok(
      conclusions(results).includes(
        'Unreliable on this machine: 5 of 20 launches were disturbed (other programs 4, CPU limit of the control group 1). Stop other programs, run ipc-bench doctor, and measure again.',
      ),
    );
  });
});

describe('what is said of the machine', () => {
  it('prints the cost of a wake-up in the header and below the charts', () => {
    const { results } = resultsOf();
    const line =
      'waking a sleeping CPU costs 28.0 µs: a byte there and back takes 20.0 µs on one CPU, 76.0 µs across two (0–1)';
    assert.ok(surroundingLines(results).includes(line), surroundingLines(results).join('\n'));
    assert.ok(makeFigures(results)[0].notes.some((text) => text.includes('Waking a CPU 28.0 µs')));
  });

  it('prints nothing if it was not measured, as in older results', () => {
    const { results } = resultsOf();
    for (const machine of [undefined, { wakeUp: null }]) {
      const lines = surroundingLines({ ...results, machine });
      assert.ok(!lines.some((line) => /wak|disturbed/.test(line)));
    }
  });

  it('reports what wake-ups hide, and which readings show it', () => {
    const { results, measured } = resultsOf();
    measured[0].flags = [{ code: 'wake-up' }];
    const text = conclusions(results).join('\n');
    assert.match(text, /hide differences between transports.*--placement same or --poll busy/);
  });

  it('explains rows that poll, and names no bottleneck in them', () => {
    const { results, measured } = resultsOf();
    measured[1].cell = { ...measured[1].cell, poll: 'busy' };
    assert.match(conclusions(results).join('\n'), /^poll=busy: .* use a core each/m);
    const busyShare = measured[1].launches.map((launch) => ({
      ...launch,
      costs: launch.costs.map((cost) => ({ ...cost, share: 1 })),
    }));
    assert.deepEqual(summarised({ ...measured[1], launches: busyShare }), []);
    assert.equal(summarised({ ...measured[0], launches: busyShare })[0].code, 'bottleneck');
  });
});

describe('results with what the machine did', () => {
  it('reads results with and without facts of the machine as they were written', () => {
    const { results, measured } = resultsOf();
    measured[0].launches[0].noise = NOISE;
    measured[1].cell = { ...measured[1].cell, poll: 'busy' };
    Object.assign(results.options, { polls: ['event', 'busy'], lock: 'wait' });
    assert.deepEqual(parseResults(resultsText(results), 'x'), results);
    assert.doesNotThrow(() => parseResults(resultsText(buildResults()), 'x'));
  });

  it('rejects results with invalid facts of the machine', () => {
    const { results, measured } = resultsOf();
    measured[0].cell = { ...measured[0].cell, poll: /** @type {any} */ ('event') };
    assert.throws(() => parseResults(resultsText(results), 'x'), { message: /poll should be busy/ });
  });

  it('prints a column for the poll in CSV, and a chart for each', async () => {
    const { results, measured } = resultsOf({ placements: ['split'] });
    measured[1].cell = { ...measured[1].cell, poll: 'busy' };
    assert.deepEqual(await columnInCsv(results, 'poll'), ['event', 'busy']);
    const names = makeFigures(results).map(({ name }) => name);
    assert.ok(
      names.includes('throughput-1000B-event') && names.includes('throughput-1000B-busy'),
      names.join(),
    );
  });
});
