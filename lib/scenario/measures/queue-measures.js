// What the master of a queue says of its jobs beside their number and their times.

import { US_PER_MS } from '../../format/units.js';

/** @import { Measure, RoleReport } from '../../types/index.js' */

/** @param {readonly RoleReport[]} reports @returns {RoleReport} of the role that offered the jobs */
function findProducer(reports) {
  return /** @type {RoleReport} */ (reports.find(({ operations }) => operations !== null));
}

/** @type {Measure['read']} jobs of the busiest worker in the window, against what each would have had of a fair share */
export function busiestShare(reports, { workers }) {
  const { values, operations } = findProducer(reports);
  return operations === 0 ? null : (values.busiest * workers) / Number(operations);
}

/**
 * @param {Pick<Measure, 'title' | 'unit'> & { name: 'lost' | 'doneTwice' | 'offeredAgain' | 'recoveryTime' }} words
 * @returns {Measure} of jobs whose worker was killed; nothing where none was
 */
export function ofOutage(words) {
  return {
    ...words,
    better: 'lower',
    kind: 'value',
    read(reports) {
      const { values } = findProducer(reports);
      const found = words.name === 'recoveryTime' ? values.recoveredMs * US_PER_MS : values[words.name];
      return Number.isFinite(found) ? found : null;
    },
  };
}
