// Findings on a launch: codes of lib/format/result-flags.js with the measured numbers. Reports phrase them.

import { loopsInAll } from '../../cell/connections.js';
import { SERVICE_TIME } from '../../cell/headline.js';
import { assignedBrokers } from '../../cell/launch-roles.js';
import { BYTES_PER_CONTROL_FRAME } from '../../channels/message-channel.js';
import { WARM_OPERATIONS } from '../../format/result-flags.js';
import { NS_PER_MS } from '../../format/units.js';
import { MAX_IN_FLIGHT } from '../../measure/open-load.js';
import { BROKER_GOAL, isEnoughWork } from '../../measure/work-watch.js';
import { findCrowd } from '../../results/crowd.js';
import { hasLosses, isBroken } from '../../results/deliveries.js';
import { achievedShare } from '../../results/summarise.js';
import {
  MAX_LINE_SHARE,
  MAX_RESIDUAL,
  MIN_ACHIEVED,
  MIN_SAMPLES,
  TOLERATED_LATENESS,
} from '../../results/thresholds.js';
import { littleLawResidual } from '../../statistics/little-law.js';
import { classifyTrace, leftSteadyState } from '../../statistics/warm-up.js';

/** @import { LaunchSpec } from '../../launch/launch-spec.js' */
/** @import { BrokerTraffic, Cell, Flag, Losses, MeasuredLaunch, NetworkUse, OutageCounts, Scenario, WorkGoal } from '../../types/index.js' */
/** @typedef {Omit<Flag, 'code'>} Numbers */

/**
 * @typedef {object} FindingFacts
 * @property {number} usableCpus
 * @property {boolean} quick
 * @property {boolean} isBrokerOurs     true if the transport has a private broker
 * @property {true} [isCold]             set for a scenario of cold starts, where little work and few operations are normal
 * @property {number} [messagesPerOperation]   expected number of messages that the broker receives, equal to the number that it delivers;
 *   undefined if unknown
 * @property {true} [isSpinning]         set if processes of the transport never sleep
 */

const MIN_BINS = 10; // fewer bins in a window show no trend

/**
 * @param {MeasuredLaunch} launch
 * @param {Pick<LaunchSpec, 'cell' | 'cpus' | 'timing' | 'broker' | 'toMaster'>} spec
 * @param {FindingFacts & { perSecond: number }} facts   perSecond: operations per second
 * @returns {Flag[]} all flags except those of noise
 */
export function findFlags(launch, { cell, cpus, timing, ...hops }, facts) {
  const { usableCpus, isSpinning, isCold } = facts;
  const { losses, operations, outage, rejectedConnections } = launch;
  const isClosed = launch.open === undefined;
  const neverSleeps = isSpinning === true || cell.poll === 'busy';
  // Little's law does not hold for loops that have sent all messages, or that wait for a lost response.
  const obeysLaw = isClosed && timing.messages === null && !hasLosses(losses);
  /** @type {Record<string, Numbers | null | undefined | false>} */
  const found = {
    quick: facts.quick && {},
    'not-steady': isClosed && isUnsteady(launch) && {},
    cold: isClosed && !isCold && findColdProcesses(launch, timing.workGoal, assignedBrokers(hops)),
    'too-few-samples': !isCold && operations < MIN_SAMPLES && { operations },
    'little-law': obeysLaw && littleLawExcess(launch, cell, facts.perSecond),
    oversubscribed: findCrowd(launch.costs, { usableCpus, neverSleeps }),
    blocked: launch.blockedMaster,
    free: cell.placement !== 'free' && cpus === null && {},
    'generator-limited': generatorLimit(launch, cell),
    'low-rate': lowRate(launch, cell),
    amplified: facts.isBrokerOurs && amplification(launch.traffic, facts.messagesPerOperation),
    lost: hasLosses(losses) && lostResponses(losses),
    'broken-promise': outage !== undefined && isBroken(outage) && wrongJobs(outage),
    'late-network': networkDelay(launch.network),
    'rejected-connections': rejectedConnections > 0 && { connections: rejectedConnections },
  };
  return Object.entries(found).flatMap(([code, numbers]) => (numbers ? [{ code, ...numbers }] : []));
}

/** @param {MeasuredLaunch} launch @returns {boolean} */
function isUnsteady(launch) {
  const { warmup, bins } = launch;
  if (warmup.status === 'not-steady') return true;
  return bins.length >= MIN_BINS && (leftSteadyState(bins) || openedEarly(launch));
}

/** @param {MeasuredLaunch} launch @returns {boolean} whether, in hindsight, the rate became level only within the window */
function openedEarly({ warmup, bins, binMs }) {
  if (warmup.binMs !== binMs) return false; // Bins of different lengths cannot be joined.
  const trace = classifyTrace([...warmup.operations, ...bins]);
  return trace.kind === 'warmed' && trace.from > warmup.operations.length;
}

/**
 * @param {MeasuredLaunch} launch
 * @param {WorkGoal} goal
 * @param {{ name: string }[]} brokers
 * @returns {Numbers | null} processes with too little work to be warm; null if there are none
 */
function findColdProcesses({ warmup }, goal, brokers) {
  /** @param {string} name */
  const isBroker = (name) => brokers.some((broker) => broker.name === name);
  const cold = warmup.work.filter((work) => !isEnoughWork(work, isBroker(work.name) ? BROKER_GOAL : goal));
  if (cold.length === 0) return null;
  return { coldProcesses: cold.map(({ name, operations, cpuMs }) => ({ name, operations, cpuMs })) };
}

/**
 * In a closed loop, the times of the operations add up to the time of the loop.
 * @param {MeasuredLaunch} launch
 * @param {Cell} cell
 * @param {number} perSecond   operations per second
 * @returns {Numbers | null} the share by which the two differ; null if loops, rate and mean time agree, or if operations are not timed
 */
function littleLawExcess({ windowMs, times, loopsMs }, cell, perSecond) {
  if (!Object.hasOwn(times, SERVICE_TIME)) return null;
  const { count, meanNs, maxNs } = times[SERVICE_TIME];
  if (loopsMs !== undefined) {
    const excess = Math.abs((count * meanNs) / (loopsMs * NS_PER_MS) - 1);
    return excess <= MAX_RESIDUAL ? null : { excess };
  }
  const excess = littleLawResidual({ loops: loopsInAll(cell), perSecond, meanNs });
  // An operation that crosses an end of the window counts completely or not at all, which limits the precision of Little's law.
  const edges = maxNs / (windowMs * NS_PER_MS);
  return excess > MAX_RESIDUAL + edges ? { excess } : null;
}

/**
 * Checks whether the senders limited the load. Sends for which the channel had no room do not count, since the response times show their
 * delay.
 * @param {MeasuredLaunch} launch
 * @param {Cell} cell
 * @returns {Numbers | null} the share of requests that were sent, and the number of dropped ones, or the number in flight if that reached
 *   its limit; null if the senders kept the offered rate, or if the channel had no room
 */
function generatorLimit({ open }, { workers }) {
  if (open === undefined) return null;
  const { due, started, dropped, withheld = 0, mostInFlight = 0 } = open;
  if (mostInFlight > MAX_IN_FLIGHT - workers) return { inFlight: mostInFlight };
  const sentShare = achievedShare({ due: due - withheld, started });
  // A send that is scheduled at the very end of the window happens after it, so one missing send per worker is normal.
  if (sentShare >= MIN_ACHIEVED || due - withheld - started <= workers) return null;
  return { sentShare, dropped };
}

/**
 * @param {MeasuredLaunch} launch
 * @param {Cell} cell
 * @returns {Numbers | null} fewest operations of a worker before the window; null if they suffice for V8 to compile its code
 */
function lowRate({ warmup }, { ratePerSecond }) {
  const workers = warmup.work.filter((work) => work.role === 'worker');
  if (ratePerSecond === undefined || workers.length === 0) return null;
  const fewest = Math.min(...workers.map(({ operations }) => operations));
  return fewest < WARM_OPERATIONS ? { operations: fewest } : null;
}

const TOLERATED_EXCESS = 1.01; // limit of the observed messages / the expected ones

/**
 * @param {BrokerTraffic | undefined} traffic
 * @param {number | undefined} predicted   expected messages per operation, both published and delivered
 * @returns {Numbers | null} ratios of the traffic to the prediction; null if the traffic does not exceed it, or if either is unknown
 */
function amplification(traffic, predicted) {
  if (traffic === undefined || predicted === undefined) return null;
  const { published, delivered, bytes } = traffic;
  const frames = bytes / BYTES_PER_CONTROL_FRAME;
  if (Math.max(published, delivered ?? 0) - frames <= TOLERATED_EXCESS * predicted) return null;
  const publishedRatio = published / predicted;
  return delivered === null ? { publishedRatio } : { publishedRatio, deliveredRatio: delivered / predicted };
}

/**
 * @param {Scenario} scenario
 * @param {number} [messagesPerRoundTrip]   per round trip of the transport
 * @returns messages per operation through a broker; undefined if unknown
 */
export function expectedMessages({ roundTrips = 1 }, messagesPerRoundTrip) {
  return messagesPerRoundTrip === undefined || roundTrips === null
    ? undefined
    : roundTrips * messagesPerRoundTrip;
}

/** @param {Losses} losses @returns {Numbers} */
const lostResponses = ({ requests, lost, late }) => ({ requests, lost, late });

/** @param {OutageCounts} outage @returns {Numbers} */
const wrongJobs = ({ lost, doneTwice }) => ({ lost, doneTwice });

const WAYS = 2; // both directions

/**
 * @param {NetworkUse} [network]
 * @returns {Numbers | null} the added delay as a share of the round-trip time, and the share of a core that the delay line used; null
 *   without a network, or if packets were hardly late and the delay line had CPU time left
 */
function networkDelay(network) {
  if (network === undefined) return null;
  const { roundTripUs, meanLateUs, share } = network;
  const excess = (WAYS * meanLateUs) / roundTripUs;
  return excess <= TOLERATED_LATENESS && share < MAX_LINE_SHARE ? null : { excess, coreShare: share };
}
