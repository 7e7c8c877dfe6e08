// Differences between transports besides their speed. A thread is not a process, a busy-waiting process uses a whole core, a transport
// that may lose messages has less to do, and one that writes to a disk has more. Sentences that rank them name the difference.

import { seriesLabel, transportLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, ifAny, listed } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from './groups.js';

/** @import { Cell, Results, TransportFacts, Outcome } from '../../types/index.js' */

/** @typedef {(cell: Pick<Cell, 'transport' | 'settings'>) => string} KindIn   difference from the reference; '' if there is none */

const NAMES_SHOWN = 2;

const THREADS = ['thread', 'thread-pool'];

/** @type {{ isSo: (facts: Partial<TransportFacts>) => boolean, words: string, opposite: string }[]} */
const PROPERTIES = [
  {
    isSo: (facts) => THREADS.includes(String(facts.class)),
    words: 'threads, not processes',
    opposite: 'processes',
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
 * @returns {(cell: Pick<Cell, 'transport' | 'settings'>) => Partial<TransportFacts>} facts that always include a class
 */
function factsIn(results) {
  return (cell) => ({
    ...transportFacts(results, cell),
    class: /** @type {TransportFacts['class']} */ (transportClass(results, cell)),
  });
}

/**
 * @param {Results} results
 * @returns {KindIn} compared with the reference; if that was not measured, with a row that has none of the properties, or else the first
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
 * @returns {string} the properties that at least one of the transports has
 */
export function formatKinds(transports) {
  const all = Object.values(transports);
  return PROPERTIES.filter(({ isSo }) => all.some(isSo))
    .map(({ words }) => words)
    .join('; ');
}

/**
 * @param {Cell[]} cells    cells with better estimates, of other kinds than the ranked rows
 * @param {KindIn} kindIn
 * @returns {string} ', apart from threads-shared (threads, not processes)', or ''
 */
export function exceptionText(cells, kindIn) {
  const texts = [...groupedBy(cells, kindIn)].map(([kind, some]) => {
    const names = new Set(some.map(transportLabel));
    return `${printable(listed([...names], NAMES_SHOWN))} (${kind})`;
  });
  return texts.length === 0 ? '' : `, apart from ${texts.join(' and ')}`;
}

// Notes on the guarantees of the transports of a run: for each property the transports that have it, and for each broker the delivery
// guarantees of its transports, its version and its settings.

/** @type {{ isSo: (facts: Partial<TransportFacts>) => boolean, words: string }[]} */
const FURTHER = [
  { isSo: ({ order }) => order === 'free', words: 'messages may overtake each other' },
  {
    isSo: ({ direction }) => direction === 'request-reply',
    words: 'the master only responds to requests',
  },
];
/** @type {ReadonlyMap<string | undefined, string>} */
const DURABILITIES = new Map(Object.entries({ memory: ', kept in memory', disk: ', kept on disk' }));

/**
 * @param {Results} results
 * @param {Outcome[]} outcomes
 * @param {{ hasSettings?: boolean }} [detail]   hasSettings: include the settings of the brokers
 * @returns {string[]}
 */
export function guaranteeNotes(results, outcomes, { hasSettings = true } = {}) {
  const cells = outcomes.filter(isMeasured).map(({ cell }) => cell);
  const factsFor = factsIn(results);
  const lines = [...PROPERTIES, ...FURTHER].flatMap(({ isSo, words }) => {
    const labels = [...new Set(cells.filter((cell) => isSo(factsFor(cell))).map(transportLabel))];
    return ifAny(labels, () => `${capitalised(words)}: ${labels.join(', ')}.`);
  });
  return [...lines, ...brokerNotes(results, cells, hasSettings)].map(printable);
}

/**
 * @param {Results} results
 * @param {Cell[]} cells
 * @param {boolean} hasSettings
 * @returns {string[]} one for each broker
 */
function brokerNotes(results, cells, hasSettings) {
  const guaranteeOf = (/** @type {Cell} */ cell) => {
    const { guarantee, durability } = transportFacts(results, cell);
    // The author of the transport may have included it in the guarantee.
    const isIncluded = durability === undefined || guarantee?.includes(durability);
    return `${guarantee}${isIncluded ? '' : (DURABILITIES.get(durability) ?? '')}`;
  };
  const byBroker = groupedBy(cells, (cell) => transportFacts(results, cell).broker ?? '');
  byBroker.delete('');
  return [...byBroker].map(([broker, own]) => {
    const texts = [...groupedBy(own, guaranteeOf)].map(([guarantee, alike]) => {
      const names = [...new Set(alike.map(transportLabel))];
      return `${names.join(', ')} ${names.length === 1 ? 'delivers' : 'deliver'} ${guarantee}`;
    });
    return `${texts.join('; ')} (${serverText(results, broker, hasSettings)}).`;
  });
}

/** @param {string} broker @param {string} version    may begin with a name @returns {string} 'redis 7.0.15' */
export function serverName(broker, version) {
  return /^\d/.test(version) ? `${broker} ${version}` : version;
}

/** @param {Pick<Results, 'environment' | 'hosts'>} results @param {string} broker @param {boolean} hasSettings @returns {string} */
function serverText({ environment: { brokers }, hosts = {} }, broker, hasSettings) {
  if (!Object.hasOwn(brokers, broker)) return `broker ${broker}`;
  const { version, origin, config } = brokers[broker];
  const [master] = Object.keys(hosts).filter((name) => hosts[name].role === 'master');
  const where = master === undefined ? '' : ` on host ${master}`;
  const from = origin === 'private' ? `started for this run${where}` : 'given by the user';
  const settings = hasSettings ? Object.entries(config).map((pair) => pair.join(' ')) : [];
  return `${serverName(broker, version)}, ${from}${settings.length > 0 ? `: ${settings.join(', ')}` : ''}`;
}
