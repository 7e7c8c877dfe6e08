// The control messages of a launch: between the runner and its controller, and between the controller and all other processes. A process
// that is started sends `hello` first. While the loops of a process count, it sends no message: `warm` comes before, `counted`, `sliced` and
// `done` after.

/** A process with another version of these messages is refused. */
export const PROTOCOL_VERSION = 12;

/** @import { BenchError } from '../../errors.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { BrokerTraffic, ClockComparison, EndpointReport, FailedLaunch, Losses, NetworkUse, ProcessCost, RoleReport, Warmup } from '../../types/index.js' */

/**
 * All instants except that of `clock` are ms on the controller's monotonic clock. In Node.js the processes of one host share it; any other
 * clock is compared with it before its process joins.
 * @typedef {{ control: 'launch', spec: LaunchSpec }} LaunchOrder   runner → controller
 * @typedef {{ control: 'step', step: LaunchStep }} StepOrder   runner → controller of a launch in slices
 * @typedef {{ control: 'step-done', slice?: SliceReport, operationMs?: number }} StepDone   controller → runner: it has joined or finished
 *   its step, and waits for the next one; operationMs: duration of an operation, sent after the warm-up
 * @typedef {{ control: 'watch', processes: import('../monitors/memory-watch.js').WatchedProcess[], limitBytes: number }} WatchOrder   controller → runner:
 *   watches the memory of these processes until the launch ends
 * @typedef {{ control: 'grown', grown: { name: string, bytes: number }[], forMs: number }} GrownNews   runner → controller, once: the watched processes
 *   have grown by more than the limit
 * @typedef {{ control: 'phase', phase: FailedLaunch['phase'] }} PhaseNews          controller → runner: a phase begins
 * @typedef {{ control: 'awaiting' }} AwaitingNews   controller → runner: it listens and waits for workers on other hosts
 * @typedef {{ control: 'remote', id: string, message: any }} RemoteMessage   in both directions: carries a message to or from a worker on
 *   another host
 * @typedef {{ control: 'failed', code: string, message: string, phase: FailedLaunch['phase'], integrity: Record<string, number> | null }} LaunchFailure
 *   integrity: counts of wrong messages, if they are the cause; otherwise null
 * @typedef {{ control: 'done' } & LaunchReport} LaunchDone
 */
/**
 * @typedef {object} JoinOrder   controller → worker or any other role that it has started
 * @property {'join'} control
 * @property {string} role
 * @property {string} id   'w0', 'relay'
 * @property {LaunchSpec} spec   describes the hop on which it connects
 * @property {string} address   address to which the process connects
 * @property {LaunchSpec} [listenSpec]   describes the hop on which it listens; only roles that listen have it
 * @property {number} forkedMs
 * @property {number} [clockShiftMs]   is added to its clock; without it, the process uses the controller's clock
 */
/**
 * @typedef {{ control: 'clock' }} ClockOrder   sent several times to a process with another clock
 * @typedef {{ control: 'connect', upTo: number }} ConnectOrder   sent when all workers are ready; upTo: connections per worker
 * @typedef {{ control: 'start', atMs: number }} StartOrder
 * @typedef {object} SliceOrder   schedules a slice; the load of a launch that rests begins again
 * @property {'slice'} control
 * @property {number} fromMs
 * @property {number | null} toMs   null: it lasts for a number of messages
 * @property {number} binMs   operations are counted in bins of this length
 * @property {boolean} countsWholeOperations   loops count whole operations, and the load lasts until `rest`
 * @property {boolean} dropsLast   the previous slice does not count
 * @property {boolean} isRehearsal   without effect; sent in the first bins of warm-up, so that V8 has compiled what an order runs
 *
 * @typedef {{ control: 'rest' }} RestOrder   ends the load of the warm-up or, once every process has `counted`, that of a slice
 * @typedef {{ control: 'finish' }} FinishOrder   requests the report after the last slice
 * @typedef {{ control: 'leave' }} LeaveOrder
 */
/**
 * @typedef {{ control: 'hello', protocol: number, runtime: string, version: string }} Hello   from a process that was started
 * @typedef {{ control: 'clock', nowMs: number }} ClockReading   sent immediately
 * @typedef {{ control: 'ready', helpers: number[], address?: string, countsWholeOperations?: true }} Ready   it has joined, and its endpoint is ready;
 *   address: set if it listens; helpers: threads that handle no messages; countsWholeOperations: its loops count whole operations
 * @typedef {{ control: 'connected' }} Connected   the further connections are open, and its endpoint is ready
 * @typedef {{ control: 'rehearsed' }} Rehearsed   response to a rehearsal, which also rehearses sending
 * @typedef {{ control: 'warm' }} Warm   it has reached its WorkGoal
 * @typedef {{ control: 'failed', code?: BenchError['code'], message: string, isHangUp?: true }} WorkerFailure   isHangUp: the other end of its channel closed it
 * @typedef {{ control: 'rested', operationMs: number }} Rested   the load of the warm-up is over, and no request is pending; operationMs: duration
 *   of an operation
 * @typedef {{ control: 'counted' }} Counted   all of its loops have counted their operations of this slice
 * @typedef {{ control: 'sliced', operations: number, windowMs: number, completed: number, cpuMs: number, spentCpuMs: number }} Sliced
 *   windowMs: the operations divided by their rate; cpuMs: CPU time while the slice was open; completed: the work in that time, with
 *   fractions of operations that began before or ended after it; spentCpuMs: CPU time from the command to this message; both times are 0
 *   if unknown
 * @typedef {{ control: 'done' } & RoleReport} WorkerDone
 */
/** @typedef {JoinOrder | ClockOrder | ConnectOrder | StartOrder | SliceOrder | RestOrder | FinishOrder | LeaveOrder} ToWorker */
/** @typedef {Hello | ClockReading | Ready | Connected | Rehearsed | Warm | WorkerFailure | Rested | Counted | Sliced | WorkerDone} FromWorker */
/** @typedef {Hello | PhaseNews | AwaitingNews | RemoteMessage | StepDone | WatchOrder | LaunchFailure | LaunchDone} FromController */

/**
 * The next step of a launch in slices. dropsLast: the previous slice does not count.
 * @typedef {{ kind: 'warm-up' | 'finish' } | { kind: 'slice', skipMs: number, measureMs: number, dropsLast: boolean }} LaunchStep
 */
/**
 * @typedef {object} SliceReport
 * @property {number} operations
 * @property {number} windowMs   the operations divided by their rate
 * @property {number} cpuMs   CPU time of all processes for these operations
 * @property {number} spentCpuMs   CPU time of all processes from the command to the report
 */

/**
 * The reports of all roles, aggregated.
 * @typedef {object} LaunchReport
 * @property {Warmup} warmup
 * @property {RoleReport[]} reports   the master's report comes last
 * @property {number} operations
 * @property {number} windowMs
 * @property {number} openMs
 * @property {number} [loopsMs]
 * @property {number} [completed]
 * @property {number[]} bins
 * @property {ProcessCost[]} costs
 * @property {string[]} [unknownCosts]   processes whose costs are unknown
 * @property {import('../monitors/pauses.js').Pauses} pauses   pauses of the master's event loop
 * @property {BrokerTraffic | null} traffic   null without a broker whose counters can be read
 * @property {Losses | null} losses   null for transports that lose no messages
 * @property {NetworkUse} [network]   set for an emulated network
 * @property {Record<string, ClockComparison>} [clocks]   by id, for processes whose clock is not the controller's
 * @property {Record<string, { roundTripUs: number }>} [toController]   by host, in launches on several hosts
 * @property {(number | null)[]} [threadIds]   system ids of workers that are threads; null if unknown
 * @property {number} rejectedConnections
 * @property {number} [recordedUs]   set by a replay under the recorder
 */

/** To be called at the start of a process, before a plug-in is loaded. @param {(message: Hello) => void} send */
export function sendHello(send) {
  // Bun and Deno also identify as Node.js, with the version whose modules they have.
  const runtime = ['bun', 'deno'].find((name) => process.versions[name] !== undefined) ?? 'node';
  send({ control: 'hello', protocol: PROTOCOL_VERSION, runtime, version: String(process.versions[runtime]) });
}

/** @param {Hello} hello @returns a sentence that names both versions; null if they agree */
export function protocolProblem({ protocol, runtime, version }) {
  if (protocol === PROTOCOL_VERSION) return null;
  return `${runtime} ${version} uses version ${protocol} of the control messages, and this is version ${PROTOCOL_VERSION}: use one version of ipc-bench for all`;
}

/**
 * @param {EndpointReport} report
 * @returns the report for a control message, with defaults for fields that an endpoint may omit
 */
export function wholeReport(report) {
  const {
    operations = null,
    bins = [],
    times = {},
    values = {},
    open = null,
    requests = 0,
    ...rest
  } = report;
  return { ...rest, operations, bins, times, values, open, requests };
}

/** @param {EndpointReport} report @param {Record<string, number>} values   added to the values of the report @returns {EndpointReport} */
export function withValues(report, values) {
  return { ...report, values: { ...report.values, ...values } };
}
