// What the machine adds to the numbers: what it costs to wake a CPU, and how many launches something else disturbed.

import { formatRanges, groupedBy, listed } from '../../format/lists.js';
import { formatNumber } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { findFlag } from '../../format/result-flags.js';
import { noiseFlags } from '../../machine/noise.js';
import { isDisturbed } from '../../results/cell-flags.js';
import { TOLERATED_LAUNCHES } from '../../results/thresholds.js';
import { isMeasured } from './groups.js';

/** @import { Environment, MeasuredOutcome, Results, WakeUp } from '../../types/index.js' */

const HOSTS_SHOWN = 8;

/** @param {Environment} environment @param {...Environment} ofHosts   of workers @returns {string} 'Node v20.20.2, bun 1.4.5': what executed the processes */
export function runtimesText({ node, runtimes = {} }, ...ofHosts) {
  const nodes = new Set([node, ...ofHosts.map((environment) => environment.node)]);
  const others = Object.entries(runtimes).map(([name, version]) =>
    name.endsWith(`@${version}`) ? name : `${name} ${version}`,
  );
  return printable([`Node ${[...nodes].join(' and ')}`, ...others].join(', '));
}

/** @param {MeasuredOutcome[]} measured @returns {{ launches: number, disturbed: number, by: string, most: string }} */
function disturbances(measured) {
  const launches = measured.flatMap((outcome) => outcome.launches);
  const disturbed = launches.filter(isDisturbed);
  const noises = disturbed.flatMap(({ flags }) => flags.filter(({ code }) => findFlag(code)?.isNoise));
  const by = [...groupedBy(noises, ({ code }) => code)].sort(
    ([, left], [, right]) => right.length - left.length,
  );
  const nameOf = (/** @type {string} */ code) => findFlag(code)?.brief ?? code;
  return {
    launches: launches.length,
    disturbed: disturbed.length,
    by: listed(by.map(([code, some]) => nameOf(code) + (by.length === 1 ? '' : ` ${some.length}`))),
    most: by.length === 0 ? '' : nameOf(by[0][0]),
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
  const { launches, disturbed, by, most } = disturbances(measured);
  if (disturbed <= TOLERATED_LAUNCHES * launches) return [];
  const what = `${disturbed} of ${launches} launches were disturbed`;
  if (isBrief) return [`Unreliable: ${what}, most often by: ${most}. Run ipc-bench doctor.`];
  const next = 'Stop other programs, run ipc-bench doctor, and measure again.';
  return [`Unreliable on this machine: ${what} (${by}). ${next}`];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} what may be inferred where CPUs have to be woken; the rows are in properties.js */
function wakeUpSentences(measured) {
  if (measured.every(({ flags }) => flags.every(({ code }) => code !== 'wake-up'))) return [];
  return [
    'A program that mostly waits sees the latencies of wake-ups, but they hide differences between transports. Use --placement same or --poll busy to compare transports without wake-ups.',
  ];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} */
function busySentences(measured) {
  if (measured.every(({ cell }) => cell.poll !== 'busy')) return [];
  return [
    'poll=busy: master and workers never sleep and use a core each. These rows show what a mechanism costs without wake-ups; a program that waits for events will not see these numbers.',
  ];
}

/** @param {MeasuredOutcome[]} measured @returns {string[]} what may and may not be inferred on this machine */
export function machineSentences(measured) {
  return [...disturbedSentences(measured), ...wakeUpSentences(measured), ...busySentences(measured)];
}
