// What a master handed in → a launch of the results file, with the flags that this launch earned.

import { loopsInAll } from '../cell/connections.js';
import { SERVICE_TIME } from '../cell/headline.js';
import { BenchError } from '../errors.js';
import { allCpus, brokersOf } from '../launch/assignment.js';
import { BROKER_GOAL, isEnoughWork } from '../launch/work-watch.js';
import { noiseFlags } from '../machine/noise.js';
import { faultInLaunch } from '../results/readable.js';
import { FEWEST_SAMPLES, LARGEST_RESIDUAL } from '../results/thresholds.js';
import { responseTimes } from '../scenario-kit/stream-measures.js';
import { operationsPerSecond } from '../scenario-kit/usual-measures.js';
import { littleLawResidual } from '../statistics/little-law.js';
import { classifyTrace, leftSteadyState } from '../statistics/warm-up.js';
import { lossText } from '../tables/loss-words.js';
import { isBroken } from '../verdicts/promises.js';
import { formatCount, formatTenthsOfPercent } from '../words/numbers.js';
import { printable } from '../words/printable.js';
import { meaningOf } from '../words/result-flags.js';
import { backpressureOf } from './backpressure.js';
import { whyLateNetwork } from './judge-network.js';
import { assertOneSampleEach, openLaunch, whyGeneratorLimited, whyLowRate } from './judge-open.js';
import { amplification } from './judge-traffic.js';
import { readings } from './readings.js';

/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Flag, Measure, MeasuredLaunch, Operation, RoleReport } from '../types/index.js' */

/**
 * @typedef {object} Circumstances
 * @property {number} usableCpus
 * @property {boolean} quick
 * @property {boolean} isBrokerOurs     of its transport
 * @property {Operation} operation   that the scenario counts
 * @property {readonly Measure[]} measures
 * @property {number} [furtherProcesses]   beside the master and its workers; absent: none
 * @property {true} [isCold]             of the scenario: neither little work nor few operations are a fault
 * @property {import('../machine/noise.js').LaunchNoise} [noise]   absent: nobody looked
 * @property {number} [messagesPerOperation]   that the broker should be given and deliver; absent: nobody says
 * @property {true} [isSpinning]         of the transport: who waits never sleeps
 */

const NS_PER_MS = 1e6;
const FEWEST_BINS = 10; // for a window to show a trend

/**
 * @param {import('../launch/protocol.js').LaunchReport} fields
 * @param {Assignment} assignment
 * @param {Pick<MeasuredLaunch, 'block' | 'order' | 'startedAt'>} place
 * @param {Circumstances} circumstances
 * @returns {MeasuredLaunch}
 * @throws {BenchError} what was handed in makes no launch that could be saved and read again
 */
export function measuredLaunch(fields, assignment, place, circumstances) {
  const { reports, operations, windowMs, warmup, bins, costs, strangers } = fields;
  const opens = reports.flatMap(({ open }) => open ?? []);
  // Others may talk to a broker of others.
  const ownTraffic = circumstances.isBrokerOurs ? fields.traffic : null;
  const backpressure = backpressureOf(reports, { ...fields, cell: assignment.cell });
  /** @type {MeasuredLaunch} */
  const launch = {
    status: 'measured',
    ...place,
    operations,
    windowMs,
    ...readings(circumstances.measures, reports, assignment.cell, costs, ownTraffic),
    warmup,
    binMs: assignment.timing.binMs,
    bins,
    costs,
    strangers,
    flags: [],
    ...(circumstances.noise && { noise: { ...circumstances.noise, masterStallMs: fields.stallMs } }),
    ...(fields.traffic && { traffic: fields.traffic }),
    ...(fields.losses && { losses: fields.losses }),
    ...(fields.clocks && { clocks: fields.clocks }),
    ...(fields.network && { network: fields.network }),
    ...(fields.toLeader && { toLeader: fields.toLeader }),
    ...outageOf(reports),
    ...(backpressure && { backpressure }),
    ...(circumstances.isSpinning && { isSpinning: true }),
    ...(assignment.open && { open: openLaunch(opens, assignment.open, responseTimes(reports)) }),
  };
  assertOneSampleEach(launch);
  const perSecond = operationsPerSecond(reports);
  launch.flags = [...flagsOf(launch, assignment, { ...circumstances, perSecond }), ...noiseFlags(launch)];
  const fault = faultInLaunch(launch);
  if (fault !== null) {
    throw new BenchError('PROTOCOL', `what its processes handed in cannot be saved: ${printable(fault)}`);
  }
  return launch;
}

/** @param {RoleReport[]} reports @returns {Pick<MeasuredLaunch, 'outage'>} */
function outageOf(reports) {
  const outage = reports.find((report) => report.outage !== undefined)?.outage;
  return outage === undefined ? {} : { outage };
}

/**
 * @param {MeasuredLaunch} launch
 * @param {Assignment} assignment
 * @param {Circumstances & { perSecond: number }} circumstances
 * @returns {Flag[]}
 */
function flagsOf(launch, { cell, cpus, timing, ...hops }, circumstances) {
  const brokers = brokersOf(hops);
  const { usableCpus, quick, isBrokerOurs, messagesPerOperation, isSpinning, isCold } = circumstances;
  const busy = 1 + cell.workers + (circumstances.furtherProcesses ?? 0);
  const neverSleeps = isSpinning === true || cell.poll === 'busy';
  const crowd = crowdOf({ busy, processes: busy + brokers.length, neverSleeps }, cpus, usableCpus);
  const disagreement = littleLawExcess(launch, cell, circumstances.perSecond);
  const excess = isBrokerOurs ? amplification(launch.traffic, messagesPerOperation) : null;
  const limit = whyGeneratorLimited(launch, cell);
  const lowRate = whyLowRate(launch, cell);
  const isClosed = launch.open === undefined;
  const cold = coldProcesses(launch, timing.workGoal, brokers);
  const lost = lossText(launch.losses);
  const late = whyLateNetwork(launch.network);
  const isUnsteady =
    launch.warmup.status === 'not-steady' ||
    (launch.bins.length >= FEWEST_BINS && (leftSteadyState(launch.bins) || openedEarly(launch)));
  /** @type {[string, boolean, string?][]} */
  const findings = [
    ['quick', quick],
    ['not-steady', isClosed && isUnsteady],
    ['cold', isClosed && !isCold && cold.length > 0, cold.join(', ')],
    ['too-few-samples', !isCold && launch.operations < FEWEST_SAMPLES],
    // Loops that have done their messages, or wait for an answer that does not come, are not what the law is for.
    [
      'little-law',
      isClosed && timing.messages === null && lost === null && disagreement !== null,
      `by ${formatTenthsOfPercent(disagreement ?? 0)}`,
    ],
    ['oversubscribed', crowd !== null, crowd ?? ''],
    ['free', cell.placement !== 'free' && cpus === null],
    ['generator-limited', limit !== null, limit ?? ''],
    ['low-rate', lowRate !== null, lowRate ?? ''],
    ['amplified', excess !== null, excess ?? ''],
    ['lost', lost !== null, lost ?? ''],
    ['broken-promise', launch.outage !== undefined && isBroken(launch.outage)],
    ['late-network', late !== null, late ?? ''],
    ['strangers', launch.strangers > 0, `${launch.strangers} of them`],
  ];
  return findings
    .filter(([, isFound]) => isFound)
    .map(([code, , detail]) => {
      const summary = meaningOf(code, 'summary', circumstances.operation);
      return { code, message: detail === undefined ? summary : `${summary} (${detail})` };
    });
}

/**
 * @param {MeasuredLaunch} launch
 * @param {import('../types/plans.js').Cell} cell
 * @param {number} perSecond   operations
 * @returns {number | null} by how much its loops, rate and mean time disagree; null: they agree, or nobody took the times
 */
function littleLawExcess({ windowMs, times }, cell, perSecond) {
  if (!Object.hasOwn(times, SERVICE_TIME)) return null;
  const { meanNs, maxNs } = times[SERVICE_TIME];
  const residual = littleLawResidual({ loops: loopsInAll(cell), perSecond, meanNs });
  // Operations that cross an end of the window count whole or not at all: that much the law cannot tell.
  const edges = maxNs / (windowMs * NS_PER_MS);
  return residual > LARGEST_RESIDUAL + edges ? residual : null;
}

/**
 * @param {Pick<MeasuredLaunch, 'warmup' | 'bins' | 'binMs'>} launch
 * @returns {boolean} in hindsight, its level was only reached within the window
 */
export function openedEarly({ warmup, bins, binMs }) {
  if (warmup.binMs !== binMs) return false; // their counts do not make one trace
  const trace = classifyTrace([...warmup.operations, ...bins]);
  return trace.kind === 'warmed' && trace.from > warmup.operations.length;
}

/**
 * @param {Pick<MeasuredLaunch, 'warmup'>} launch
 * @param {import('../types/plans.js').WorkGoal} goal
 * @param {{ name: string }[]} [brokers]   that are ours
 * @returns {string[]} those that had worked too little for V8 to have compiled them, 'w0 after 412 operations, 63 ms of CPU time'
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

/**
 * @param {{ busy: number, processes: number, neverSleeps: boolean }} crowd   busy: without brokers
 * @param {Assignment['cpus']} cpus
 * @param {number} usableCpus
 * @returns {string | null} that more processes run at once than there are CPUs for them
 */
function crowdOf({ busy, processes, neverSleeps }, cpus, usableCpus) {
  if (processes > usableCpus) return `${processes} processes on ${usableCpus} CPUs`;
  // Those that sleep while they wait may share a CPU on purpose: that is what placement same is for.
  if (!neverSleeps || cpus === null) return null;
  const taken = allCpus(cpus).length;
  return busy > taken ? `${busy} processes that never sleep on ${taken} CPUs` : null;
}
