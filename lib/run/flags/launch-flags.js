// What a master handed in → a launch of the results file, with the flags that this launch earned.

import { loopsInAll } from '../../cell/connections.js';
import { SERVICE_TIME } from '../../cell/headline.js';
import { BenchError } from '../../errors.js';
import { formatCount, formatTenthsOfPercent } from '../../format/numbers.js';
import { printable } from '../../format/printable.js';
import { flagMeaning } from '../../format/result-flags.js';
import { MS_PER_S, NS_PER_MS } from '../../format/units.js';
import { allCpus, assignedBrokers } from '../../launch/assignment.js';
import { BROKER_GOAL, isEnoughWork } from '../../launch/monitors/work-watch.js';
import { noiseFlags } from '../../machine/noise.js';
import { lossText } from '../../report/columns/loss-words.js';
import { isBroken } from '../../report/text/promises.js';
import { faultInLaunch } from '../../results/readable.js';
import {
  FEWEST_SAMPLES,
  GREATEST_LINE_SHARE,
  LARGEST_RESIDUAL,
  TOLERATED_LATENESS,
} from '../../results/thresholds.js';
import { ALL } from '../../scenario/endpoints/stream-parts.js';
import { computeBacklogs, responseTimes, splitEnds } from '../../scenario/measures/stream-measures.js';
import { operationsPerSecond } from '../../scenario/measures/usual-measures.js';
import { littleLawResidual } from '../../statistics/little-law.js';
import { sumBy } from '../../statistics/sum.js';
import { classifyTrace, leftSteadyState } from '../../statistics/warm-up.js';
import { amplification } from './broker-traffic-flags.js';
import { assertOneSampleEach, generatorProblem, lowRateProblem, openLaunch } from './open-load-flags.js';
import { readings } from './readings.js';

/** @import { Assignment } from '../../launch/assignment.js' */
/** @import { Backpressure, BufferPlace, Cell, Flag, Losses, Measure, MeasuredLaunch, Operation, ProcessCost, RoleReport } from '../../types/index.js' */

/**
 * @typedef {object} Circumstances
 * @property {number} usableCpus
 * @property {boolean} quick
 * @property {boolean} isBrokerOurs     of its transport
 * @property {Operation} operation   that the scenario counts
 * @property {readonly Measure[]} measures
 * @property {number} [furtherProcesses]   beside the master and its workers; absent: none
 * @property {true} [isCold]             of the scenario: neither little work nor few operations are a fault
 * @property {import('../../machine/noise.js').LaunchNoise} [noise]   absent: nobody looked
 * @property {number} [messagesPerOperation]   that the broker should be given and deliver; absent: nobody says
 * @property {true} [isSpinning]         of the transport: who waits never sleeps
 */

const FEWEST_BINS = 10; // for a window to show a trend

/**
 * @param {import('../../launch/control/protocol.js').LaunchReport} fields
 * @param {Assignment} assignment
 * @param {Pick<MeasuredLaunch, 'block' | 'order' | 'startedAt'>} place
 * @param {Circumstances} circumstances
 * @returns {MeasuredLaunch}
 * @throws {BenchError} the reports make no launch that could be saved and read again
 */
export function measuredLaunch(fields, assignment, place, circumstances) {
  const { reports, operations, windowMs, warmup, bins, costs, strangers } = fields;
  const opens = reports.flatMap(({ open }) => open ?? []);
  // Others may talk to a broker of others.
  const ownTraffic = circumstances.isBrokerOurs ? fields.traffic : null;
  const backpressure = computeBackpressure(reports, { ...fields, cell: assignment.cell });
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
    ...readOutage(reports),
    ...(backpressure && { backpressure }),
    ...(circumstances.isSpinning && { isSpinning: true }),
    ...(assignment.open && { open: openLaunch(opens, assignment.open, responseTimes(reports)) }),
  };
  assertOneSampleEach(launch);
  const perSecond = operationsPerSecond(reports);
  launch.flags = [
    ...computeFlags(launch, assignment, { ...circumstances, perSecond }),
    ...noiseFlags(launch),
  ];
  const fault = faultInLaunch(launch);
  if (fault !== null) {
    throw new BenchError('PROTOCOL', `the reports of its processes cannot be saved: ${printable(fault)}`);
  }
  return launch;
}

/** @param {RoleReport[]} reports @returns {Pick<MeasuredLaunch, 'outage'>} */
function readOutage(reports) {
  const outage = reports.find((report) => report.outage !== undefined)?.outage;
  return outage === undefined ? {} : { outage };
}

/**
 * @param {MeasuredLaunch} launch
 * @param {Assignment} assignment
 * @param {Circumstances & { perSecond: number }} circumstances
 * @returns {Flag[]}
 */
function computeFlags(launch, { cell, cpus, timing, ...hops }, circumstances) {
  const brokers = assignedBrokers(hops);
  const { usableCpus, quick, isBrokerOurs, messagesPerOperation, isSpinning, isCold } = circumstances;
  const busy = 1 + cell.workers + (circumstances.furtherProcesses ?? 0);
  const neverSleeps = isSpinning === true || cell.poll === 'busy';
  const crowd = crowdProblem({ busy, processes: busy + brokers.length, neverSleeps }, cpus, usableCpus);
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
    ['strangers', launch.strangers > 0, `${launch.strangers}`],
  ];
  return findings
    .filter(([, isFound]) => isFound)
    .map(([code, , detail]) => {
      const summary = flagMeaning(code, 'summary', circumstances.operation);
      return { code, message: detail === undefined ? summary : `${summary} (${detail})` };
    });
}

/**
 * @param {MeasuredLaunch} launch
 * @param {import('../../types/plans.js').Cell} cell
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
 * @param {import('../../types/plans.js').WorkGoal} goal
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
function crowdProblem({ busy, processes, neverSleeps }, cpus, usableCpus) {
  if (processes > usableCpus) return `${processes} processes on ${usableCpus} CPUs`;
  // Those that sleep while they wait may share a CPU on purpose: that is what placement same is for.
  if (!neverSleeps || cpus === null) return null;
  const taken = allCpus(cpus).length;
  return busy > taken ? `${busy} processes that never sleep on ${taken} CPUs` : null;
}

// What a transport did about a taker that was slower than its sender, read in what the roles of a stream handed in and in
// how their processes grew. Facts only: the words are lib/report/text/backpressure-words.js's.
const LEAST_BYTES = 1e6; // processes grow by as much for reasons of their own
const MOST_OF_IT = 0.5; // of the bytes of the backlog: a message in memory takes more than its payload, never less

/**
 * @param {readonly RoleReport[]} reports
 * @param {{ costs: readonly ProcessCost[], losses?: Losses | null, cell: Pick<Cell, 'payloadBytes'> }} launch
 * @returns {Backpressure | null} null: nothing streams, or each message goes to several takers
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
    lostShare: losses && losses.asked > 0 ? losses.lost / losses.asked : 0,
    grownIn: grownIn(costs, grown * cell.payloadBytes, { senders, takers }),
  };
}

/**
 * @param {readonly ProcessCost[]} costs
 * @param {number} bytes   of the backlog that came in the window
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

/**
 * @param {string} role
 * @param {{ senders: RoleReport[], takers: RoleReport[] }} ends
 * @returns {BufferPlace | null}
 */
function locateBuffer(role, { senders, takers }) {
  if (role === 'broker') return role;
  const has = (/** @type {RoleReport[]} */ ends) => ends.some((end) => end.role === role);
  if (has(senders) && has(takers)) return role === 'master' ? role : 'worker';
  return has(senders) ? 'sender' : has(takers) ? 'taker' : null;
}

// Whether an emulated network was as it should be while a window was measured.
const WAYS = 2; // there and back

/** @param {import('../../types/networks.js').NetworkUse} [network] @returns {string | null} null: it kept its times, with time to spare */
export function networkDelayProblem(network) {
  if (network === undefined) return null;
  const { roundTripUs, meanLateUs, share } = network;
  const excess = (WAYS * meanLateUs) / roundTripUs;
  if (excess <= TOLERATED_LATENESS && share < GREATEST_LINE_SHARE) return null;
  return `by ${formatTenthsOfPercent(excess)}, and ${formatTenthsOfPercent(share)} of a core`;
}
