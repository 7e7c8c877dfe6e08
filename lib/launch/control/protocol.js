// The control messages of a launch: between the runner and its controller, and between the controller and all other processes. A started
// process sends `hello` first. While its loops count operations, a process sends no control message: it sends `warm` before, and `counted`,
// `sliced` and `done` afterwards.

/** A process with another version of these messages is refused. */
export const PROTOCOL_VERSION = 13;

/** @import { BenchError } from '../../errors.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { WatchedProcess } from '../monitors/memory-watch.js' */
/** @import { BrokerTraffic, ClockComparison, EndpointReport, FailedLaunch, Losses, NetworkUse, ProcessCost } from '../../types/index.js' */
/** @import { RoleReport, Warmup } from '../../types/index.js' */

/**
 * All instants except that of `clock` are ms on the controller's monotonic clock. Node.js processes on the host of the controller share
 * this clock; any other clock is compared with it before its process joins.
 * @typedef {{ control: 'launch', spec: LaunchSpec }} LaunchOrder   runner → controller
 * @typedef {{ control: 'step', step: LaunchStep }} StepOrder   runner → controller of a launch in slices
 * @typedef {{ control: 'step-done', slice?: SliceReport, operationMs?: number }} StepDone   controller → runner: all processes have joined,
 *   or the step is finished, and the controller waits for the next step; operationMs: duration of an operation, sent after the warm-up
 * @typedef {{ control: 'watch', processes: WatchedProcess[], limitBytes: number }} WatchOrder   controller → runner: requests that the
 *   runner watches the memory of these processes until the launch ends
 * @typedef {{ control: 'grown', grown: { name: string, bytes: number }[], forMs: number }} GrownMessage   runner → controller, once:
 *   the watched processes have grown by more than the limit
 * @typedef {{ control: 'phase', phase: FailedLaunch['phase'] }} PhaseMessage          controller → runner: a phase begins
 * @typedef {{ control: 'awaiting' }} AwaitingMessage   controller → runner: it listens, and waits for workers on other hosts
 * @typedef {{ control: 'remote', id: string, message: any }} RemoteMessage   in both directions: carries a message to or from a worker on
 *   another host
 * @typedef {Pick<FailedLaunch, 'code' | 'message' | 'phase'> & { control: 'failed', integrity: Record<string, number> | null }} LaunchFailure
 *   integrity: counts of wrong messages, if they are the cause; otherwise null
 * @typedef {{ control: 'done' } & LaunchReport} LaunchDone
 */
/**
 * @typedef {object} JoinOrder   controller → worker or any other role that it has started
 * @property {'join'} control
 * @property {string} role
 * @property {string} id   'w0', 'relay'
 * @property {LaunchSpec} spec   describes the hop on which the process connects
 * @property {string} address   address to which the process connects
 * @property {LaunchSpec} [listenSpec]   describes the hop on which the process listens, if its role listens
 * @property {number} forkedMs
 * @property {number} [clockShiftMs]   the process adds it to its own clock; omitted if the process shares the controller's clock
 */
/**
 * @typedef {{ control: 'clock' }} ClockOrder   sent several times to a process with another clock
 * @typedef {{ control: 'connect', upTo: number }} ConnectOrder   sent when all workers are ready; upTo: connections per worker in total
 * @typedef {{ control: 'start', atMs: number }} StartOrder
 * @typedef {object} SliceOrder   schedules a slice; if the load rests, it begins again
 * @property {'slice'} control
 * @property {number} fromMs
 * @property {number | null} toMs   null if the slice lasts for a number of messages
 * @property {number} binMs   operations are counted in bins of this length
 * @property {boolean} countsWholeOperations   loops count whole operations, and the load lasts until `rest`
 * @property {boolean} dropsLast   the previous slice does not count
 * @property {boolean} isPriming   the order schedules nothing: it is sent in the first bins of the warm-up, so that V8 compiles the code that
 *   handles a slice
 *
 * @typedef {{ control: 'rest' }} RestOrder   ends the load of the warm-up or, once every process has `counted`, that of a slice
 * @typedef {{ control: 'finish' }} FinishOrder   requests the report after the last slice
 * @typedef {{ control: 'leave' }} LeaveOrder
 */
/**
 * @typedef {{ control: 'hello', protocol: number, runtime: string, version: string }} Hello   from a process that was started
 * @typedef {{ control: 'clock', nowMs: number }} ClockReading   time on the clock of the process, sent as soon as `clock` arrives
 * @typedef {{ control: 'ready', helpers: number[], address?: string, countsWholeOperations?: true }} Ready   the process has joined, and
 *   its endpoint is ready; address: set if the process listens; helpers: ids of threads that handle no messages; countsWholeOperations: the
 *   loops of the process count whole operations
 * @typedef {{ control: 'connected' }} Connected   the further connections are open, and the endpoint is ready
 * @typedef {{ control: 'primed' }} Primed   response to an order with isPriming, so that V8 also compiles the code that sends
 * @typedef {{ control: 'warm' }} Warm   the process has reached its WorkGoal
 * @typedef {{ control: 'failed', code?: BenchError['code'], message: string, isHangUp?: true }} WorkerFailure   isHangUp: a channel to
 *   another process closed before `leave`
 * @typedef {{ control: 'rested', operationMs: number }} Rested   the load of the warm-up is over, and no request is pending; operationMs: duration
 *   of an operation
 * @typedef {{ control: 'counted' }} Counted   all loops of the process have counted their operations of this slice
 * @typedef {{ control: 'sliced', operations: number, windowMs: number, completed: number, cpuMs: number, spentCpuMs: number }} Sliced
 *   windowMs: the operations divided by their rate; cpuMs: CPU time while the slice was open; completed: number of operations in that time,
 *   with fractions of those that began before or ended after it; spentCpuMs: CPU time from the command to this message; both CPU times are
 *   0 if unknown
 * @typedef {{ control: 'done' } & RoleReport} WorkerDone
 */
/** @typedef {JoinOrder | ClockOrder | ConnectOrder | StartOrder | SliceOrder | RestOrder | FinishOrder | LeaveOrder} ToWorker */
/** @typedef {Hello | ClockReading | Ready | Connected | Primed | Warm | WorkerFailure | Rested | Counted | Sliced | WorkerDone} FromWorker */
/** @typedef {Hello | PhaseMessage | AwaitingMessage | RemoteMessage | StepDone | WatchOrder | LaunchFailure | LaunchDone} FromController */

/**
 * The next step of a launch. skipMs: time at the start of the slice that does not count; measureMs: time that counts; dropsLast: the
 * previous slice does not count.
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
 * @property {number} [recordedUs]   time to send and to deserialise a message and its response, if any; set by a replay under the recorder
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
