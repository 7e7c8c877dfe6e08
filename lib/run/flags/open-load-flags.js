// What the workers of an open load counted → what a launch of the results file says of it, and whether the plan was kept.

import { loopsInAll } from '../../cell/connections.js';
import { SERVICE_TIME } from '../../cell/headline.js';
import { BenchError } from '../../errors.js';
import { formatCount, formatTenthsOfPercent } from '../../format/numbers.js';
import { WARM_OPERATIONS } from '../../format/result-flags.js';
import { US_PER_MS } from '../../format/units.js';
import { achievedShare, OPEN_COUNTS, summed } from '../../results/summed.js';
import { LEAST_ACHIEVED } from '../../results/thresholds.js';
import { intervalMs } from '../../scenario/load/schedule.js';
import { latencyPercentiles, mergeLatencies } from '../../statistics/latency.js';
import { sum } from '../../statistics/sum.js';
import { countedTimes } from './readings.js';

/** @import { OpenPlan } from '../../scenario/load/open-load.js' */
/** @import { MeasuredLaunch, OpenLaunch } from '../../types/index.js' */

const TIMERS_MS = 2; // what sends by a timer is late by up to two of its turns

/**
 * @param {Omit<OpenLaunch, keyof OpenPlan>[]} reports   of those who sent
 * @param {OpenPlan} plan
 * @param {Float64Array} [delivered]   response times of what nobody answers, ns; absent, or empty: who sent has taken them
 * @returns {OpenLaunch}
 */
export function openLaunch(reports, plan, delivered = new Float64Array()) {
  const unanswered = reports.flatMap((report) => report.unanswered ?? []);
  return {
    ...plan,
    ...summed(reports, OPEN_COUNTS),
    response:
      delivered.length > 0
        ? countedTimes(delivered)
        : mergeLatencies(reports.map(({ response }) => response)),
    sendLag: mergeLatencies(reports.map(({ sendLag }) => sendLag)),
    ...(unanswered.length > 0 && { unanswered: mergeLatencies(unanswered) }),
  };
}

/**
 * @param {MeasuredLaunch} launch
 * @param {import('../../types/plans.js').Cell} cell
 * @returns {string | null} how the plan was not kept
 */
export function generatorProblem({ open, times }, cell) {
  const { ratePerSecond, workers } = cell;
  if (open === undefined || ratePerSecond === undefined) return null;
  const achieved = achievedShare(open);
  // An instant at the very end of the window is sent after it: one per worker is no sign of anything.
  if (achieved < LEAST_ACHIEVED && open.due - open.started > workers) {
    return `${formatTenthsOfPercent(achieved)} of the planned sends, ${open.dropped + open.missed} never`;
  }
  const { p99, p90 } = latencyPercentiles(open.sendLag);
  const turnMs = intervalMs(ratePerSecond, loopsInAll(cell));
  const lagMs = (p99 ?? p90) / US_PER_MS;
  const late = `sends up to ${lagMs.toFixed(2)} ms late`;
  if (Object.hasOwn(times, SERVICE_TIME))
    return lagMs <= turnMs ? null : `${late}, each loop is scheduled every ${turnMs.toFixed(2)} ms`;
  // Nobody waits for an answer here: only a channel that takes nothing, or a taker without credit, delays what is due.
  return lagMs <= Math.max(turnMs, TIMERS_MS) ? null : `${late}, and timers alone by ${TIMERS_MS} ms`;
}

/**
 * @param {Pick<MeasuredLaunch, 'warmup'>} launch
 * @param {Pick<import('../../types/plans.js').Cell, 'ratePerSecond'>} cell
 * @returns {string | null} how few round trips a worker had made when the window opened: V8 had not compiled their code
 */
export function lowRateProblem({ warmup }, { ratePerSecond }) {
  const ofWorkers = warmup.work.filter((work) => work.role === 'worker');
  if (ratePerSecond === undefined || ofWorkers.length === 0) return null;
  const fewest = Math.min(...ofWorkers.map(({ operations }) => operations));
  return fewest < WARM_OPERATIONS ? `${formatCount(fewest)} when the window opened` : null;
}

/**
 * No sample is invented and none is left out: every operation that is answered within the window is in every histogram, once (M-11).
 * @param {MeasuredLaunch} launch
 * @throws {BenchError} INTEGRITY
 */
export function assertOneSampleEach({ operations, bins, times, open }) {
  const hasTimes = Object.hasOwn(times, SERVICE_TIME);
  const counts = {
    operations,
    'in bins': sum(bins),
    ...(hasTimes && { 'service times': times[SERVICE_TIME].count }),
    ...(hasTimes && open && { 'response times': open.response.count, 'send lags': open.sendLag.count }),
  };
  if (Object.values(counts).every((count) => count === operations)) return;
  const found = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  throw new BenchError('INTEGRITY', `the counts of one launch differ: ${found.join(', ')}; this is a bug`);
}
