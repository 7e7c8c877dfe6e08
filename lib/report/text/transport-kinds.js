// Differences between rows besides their speed. A thread is no process, a busy-waiting process uses a whole core, a transport
// that may lose messages has less to do, and one that writes to a disk has more. Sentences that rank them name the difference.

import { seriesLabel, transportLabel } from '../../cell/labels.js';
import { groupedBy, listed } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from './groups.js';

/** @import { Cell, Results, TransportFacts } from '../../types/index.js' */
/** @typedef {(cell: Pick<Cell, 'transport' | 'settings'>) => string} KindIn   in a few words; '' where it is like the reference */

const NAMES_SHOWN = 2;

const THREADS = ['thread', 'thread-pool', 'blocking'];

/** @type {{ isSo: (facts: Partial<TransportFacts>) => boolean, words: string, opposite: string }[]} */
const PROPERTIES = [
  {
    isSo: (facts) => THREADS.includes(String(facts.class)),
    words: 'threads, not processes',
    opposite: 'processes',
  },
  {
    isSo: (facts) => facts.class === 'blocking',
    words: 'blocking the caller',
    opposite: 'not blocking the caller',
  },
  {
    isSo: ({ isSpinning }) => isSpinning === true,
    words: 'busy-waiting',
    opposite: 'not busy-waiting',
  },
  {
    isSo: ({ loss }) => loss === 'possible',
    words: 'messages may get lost',
    opposite: 'no message gets lost',
  },
  { isSo: ({ durability }) => durability === 'disk', words: 'kept on disk', opposite: 'not kept on disk' },
];

/**
 * @param {Pick<Results, 'transports'>} results
 * @param {Pick<Cell, 'transport' | 'settings'>} cell
 * @returns {Partial<TransportFacts>} with the settings of the cell; empty if the run did not record them
 */
export function transportFacts({ transports = {} }, cell) {
  const label = [transportLabel(cell), cell.transport].find((name) => Object.hasOwn(transports, name));
  return label === undefined ? {} : transports[label];
}

/**
 * @param {Pick<Results, 'transports'>} results
 * @param {Pick<Cell, 'transport' | 'settings'>} cell
 * @returns {string} as the transport said when it was measured
 */
export function transportClass(results, cell) {
  return transportFacts(results, cell).class ?? 'other';
}

/**
 * @param {Results} results
 * @returns {(cell: Pick<Cell, 'transport' | 'settings'>) => Partial<TransportFacts>} the class is always known
 */
function factsIn(results) {
  return (cell) => ({
    ...transportFacts(results, cell),
    class: /** @type {TransportFacts['class']} */ (transportClass(results, cell)),
  });
}

/**
 * @param {Results} results
 * @returns {KindIn} in what a row differs from the reference, or from plain processes where that was not measured
 */
export function kindsIn(results) {
  const factsFor = factsIn(results);
  const measured = results.outcomes.filter(isMeasured).map(({ cell }) => cell);
  const isPlain = (/** @type {Cell} */ cell) => PROPERTIES.every(({ isSo }) => !isSo(factsFor(cell)));
  const standard =
    measured.find((cell) => seriesLabel(cell) === results.reference) ?? measured.find(isPlain) ?? measured[0];
  const usual = standard === undefined ? {} : factsFor(standard);
  return (cell) => {
    const facts = factsFor(cell);
    const differing = PROPERTIES.filter(({ isSo }) => isSo(facts) !== isSo(usual));
    return differing.map(({ isSo, words, opposite }) => (isSo(facts) ? words : opposite)).join(', and ');
  };
}

/**
 * @param {Record<string, TransportFacts>} transports
 * @returns {string} what some of them are, and most are not; '' where none is
 */
export function formatKinds(transports) {
  const all = Object.values(transports);
  return PROPERTIES.filter(({ isSo }) => all.some(isSo))
    .map(({ words }) => words)
    .join('; ');
}

/**
 * @param {Cell[]} cells    that are ahead of what was ranked, and of another kind
 * @param {KindIn} kindIn
 * @returns {string} ', apart from threads-shared (threads, not processes)', or nothing
 */
export function exceptionText(cells, kindIn) {
  const texts = [...groupedBy(cells, kindIn)].map(([kind, some]) => {
    const names = new Set(some.map(transportLabel));
    return `${printable(listed([...names], NAMES_SHOWN))} (${kind})`;
  });
  return texts.length === 0 ? '' : `, apart from ${texts.join(' and ')}`;
}

/**
 * @param {Pick<Results, 'transports'>} results
 * @param {Cell[]} cells
 * @param {{ isSo: (facts: Partial<TransportFacts>) => boolean, words: string }[]} [further]   properties
 * @returns {{ words: string, labels: string[] }[]} the transports with each property that some of them have
 */
export function peculiarities(results, cells, further = []) {
  const factsFor = factsIn(/** @type {Results} */ (results));
  return [...PROPERTIES, ...further]
    .map(({ isSo, words }) => ({
      words,
      labels: [...new Set(cells.filter((cell) => isSo(factsFor(cell))).map(transportLabel))],
    }))
    .filter(({ labels }) => labels.length > 0);
}
