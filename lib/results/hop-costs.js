// What a round trip meets between its ends, as parts of it: waking, other threads, a broker. Which
// processes share a CPU decides what happens one after the other: there nobody wakes a CPU, and nobody works beside another.

import { formatNumber } from '../format/numbers.js';
import { US_PER_MS } from '../format/units.js';
import { median } from '../statistics/signed-rank.js';
import { sumBy } from '../statistics/sum.js';

/** @import { ExplainedPart, InsideFacts, MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../types/index.js' */
/** @typedef {Pick<MeasuredOutcome, 'cell' | 'launches' | 'cpuUsPerOperation'>} Explained   of the measured launches */

// One that asks or answers sleeps once for a round trip, with a broker twice; beyond, other threads are woken for it.
const SLEEPS_OF_THREADS = 2.5;

/** @param {Explained} outcome @param {number | null} wakeUs   from one CPU to another; null: unknown @returns {ExplainedPart} */
export function wakingPart({ cell, launches }, wakeUs) {
  const part = { name: 'waking', title: 'waking' };
  if (cell.placement === 'same') return { ...part, us: 0, found: 'all share one CPU, which never sleeps' };
  if (cell.placement !== 'split')
    return { ...part, us: null, found: 'which CPUs they slept on is known with --placement split only' };
  const wakes = medianOfLaunches(launches, wakesOnTheWay);
  if (wakeUs === null || wakes === null) {
    const found = 'what it takes to wake a CPU, or how often one slept, is not known here';
    return { ...part, us: null, found };
  }
  const found =
    `${wakes.toFixed(1)} times ${formatNumber(wakeUs)} µs from the last write until the other event loop returned ` +
    'from its wait, by a ping-pong beside the launch';
  return { ...part, us: wakes * wakeUs, found };
}

/** @param {Explained} outcome @returns {ExplainedPart[]} none, where no thread but those that run JavaScript takes part in a round trip */
export function threadParts({ launches }) {
  const sleeps = medianOfLaunches(launches, (launch) => {
    const ofEnds = selectCosts(launch, ['master', 'worker']);
    return Math.max(...ofEnds.map(({ voluntarySwitches }) => (voluntarySwitches ?? 0) / launch.operations));
  });
  if (sleeps === null || sleeps < SLEEPS_OF_THREADS) return [];
  const us = medianOfLaunches(launches, (launch) => {
    const beside = selectCosts(launch, ['master', 'worker']).map(
      ({ share, mainShare = share }) => share - mainShare,
    );
    const share = sumBy(beside, (own) => Math.max(0, own));
    return (share * launch.windowMs * US_PER_MS) / launch.operations;
  });
  return [
    { name: 'threads', title: 'other threads', us, found: 'CPU time of the threads that run no JavaScript' },
  ];
}

/** @param {Explained} outcome @param {string | null} broker   its name; null: there is none @returns {ExplainedPart[]} */
export function brokerParts({ cpuUsPerOperation }, broker) {
  if (broker === null) return [];
  const us = cpuUsPerOperation.broker;
  const found =
    us === null ? 'it is not started here: nobody can read what it costs' : 'CPU time of its process';
  return [{ name: 'broker', title: 'broker', us, found }];
}

/** @param {Explained} outcome @param {InsideFacts['role']} role @returns {boolean} whom it sends to runs on the same CPU, and begins when it sleeps */
export function sharesCpuWithNext({ launches }, role) {
  return launches.slice(0, 1).some((launch) =>
    listLinks(launch)
      .filter((link) => link.some((costs) => costs.some((cost) => cost.role === role)))
      .some(([from, to]) => shareCpus(from, to) === true),
  );
}

/**
 * @param {Pick<MeasuredLaunch, 'costs'>} launch
 * @returns {[ProcessCost[], ProcessCost[]][]} who talks to whom: the ends to each other, or each of them to the broker
 */
function listLinks(launch) {
  const [masters, workers, brokers] = ['master', 'worker', 'broker'].map((role) =>
    selectCosts(launch, [role]),
  );
  return brokers.length === 0
    ? [[workers, masters]]
    : [
        [workers, brokers],
        [masters, brokers],
      ];
}

/** @param {MeasuredLaunch} launch @returns {number | null} how often a process on another CPU was woken, for each operation */
function wakesOnTheWay(launch) {
  const links = listLinks(launch);
  let wakes = 0;
  for (const [ends, others] of links) {
    const areShared = shareCpus(ends, others);
    if (areShared === null) return null;
    if (areShared) continue;
    // Of a broker each end wakes it for its part of the sleeps.
    const counts = [sumSwitches(ends), sumSwitches(others) / links.length];
    for (const count of counts) wakes += Math.min(1, count / launch.operations);
  }
  return Number.isNaN(wakes) ? null : wakes;
}

/** @param {ProcessCost[]} ones @param {ProcessCost[]} others @returns {boolean | null} null: unknown */
function shareCpus(ones, others) {
  if ([...ones, ...others].some(({ cpus }) => cpus === null) || ones.length * others.length === 0)
    return null;
  return ones.some((one) => others.some((other) => one.cpus?.some((cpu) => other.cpus?.includes(cpu))));
}

/** @param {ProcessCost[]} costs @returns {number} NaN: unknown */
function sumSwitches(costs) {
  return sumBy(costs, ({ voluntarySwitches }) => voluntarySwitches ?? Number.NaN);
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @param {string[]} roles */
function selectCosts({ costs }, roles) {
  return costs.filter((cost) => roles.includes(cost.role));
}

/** @param {MeasuredLaunch[]} launches @param {(launch: MeasuredLaunch) => number | null} of @returns {number | null} of the middle one: threads of V8 sleep as often in a launch that got nothing done */
function medianOfLaunches(launches, of) {
  const known = launches.map(of).filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
