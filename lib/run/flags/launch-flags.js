// Turns the report of a controller into a launch of the results file, with its flags.

import { loopsInAll } from '../../cell/connections.js';
import { SERVICE_TIME } from '../../cell/headline.js';
import { assignedBrokers } from '../../cell/launch-roles.js';
import { BYTES_PER_NOTE } from '../../channels/message-channel.js';
import { BenchError } from '../../errors.js';
import {
  formatCount,
  formatPercent,
  formatRatio,
  formatTenthsOfPercent,
  pauseText,
} from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagMeaning, WARM_OPERATIONS } from '../../format/result-flags.js';
import { MS_PER_S, NS_PER_MS } from '../../format/units.js';
import { noiseFlags } from '../../machine/noise.js';
import { MOST_IN_FLIGHT } from '../../measure/open-load.js';
import { BROKER_GOAL, isEnoughWork } from '../../measure/work-watch.js';
import { lossText } from '../../report/text/phrases/guarantee-phrases.js';
import { crowdText, findCrowd } from '../../results/crowd.js';
import { isBroken } from '../../results/deliveries.js';
import { faultInLaunch } from '../../results/readable.js';
import { achievedShare, OPEN_COUNTS, summed } from '../../results/summarise.js';
import {
  FEWEST_SAMPLES,
  GREATEST_LINE_SHARE,
  LARGEST_RESIDUAL,
  LEAST_ACHIEVED,
  TOLERATED_LATENESS,
} from '../../results/thresholds.js';
import { mergeLatencies } from '../../statistics/latency.js';
import { littleLawResidual } from '../../statistics/little-law.js';
import { sum, sumBy } from '../../statistics/sum.js';
import { classifyTrace, leftSteadyState } from '../../statistics/warm-up.js';
import { ALL } from '../../workload/endpoints/stream-parts.js';
import { computeBacklogs, responseTimes, splitEnds } from '../../workload/measures/stream-measures.js';
import { operationsPerSecond } from '../../workload/measures/usual-measures.js';
import { countedTimes, readings } from './readings.js';

/** @import { LaunchSpec } from '../../launch/launch-spec.js' */
/** @import { Backpressure, BrokerTraffic, BufferPlace, Cell, Flag, Losses, Measure, MeasuredCell, MeasuredLaunch, NetworkUse, OpenLaunch, Operation, ProcessCost, RoleReport, Scenario, WorkGoal } from '../../types/index.js' */
/** @import { OpenPlan } from '../../measure/open-load.js' */

/**
 * @typedef {object} Circumstances
 * @property {number} usableCpus
 * @property {boolean} quick
 * @property {boolean} isBrokerOurs     true if its transport has a private broker
 * @property {Operation} operation
 * @property {readonly Measure[]} measures
 * @property {number} [furtherProcesses]   number of processes besides the master and its workers
 * @property {true} [isCold]             set for a scenario of cold starts, where little work and few operations are normal
 * @property {import('../../machine/noise.js').LaunchNoise} [noise]
 * @property {import('../../types/index.js').Slices} [slices]   set for a launch in slices
 * @property {number} [messagesPerOperation]   number of messages that the broker should receive, and as many to deliver
 * @property {true} [isSpinning]         set if processes of the transport never sleep
 */

const FEWEST_BINS = 10; // fewer bins in a window show no trend

/**
 * @param {import('../../launch/control/protocol.js').LaunchReport} fields
 * @param {LaunchSpec} spec
 * @param {Pick<MeasuredLaunch, 'group' | 'order' | 'startedAt'>} place
 * @param {Circumstances} circumstances
 * @throws {BenchError} if the reports give a launch that could not be read again from a file
 */
export function measuredLaunch(fields, spec, place, circumstances) {
  const { reports, operations, windowMs, warmup, costs, rejectedConnections } = fields;
  const { slices } = circumstances;
  const binMs = (slices && spec.timing.slices?.measureMs) ?? spec.timing.binMs;
  const opens = reports.flatMap(({ open }) => open ?? []);
  // A broker of the user may serve other programs, so measures do not read its traffic.
  const ownTraffic = circumstances.isBrokerOurs ? fields.traffic : null;
  const backpressure = computeBackpressure(reports, { ...fields, cell: spec.cell });
  /** @type {MeasuredLaunch} */
  const launch = {
    status: 'measured',
    ...place,
    operations,
    windowMs,
    ...(fields.loopsMs !== undefined && { loopsMs: fields.loopsMs, completed: fields.completed }),
    ...readings(circumstances.measures, reports, measuredCell(spec), costs, ownTraffic),
    warmup,
    binMs,
    bins: slices === undefined ? fields.bins : rateBins(slices, binMs),
    costs,
    ...(fields.unknownCosts && { unknownCosts: fields.unknownCosts }),
    rejectedConnections,
    flags: [],
    ...(circumstances.noise && { noise: { ...circumstances.noise, masterStallMs: fields.pauses.stallMs } }),
    ...blockedMaster(fields.pauses, windowMs),
    ...(fields.traffic && { traffic: fields.traffic }),
    ...(fields.losses && { losses: fields.losses }),
    ...(slices && { slices }),
    ...(fields.clocks && { clocks: fields.clocks }),
    ...(fields.network && { network: fields.network }),
    ...(fields.toController && { toController: fields.toController }),
    ...readOutage(reports),
    ...(backpressure && { backpressure }),
    ...(circumstances.isSpinning && { isSpinning: true }),
    ...(spec.open && { open: openLaunch(opens, spec.open, responseTimes(reports)) }),
  };
  assertOneSampleEach(launch);
  const perSecond = operationsPerSecond(reports);
  launch.flags = [...computeFlags(launch, spec, { ...circumstances, perSecond }), ...noiseFlags(launch)];
  const fault = faultInLaunch(launch);
  if (fault !== null) {
    throw new BenchError('PROTOCOL', `the reports of its processes cannot be saved: ${printable(fault)}`);
  }
  return launch;
}

/**
 * @param {import('../../types/index.js').Slices} slices
 * @param {number} binMs
 * @returns {number[]} operations per bin at the rate of each slice
 */
function rateBins({ operations, windowMs }, binMs) {
  return operations.map((count, slice) => (count * binMs) / windowMs[slice]);
}

const LEAST_BLOCKED_SHARE = 0.05;

/** @param {import('../../launch/monitors/pauses.js').Pauses} pauses @param {number} windowMs @returns {Pick<MeasuredLaunch, 'blockedMaster'>} */
function blockedMaster({ blockedMs, blockedInAllMs }, windowMs) {
  const share = blockedInAllMs / windowMs;
  return share > LEAST_BLOCKED_SHARE ? { blockedMaster: { longestMs: blockedMs, share } } : {};
}

/** @param {MeasuredLaunch['blockedMaster']} blocked */
function blockedText(blocked) {
  return blocked === undefined
    ? ''
    : `for ${pauseText(blocked.longestMs)}, ${formatPercent(blocked.share)} in all`;
}

/** @param {RoleReport[]} reports @returns {Pick<MeasuredLaunch, 'outage'>} */
function readOutage(reports) {
  const outage = reports.find((report) => report.outage !== undefined)?.outage;
  return outage === undefined ? {} : { outage };
}

/** @param {LaunchSpec} spec @returns {MeasuredCell} */
function measuredCell({ cell, messageFile }) {
  const responses = messageFile?.responses;
  return responses === undefined ? cell : { ...cell, responseBytes: responses.bytes.mean };
}

/**
 * @param {MeasuredLaunch} launch
 * @param {LaunchSpec} spec
 * @param {Circumstances & { perSecond: number }} circumstances
 * @returns {Flag[]}
 */
function computeFlags(launch, { cell, cpus, timing, ...hops }, circumstances) {
  const brokers = assignedBrokers(hops);
  const { usableCpus, quick, isBrokerOurs, messagesPerOperation, isSpinning, isCold } = circumstances;
  const neverSleeps = isSpinning === true || cell.poll === 'busy';
  const crowd = findCrowd(launch.costs, { usableCpus, neverSleeps });
  const disagreement = littleLawExcess(launch, cell, circumstances.perSecond);
  const excess = isBrokerOurs ? amplification(launch.traffic, messagesPerOperation) : null;
  const limit = generatorProblem(launch, cell);
  const lowRate = lowRateProblem(launch, cell);
  const isClosed = launch.open === undefined;
  const cold = coldProcesses(launch, timing.workGoal, brokers);
  const lost = lossText(launch.losses);
  const late = networkDelayProblem(launch.network);
  const isUnsteady =
    launch.warmup.status === 'not-steady' ||
    (launch.bins.length >= FEWEST_BINS && (leftSteadyState(launch.bins) || openedEarly(launch)));
  /** @type {[string, boolean, string?][]} */
  const findings = [
    ['quick', quick],
    ['not-steady', isClosed && isUnsteady],
    ['cold', isClosed && !isCold && cold.length > 0, cold.join(', ')],
    ['too-few-samples', !isCold && launch.operations < FEWEST_SAMPLES],
    // The law does not hold for loops that have sent all messages, or that wait for a lost response.
    [
      'little-law',
      isClosed && timing.messages === null && lost === null && disagreement !== null,
      `by ${formatTenthsOfPercent(disagreement ?? 0)}`,
    ],
    ['oversubscribed', crowd !== null, crowd === null ? '' : crowdText([crowd])],
    ['blocked', launch.blockedMaster !== undefined, blockedText(launch.blockedMaster)],
    ['free', cell.placement !== 'free' && cpus === null],
    ['generator-limited', limit !== null, limit ?? ''],
    ['low-rate', lowRate !== null, lowRate ?? ''],
    ['amplified', excess !== null, excess ?? ''],
    ['lost', lost !== null, lost ?? ''],
    ['broken-promise', launch.outage !== undefined && isBroken(launch.outage)],
    ['late-network', late !== null, late ?? ''],
    ['rejected-connections', launch.rejectedConnections > 0, `${launch.rejectedConnections}`],
  ];
  return findings
    .filter(([, isFound]) => isFound)
    .map(([code, , detail]) => {
      const summary = flagMeaning(code, 'summary', circumstances.operation);
      return { code, message: detail === undefined ? summary : `${summary} (${detail})` };
    });
}

/**
 * In a closed loop, the times of the operations add up to the time of the loop.
 * @param {MeasuredLaunch} launch
 * @param {Cell} cell
 * @param {number} perSecond   operations per second
 * @returns the relative difference between loops, rate and mean time; null if it is small, or if operations are not timed
 */
export function littleLawExcess({ windowMs, times, loopsMs }, cell, perSecond) {
  if (!Object.hasOwn(times, SERVICE_TIME)) return null;
  const { count, meanNs, maxNs } = times[SERVICE_TIME];
  if (loopsMs !== undefined) {
    const apart = Math.abs((count * meanNs) / (loopsMs * NS_PER_MS) - 1);
    return apart <= LARGEST_RESIDUAL ? null : apart;
  }
  const residual = littleLawResidual({ loops: loopsInAll(cell), perSecond, meanNs });
  // An operation that crosses an end of the window counts completely or not at all, which limits the precision of the law.
  const edges = maxNs / (windowMs * NS_PER_MS);
  return residual > LARGEST_RESIDUAL + edges ? residual : null;
}

/**
 * @param {Pick<MeasuredLaunch, 'warmup' | 'bins' | 'binMs'>} launch
 * @returns {boolean} whether, in hindsight, the rate became level only within the window
 */
export function openedEarly({ warmup, bins, binMs }) {
  if (warmup.binMs !== binMs) return false; // Bins of different lengths cannot be joined.
  const trace = classifyTrace([...warmup.operations, ...bins]);
  return trace.kind === 'warmed' && trace.from > warmup.operations.length;
}

/**
 * @param {Pick<MeasuredLaunch, 'warmup'>} launch
 * @param {WorkGoal} goal
 * @param {{ name: string }[]} [brokers]
 * @returns processes with too little work to be warm, such as 'w0 after 412 operations, 63 ms of CPU time'
 */
export function coldProcesses({ warmup }, goal, brokers = []) {
  const cold = warmup.work.filter(
    (work) => !isEnoughWork(work, brokers.some(({ name }) => name === work.name) ? BROKER_GOAL : goal),
  );
  return cold.map(({ name, operations, cpuMs }) => {
    const time = cpuMs === null ? '' : `, ${Math.round(cpuMs)} ms of CPU time`;
    return `${name} after ${formatCount(operations)} operations${time}`;
  });
}

const LEAST_BYTES = 1e6; // Processes grow by this much without a backlog.
const MOST_OF_IT = 0.5; // Share of the backlog's bytes by which a role has to grow. A message in memory takes at least its payload.

/**
 * @param {readonly RoleReport[]} reports
 * @param {{ costs: readonly ProcessCost[], losses?: Losses | null, cell: Pick<Cell, 'payloadBytes'> }} launch
 * @returns {Backpressure | null} null without streams, or if a message has several consumers
 */
export function computeBackpressure(reports, { costs, losses, cell }) {
  const { senders, takers } = splitEnds(reports);
  const streams = senders.flatMap(({ streams = {} }) => Object.keys(streams));
  if (takers.length === 0 || streams.length === 0 || streams.includes(ALL)) return null;
  const backlogs = computeBacklogs(reports);
  const windowMs = Math.max(...reports.map((report) => report.windowMs));
  const grown = backlogs[backlogs.length - 1] - backlogs[0];
  return {
    waits: sumBy(senders, ({ values }) => values.waits ?? 0),
    backlog: Math.max(0, ...backlogs),
    backlogPerSecond: (grown * MS_PER_S) / windowMs,
    lostShare: losses && losses.requests > 0 ? losses.lost / losses.requests : 0,
    grownIn: grownIn(costs, grown * cell.payloadBytes, { senders, takers }),
  };
}

/**
 * @param {readonly ProcessCost[]} costs
 * @param {number} bytes   growth of the backlog in the window
 * @param {{ senders: RoleReport[], takers: RoleReport[] }} ends
 * @returns {BufferPlace | null}
 */
function grownIn(costs, bytes, ends) {
  if (bytes < LEAST_BYTES) return null;
  /** @type {Map<string, number>} */
  const byRole = new Map();
  for (const cost of costs) {
    byRole.set(cost.role, (byRole.get(cost.role) ?? 0) + (cost.grownRssBytes ?? 0));
  }
  const [most] = [...byRole].sort(([, one], [, other]) => other - one);
  return most === undefined || most[1] < MOST_OF_IT * bytes ? null : locateBuffer(most[0], ends);
}

/** @param {string} role @param {{ senders: RoleReport[], takers: RoleReport[] }} ends @returns {BufferPlace | null} */
function locateBuffer(role, { senders, takers }) {
  if (role === 'broker') return role;
  const has = (/** @type {RoleReport[]} */ ends) => ends.some((end) => end.role === role);
  if (has(senders) && has(takers)) return role === 'master' ? role : 'worker';
  return has(senders) ? 'sender' : has(takers) ? 'taker' : null;
}

const WAYS = 2; // both directions

/** @param {NetworkUse} [network] @returns null without a network, or if packets were hardly late and the delay line had CPU time left */
export function networkDelayProblem(network) {
  if (network === undefined) return null;
  const { roundTripUs, meanLateUs, share } = network;
  const excess = (WAYS * meanLateUs) / roundTripUs;
  if (excess <= TOLERATED_LATENESS && share < GREATEST_LINE_SHARE) return null;
  return `by ${formatTenthsOfPercent(excess)}, and ${formatTenthsOfPercent(share)} of a core`;
}

const TOLERATED_EXCESS = 1.01; // of the expected messages

/**
 * @param {BrokerTraffic | undefined} traffic
 * @param {number | undefined} predicted   expected messages per operation, both published and delivered
 * @returns text with the ratios of the traffic to the prediction; null if it does not exceed the prediction, or if either is unknown
 */
export function amplification(traffic, predicted) {
  if (traffic === undefined || predicted === undefined) return null;
  const { published, delivered, bytes } = traffic;
  const notes = bytes / BYTES_PER_NOTE;
  if (Math.max(published, delivered ?? 0) - notes <= TOLERATED_EXCESS * predicted) return null;
  const given = `given ${formatRatio(published / predicted)}`;
  return delivered === null ? given : `${given}, delivered ${formatRatio(delivered / predicted)}`;
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

/**
 * @param {Omit<OpenLaunch, keyof OpenPlan>[]} reports
 * @param {OpenPlan} plan
 * @param {Float64Array} [delivered]   ns from scheduled instant to last delivery, for messages without responses; empty for requests
 * @returns {OpenLaunch}
 */
export function openLaunch(reports, plan, delivered = new Float64Array()) {
  const unanswered = reports.flatMap((report) => report.unanswered ?? []);
  const pacingCpuUs = reports.flatMap((report) => report.pacingCpuUs ?? []);
  return {
    ...plan,
    ...summed(reports, OPEN_COUNTS),
    ...sumIfAny(reports, 'withheld'),
    ...sumIfAny(reports, 'mostInFlight'),
    response:
      delivered.length > 0
        ? countedTimes(delivered)
        : mergeLatencies(reports.map(({ response }) => response)),
    sendLag: mergeLatencies(reports.map(({ sendLag }) => sendLag)),
    ...(unanswered.length > 0 && { unanswered: mergeLatencies(unanswered) }),
    ...(pacingCpuUs.length > 0 && { pacingCpuUs: sum(pacingCpuUs) }),
  };
}

/**
 * @template {'withheld' | 'mostInFlight'} K
 * @param {Pick<OpenLaunch, K>[]} reports
 * @param {K} count
 */
function sumIfAny(reports, count) {
  const total = sumBy(reports, (report) => report[count] ?? 0);
  return total > 0 && { [count]: total };
}

/**
 * A full channel delays a send too, but then the response times show what the transport does.
 * @param {Pick<MeasuredLaunch, 'open'>} launch
 * @param {Pick<Cell, 'workers'>} cell
 * @returns how the senders missed the offered rate though the channel had room, or null
 */
export function generatorProblem({ open }, { workers }) {
  if (open === undefined) return null;
  const { due, started, withheld = 0, mostInFlight = 0 } = open;
  if (mostInFlight > MOST_IN_FLIGHT - workers)
    return `${formatCount(MOST_IN_FLIGHT)} requests were in flight`;
  const sent = achievedShare({ due: due - withheld, started });
  // A send that is scheduled at the very end of the window happens after it, so one missing send per worker is normal.
  if (sent >= LEAST_ACHIEVED || due - withheld - started <= workers) return null;
  return `${formatTenthsOfPercent(sent)} of the planned sends, ${open.dropped} never`;
}

/**
 * @param {Pick<MeasuredLaunch, 'warmup'>} launch
 * @param {Pick<Cell, 'ratePerSecond'>} cell
 * @returns how few round trips a worker had made at the start of the window, if V8 had not compiled their code yet; otherwise null
 */
export function lowRateProblem({ warmup }, { ratePerSecond }) {
  const workers = warmup.work.filter((work) => work.role === 'worker');
  if (ratePerSecond === undefined || workers.length === 0) return null;
  const fewest = Math.min(...workers.map(({ operations }) => operations));
  return fewest < WARM_OPERATIONS ? `${formatCount(fewest)} when the window opened` : null;
}

/**
 * Checks that every histogram contains every operation of the window exactly once.
 * @param {MeasuredLaunch} launch
 * @throws {BenchError} INTEGRITY
 */
export function assertOneSampleEach({ operations, bins, times, open, loopsMs }) {
  const hasTimes = Object.hasOwn(times, SERVICE_TIME);
  const counts = {
    operations,
    // Bins of whole operations count operations that end in the window, including first responses to requests from before it.
    ...(loopsMs === undefined && (hasTimes || open) && { 'in bins': sum(bins) }),
    ...(hasTimes && { 'service times': times[SERVICE_TIME].count }),
    ...(hasTimes && open && { 'response times': open.response.count, 'send lags': open.sendLag.count }),
  };
  if (Object.values(counts).every((count) => count === operations)) return;
  const found = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  throw new BenchError('INTEGRITY', `the counts of one launch differ: ${found.join(', ')}; this is a bug`);
}
