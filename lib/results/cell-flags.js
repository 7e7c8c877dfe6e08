// What is wrong with a cell as a whole: what its launches carry, and what only shows in all of them together.

import { FLAGS } from '../format/result-flags.js';
import { estimateClimb } from '../statistics/warm-up.js';
import { harnessFlags } from './calibration-rows.js';
import { areOftenDisturbed, wakeUpFlags } from './machine-flags.js';
import { BOTTLENECK_SHARE, TOLERATED_CLIMB, TOLERATED_LAUNCHES } from './thresholds.js';

/** @import { Flag, MeasuredLaunch } from '../types/index.js' */
/**
 * @typedef {object} OfCell
 * @property {import('../types/outcomes.js').Busiest | null} busiest
 * @property {number | null} medianUs     of an operation; null: nobody timed them
 * @property {number | null} perSecond    operations; null: the headline is no rate
 */
/** @typedef {import('./summarise.js').Circumstances & OfCell} Circumstances */

const JUDGED_OVER_THE_CELL = ['bottleneck', 'interrupted', 'quick'];
const JUDGED_BY_SHARE = ['not-steady', 'cold'];

/**
 * @param {import('../types/plans.js').Cell} cell
 * @param {MeasuredLaunch[]} launches
 * @param {Circumstances} circumstances
 * @returns {Flag[]} each code once
 */
export function flagsOfCell(cell, launches, circumstances) {
  const { medianUs, perSecond, wakeUpUs = null, controls } = circumstances;
  const flags = [
    ...launchFlags(launches),
    ...wakeUpFlags(cell, launches, medianUs, wakeUpUs),
    ...harnessFlags(cell, perSecond, controls),
    ...cellFlags(launches, circumstances),
    ...(cell.ratePerSecond === undefined ? climbFlags(launches) : []),
  ];
  return flags.filter(({ code }, place) => flags.findIndex((other) => other.code === code) === place);
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
    if (JUDGED_BY_SHARE.includes(code) && share <= TOLERATED_LAUNCHES) return [];
    const message = all.find((flag) => flag.code === code)?.message ?? '';
    return [
      {
        code,
        message: share === 1 ? message : `${concerned.length} of ${launches.length} launches: ${message}`,
      },
    ];
  });
}

/** @param {MeasuredLaunch[]} launches @param {Circumstances} circumstances @returns {Flag[]} */
function cellFlags(launches, { busiest, plannedLaunches, quick }) {
  /** @type {Flag[]} */
  const flags = [];
  if (busiest !== null && busiest.share >= BOTTLENECK_SHARE) {
    const percent = Math.round(100 * busiest.share);
    const message = `${busiest.name} is busy ${percent} % of a core: the number measures this process`;
    flags.push({ code: 'bottleneck', message });
  }
  // A quick run has as many launches as there was time for.
  if (launches.length < plannedLaunches && !quick) {
    const message = `${launches.length} of ${plannedLaunches} launches: the run was interrupted, or a shard is missing`;
    flags.push({ code: 'interrupted', message });
  }
  if (quick) flags.push({ code: 'quick', message: FLAGS.quick.summary });
  return flags;
}

/**
 * @param {MeasuredLaunch[]} launches
 * @returns {Flag[]} that their windows got faster, or that this cannot be excluded
 */
function climbFlags(launches) {
  const climb = estimateClimb(launches.map(wholeBins));
  if (climb === null) return [];
  const percent = (/** @type {number} */ ratio) => Math.round(100 * (ratio - 1));
  if (climb.low > 1 && climb.estimate > TOLERATED_CLIMB) {
    const detail = `the second halves of the windows are ${percent(climb.estimate)} % faster than the first`;
    return [{ code: 'cold', message: `${FLAGS.cold.summary} (${detail})` }];
  }
  if (climb.high <= TOLERATED_CLIMB) return [];
  const detail = `the windows may have got up to ${percent(climb.high)} % faster from half to half`;
  return [{ code: 'not-steady', message: `${FLAGS['not-steady'].summary} (${detail})` }];
}

/** @param {MeasuredLaunch} launch @returns {number[]} without the first, which pays for the opening, and one that the end cuts short */
function wholeBins({ bins, binMs, windowMs }) {
  // Windows of two workers may be some µs apart.
  return bins.slice(1, Math.floor(windowMs / binMs + 0.01));
}
