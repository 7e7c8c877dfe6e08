// Launches → the outcomes of the results file: estimates, costs and the flags that concern a whole cell. What is
// wrong with a single launch was judged where it ran.

import { FLAGS } from '../flags.js';
import { cellLabel, groupLabel, seriesLabel } from '../labels.js';
import { estimateOf, estimateRatio } from '../statistics/estimate.js';
import { harnessFlags } from './controls.js';
import { failedOutcome, hasRate, isIdle } from './failed-outcome.js';
import { sumOfLosses } from './losses.js';
import { areOftenDisturbed, wakeUpFlags } from './machine-flags.js';
import { summariseCosts } from './summarise-costs.js';
import { summariseLatency, summariseOpen } from './summarise-latency.js';

/** @typedef {import('../types.js').Cell} Cell */
/** @typedef {import('../types.js').Flag} Flag */
/** @typedef {import('../types.js').Launch} Launch */
/** @typedef {import('../types.js').MeasuredLaunch} MeasuredLaunch */
/** @typedef {import('../types.js').Outcome} Outcome */
/** @typedef {import('../types.js').PlannedCell} PlannedCell */
/** @typedef {{ plannedLaunches: number, quick: boolean, wakeUpUs?: number | null, controls?: import('../types.js').Controls }} Circumstances */

const SHARE_OF_A_BOTTLENECK = 0.9;
const TOLERATED_UNSTEADY_LAUNCHES = 0.2;
const JUDGED_OVER_THE_CELL = ['bottleneck', 'interrupted', 'quick'];

/**
 * @param {PlannedCell[]} plan
 * @param {ReadonlyMap<string, Launch[]>} launchesByCell keys: cellLabel
 * @param {string} referenceLabel seriesLabel of the rows that ratios refer to, one in each group
 * @param {Circumstances} options
 * @param {Outcome[]} [previous] of the same plan, some launches ago: histograms that did not change are not merged again
 * @returns {Outcome[]} in the order of the plan
 */
export function summariseResults(plan, launchesByCell, referenceLabel, options, previous = []) {
  const launchesOf = (/** @type {Cell} */ cell) => launchesByCell.get(cellLabel(cell)) ?? [];
  return plan.map(({ cell, skip }, place) => {
    if (skip !== null) return { status: 'skipped', cell, reason: skip };
    const reference = plan.find(
      (other) => seriesLabel(other.cell) === referenceLabel && groupLabel(other.cell) === groupLabel(cell),
    );
    const referenceLaunches = reference === undefined ? null : launchesOf(reference.cell);
    const known = previous[place];
    return summariseOutcome(cell, launchesOf(cell), referenceLaunches, referenceLabel, options, known);
  });
}

/**
 * @param {Cell} cell
 * @param {Launch[]} launches so far
 * @param {Launch[] | null} referenceLaunches of the reference in the cell's group; the cell's own if it is the one
 * @param {string} referenceLabel
 * @param {Circumstances} options
 * @param {Outcome} [previous] of the first of these launches
 * @returns {Outcome}
 */
export function summariseOutcome(cell, launches, referenceLaunches, referenceLabel, options, previous) {
  if (launches.length === 0) {
    return { status: 'skipped', cell, reason: 'not launched: the run ended before its turn came' };
  }
  const failure = failedOutcome(cell, launches);
  if (failure !== null) return failure;
  const measured = launches.filter(hasRate);
  const roundTripsPerSecond = estimateOf(measured.map((launch) => launch.roundTripsPerSecond));
  const costs = summariseCosts(measured);
  // All are, by design: it limits nothing.
  if (cell.poll === 'busy' || measured[0].isSpinning) costs.busiest = null;
  const isOpen = cell.ratePerSecond !== undefined;
  const isUnchanged = previous?.status === 'measured' && previous.launches.length === measured.length;
  const latencyUs = isUnchanged
    ? previous.latencyUs
    : summariseLatency(measured.map((launch) => launch.latency));
  return {
    status: 'measured',
    cell,
    roundTripsPerSecond,
    // Under open load every cell makes the round trips that were planned: there is nothing to compare.
    ratio: isOpen ? null : ratioTo(referenceLaunches ?? [], referenceLabel, measured),
    latencyUs,
    megabytesPerSecond: (2 * cell.payloadBytes * roundTripsPerSecond.estimate) / 1e6,
    ...costs,
    flags: [
      ...launchFlags(measured),
      ...wakeUpFlags(cell, measured, latencyUs.p50, options.wakeUpUs ?? null),
      ...harnessFlags(cell, roundTripsPerSecond.estimate, options.controls),
      ...cellFlags(measured, costs.busiest, options),
    ],
    launches: measured,
    ...(isOpen && { open: isUnchanged ? previous.open : summariseOpen(measured) }),
    ...(measured[0].losses && { losses: sumOfLosses(measured.flatMap(({ losses }) => losses ?? [])) }),
  };
}

/**
 * @param {Launch[]} references
 * @param {string} to
 * @param {MeasuredLaunch[]} launches
 * @returns {import('../types.js').MeasuredOutcome['ratio']}
 */
function ratioTo(references, to, launches) {
  const measured = references.filter((launch) => launch.status === 'measured');
  // Those that stood idle were the slowest: the others alone would make the reference faster than it is.
  if (measured.some(isIdle)) return null;
  const rateByBlock = new Map(measured.map((launch) => [launch.block, launch.roundTripsPerSecond]));
  const pairs = launches.flatMap((launch) => {
    const reference = rateByBlock.get(launch.block);
    return reference === undefined ? [] : [{ rate: launch.roundTripsPerSecond, reference }];
  });
  if (pairs.length === 0) return null;
  const rates = pairs.map((pair) => pair.rate);
  return {
    ...estimateRatio(
      rates,
      pairs.map((pair) => pair.reference),
    ),
    to,
  };
}

/**
 * @param {MeasuredLaunch[]} launches
 * @returns {Flag[]} what the launches carry, each code once; unsteady and disturbed ones only where they are more than a
 *   few
 */
function launchFlags(launches) {
  const all = launches.flatMap((launch) => launch.flags);
  const codes = [...new Set(all.map((flag) => flag.code))];
  const isNoisy = areOftenDisturbed(launches);
  return codes.flatMap((code) => {
    const concerned = launches.filter((launch) => launch.flags.some((flag) => flag.code === code));
    const share = concerned.length / launches.length;
    if (JUDGED_OVER_THE_CELL.includes(code)) return [];
    if (FLAGS[code]?.isNoise && !isNoisy) return [];
    if (code === 'not-steady' && share <= TOLERATED_UNSTEADY_LAUNCHES) return [];
    const message = all.find((flag) => flag.code === code)?.message ?? '';
    return [
      {
        code,
        message: share === 1 ? message : `${concerned.length} of ${launches.length} launches: ${message}`,
      },
    ];
  });
}

/**
 * @param {MeasuredLaunch[]} launches
 * @param {{ name: string, share: number } | null} busiest
 * @param {Circumstances} options
 * @returns {Flag[]}
 */
function cellFlags(launches, busiest, { plannedLaunches, quick }) {
  /** @type {Flag[]} */
  const flags = [];
  if (busiest !== null && busiest.share >= SHARE_OF_A_BOTTLENECK) {
    const percent = Math.round(100 * busiest.share);
    const message = `${busiest.name} is busy ${percent} % of a core: the number measures this process`;
    flags.push({ code: 'bottleneck', message });
  }
  if (launches.length < plannedLaunches) {
    const message = `${launches.length} of ${plannedLaunches} launches: the run was interrupted`;
    flags.push({ code: 'interrupted', message });
  }
  if (quick) flags.push({ code: 'quick', message: FLAGS.quick.summary });
  return flags;
}
