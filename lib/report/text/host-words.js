// On which hosts a run was made, and how far they are from each other, in the words of tables and charts.

import { WORKER } from '../../cell/launch-roles.js';
import { groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { median } from '../../statistics/rank-tests.js';
import { isMeasured } from './groups.js';

/** @import { Cell, Environment, HostFacts, Results } from '../../types/index.js' */

const NAMES_SHOWN = 8;

/** @param {Results} results @returns {Map<string, number>} µs to the master's host, by name: the median of all launches */
function roundTripsUs({ outcomes }) {
  /** @type {Map<string, number[]>} */
  const all = new Map();
  for (const { launches } of outcomes.filter(isMeasured)) {
    for (const { toController = {} } of launches) {
      for (const [host, { roundTripUs }] of Object.entries(toController)) {
        all.set(host, [...(all.get(host) ?? []), roundTripUs]);
      }
    }
  }
  return new Map([...all].map(([host, us]) => [host, median(us)]));
}

/** @param {Results} results @returns {string | null} 'master on a, workers on b (142 µs away) and c (150 µs away)'; null: on one host */
export function hostsText(results) {
  const { hosts } = results;
  if (hosts === undefined) return null;
  const away = roundTripsUs(results);
  const named = (/** @type {'master' | 'worker'} */ role) =>
    Object.entries(hosts).flatMap(([name, host]) => {
      const us = away.get(name);
      return host.role === role
        ? `${printable(name)}${us === undefined ? '' : ` (round trip ${formatNumber(us)} µs)`}`
        : [];
    });
  return `master on ${listed(named('master'), NAMES_SHOWN)}, workers on ${listed(named('worker'), NAMES_SHOWN)}`;
}

/**
 * @param {Pick<Cell, 'hosts'>} cell
 * @param {{ name: string, role: string }} process
 * @returns {string} ' of b'; nothing where there is one host
 */
export function ofHostText({ hosts }, { name, role }) {
  if (hosts === undefined) return '';
  const [master, workers] = hosts.split(':');
  const all = workers.split('+');
  return ` of ${printable(role === WORKER ? all[Number(name.slice(1)) % all.length] : master)}`;
}

/** @param {Results} results @returns {[string, HostFacts][]} hosts whose machine is told nowhere else: of the workers */
export function workerHosts({ hosts = {} }) {
  return Object.entries(hosts).filter(([, { role }]) => role === 'worker');
}

/**
 * @param {Results} results
 * @param {(environment: Environment) => string} read
 * @returns {string[]} one text where all machines are alike; else each with its hosts in front, that of the master first
 */
export function textsByHost({ environment, hosts = {} }, read) {
  // Which runtimes each of them has is no difference: those of all are told with the master's.
  const alone = (/** @type {Environment} */ { runtimes: _all, ...own }) => read(own);
  const groups = [...groupedBy(Object.entries(hosts), ([, host]) => alone(host.environment))];
  if (groups.length < 2) return [read(environment)];
  return groups.map(([text, some]) => {
    const hasMaster = some.some(([, { role }]) => role === 'master');
    const names = some.map(([name]) => printable(name));
    return `${listed(names, NAMES_SHOWN)}: ${hasMaster ? read(environment) : text}`;
  });
}

/** @param {Results} results @returns {string | null} 'links: a 10,000 Mbit/s, MTU 9,000 bytes; b MTU 1,500 bytes'; null: none is known */
export function linksText({ hosts = {} }) {
  const texts = Object.entries(hosts).flatMap(([name, { link }]) => {
    const { megabitsPerSecond = null, mtuBytes = null } = link ?? {};
    const facts = [
      megabitsPerSecond === null ? [] : `${formatCount(megabitsPerSecond)} Mbit/s`,
      mtuBytes === null ? [] : `MTU ${formatCount(mtuBytes)} bytes`,
    ].flat();
    return facts.length === 0 ? [] : `${printable(name)} ${facts.join(', ')}`;
  });
  return texts.length === 0 ? null : `links: ${texts.join('; ')}`;
}
