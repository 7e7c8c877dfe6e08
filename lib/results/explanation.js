// Divides the time of a round trip into parts, with the evidence for each, and a remainder. With one open round trip, parts follow each
// other, and concurrent work is omitted. With several, a part is the cost for one of them, and the remainder is time spent waiting for the
// others.

import { formatNumber } from '../format/numbers.js';
import { US_PER_MS } from '../format/units.js';
import { estimateMean } from '../statistics/estimate.js';
import { median } from '../statistics/rank-tests.js';
import { sumBy } from '../statistics/sum.js';
import { costedOperations, hasKnownCosts } from './calibration-rows.js';

/** @import { Cell, ExplainedPart, Explanation, InsideFacts, MeasuredLaunch, MeasuredOutcome, ProcessCost } from '../types/index.js' */
/**
 * @typedef {object} ExplanationInputs
 * @property {Explained} outcome
 * @property {Explanation['wholeUs']} wholeUs   median round trip of the measured launches
 * @property {number} explainedUs          median round trip of the extra launch without the CPU profiler
 * @property {InsideFacts[]} processes     from the extra launch
 * @property {number | null} wakeUs        from the last write until a process on another CPU runs; null if unknown
 * @property {string | null} broker        name of the broker; null without one
 * @property {boolean} serialisesItself    true if the transport does the work of the codec
 */

/** @param {ExplanationInputs} known @returns {Explanation} */
export function makeExplanation({
  outcome,
  wholeUs,
  explainedUs,
  processes,
  wakeUs,
  broker,
  serialisesItself,
}) {
  const { cell } = outcome;
  const underWay = underWayIn(cell);
  const isAlone = underWay === 1;
  /** @param {InsideFacts} facts */
  const besideOf = (facts) => (isAlone ? notOnTheWay(facts, outcome) : 0);
  const ends = { processes, serialisesItself, besideOf };
  const parts = [
    ...endParts(ends),
    wakingPart(outcome, wakeUs),
    ...threadParts(outcome),
    ...brokerParts(outcome, broker),
  ];
  const sumUs = sumBy(parts, ({ us }) => us ?? 0);
  return {
    cell,
    wholeUs,
    explainedUs,
    ...(!isAlone && { underWay }),
    parts,
    remainderUs: wholeUs.estimate - sumUs,
    besideUs: besideUs(ends),
    processes,
  };
}

/** @param {Cell} cell   with closed loops @returns {number} open round trips */
function underWayIn({ workers, loops, connections = 1 }) {
  return workers * loops * connections;
}

/**
 * @param {InsideFacts} facts
 * @param {Explained} outcome
 * @returns {number} µs of work that does not delay the round trip: after the last write of an iteration, or in iterations without a write.
 *   Work after a write delays a receiver on the same CPU
 */
function notOnTheWay({ role, activeUs, onTheWayUs, afterUs }, outcome) {
  if (outcome.cell.placement === 'same') return 0;
  const beyondUs = Math.max(0, activeUs - onTheWayUs);
  return sharesCpuWithNext(outcome, role) ? Math.max(0, beyondUs - afterUs) : beyondUs;
}

// The work of both ends of a round trip on threads that run JavaScript. Parts exclude work while another process handles the
// message.

/**
 * @typedef {object} Ends
 * @property {InsideFacts[]} processes               one master, and workers
 * @property {boolean} serialisesItself              true if the transport does the work of the codec
 * @property {(facts: InsideFacts) => number} besideOf   µs of work that does not delay the round trip
 */
/** @typedef {ReturnType<typeof divided>} Divided */

const PROFILE = 'CPU profile, by the file of each function';
const ROLES = /** @type {const} */ (['worker', 'master']);

/** @param {Ends} ends @returns {ExplainedPart[]} */
function endParts(ends) {
  const sum = makeSums(ends);
  const beside = sum('beside') > 0 ? ', and work in parallel' : '';
  return [
    ...ROLES.map((role) => codecPart(role, sum('codec', role), ends.serialisesItself)),
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
      found: `CPU time outside of the kernel, less the parts above${beside}: Node.js and libuv`,
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

/** @param {Ends} ends @returns {number} µs of work in both ends that does not delay the round trip */
function besideUs(ends) {
  return makeSums(ends)('beside');
}

/**
 * @param {Ends} ends
 * @returns {(part: keyof Divided, role?: InsideFacts['role']) => number} µs of the master and of an average worker together, or of one role
 */
function makeSums({ processes, besideOf }) {
  const all = processes.map((facts) => ({ role: facts.role, ...divided(facts, besideOf(facts)) }));
  return (part, role) => {
    const ofRoles = ROLES.filter((own) => role === undefined || own === role).map((own) =>
      all.filter((facts) => facts.role === own).map((facts) => facts[part]),
    );
    return sumBy(ofRoles, (ofRole) => (ofRole.length === 0 ? 0 : estimateMean(ofRole).estimate));
  };
}

/** @param {'worker' | 'master'} role @param {number} us @param {boolean} serialisesItself @returns {ExplainedPart} */
function codecPart(role, us, serialisesItself) {
  const part = { name: `${role}Codec`, title: `codec in the ${role}` };
  if (us > 0) return { ...part, us, found: PROFILE };
  const found = serialisesItself
    ? 'the transport serialises by itself, in functions of no file'
    : 'no sample of the CPU profile is in it';
  return { ...part, us: null, found };
}

/**
 * @param {InsideFacts} facts
 * @param {number} notOnTheWayUs
 * @returns µs of one process; the parts add up to its time at work, or to the measured parts if these take longer
 */
function divided(
  { activeUs, cpuUs, userShare, collectingUs, codecUs, transportUs, harnessUs },
  notOnTheWayUs,
) {
  // An event loop counts as active while it is blocked in a call or has no CPU.
  const atWorkUs = Math.min(activeUs, cpuUs);
  const known = { codec: codecUs, harness: harnessUs, transport: transportUs, collection: collectingUs };
  const knownUs = codecUs + harnessUs + transportUs + collectingUs;
  // The known parts may exceed the user time, because they include the system calls of native add-ons.
  const userUs = Math.max(knownUs, Math.min(atWorkUs, userShare * cpuUs));
  const [loopUs, callsUs] = [userUs - knownUs, Math.max(0, atWorkUs - userUs)];
  // Work beside the round trip is mostly write callbacks and the return to the wait, so it is subtracted from the loop first.
  const fromLoop = Math.min(loopUs, notOnTheWayUs);
  const fromCalls = Math.min(callsUs, notOnTheWayUs - fromLoop);
  return {
    ...known,
    loop: loopUs - fromLoop,
    systemCalls: callsUs - fromCalls,
    beside: fromLoop + fromCalls,
  };
}

// Parts of a round trip between its ends: waking, other threads, a broker. Processes on the same CPU need no wake-up of another CPU and
// never run at the same time.

/** @typedef {Pick<MeasuredOutcome, 'cell' | 'launches' | 'cpuUsPerOperation'>} Explained   the explained row, with its measured launches */

// With at least this many sleeps of an end per round trip, other threads take part. The thread that runs JavaScript sleeps once per round
// trip, or twice with a broker.
const SLEEPS_OF_THREADS = 2.5;

/** @param {Explained} outcome @param {number | null} wakeUs   from one CPU to another @returns {ExplainedPart} */
function wakingPart({ cell, launches }, wakeUs) {
  const part = { name: 'waking', title: 'waking' };
  if (cell.placement === 'same') return { ...part, us: 0, found: 'all share one CPU, which never sleeps' };
  if (cell.placement !== 'split')
    return { ...part, us: null, found: 'which CPUs they slept on is known with --placement split only' };
  const wakes = medianOfLaunches(launches, wakesOnTheWay);
  if (wakeUs === null || wakes === null) {
    const found = 'the cost of waking a CPU, or the number of sleeps, is unknown';
    return { ...part, us: null, found };
  }
  const found =
    `${wakes.toFixed(1)} times ${formatNumber(wakeUs)} µs from the last write until the other event loop returned ` +
    'from its wait, by a ping-pong beside the launch';
  return { ...part, us: wakes * wakeUs, found };
}

/** @param {Explained} outcome @returns {ExplainedPart[]} empty if a round trip involves only threads that run JavaScript */
function threadParts({ launches }) {
  const sleeps = medianOfLaunches(launches, (launch) => {
    const ofEnds = selectCosts(launch, ['master', 'worker']);
    return Math.max(
      ...ofEnds.map(({ voluntarySwitches }) => (voluntarySwitches ?? 0) / costedOperations(launch)),
    );
  });
  if (sleeps === null || sleeps < SLEEPS_OF_THREADS) return [];
  const us = medianOfLaunches(launches, (launch) => {
    const beside = selectCosts(launch, ['master', 'worker']).map(
      ({ share, mainShare = share }) => share - mainShare,
    );
    const share = sumBy(beside, (own) => Math.max(0, own));
    return (share * launch.windowMs * US_PER_MS) / costedOperations(launch);
  });
  return [
    { name: 'threads', title: 'other threads', us, found: 'CPU time of the threads that run no JavaScript' },
  ];
}

/** @param {Explained} outcome @param {string | null} broker   its name; null if the round trip uses none @returns {ExplainedPart[]} */
function brokerParts({ cpuUsPerOperation, launches }, broker) {
  if (broker === null) return [];
  const us = cpuUsPerOperation.broker;
  const isKnown = launches.some(hasKnownCosts);
  const unread = isKnown
    ? 'ipc-bench did not start it, so its CPU time is unknown'
    : 'its CPU time is unknown';
  const found = us === null ? unread : 'CPU time of its process';
  return [{ name: 'broker', title: 'broker', us, found }];
}

/**
 * @param {Explained} outcome
 * @param {InsideFacts['role']} role
 * @returns {boolean} true if processes of this role share a CPU with processes to which they send
 */
function sharesCpuWithNext({ launches }, role) {
  return launches.slice(0, 1).some((launch) =>
    listLinks(launch)
      .filter((link) => link.some((costs) => costs.some((cost) => cost.role === role)))
      .some(([from, to]) => shareCpus(from, to) === true),
  );
}

/**
 * @param {Pick<MeasuredLaunch, 'costs'>} launch
 * @returns {[ProcessCost[], ProcessCost[]][]} pairs that communicate: both ends, or an end and the broker
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

/** @param {MeasuredLaunch} launch @returns {number | null} wake-ups of a process on another CPU, per operation; null if unknown */
function wakesOnTheWay(launch) {
  const links = listLinks(launch);
  let wakes = 0;
  for (const [ends, others] of links) {
    const areShared = shareCpus(ends, others);
    if (areShared === null) return null;
    if (areShared) continue;
    // Each end causes its share of the broker's wake-ups.
    const counts = [sumSwitches(ends), sumSwitches(others) / links.length];
    for (const count of counts) wakes += Math.min(1, count / costedOperations(launch));
  }
  return Number.isNaN(wakes) ? null : wakes;
}

/**
 * @param {ProcessCost[]} ones
 * @param {ProcessCost[]} others
 * @returns {boolean | null} true if a process of one list runs on a CPU of the other; null if unknown
 */
function shareCpus(ones, others) {
  if ([...ones, ...others].some(({ cpus }) => cpus === null) || ones.length * others.length === 0)
    return null;
  return ones.some((one) => others.some((other) => one.cpus?.some((cpu) => other.cpus?.includes(cpu))));
}

/** @param {ProcessCost[]} costs @returns {number} NaN if unknown */
function sumSwitches(costs) {
  return sumBy(costs, ({ voluntarySwitches }) => voluntarySwitches ?? Number.NaN);
}

/** @param {Pick<MeasuredLaunch, 'costs'>} launch @param {string[]} roles */
function selectCosts({ costs }, roles) {
  return costs.filter((cost) => roles.includes(cost.role));
}

/**
 * Uses the median, because a launch with few operations has more sleeps of V8 threads per operation.
 * @param {MeasuredLaunch[]} launches
 * @param {(launch: MeasuredLaunch) => number | null} of   returns null if it is unknown
 * @returns {number | null} median over the launches in which it is known; null if there are none
 */
function medianOfLaunches(launches, of) {
  const known = launches.map(of).filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}
