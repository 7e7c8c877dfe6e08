// The machine, its hosts and its network, in the words of tables and charts: what it costs to wake a CPU, how many launches
// something else disturbed, and how far hosts are from each other.

import { WORKER } from '../../cell/launch-roles.js';
import { formatRanges, groupedBy, listed } from '../../format/lists.js';
import { formatCount, formatNumber, pauseText } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { findFlag } from '../../format/result-flags.js';
import { noiseFlags } from '../../machine/noise.js';
import { isDisturbed } from '../../results/cell-flags.js';
import { TOLERATED_LAUNCHES } from '../../results/thresholds.js';
import { median } from '../../statistics/rank-tests.js';
import { sumBy } from '../../statistics/sum.js';
import { formatRowName, isMeasured } from './groups.js';

/** @import { Environment, MeasuredOutcome, Results, WakeUp, Cell, HostFacts, NetworkUse } from '../../types/index.js' */

const HOSTS_SHOWN = 8;
const STALLED = 'stalled';
const STALLS_SHOWN = 4;

/** @param {Environment} environment @param {...Environment} ofHosts   of workers @returns {string} 'Node v20.20.2, bun 1.4.5': what executed the processes */
export function runtimesText({ node, runtimes = {} }, ...ofHosts) {
  const nodes = new Set([node, ...ofHosts.map((environment) => environment.node)]);
  const others = Object.entries(runtimes).map(([name, version]) =>
    name.endsWith(`@${version}`) ? name : `${name} ${version}`,
  );
  return printable([`Node ${[...nodes].join(' and ')}`, ...others].join(', '));
}

/** @param {MeasuredOutcome[]} measured @returns {{ launches: number, disturbed: number, by: string, most: string, isStallAlone: boolean }} most: several causes where they are equally frequent */
function disturbances(measured) {
  const launches = measured.flatMap((outcome) => outcome.launches);
  const disturbed = launches.filter(isDisturbed);
  const noises = disturbed.flatMap(({ flags }) => flags.filter(({ code }) => findFlag(code)?.isNoise));
  const by = [...groupedBy(noises, ({ code }) => code)].sort(
    ([, left], [, right]) => right.length - left.length,
  );
  const nameOf = (/** @type {string} */ code) => findFlag(code)?.brief ?? code;
  const most = by.filter(([, some]) => some.length === by[0][1].length);
  return {
    launches: launches.length,
    disturbed: disturbed.length,
    by: listed(by.map(([code, some]) => nameOf(code) + (by.length === 1 ? '' : ` ${some.length}`))),
    most: listed(most.map(([code]) => nameOf(code))),
    isStallAlone: by.every(([code]) => code === STALLED),
  };
}

/** @param {MeasuredOutcome[]} measured @returns {string} '; on a in 1, on b in 3'; nothing where there is one host */
function disturbedHostsText(measured) {
  const launches = measured.flatMap((outcome) => outcome.launches);
  const hosts = new Set(launches.flatMap(({ noise }) => Object.keys(noise?.hosts ?? {})));
  const texts = [...hosts].flatMap((host) => {
    const count = launches.filter(({ noise, windowMs }) => {
      const own = noise?.hosts?.[host];
      return own && noiseFlags({ noise: { ...own, masterStallMs: 0 }, windowMs }).length > 0;
    }).length;
    return count === 0 ? [] : `on ${printable(host)} in ${count}`;
  });
  return texts.length === 0 ? '' : `; ${listed(texts, HOSTS_SHOWN)}`;
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} '3 of 24 launches were disturbed (other programs) and are included' */
export function disturbedLines(measured) {
  const { launches, disturbed, by } = disturbances(measured);
  if (disturbed === 0) return [];
  const [were, are] = disturbed === 1 ? ['was', 'is'] : ['were', 'are'];
  return [
    `${disturbed} of ${launches} launches ${were} disturbed (${by}${disturbedHostsText(measured)}) and ${are} included`,
  ];
}

/** @param {Results} results @returns {{ where: string, wakeUp: WakeUp }[]} where: ' on b', nothing where there is one host */
function listWakeUps({ machine, hosts = {} }) {
  const ofHosts = Object.entries(hosts).map(([host, { wakeUp }]) => ({
    where: ` on ${printable(host)}`,
    wakeUp,
  }));
  const all = ofHosts.length > 0 ? ofHosts : [{ where: '', wakeUp: machine?.wakeUp }];
  return all.flatMap(({ where, wakeUp }) => (wakeUp ? { where, wakeUp } : []));
}

/** @param {Results} results @returns {string[]} the cost of a wake-up, and the time of a byte there and back */
function wakeUpLines(results) {
  return listWakeUps(results).map(({ where, wakeUp: { sameUs, splitUs, costUs, cpus } }) => {
    const [same, split, cost] = [sameUs, splitUs, costUs].map((us) => `${formatNumber(us)} µs`);
    const times = `a byte there and back takes ${same} on one CPU, ${split} across two (${formatRanges(cpus)})`;
    return `waking a sleeping CPU${where} costs ${cost}: ${times}`;
  });
}

/** @param {Results} results @returns {string[]} 'waking a CPU 7.2 µs', of hosts 'waking a CPU on a 7.2 µs, on b 8.1 µs' */
export function wakeUpTexts(results) {
  const texts = listWakeUps(results).map(({ where, wakeUp }) =>
    `${where} ${formatNumber(wakeUp.costUs)} µs`.trim(),
  );
  return texts.length === 0 ? [] : [`waking a CPU ${listed(texts, HOSTS_SHOWN)}`];
}

/** @param {Results} results @returns {string[]} lines above a table */
export function machineLines(results) {
  return [...wakeUpLines(results), ...disturbedLines(results.outcomes.filter(isMeasured))];
}

/**
 * @param {MeasuredOutcome[]} measured
 * @param {{ isBrief?: boolean }} [detail]    brief: in one line
 * @returns {string[]} where too many launches were disturbed
 */
export function disturbedSentences(measured, { isBrief = false } = {}) {
  const { launches, disturbed, by, most, isStallAlone } = disturbances(measured);
  if (disturbed <= TOLERATED_LAUNCHES * launches) return [];
  const stalls = stallSentences(measured);
  const what = `${disturbed} of ${launches} launches were disturbed`;
  if (isBrief) return [...stalls, `Unreliable: ${what}, most often by: ${most}. Run ipc-bench doctor.`];
  const next = isStallAlone ? 'Run ipc-bench doctor' : 'Stop other programs, run ipc-bench doctor';
  return [...stalls, `Unreliable on this machine: ${what} (${by}). ${next}, and measure again.`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} how long the master stood still at the longest, in the rows that it disturbed */
function stallSentences(measured) {
  const rows = measured.flatMap(({ cell, flags, launches }) => {
    if (flags.every(({ code }) => code !== STALLED)) return [];
    const longestMs = Math.max(...launches.map(({ noise }) => noise?.masterStallMs ?? 0));
    return `${formatRowName(cell)} (for ${pauseText(longestMs)})`;
  });
  if (rows.length === 0) return [];
  const what = 'The event loop of the master was blocked, or its process was stopped';
  return [`${what}, and the responses waited for it: ${listed(rows, STALLS_SHOWN)}.`];
}

/** What may be inferred where CPUs have to be woken; remarks.js has the rows. */
const WAKE_UP_SENTENCE =
  'A program that mostly waits sees the latencies of wake-ups, but they hide differences between transports. Use --placement same or --poll busy to compare transports without wake-ups.';
const BUSY_SENTENCE =
  'poll=busy: master and workers never sleep and use a core each. These rows show what a mechanism costs without wake-ups; a program that waits for events will not see these numbers.';

/** @param {MeasuredOutcome[]} measured @returns {string[]} what may and may not be inferred on this machine */
export function machineSentences(measured) {
  const areWoken = measured.some(({ flags }) => flags.some(({ code }) => code === 'wake-up'));
  const areBusy = measured.some(({ cell }) => cell.poll === 'busy');
  return [
    ...disturbedSentences(measured),
    ...(areWoken ? [WAKE_UP_SENTENCE] : []),
    ...(areBusy ? [BUSY_SENTENCE] : []),
  ];
}

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
  return `master on ${listed(named('master'), HOSTS_SHOWN)}, workers on ${listed(named('worker'), HOSTS_SHOWN)}`;
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
    return `${listed(names, HOSTS_SHOWN)}: ${hasMaster ? read(environment) : text}`;
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

// The emulated network between master and workers, for table and chart: the result of a probe before the launches, and the
// delay of packets.

/** @param {MeasuredOutcome[]} measured @returns {NetworkUse[]} of their launches */
function listNetworkUses(measured) {
  return measured.flatMap(({ launches }) => launches.flatMap(({ network }) => network ?? []));
}

/** @param {NetworkUse[]} uses @returns {number} the median of the probes */
function probedUs(uses) {
  const sorted = uses.map(({ roundTripUs }) => roundTripUs).sort((left, right) => left - right);
  return sorted[sorted.length >> 1];
}

/** @param {MeasuredOutcome[]} measured   over one network @returns {string | null} 'ping 1,090 µs, MTU 1,500 bytes'; null: there is none */
export function networkText(measured) {
  const uses = listNetworkUses(measured);
  if (uses.length === 0) return null;
  return `ping ${formatNumber(probedUs(uses))} µs, MTU ${formatCount(uses[0].mtuBytes)} bytes`;
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} one line for each network */
export function networkLines(measured) {
  const networked = measured.filter(({ cell }) => cell.network !== undefined);
  return [...groupedBy(networked, ({ cell }) => String(cell.network))].map(([network, concerned]) => {
    const uses = listNetworkUses(concerned);
    const late = Math.max(...uses.map(({ p99LateUs }) => p99LateUs));
    const share = Math.max(...uses.map((use) => use.share));
    const dropped = sumBy(uses, ({ droppedPackets }) => droppedPackets);
    const drops = dropped === 0 ? 'none dropped' : `${formatCount(dropped)} dropped`;
    return `network ${printable(network)}: ${networkText(concerned)}; 99 % of the packets within ${formatNumber(late)} µs of their delivery time, ${drops}; the emulation used at most ${formatNumber(100 * share)} % of a core`;
  });
}
