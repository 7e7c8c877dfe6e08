// What became of messages and jobs: losses, and whether the guarantee for the jobs of killed workers held.

import { hasServiceTimes } from '../../cell/headline.js';
import { seriesLabel } from '../../cell/labels.js';
import { groupedBy } from '../../format/lists.js';
import { isBroken } from '../../results/deliveries.js';
import { sumCounts, sumOfLosses } from '../../results/summarise.js';
import { makeFinding } from './finding.js';

/** @import { Finding } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */

/**
 * @param {ReportFacts} facts
 * @returns {Finding[]} one for all rows with the same guarantee and the same counts; violated guarantees first
 */
export function guaranteeFindings({ measured }) {
  const rows = measured.flatMap(({ cell, launches }) => {
    const all = launches.flatMap(({ outage }) => outage ?? []);
    if (all.length === 0) return [];
    const { promise } = all[0];
    const { lost, doneTwice } = sumCounts(all, ['lost', 'doneTwice']);
    return [{ row: seriesLabel(cell), outage: { promise, lost, doneTwice } }];
  });
  const findings = [...groupedBy(rows, ({ outage }) => JSON.stringify(outage)).values()].map((alike) => {
    const [{ outage }] = alike;
    const { promise, lost, doneTwice } = outage;
    const isViolated = isBroken(outage);
    return makeFinding('guarantee', {
      rows: [...new Set(alike.map(({ row }) => row))].map((row) => ({ row })),
      verdict: isViolated ? 'worse' : 'better',
      numbers: { lost, doneTwice },
      names: { guarantee: promise },
      remedy: isViolated ? 'broken-promise' : null,
    });
  });
  return findings.toSorted(
    (one, other) => Number(other.verdict === 'worse') - Number(one.verdict === 'worse'),
  );
}

/** @param {ReportFacts} facts @returns {Finding[]} one for each row whose transport may lose messages */
export function lossFindings({ measured }) {
  const lossy = measured.filter(({ losses }) => losses !== undefined);
  const byRow = groupedBy(lossy, (outcome) => `${hasServiceTimes(outcome)} ${seriesLabel(outcome.cell)}`);
  return [...byRow.values()].map((rows) => {
    const { requests, lost, late, reordered } = sumOfLosses(rows.flatMap(({ losses }) => losses ?? []));
    return makeFinding('losses', {
      rows: [{ row: seriesLabel(rows[0].cell) }],
      verdict: lost + late > 0 ? 'worse' : null,
      numbers: { requests, lost, late, reordered },
      names: { what: hasServiceTimes(rows[0]) ? 'responses' : 'messages' },
    });
  });
}
