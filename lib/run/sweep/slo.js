// Whether a launch kept the limit of a sweep: in time, without errors, and without a backlog that grows.

import { formatTenthsOfPercent } from '../../format/numbers.js';
import { SAMPLES_FOR } from '../../plan/slo-plan.js';
import { achievedShare } from '../../results/summed.js';
import { LEAST_ACHIEVED } from '../../results/thresholds.js';
import { censoredPercentiles } from '../../statistics/latency.js';

/** @import { Launch, Slo } from '../../types/index.js' */

/**
 * @param {Launch} launch   under open load
 * @param {Slo} slo
 * @returns {{ us: number | null, keeps: boolean, why: string }} us: of the percentile; why: it does not keep
 */
export function judgedBySlo(launch, { percentile, us }) {
  if (launch.status === 'failed') return { us: null, keeps: false, why: `failed: ${launch.message}` };
  const { open } = launch;
  if (open === undefined) throw new TypeError('a limit of response times is for launches under open load');
  const { atLeast = [], [percentile]: found } = censoredPercentiles(open.response, open.unanswered);
  if (found === null || open.response.count < SAMPLES_FOR[percentile]) {
    return { us: null, keeps: false, why: `${open.response.count} samples are too few` };
  }
  const achieved = achievedShare(open);
  if (achieved < LEAST_ACHIEVED) {
    return { us: found, keeps: false, why: `the backlog grew: ${formatTenthsOfPercent(achieved)} were sent` };
  }
  // A bound below the limit says nothing of it, and one above it says enough.
  if (atLeast.includes(percentile) && found < us)
    return {
      us: null,
      keeps: false,
      why: `${open.unanswered?.count} had no response when the window closed`,
    };
  return { us: found, keeps: found < us, why: found < us ? '' : 'too slow' };
}
