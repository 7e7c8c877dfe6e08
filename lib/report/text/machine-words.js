// Texts on the hosts and networks of a run, for tables and charts: runtimes, disturbed launches, the cost of waking a CPU, round-trip times
// between hosts, links, and emulated networks.

import { WORKER } from '../../cell/launch-roles.js';
import { formatRanges, groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { isMeasured } from '../../results/measured-outcomes.js';
import { median } from '../../statistics/rank-tests.js';
import { sumBy } from '../../statistics/sum.js';
import { disturbances, disturbedByHost } from '../findings/noise-findings.js';
import { causesText, disturbedText } from './phrases/noise-phrases.js';

/** @import { Cell, Environment, HostFacts, MeasuredOutcome, NetworkUse, Results } from '../../types/index.js' */

const HOSTS_SHOWN = 8;

/**
 * @param {Environment} environment
 * @param {...Environment} ofHosts   environments of worker hosts
 * @returns {string} 'Node v20.20.2, bun 1.4.5'
 */
export function runtimesText({ node, runtimes = {} }, ...ofHosts) {
  const nodes = new Set([node, ...ofHosts.map((environment) => environment.node)]);
  const others = Object.entries(runtimes).map(([name, version]) =>
    name.endsWith(`@${version}`) ? name : `${name} ${version}`,
  );
  return printable([`Node ${[...nodes].join(' and ')}`, ...others].join(', '));
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} '3 of 24 launches were disturbed (other programs) and are included' */
export function disturbedLines(measured) {
  const { launches, disturbed, causes } = disturbances(measured);
  if (disturbed === 0) return [];
  const are = disturbed === 1 ? 'is' : 'are';
  const hosts = Object.entries(disturbedByHost(measured)).map(
    ([host, count]) => `on ${printable(host)} in ${count}`,
  );
  const where = hosts.length === 0 ? '' : `; ${listed(hosts, HOSTS_SHOWN)}`;
  return [`${disturbedText({ launches, disturbed })} (${causesText(causes)}${where}) and ${are} included`];
}

/** @param {Results} results @returns {string[]} for each host the cost of a wake-up, and the round-trip times of a byte */
export function wakeUpLines({ machine, hosts = {} }) {
  const ofHosts = Object.entries(hosts).map(
    ([host, { wakeUp }]) => /** @type {const} */ ([` on ${printable(host)}`, wakeUp]),
  );
  const all = ofHosts.length > 0 ? ofHosts : [/** @type {const} */ (['', machine?.wakeUp])];
  return all.flatMap(([where, wakeUp]) => {
    if (!wakeUp) return [];
    const { sameUs, splitUs, costUs, cpus } = wakeUp;
    const [same, split, cost] = [sameUs, splitUs, costUs].map((us) => `${formatNumber(us)} µs`);
    return `waking a sleeping CPU${where} costs ${cost}: a byte there and back takes ${same} on one CPU, ${split} across two (${formatRanges(cpus)})`;
  });
}

/**
 * @param {Results} results
 * @returns {string | null} 'master on a, workers on b (round trip 142 µs), c (round trip 150 µs)'; null on one host
 */
export function hostsText({ hosts, outcomes }) {
  if (hosts === undefined) return null;
  const trips = outcomes
    .filter(isMeasured)
    .flatMap(({ launches }) => launches.flatMap(({ toController = {} }) => Object.entries(toController)));
  const tripsOf = groupedBy(trips, ([host]) => host);
  /** @param {'master' | 'worker'} wanted */
  const namesOf = (wanted) => {
    const names = Object.keys(hosts).filter((name) => hosts[name].role === wanted);
    const texts = names.map((name) => {
      const us = tripsOf.get(name)?.map(([, { roundTripUs }]) => roundTripUs);
      return `${printable(name)}${us === undefined ? '' : ` (round trip ${formatNumber(median(us))} µs)`}`;
    });
    return listed(texts, HOSTS_SHOWN);
  };
  return `master on ${namesOf('master')}, workers on ${namesOf('worker')}`;
}

/** @param {Pick<Cell, 'hosts'>} cell @param {{ name: string, role: string }} process @returns {string} ' of b'; empty on one host */
export function ofHostText({ hosts }, { name, role }) {
  if (hosts === undefined) return '';
  const [master, workers] = hosts.split(':');
  const all = workers.split('+');
  return ` of ${printable(role === WORKER ? all[Number(name.slice(1)) % all.length] : master)}`;
}

/** @param {Results} results @returns {[name: string, host: HostFacts][]} hosts of workers, without the master's */
export function workerHosts({ hosts = {} }) {
  return Object.entries(hosts).filter(([, { role }]) => role === 'worker');
}

/**
 * @param {Results} results
 * @param {(environment: Environment) => string} read
 * @returns {string[]} one text if all machines are alike, otherwise one for each kind of machine, which begins with the names of its hosts
 */
export function textsByHost({ environment, hosts = {} }, read) {
  // The environment of the master lists the runtimes of all hosts, so runtimes do not distinguish hosts.
  /** @param {Environment} environment */
  const readWithoutRuntimes = ({ runtimes: _, ...rest }) => read(rest);
  const groups = [...groupedBy(Object.entries(hosts), ([, host]) => readWithoutRuntimes(host.environment))];
  if (groups.length < 2) return [read(environment)];
  return groups.map(([text, members]) => {
    const hasMaster = members.some(([, { role }]) => role === 'master');
    const names = members.map(([name]) => printable(name));
    return `${listed(names, HOSTS_SHOWN)}: ${hasMaster ? read(environment) : text}`;
  });
}

/** @param {Results} results @returns {string | null} 'links: a 10,000 Mbit/s, MTU 9,000 bytes; b MTU 1,500 bytes'; null if none is known */
export function linksText({ hosts = {} }) {
  const texts = Object.entries(hosts).flatMap(([name, { link }]) => {
    const { megabitsPerSecond = null, mtuBytes = null } = link ?? {};
    const facts = [
      ...(megabitsPerSecond === null ? [] : [`${formatCount(megabitsPerSecond)} Mbit/s`]),
      ...(mtuBytes === null ? [] : [`MTU ${formatCount(mtuBytes)} bytes`]),
    ];
    return facts.length === 0 ? [] : `${printable(name)} ${facts.join(', ')}`;
  });
  return texts.length === 0 ? null : `links: ${texts.join('; ')}`;
}

/** @param {MeasuredOutcome[]} measured @returns {NetworkUse[]} */
const listNetworkUses = (measured) =>
  measured.flatMap(({ launches }) => launches.flatMap(({ network }) => network ?? []));

/** @param {MeasuredOutcome[]} measured   all over one emulated network @returns {string | null} 'ping 1,090 µs, MTU 1,500 bytes' */
export function networkText(measured) {
  const uses = listNetworkUses(measured);
  if (uses.length === 0) return null;
  const ping = median(uses.map(({ roundTripUs }) => roundTripUs));
  return `ping ${formatNumber(ping)} µs, MTU ${formatCount(uses[0].mtuBytes)} bytes`;
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} one line for each emulated network */
export function networkLines(measured) {
  const networked = measured.filter(({ cell }) => cell.network !== undefined);
  return [...groupedBy(networked, ({ cell }) => String(cell.network))].map(([network, rows]) => {
    const uses = listNetworkUses(rows);
    const late = Math.max(...uses.map(({ p99LateUs }) => p99LateUs));
    const share = Math.max(...uses.map((use) => use.share));
    const dropped = sumBy(uses, ({ droppedPackets }) => droppedPackets);
    const drops = dropped === 0 ? 'none dropped' : `${formatCount(dropped)} dropped`;
    return `network ${printable(network)}: ${networkText(rows)}; 99 % of the packets within ${formatNumber(late)} µs of their delivery time, ${drops}; the emulation used at most ${formatNumber(100 * share)} % of a core`;
  });
}
