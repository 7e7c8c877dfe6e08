// What the processes of a launch say to each other, one object a line: JSON where the line is a fork channel or a pipe.
// The runner talks to the controller of a launch, the controller to all others. A process that is started sends hello first. Nothing
// is said while a window is measured but `warm` before it, and `counted` and `done` after it.

/** Of these messages: a process of another version is refused. */
export const PROTOCOL_VERSION = 10;

/** @import { BenchError } from '../../errors.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { BrokerTraffic, ClockComparison, EndpointReport, FailedLaunch, Losses, NetworkUse, ProcessCost, RoleReport, Warmup } from '../../types/index.js' */

/**
 * All instants are of the controller's monotonic clock, in ms. Processes of one host share it in Node; all others are compared
 * with it before they join, and told the difference.
 * @typedef {{ control: 'launch', spec: LaunchSpec }} LaunchOrder   runner → controller
 * @typedef {{ control: 'turn' } & Turn} TurnOrder   runner → controller of a launch that is measured in slices
 * @typedef {{ control: 'turned', slice?: SliceReport, operationMs?: number }} Turned   controller → runner: it has joined, or had its turn, and waits for
 *   the next one; operationMs: after the warm-up, how long an operation of it took
 * @typedef {{ control: 'grown', grown: { name: string, bytes: number }[], forMs: number }} GrownNews   runner → controller, once: the processes
 *   that it was to watch have grown by more than they may
 * @typedef {{ control: 'watch', processes: import('../monitors/memory-watch.js').WatchedProcess[], limitBytes: number }} WatchOrder   controller → runner
 * @typedef {{ control: 'unwatch' }} UnwatchOrder   controller → runner
 * @typedef {{ control: 'phase', phase: FailedLaunch['phase'] }} PhaseNews          controller → runner: what it does now
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
 * @property {LaunchSpec} spec      as the two ends of the way have it on which it connects
 * @property {string} address             that it connects to
 * @property {LaunchSpec} [own]           as the two ends of the way have it on which others connect to it; absent: none do
 * @property {number} forkedMs
 * @property {number} [clockShiftMs]      to be added to its clock; absent: it is the controller's
 */
/**
 * @typedef {{ control: 'clock' }} ClockQuestion     several, one after the other, to a process with another clock
 * @typedef {{ control: 'connect', upTo: number }} ConnectOrder   so many connections of each worker, once all of them are ready
 * @typedef {{ control: 'start', atMs: number }} StartOrder
 * @typedef {{ control: 'rehearse', fromMs: number, isWhole: boolean }} RehearsalOrder    in the first bins of warm-up: as an order of the window, without one
 * @typedef {{ control: 'measure', fromMs: number, isWhole: boolean }} MeasureOrder   isWhole: loops of the launch count whole operations, and it
 *   lasts until `rest`
 * @typedef {{ control: 'park' }} ParkOrder     after the warm-up of a launch in slices: what is under way ends, and nothing more begins
 * @typedef {{ control: 'slice', fromMs: number, toMs: number, dropsLast: boolean }} SliceOrder   dropsLast: the last slice does not count
 * @typedef {{ control: 'rest' }} RestOrder       every process has `counted`: the load ends, and with it what the readings of costs span
 * @typedef {{ control: 'finish' }} FinishOrder    after the last slice: it hands in
 * @typedef {{ control: 'over' }} OverOrder     the workers have handed in: who has no load of its own does so now
 * @typedef {{ control: 'leave' }} LeaveOrder
 */
/**
 * @typedef {{ control: 'hello', protocol: number, runtime: string, version: string }} Hello   who is started → who started it
 * @typedef {{ control: 'clock', nowMs: number }} ClockAnswer            at once
 * @typedef {{ control: 'ready', helpers: number[], address?: string, isWhole?: true }} Ready   one operation is verified, or it listens at this
 *   address; threads that run no message; isWhole: its loops count whole operations
 * @typedef {{ control: 'connected' }} Connected                        and each connection has been used once
 * @typedef {{ control: 'rehearsed' }} Rehearsed                        to each `rehearse`: saying so is rehearsed, too
 * @typedef {{ control: 'warm' }} Warm                                  it has worked enough
 * @typedef {{ control: 'failed', code?: BenchError['code'], message: string, isHangUp?: true }} WorkerFailure   the other end of its channel hung up
 * @typedef {{ control: 'parked', operationMs: number }} Parked         no request is open; operationMs: how long an operation of the warm-up took
 * @typedef {{ control: 'counted' }} Counted                            each of its loops has counted its operations of this slice or window
 * @typedef {{ control: 'sliced', operations: number, windowMs: number, completed: number, cpuMs: number, turnCpuMs: number }} Sliced   windowMs: the
 *   operations divided by their rate; cpuMs: from the opening of the slice to `rest`, in which so many were completed; turnCpuMs: from the order to this message. What is no process of
 *   its own spends none
 * @typedef {{ control: 'done' } & RoleReport} WorkerDone
 */
/** @typedef {JoinOrder | ClockQuestion | ConnectOrder | StartOrder | RehearsalOrder | MeasureOrder | ParkOrder | SliceOrder | RestOrder | FinishOrder | OverOrder | LeaveOrder} ToWorker */
/** @typedef {Hello | ClockAnswer | Ready | Connected | Rehearsed | Warm | WorkerFailure | Parked | Counted | Sliced | WorkerDone} FromWorker */
/** @typedef {LaunchOrder | TurnOrder | GrownNews | RemoteMessage} ToController */
/** @typedef {Hello | PhaseNews | AwaitingNews | RemoteMessage | Turned | WatchOrder | UnwatchOrder | LaunchFailure | LaunchDone} FromController */
/** @typedef {ToWorker | FromWorker | ToController | FromController} ControlMessage */

/**
 * What a launch that shares its time with others does next. round: of the slice, within the block; dropsLast: the last slice does not count.
 * @typedef {{ kind: 'warm-up' | 'finish' } | { kind: 'slice', round: number, skipMs: number, measureMs: number, dropsLast: boolean }} Turn
 */
/**
 * @typedef {object} SliceReport
 * @property {number} operations
 * @property {number} windowMs    the operations divided by their rate
 * @property {number} cpuMs       of all processes, for these operations
 * @property {number} turnCpuMs   of all processes, from the order to the report
 */

/**
 * What a controller hands in: the reports of all roles, put together.
 * @typedef {object} LaunchReport
 * @property {Warmup} warmup
 * @property {RoleReport[]} reports       of those that were started, then of the master
 * @property {number} operations
 * @property {number} windowMs
 * @property {number} openMs
 * @property {number} [loopsMs]
 * @property {number} [completed]
 * @property {number[]} bins
 * @property {ProcessCost[]} costs
 * @property {string[]} [unknownCosts]   as a launch has it; absent: the costs are complete
 * @property {number} stallMs
 * @property {import('../../types/launches.js').Slices} [slices]   absent: it was measured in one window
 * @property {BrokerTraffic | null} traffic
 * @property {Losses | null} losses
 * @property {NetworkUse} [network]   absent: the processes share a host
 * @property {Record<string, ClockComparison>} [clocks]   by the id of each process whose clock is not the controller's
 * @property {Record<string, { roundTripUs: number }>} [toController]   as a launch has it; absent: all processes are on one host
 * @property {(number | null)[]} [threadIds]
 * @property {number} rejectedConnections
 */

/** @param {(message: Hello) => void} say   at the start of a process, before anything of others is loaded */
export function sayHello(say) {
  // Bun and Deno call themselves Node as well, by the version whose modules they have.
  const runtime = ['bun', 'deno'].find((name) => process.versions[name] !== undefined) ?? 'node';
  say({ control: 'hello', protocol: PROTOCOL_VERSION, runtime, version: String(process.versions[runtime]) });
}

/** @param {Hello} hello @returns null: they understand each other */
export function protocolProblem({ protocol, runtime, version }) {
  if (protocol === PROTOCOL_VERSION) return null;
  return `${runtime} ${version} speaks version ${protocol} of the control messages, and this is version ${PROTOCOL_VERSION}: use one version of ipc-bench for all`;
}

/**
 * @param {EndpointReport} report
 * @returns what an endpoint says only where it has it, as a line of control messages carries it
 */
export function wholeReport(report) {
  const { operations = null, bins = [], times = {}, values = {}, open = null, asked = 0, ...rest } = report;
  return { ...rest, operations, bins, times, values, open, asked };
}

/** @param {EndpointReport} report @param {Record<string, number>} values   to tell besides its own @returns {EndpointReport} */
export function withValues(report, values) {
  return { ...report, values: { ...report.values, ...values } };
}
