// The control messages of a launch: between the runner and its controller, and between the controller and all other processes. A process
// that is started sends `hello` first. While a window or a slice is measured, no message is sent: `warm` comes before it, `counted` and
// `done` or `sliced` after it.

/** A process with another version of these messages is refused. */
export const PROTOCOL_VERSION = 11;

/** @import { BenchError } from '../../errors.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { BrokerTraffic, ClockComparison, EndpointReport, FailedLaunch, Losses, NetworkUse, ProcessCost, RoleReport, Warmup } from '../../types/index.js' */

/**
 * All instants are of the controller's monotonic clock, in ms. The processes of one host share it in Node.js; every other clock is compared
 * with it before its process joins.
 * @typedef {{ control: 'launch', spec: LaunchSpec }} LaunchOrder   runner → controller
 * @typedef {{ control: 'step', step: Step }} StepOrder   runner → controller of a launch in slices
 * @typedef {{ control: 'step-done', slice?: SliceReport, operationMs?: number }} StepDone   controller → runner: it has joined, or has done its step, and
 *   waits for the next one; operationMs: after the warm-up, how long an operation took
 * @typedef {{ control: 'watch', processes: import('../monitors/memory-watch.js').WatchedProcess[], limitBytes: number }} WatchOrder   controller → runner:
 *   until the launch ends
 * @typedef {{ control: 'grown', grown: { name: string, bytes: number }[], forMs: number }} GrownNews   runner → controller, once: the watched processes
 *   have grown by more than the limit
 * @typedef {{ control: 'phase', phase: FailedLaunch['phase'] }} PhaseNews          controller → runner: a phase begins
 * @typedef {{ control: 'awaiting' }} AwaitingNews   controller → runner: it listens, and waits for the workers on other hosts
 * @typedef {{ control: 'remote', id: string, message: any }} RemoteMessage   in both directions: a message to, or from, a worker on another host
 * @typedef {{ control: 'failed', code: string, message: string, phase: FailedLaunch['phase'], integrity: Record<string, number> | null }} LaunchFailure
 * @typedef {{ control: 'done' } & LaunchReport} LaunchDone
 */
/**
 * @typedef {object} JoinOrder   controller → worker, or another role that it has started
 * @property {'join'} control
 * @property {string} role
 * @property {string} id                  'w0', 'relay'
 * @property {LaunchSpec} spec      of the hop on which it connects
 * @property {string} address             that it connects to
 * @property {LaunchSpec} [listenSpec]           of the hop on which it listens, if it does
 * @property {number} forkedMs
 * @property {number} [clockShiftMs]      to be added to its clock, if that is not the controller's
 */
/**
 * @typedef {{ control: 'clock' }} ClockQuestion     several, one after the other, to a process with another clock
 * @typedef {{ control: 'connect', upTo: number }} ConnectOrder   number of connections of each worker, once all of them are ready
 * @typedef {{ control: 'start', atMs: number }} StartOrder
 * @typedef {{ control: 'prime', fromMs: number, isWhole: boolean }} PrimeOrder    in the first bins of warm-up: the fields of `measure`, without its effect
 * @typedef {{ control: 'measure', fromMs: number, isWhole: boolean }} MeasureOrder   isWhole: loops of the launch count whole operations, and the load
 *   lasts until `rest`
 * @typedef {{ control: 'park' }} ParkOrder     after the warm-up of a launch in slices: open operations end, and no new one begins
 * @typedef {{ control: 'slice', fromMs: number, toMs: number, dropsLast: boolean }} SliceOrder   dropsLast: the last slice does not count
 * @typedef {{ control: 'rest' }} RestOrder       every process has `counted`: the load ends, and with it what the readings of costs span
 * @typedef {{ control: 'finish' }} FinishOrder    after the last slice: report
 * @typedef {{ control: 'over' }} OverOrder     the workers have reported: a role without a load of its own reports now
 * @typedef {{ control: 'leave' }} LeaveOrder
 */
/**
 * @typedef {{ control: 'hello', protocol: number, runtime: string, version: string }} Hello   from a process that was started
 * @typedef {{ control: 'clock', nowMs: number }} ClockAnswer            at once
 * @typedef {{ control: 'ready', helpers: number[], address?: string, isWhole?: true }} Ready   one operation is verified, or it listens at this
 *   address; helpers: threads that run no message; isWhole: its loops count whole operations
 * @typedef {{ control: 'connected' }} Connected                        and each connection has been used once
 * @typedef {{ control: 'primed' }} Primed                              after each `prime`: sending is primed, too
 * @typedef {{ control: 'warm' }} Warm                                  it has worked enough
 * @typedef {{ control: 'failed', code?: BenchError['code'], message: string, isHangUp?: true }} WorkerFailure   isHangUp: the other end of its channel closed it
 * @typedef {{ control: 'parked', operationMs: number }} Parked         no request is open; operationMs: how long an operation of the warm-up took
 * @typedef {{ control: 'counted' }} Counted                            each of its loops has counted its operations of this slice or window
 * @typedef {{ control: 'sliced', operations: number, windowMs: number, completed: number, cpuMs: number, spentCpuMs: number }} Sliced   windowMs: the
 *   operations divided by their rate; cpuMs: from the opening of the slice to `rest`, while `completed` operations ended; spentCpuMs: from the command to
 *   this message; both 0 of a role without a process of its own
 * @typedef {{ control: 'done' } & RoleReport} WorkerDone
 */
/** @typedef {JoinOrder | ClockQuestion | ConnectOrder | StartOrder | PrimeOrder | MeasureOrder | ParkOrder | SliceOrder | RestOrder | FinishOrder | OverOrder | LeaveOrder} ToWorker */
/** @typedef {Hello | ClockAnswer | Ready | Connected | Primed | Warm | WorkerFailure | Parked | Counted | Sliced | WorkerDone} FromWorker */
/** @typedef {Hello | PhaseNews | AwaitingNews | RemoteMessage | StepDone | WatchOrder | LaunchFailure | LaunchDone} FromController */

/**
 * What a launch in slices does next. dropsLast: the last slice does not count.
 * @typedef {{ kind: 'warm-up' | 'finish' } | { kind: 'slice', skipMs: number, measureMs: number, dropsLast: boolean }} Step
 */
/**
 * @typedef {object} SliceReport
 * @property {number} operations
 * @property {number} windowMs    the operations divided by their rate
 * @property {number} cpuMs       of all processes, for these operations
 * @property {number} spentCpuMs   of all processes, from the command to the report
 */

/**
 * The reports of all roles, aggregated.
 * @typedef {object} LaunchReport
 * @property {Warmup} warmup
 * @property {RoleReport[]} reports       of the other roles, then of the master
 * @property {number} operations
 * @property {number} windowMs
 * @property {number} openMs
 * @property {number} [loopsMs]
 * @property {number} [completed]
 * @property {number[]} bins
 * @property {ProcessCost[]} costs
 * @property {string[]} [unknownCosts]   processes whose costs are unknown, if there are any
 * @property {number} stallMs
 * @property {BrokerTraffic | null} traffic
 * @property {Losses | null} losses
 * @property {NetworkUse} [network]   of an emulated network
 * @property {Record<string, ClockComparison>} [clocks]   by the id of each process whose clock is not the controller's
 * @property {Record<string, { roundTripUs: number }>} [toController]   by host, if there are several
 * @property {(number | null)[]} [threadIds]
 * @property {number} rejectedConnections
 */

/** @param {(message: Hello) => void} send   at the start of a process, before a plug-in is loaded */
export function sayHello(send) {
  // Bun and Deno also identify as Node.js, with the version whose modules they have.
  const runtime = ['bun', 'deno'].find((name) => process.versions[name] !== undefined) ?? 'node';
  send({ control: 'hello', protocol: PROTOCOL_VERSION, runtime, version: String(process.versions[runtime]) });
}

/** @param {Hello} hello @returns null if the versions agree */
export function protocolProblem({ protocol, runtime, version }) {
  if (protocol === PROTOCOL_VERSION) return null;
  return `${runtime} ${version} speaks version ${protocol} of the control messages, and this is version ${PROTOCOL_VERSION}: use one version of ipc-bench for all`;
}

/**
 * @param {EndpointReport} report
 * @returns the same for a control message: with the optional fields
 */
export function wholeReport(report) {
  const { operations = null, bins = [], times = {}, values = {}, open = null, asked = 0, ...rest } = report;
  return { ...rest, operations, bins, times, values, open, asked };
}

/** @param {EndpointReport} report @param {Record<string, number>} values   besides those of the report @returns {EndpointReport} */
export function withValues(report, values) {
  return { ...report, values: { ...report.values, ...values } };
}
