// The guarantees of the transports of a run: which transports differ from the others, and for each broker its delivery
// guarantee, version and settings (M-45).

import { transportLabel } from '../../cell/labels.js';
import { capitalised, groupedBy } from '../../format/lists.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from './groups.js';
import { peculiarities, transportFacts } from './transport-kinds.js';

/** @import { Cell, Outcome, Results, TransportFacts } from '../../types/index.js' */

/** @type {{ isSo: (facts: Partial<TransportFacts>) => boolean, words: string }[]} */
const FURTHER = [
  { isSo: ({ order }) => order === 'free', words: 'messages may overtake each other' },
  {
    isSo: ({ direction }) => direction === 'request-reply',
    words: 'the master only responds to requests',
  },
];
const KEPT = Object.freeze({ memory: ', kept in memory', disk: ', kept on disk' });

/**
 * @param {Results} results
 * @param {Outcome[]} outcomes    that are shown
 * @param {{ hasSettings?: boolean }} [detail]   of the brokers; left out: with them
 * @returns {string[]}
 */
export function guaranteeNotes(results, outcomes, { hasSettings = true } = {}) {
  const cells = outcomes.filter(isMeasured).map(({ cell }) => cell);
  const lines = peculiarities(results, cells, FURTHER).map(
    ({ words, labels }) => `${capitalised(words)}: ${labels.join(', ')}.`,
  );
  return [...lines, ...brokerNotes(results, cells, hasSettings)].map(printable);
}

/**
 * @param {Results} results
 * @param {Cell[]} cells
 * @param {boolean} hasSettings
 * @returns {string[]} a line for each broker
 */
function brokerNotes(results, cells, hasSettings) {
  const promiseOf = (/** @type {Cell} */ cell) => {
    const { guarantee, durability } = transportFacts(results, cell);
    // The author of the transport may have included it in the guarantee.
    const isSaid = durability === undefined || guarantee?.includes(durability);
    return `${guarantee}${isSaid ? '' : KEPT[durability]}`;
  };
  const byBroker = groupedBy(cells, (cell) => transportFacts(results, cell).broker ?? '');
  byBroker.delete('');
  return [...byBroker].map(([broker, own]) => {
    const texts = [...groupedBy(own, promiseOf)].map(([promise, some]) => {
      const names = [...new Set(some.map(transportLabel))];
      return `${names.join(', ')} ${names.length === 1 ? 'delivers' : 'deliver'} ${promise}`;
    });
    return `${texts.join('; ')} (${serverText(results, broker, hasSettings)}).`;
  });
}

/** @param {string} broker @param {string} version    most begin with a name @returns {string} 'redis 7.0.15' */
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
