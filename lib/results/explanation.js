// The round trip in parts: what each is, how it was found, and what is left over. Of a cell whose one loop asks and waits,
// one process works after the other; what they do at the same time all the same makes the parts more than the whole.

import { formatNumber } from '../words/numbers.js';
import { sleepsPerOperation } from './machine-flags.js';
import { roleOf } from './process-role.js';

/** @import { ExplainedPart, Explanation, InsideFacts } from '../types/explanations.js' */
/** @import { MeasuredLaunch } from '../types/launches.js' */
/** @import { MeasuredOutcome } from '../types/outcomes.js' */
/** @import { WakeUp } from '../types/results-file.js' */
/**
 * @typedef {object} Known
 * @property {Pick<MeasuredOutcome, 'cell' | 'launches' | 'cpuUsPerOperation'>} outcome   of the measured launches
 * @property {Explanation['wholeUs']} wholeUs
 * @property {number} explainedUs
 * @property {InsideFacts[]} processes     of the extra launch
 * @property {WakeUp | null} wakeUp
 * @property {string | null} broker        its name; null: there is none
 * @property {boolean} serialisesItself    the transport does the work of the codec
 */

const US_PER_MS = 1_000;
// One that asks or answers sleeps once for a round trip, with a broker twice; beyond, other threads are woken for it.
const SLEEPS_OF_THREADS = 2.5;
const PROFILE = 'CPU profile, by the file of each function';

/** @param {Known} known @returns {Explanation} */
export function explanationOf(known) {
  const { outcome, wholeUs, explainedUs, processes } = known;
  const parts = [...ownParts(known), wakingPart(known), ...threadParts(known), ...brokerParts(known)];
  const sumUs = parts.reduce((sum, { us }) => sum + (us ?? 0), 0);
  return {
    cell: outcome.cell,
    wholeUs,
    explainedUs,
    parts,
    remainderUs: wholeUs.estimate - sumUs,
    processes,
  };
}

/** @param {Known} known @returns {ExplainedPart[]} what the two processes do on the thread that runs JavaScript */
function ownParts({ processes, serialisesItself }) {
  const all = processes.map(divided);
  const sum = (/** @type {keyof ReturnType<typeof divided>} */ part, /** @type {string} */ role = '') =>
    all
      .filter((_, index) => role === '' || processes[index].role === role)
      .reduce((us, own) => us + own[part], 0);
  return [
    codecPart('worker', sum('codec', 'worker'), serialisesItself),
    codecPart('master', sum('codec', 'master'), serialisesItself),
    { name: 'harness', title: 'harness', us: sum('harness'), found: PROFILE },
    {
      name: 'transport',
      title: 'transport',
      us: sum('transport'),
      found: `${PROFILE}: its own files and those of its packages`,
    },
    {
      name: 'loop',
      title: 'event loop and callbacks',
      us: sum('loop'),
      found: 'CPU time outside of the kernel, less the parts above: Node.js and libuv',
    },
    { name: 'collection', title: 'garbage collection', us: sum('collection'), found: 'PerformanceObserver' },
    {
      name: 'systemCalls',
      title: 'system calls',
      us: sum('systemCalls'),
      found: 'time in which the event loop did not wait, less CPU time outside of the kernel',
    },
  ];
}

/** @param {'worker' | 'master'} role @param {number} us @param {boolean} serialisesItself @returns {ExplainedPart} */
function codecPart(role, us, serialisesItself) {
  const part = { name: `${role}Codec`, title: `codec in the ${role}` };
  if (us > 0) return { ...part, us, found: PROFILE };
  const found = serialisesItself
    ? 'the transport serialises by itself, in functions of no file'
    : 'not one sample of the CPU profile met it';
  return { ...part, us: null, found };
}

/** @param {InsideFacts} facts @returns µs of one process; all together they are its time at work */
function divided({ activeUs, cpuUs, userShare, collectingUs, codecUs, transportUs, harnessUs }) {
  // Blocked in a call, or without a CPU, an event loop does not wait either.
  const atWorkUs = Math.min(activeUs, cpuUs);
  const known = { codec: codecUs, harness: harnessUs, transport: transportUs, collection: collectingUs };
  const knownUs = codecUs + harnessUs + transportUs + collectingUs;
  // Functions of native add-ons make system calls themselves.
  const userUs = Math.max(knownUs, Math.min(atWorkUs, userShare * cpuUs));
  return { ...known, loop: userUs - knownUs, systemCalls: Math.max(0, atWorkUs - userUs) };
}

/** @param {Known} known @returns {ExplainedPart} */
function wakingPart({ outcome: { cell, launches }, wakeUp }) {
  const part = { name: 'waking', title: 'waking' };
  if (cell.placement === 'same') return { ...part, us: 0, found: 'all share one CPU, which never sleeps' };
  if (cell.placement !== 'split') {
    return { ...part, us: null, found: 'which CPUs they slept on is known with --placement split only' };
  }
  if (wakeUp?.costUs === 0) {
    return {
      ...part,
      us: null,
      found: 'other programs kept the CPUs awake when the cost of waking one was measured',
    };
  }
  const sleeps = meanOfLaunches(launches, sleepsOnTheWay);
  if (wakeUp === null || sleeps === null) {
    return {
      ...part,
      us: null,
      found: 'what it costs to wake a CPU, or how often one slept, is not known here',
    };
  }
  const found = `${sleeps.toFixed(1)} sleeps at ${formatNumber(wakeUp.costUs)} µs each, as measured before the launches`;
  return { ...part, us: sleeps * wakeUp.costUs, found };
}

/** @param {MeasuredLaunch} launch @returns {number | null} of master, worker and brokers, for each operation */
function sleepsOnTheWay(launch) {
  const ofEnds = sleepsPerOperation(launch);
  const ofBrokers = costsOf(launch, ['broker']).map(
    (cost) => (cost.voluntarySwitches ?? 0) / launch.operations,
  );
  // It is woken by the question and by the answer.
  return ofEnds === null ? null : ofBrokers.reduce((sum, count) => sum + Math.min(2, count), ofEnds);
}

/** @param {Known} known @returns {ExplainedPart[]} none, where no thread but those that run JavaScript takes part in a round trip */
function threadParts({ outcome: { launches } }) {
  const sleeps = meanOfLaunches(launches, (launch) => {
    const ofEnds = costsOf(launch, ['master', 'worker']);
    return Math.max(...ofEnds.map(({ voluntarySwitches }) => (voluntarySwitches ?? 0) / launch.operations));
  });
  if (sleeps === null || sleeps < SLEEPS_OF_THREADS) return [];
  const us = meanOfLaunches(launches, (launch) => {
    const beside = costsOf(launch, ['master', 'worker']).map(
      ({ share, mainShare = share }) => share - mainShare,
    );
    const share = beside.reduce((sum, own) => sum + Math.max(0, own), 0);
    return (share * launch.windowMs * US_PER_MS) / launch.operations;
  });
  return [
    { name: 'threads', title: 'other threads', us, found: 'CPU time of the threads that run no JavaScript' },
  ];
}

/** @param {Known} known @returns {ExplainedPart[]} */
function brokerParts({ outcome, broker }) {
  if (broker === null) return [];
  const us = outcome.cpuUsPerOperation.broker;
  const found =
    us === null ? 'it is not started here: nobody can read what it costs' : 'CPU time of its process';
  return [{ name: 'broker', title: 'broker', us, found }];
}

/** @param {MeasuredLaunch} launch @param {string[]} roles */
function costsOf({ costs }, roles) {
  return costs.filter((cost) => roles.includes(roleOf(cost)));
}

/** @param {MeasuredLaunch[]} launches @param {(launch: MeasuredLaunch) => number | null} of @returns {number | null} */
function meanOfLaunches(launches, of) {
  const known = launches.map(of).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
