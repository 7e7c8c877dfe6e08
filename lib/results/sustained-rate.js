// Decides which launches under open load meet a limit of response times, and estimates the rate that nine of ten launches sustain, from
// the launches of the search and of the curve of a cell. A saved file gives the same rate as the run.

import { cellLabel } from '../cell/labels.js';
import { formatTenthsOfPercent } from '../format/numbers.js';
import { isNoise } from '../format/result-flags.js';
import { censoredPercentiles, SAMPLES_FOR } from '../statistics/latency.js';
import { estimateSustainedRate } from '../statistics/rate-search.js';
import { achievedShare } from './summarise.js';
import { MIN_ACHIEVED } from './thresholds.js';

/** @import { Launch, Outcome, Slo, SustainedRate, Sweep, SweepProbe } from '../types/index.js' */
/** @import { Trial } from '../statistics/rate-search.js' */

/**
 * @param {Launch} launch   under open load
 * @param {Slo} slo
 * @returns {{ us: number | null, keeps: boolean, why: string }} `us`: the percentile, null if unknown; `why`: how the limit was
 *   missed, or ''
 */
export function judgedBySlo(launch, { percentile, us }) {
  if (launch.status === 'failed') return { us: null, keeps: false, why: `failed: ${launch.message}` };
  const { open } = launch;
  if (open === undefined) throw new TypeError('a limit of response times is for launches under open load');
  const { atLeast = [], [percentile]: found } = censoredPercentiles(open.response, open.unanswered);
  const samples = open.response.count + (open.unanswered?.count ?? 0);
  if (found === null || samples < SAMPLES_FOR[percentile]) {
    return { us: null, keeps: false, why: `${samples} samples are too few` };
  }
  const achieved = achievedShare(open);
  if (achieved < MIN_ACHIEVED) {
    return { us: found, keeps: false, why: `the backlog grew: ${formatTenthsOfPercent(achieved)} were sent` };
  }
  // A lower bound is conclusive only above the limit.
  if (atLeast.includes(percentile) && found < us)
    return {
      us: null,
      keeps: false,
      why: `${open.unanswered?.count} had no response when the window closed`,
    };
  return { us: found, keeps: found < us, why: found < us ? '' : 'too slow' };
}

/** @param {Launch} launch   under open load @param {number} ratePerSecond @param {Slo} slo @returns {SweepProbe} */
export function makeProbe(launch, ratePerSecond, slo) {
  const flags = launch.status === 'measured' ? launch.flags.map(({ code }) => code) : [];
  return { ratePerSecond, ...judgedBySlo(launch, slo), ...(flags.length > 0 && { flags }) };
}

/** @param {SweepProbe} probe @returns {Trial} */
export function makeTrial({ ratePerSecond, keeps, flags = [] }) {
  return { ratePerSecond, keeps, isDisturbed: flags.some(isNoise) };
}

/**
 * @param {Pick<Sweep, 'cell' | 'slo' | 'probes'>} sweep
 * @param {readonly Outcome[]} outcomes   outcomes of the run, or of this cell only
 * @returns {Trial[]} all launches of this cell under open load
 */
export function sweepTrials({ cell, slo, probes }, outcomes) {
  const base = cellLabel(cell);
  const full = outcomes.flatMap((outcome) => {
    const { ratePerSecond, ...rest } = outcome.cell;
    if (ratePerSecond === undefined || outcome.status === 'skipped' || cellLabel(rest) !== base) return [];
    return outcome.launches
      .filter((launch) => launch.status === 'failed' || launch.open !== undefined)
      .map((launch) => makeTrial(makeProbe(launch, ratePerSecond, slo)));
  });
  return [...probes.map(makeTrial), ...full];
}

/**
 * @param {Sweep} sweep
 * @param {readonly Outcome[]} outcomes
 * @returns {SustainedRate | null} null if no launch met the limit
 */
export function sustainedRate(sweep, outcomes) {
  return estimateSustainedRate(sweepTrials(sweep, outcomes), sweep.guessPerSecond ?? null);
}
