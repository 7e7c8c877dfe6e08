// The parts of results that all findings are made from.

import { isMeasured } from '../../results/measured-outcomes.js';
import { isOpen, measuredGroups } from './groups.js';
import { kindsIn } from './transport-kinds.js';

/** @import { Results } from '../../types/index.js' */
/** @typedef {ReturnType<typeof readFacts>} ReportFacts */

/** @param {Results} results */
export function readFacts(results) {
  const groups = measuredGroups(results);
  return {
    results,
    measured: results.outcomes.filter(isMeasured),
    closed: groups.filter((group) => !isOpen(group)),
    open: groups.filter(isOpen),
    kindIn: kindsIn(results),
  };
}
