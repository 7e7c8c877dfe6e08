// Differences in kind between transports in words, and notes on their guarantees.

import { transportLabel } from '../../cell/labels.js';
import { capitalised, groupedBy, ifAny, listed, pairsText } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { KINDS, transportFacts } from '../findings/transport-kinds.js';

/** @import { Cell, Finding, FoundRow, Outcome, Results, TransportFacts } from '../../types/index.js' */

const NAMES_SHOWN = 2;

/** @type {Readonly<Record<string, string>>} */
const KIND_WORDS = Object.freeze({
  threads: 'threads, not processes',
  processes: 'processes',
  'busy-waiting': 'busy-waiting',
  sleeping: 'not busy-waiting',
  'may-lose': 'messages may get lost',
  'loses-none': 'no message gets lost',
  'on-disk': 'kept on disk',
  'not-on-disk': 'not kept on disk',
});

/** @param {string} kind   as returned by KindIn @returns {string} 'threads, not processes, and busy-waiting'; '' for no difference */
export function kindWords(kind) {
  if (kind === '') return '';
  return kind
    .split(' ')
    .map((code) => KIND_WORDS[code] ?? printable(code))
    .join(', and ');
}

/** @param {TransportFacts[]} all @returns {string} the properties that at least one of the transports has */
export function formatKinds(all) {
  return KINDS.filter(({ isSo }) => all.some(isSo))
    .map(({ code }) => kindWords(code))
    .join('; ');
}

/** @param {FoundRow} row @returns {boolean} true for a row of another kind with a better estimate than the ranked ones */
export const isAhead = ({ names }) => names?.transport !== undefined;

/** @param {Pick<Finding, 'rows'>} finding @returns {string} ', apart from threads-shared (threads, not processes)', or '' */
export function exceptionText({ rows }) {
  const texts = [...groupedBy(rows.filter(isAhead), ({ kind = '' }) => kind)].map(([kind, some]) => {
    const names = new Set(some.map(({ row, names: { transport = row } = {} }) => transport));
    return `${printable(listed([...names], NAMES_SHOWN))} (${kindWords(kind)})`;
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
  const kinds = KINDS.map(({ isSo, code }) => ({ isSo, words: kindWords(code) }));
  const lines = [...kinds, ...FURTHER].flatMap(({ isSo, words }) => {
    const labels = [
      ...new Set(cells.filter((cell) => isSo(transportFacts(results, cell))).map(transportLabel)),
    ];
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
  /** @param {Cell} cell */
  const guaranteeOf = (cell) => {
    const { guarantee, durability } = transportFacts(results, cell);
    // The author of the transport may have included the durability in the guarantee.
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
  const settings = hasSettings ? pairsText(config) : '';
  return `${serverName(broker, version)}, ${from}${settings === '' ? '' : `: ${settings}`}`;
}
