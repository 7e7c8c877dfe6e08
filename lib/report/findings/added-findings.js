// The time that an intermediate process adds to a round trip.

import { hasServiceTimes, SERVICE_TIME } from '../../cell/headline.js';
import { groupLabel, seriesLabel } from '../../cell/labels.js';
import { ifAny } from '../../format/lists.js';
import { NS_PER_US } from '../../format/units.js';
import { signedRankInterval } from '../../statistics/rank-tests.js';
import { foundGroup, makeFinding } from './finding.js';
import { valuesOfSharedGroups } from './shared-groups.js';

/** @import { Estimate, Finding, MeasuredOutcome } from '../../types/index.js' */
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
      const us = addedUs(outcome, base);
      return us === null ? [] : [{ row: seriesLabel(outcome.cell), value: us }];
    });
    return ifAny(rows, () => makeFinding('added', { group: foundGroup(group), rows, names: { addsTo } }));
  });
}

/**
 * @param {MeasuredOutcome} outcome
 * @param {MeasuredOutcome} base
 * @returns {Estimate | null} mean time of `outcome` minus that of `base`; null if they have no group in common
 */
function addedUs(outcome, base) {
  const [own, other] = valuesOfSharedGroups(
    [outcome, base],
    ({ times }) => times[SERVICE_TIME].meanNs / NS_PER_US,
  );
  return own.length === 0 ? null : signedRankInterval(own.map((us, group) => us - other[group]));
}
