// Which tables have no ratios to the reference.

import { seriesLabel } from '../../cell/labels.js';
import { foundGroup, makeFinding } from './finding.js';

/** @import { Finding, Results } from '../../types/index.js' */
/** @import { ReportFacts } from './report-facts.js' */
/** @import { RowGroup } from './groups.js' */

/** @param {ReportFacts} facts @returns {Finding[]} at most one, with the tables of closed loops that have no ratios, and the reason */
export function noRatioFindings({ results, closed }) {
  const without = closed.filter((group) => hasNoRatios(group, results));
  if (without.length === 0) return [];
  const reference = without
    .flatMap(({ outcomes }) => outcomes)
    .find(({ cell }) => seriesLabel(cell) === results.reference);
  const { status = 'skipped' } = reference ?? {};
  const isQuick = status === 'measured' && results.options.quick;
  return [
    makeFinding('no-ratios', {
      group: without.length === 1 ? foundGroup(without[0]) : null,
      rows: without.map(({ heading }) => ({ row: results.reference, heading })),
      why: { code: isQuick ? 'quick' : status },
      numbers: { tables: closed.length },
      remedy: isQuick ? 'quick' : null,
    }),
  ];
}

/** @param {RowGroup} group @param {Results} results @returns {boolean} true if the rows have no ratios to the reference */
function hasNoRatios({ measured }, { reference }) {
  const others = measured.filter(({ cell }) => seriesLabel(cell) !== reference);
  return (others.length > 0 ? others : measured).every(({ ratio }) => ratio === null);
}
