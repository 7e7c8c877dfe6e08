// Turns the report of a controller into a launch of the results file.

import { SERVICE_TIME } from '../../cell/headline.js';
import { BenchError } from '../../errors.js';
import { printable } from '../../format/printable.js';
import { noiseFlags } from '../../machine/noise.js';
import { faultInLaunch } from '../../results/readable.js';
import { OPEN_COUNTS, sumCounts } from '../../results/summarise.js';
import { mergeLatencies } from '../../statistics/latency.js';
import { sum, sumBy } from '../../statistics/sum.js';
import { responseTimes } from '../../workload/measures/stream-measures.js';
import { operationsPerSecond } from '../../workload/measures/usual-measures.js';
import { computeBackpressure } from './backpressure.js';
import { findFlags } from './launch-findings.js';
import { countedTimes, readings } from './readings.js';

/** @import { LaunchSpec } from '../../launch/launch-spec.js' */
/** @import { Measure, MeasuredCell, MeasuredLaunch, OpenLaunch, RoleReport, Slices } from '../../types/index.js' */
/** @import { OpenPlan } from '../../measure/open-load.js' */
/** @import { FindingFacts } from './launch-findings.js' */

/**
 * @typedef {object} LaunchFacts
 * @property {readonly Measure[]} measures
 * @property {import('../../machine/noise.js').LaunchNoise} [noise]
 * @property {Slices} [slices]   set for a launch in slices
 */
/** @typedef {FindingFacts & LaunchFacts} LaunchConditions */

/**
 * @param {import('../../launch/control/protocol.js').LaunchReport} fields
 * @param {LaunchSpec} spec
 * @param {Pick<MeasuredLaunch, 'group' | 'order' | 'startedAt'>} inRun
 * @param {LaunchConditions} circumstances
 * @throws {BenchError} if the reports give a launch that could not be read again from a file
 */
export function measuredLaunch(fields, spec, inRun, circumstances) {
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
    ...inRun,
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
    ...(fields.recordedUs !== undefined && { recordedUs: fields.recordedUs }),
    ...readOutage(reports),
    ...(backpressure && { backpressure }),
    ...(circumstances.isSpinning && { isSpinning: true }),
    ...(spec.open && { open: aggregateOpenLoad(opens, spec.open, responseTimes(reports)) }),
  };
  assertOneSampleEach(launch);
  const perSecond = operationsPerSecond(reports);
  launch.flags = [...findFlags(launch, spec, { ...circumstances, perSecond }), ...noiseFlags(launch)];
  const fault = faultInLaunch(launch);
  if (fault !== null) {
    throw new BenchError('PROTOCOL', `the reports of its processes cannot be saved: ${printable(fault)}`);
  }
  return launch;
}

/**
 * @param {Slices} slices
 * @param {number} binMs
 * @returns {number[]} operations per bin at the rate of each slice
 */
function rateBins({ operations, windowMs }, binMs) {
  return operations.map((count, slice) => (count * binMs) / windowMs[slice]);
}

const MIN_BLOCKED_SHARE = 0.05;

/**
 * @param {import('../../launch/monitors/pauses.js').Pauses} pauses
 * @param {number} windowMs
 * @returns {Pick<MeasuredLaunch, 'blockedMaster'>}
 */
function blockedMaster({ blockedMs, blockedInAllMs }, windowMs) {
  const share = blockedInAllMs / windowMs;
  return share > MIN_BLOCKED_SHARE ? { blockedMaster: { longestMs: blockedMs, share } } : {};
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
 * @param {Omit<OpenLaunch, keyof OpenPlan>[]} reports
 * @param {OpenPlan} plan
 * @param {Float64Array} [delivered]   ns from scheduled instant to last delivery, for messages without responses; empty for requests
 * @returns {OpenLaunch}
 */
export function aggregateOpenLoad(reports, plan, delivered = new Float64Array()) {
  const unanswered = reports.flatMap((report) => report.unanswered ?? []);
  const pacingCpuUs = reports.flatMap((report) => report.pacingCpuUs ?? []);
  return {
    ...plan,
    ...sumCounts(reports, OPEN_COUNTS),
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

/** @template {'withheld' | 'mostInFlight'} K @param {Pick<OpenLaunch, K>[]} reports @param {K} count */
function sumIfAny(reports, count) {
  const total = sumBy(reports, (report) => report[count] ?? 0);
  return total > 0 && { [count]: total };
}

/**
 * Checks that every histogram contains every operation of the window exactly once.
 * @param {MeasuredLaunch} launch
 * @throws {BenchError} INTEGRITY
 */
function assertOneSampleEach({ operations, bins, times, open, loopsMs }) {
  const hasTimes = Object.hasOwn(times, SERVICE_TIME);
  const counts = {
    operations,
    // If loops count whole operations, bins are not compared: they count the operations that end in the window, also those that began
    // before it.
    ...(loopsMs === undefined && (hasTimes || open) && { 'in bins': sum(bins) }),
    ...(hasTimes && { 'service times': times[SERVICE_TIME].count }),
    ...(hasTimes && open && { 'response times': open.response.count, 'schedule delays': open.sendLag.count }),
  };
  if (Object.values(counts).every((count) => count === operations)) return;
  const found = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  throw new BenchError('INTEGRITY', `the counts of one launch differ: ${found.join(', ')}; this is a bug`);
}
