// Differences between transports besides their speed. A thread is not a process, a busy-waiting process uses a whole core, a transport
// that may lose messages has less to do, and one that writes to a disk has more. Rows are ranked among rows of their kind.

import { seriesLabel, transportLabel } from '../../cell/labels.js';
import { isMeasured } from '../../results/measured-outcomes.js';

/** @import { Cell, Results, TransportFacts } from '../../types/index.js' */

/**
 * @typedef {(cell: Pick<Cell, 'transport' | 'settings'>) => string} KindIn   codes of the properties in which a row differs from the reference,
 *   with spaces between them; '' if there are none
 */

const THREADS = ['thread', 'thread-pool'];

/** @type {readonly { code: string, opposite: string, isSo: (facts: Partial<TransportFacts>) => boolean }[]} */
export const KINDS = Object.freeze([
  { code: 'threads', opposite: 'processes', isSo: (facts) => THREADS.includes(String(facts.class)) },
  { code: 'busy-waiting', opposite: 'sleeping', isSo: ({ isSpinning }) => isSpinning === true },
  { code: 'may-lose', opposite: 'loses-none', isSo: ({ loss }) => loss === 'possible' },
  { code: 'on-disk', opposite: 'not-on-disk', isSo: ({ durability }) => durability === 'disk' },
]);

/**
 * @param {Pick<Results, 'transports'>} results
 * @param {Pick<Cell, 'transport' | 'settings'>} cell
 * @returns {Partial<TransportFacts>} facts for the settings of the cell; empty if the run did not record them
 */
export function transportFacts({ transports = {} }, cell) {
  const label = [transportLabel(cell), cell.transport].find((name) => Object.hasOwn(transports, name));
  return label === undefined ? {} : transports[label];
}

/**
 * @param {Pick<Results, 'transports'>} results
 * @param {Pick<Cell, 'transport' | 'settings'>} cell
 * @returns {string} the class in the results, or 'other' if it is unknown
 */
export function transportClass(results, cell) {
  return transportFacts(results, cell).class ?? 'other';
}

/**
 * @param {Results} results
 * @returns {KindIn} compared with the reference; if that was not measured, with a row that has none of the properties, or else the first
 */
export function kindsIn(results) {
  const factsFor = (/** @type {Pick<Cell, 'transport' | 'settings'>} */ cell) =>
    transportFacts(results, cell);
  const measured = results.outcomes.filter(isMeasured).map(({ cell }) => cell);
  /** @param {Cell} cell */
  const isPlain = (cell) => KINDS.every(({ isSo }) => !isSo(factsFor(cell)));
  const standard =
    measured.find((cell) => seriesLabel(cell) === results.reference) ?? measured.find(isPlain) ?? measured[0];
  const usual = standard === undefined ? {} : factsFor(standard);
  return (cell) => {
    const facts = factsFor(cell);
    return KINDS.filter(({ isSo }) => isSo(facts) !== isSo(usual))
      .map(({ code, opposite, isSo }) => (isSo(facts) ? code : opposite))
      .join(' ');
  };
}
