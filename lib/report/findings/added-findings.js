// The time that an intermediate process adds to a round trip.

import { hasServiceTimes, SERVICE_TIME } from '../../cell/headline.js';
import { groupLabel, seriesLabel } from '../../cell/labels.js';
import { NS_PER_US } from '../../format/units.js';
import { hasKnownCosts, totalCpuUs } from '../../results/calibration-rows.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { foundGroup, makeFinding } from './finding.js';
import { valuesOfSharedGroups } from './shared-groups.js';

/** @import { Estimate, Finding, MeasuredLaunch, MeasuredOutcome } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

/** @param {ReportFacts} facts @returns {Finding[]} for each table, the time that an intermediate process adds */
export function addedFindings({ results, measured, closed }) {
  return closed.flatMap((group) => {
    const addsTo = results.scenarios[group.cell.scenario]?.addsTo; // a scenario without launches has no facts
    if (addsTo === undefined) return [];
    const rows = group.measured.flatMap((outcome) => {
      const wanted = { ...outcome.cell, scenario: addsTo };
      const base = measured.find(
        ({ cell }) => groupLabel(cell) === groupLabel(wanted) && seriesLabel(cell) === seriesLabel(wanted),
      );
      if (base === undefined || !hasServiceTimes(outcome) || !hasServiceTimes(base)) return [];
      const us = addedUs(outcome, base, ({ times }) => times[SERVICE_TIME].meanNs / NS_PER_US);
      const cpuUs = addedUs(outcome, base, (launch) => (hasKnownCosts(launch) ? totalCpuUs(launch) : null));
      if (us === null) return [];
      return [
        {
          row: seriesLabel(outcome.cell),
          numbers: { ...namedUs(us, 'Us'), ...(cpuUs && namedUs(cpuUs, 'CpuUs')) },
        },
      ];
    });
    if (rows.length === 0) return [];
    return [makeFinding('added', { group: foundGroup(group), rows, names: { addsTo } })];
  });
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {MeasuredOutcome} base
 * @param {(launch: MeasuredLaunch) => number | null} read
 * @returns {Estimate | null} `outcome` minus `base`; null if they have no group in common
 */
function addedUs(outcome, base, read) {
  const [own, other] = valuesOfSharedGroups([outcome, base], read);
  return own.length === 0 ? null : signedRankInterval(own.map((us, group) => us - other[group]));
}

/**
 * @param {Estimate} amount
 * @param {string} suffix
 * @returns {Record<string, number | null>} the parts of the estimate by names that end in the suffix; the level is null without an interval
 */
function namedUs({ estimate, low, high, level, n }, suffix) {
  return {
    [`added${suffix}`]: estimate,
    [`low${suffix}`]: low,
    [`high${suffix}`]: high,
    [`level${suffix}`]: level,
    [`n${suffix}`]: n,
  };
}
