// One launch as plain data, which the runner sends to a master and the master to its workers, and the plug-ins behind its URLs.

import { parseWorkerId } from '../cell/connections.js';
import { checkedMessage } from '../codecs/message.js';
import { BenchError } from '../errors.js';

/** @import { OpenPart } from '../workload/endpoints/request-endpoint.js' */
/** @import { Cell, Codec, Endpoint, HostContext, Message, MessageFile, Options, PeerProgram, Program, Scenario, SharedQueue, Timing, Transport, WireKind } from '../types/index.js' */

/**
 * @typedef {object} Deadlines
 * @property {number} connectMs             from fork to the first verified round trip
 * @property {number} replyMs               a request without a response for longer is lost
 * @property {number} finishMs              from the end of the window to the reports of the workers
 * @property {number} exitMs                from `leave` to the exit of a process
 * @property {number} lifeMs                of the whole launch: an older process ends itself
 */

/** @typedef {{ name: string, pid: number, cpus: number[] | null }} AssignedBroker   a private server */
/** @typedef {Pick<import('../machine/delay-line.js').OpenNetwork, 'beforeWorkers' | 'pid' | 'countersPath' | 'facts'>} LaunchNetwork */

/**
 * @typedef {object} LaunchSpec
 * @property {string} launchId
 * @property {string} token
 * @property {Cell} cell
 * @property {Record<string, string | number | boolean>} settings    of the transport, with defaults
 * @property {string} transportUrl
 * @property {Pick<LaunchSpec, 'transportUrl' | 'settings' | 'brokerUrl' | 'broker'> | null} toMaster   the last hop, if it goes over another
 *                                          transport
 * @property {string | null} codecUrl       null if the channel serialises by itself
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} scenarioSettings   with defaults
 * @property {boolean} isPublished          the master sends each message to all workers at once
 * @property {SharedQueue | null} sharedQueue   through which the master sends, instead of to each worker
 * @property {(import('../types/scenarios.js').TaskSettings & { steps: number }) | null} tasks   that the master sends; steps: work of each
 * @property {number} kills                 workers that are killed in the middle of the window
 * @property {WireKind} wireKind
 * @property {number} maxMessageBytes
 * @property {string} scratchDir
 * @property {string} bindAddress           of listeners
 * @property {LaunchNetwork | null} network   emulated, between the controller and its workers
 * @property {string | null} brokerUrl
 * @property {AssignedBroker | null} broker   a private one
 * @property {{ master: number[], workers: number[][], others?: Record<string, number[]> } | null} cpus  if processes are pinned; others: by
 *                                          the id of a process
 * @property {number | null} memoryLimitBytes   of the growth of its processes; null if they cannot grow without end
 * @property {Record<string, string> | null} hosts   of each worker, by its id, if they are not all on that of the controller
 * @property {number} seed
 * @property {MessageFile | null} messageFile   null for generated payloads
 * @property {import('../measure/open-load.js').OpenPlan | null} open   null for closed loops
 * @property {Options['tierUp']} tierUp   of all processes in Node.js
 * @property {Timing} timing
 * @property {Deadlines} deadlines
 * @property {Record<string, Program>} [programs]   by role, if not all of them run in this Node.js
 * @property {PeerProgram} [peer]   plays the endpoint of the master instead of the controller
 * @property {string} [profileDir]          of a diagnostic launch
 * @property {'iterations' | 'functions'} [explained]   records where the time of a round trip goes: iterations of the event loop, or a
 *                                         finer CPU profile, which slows the processes down
 */

const WHOLE = Object.freeze({ workers: 1, worker: 0 });

/** @param {NonNullable<LaunchSpec['cpus']>} cpus @returns CPUs of all processes of the launch */
export function allCpus({ master, workers, others = {} }) {
  return [...new Set([...master, ...Object.values(others).flat(), ...workers.flat()])];
}

/** @param {NonNullable<LaunchSpec['cpus']>} cpus @param {string} id   of a process that the controller starts */
export function assignedCpus({ workers, others = {} }, id) {
  return others[id] ?? workers[Number(id.slice(1))];
}

/**
 * @param {Pick<LaunchSpec, 'cell' | 'open' | 'seed'> & Partial<Pick<LaunchSpec, 'messageFile'>>} spec
 * @param {string} [workerId]   without it, the master sends the whole load
 * @returns {Promise<OpenPart | null>} the share of this process in the open load; null for closed loops
 */
export async function planOpenPart({ cell, open, seed, messageFile = null }, workerId) {
  const { ratePerSecond, workers } = cell;
  if (ratePerSecond === undefined || open === null) return null;
  const share = workerId === undefined ? WHOLE : { workers, worker: Number(workerId.slice(1)) };
  const isRecorded = open.arrivals === 'recorded' && messageFile !== null;
  const gaps = isRecorded
    ? (await import('../workload/messages/message-file.js')).readGaps(messageFile)
    : null;
  const { OpenLoad } = await import('../measure/open-load.js');
  return { OpenLoad, plan: open, share: { ratePerSecond, ...share, seed, ...(gaps && { gaps }) } };
}

/** @param {Pick<LaunchSpec, 'cell' | 'seed' | 'messageFile' | 'tasks'>} spec @returns {import('../workload/messages/tasks.js').TaskPlan | null} null without tasks */
export function planTasks({ cell, seed, messageFile, tasks }) {
  if (!tasks) return null;
  const { payloadBytes, content, loops } = cell;
  return { cell: { payloadBytes, content, loops }, seed, messageFile, ...tasks };
}

/** The codec of a channel that serialises by itself: messages pass unchanged. */
const channelCodec = Object.freeze({
  produces: /** @type {const} */ ('value'),
  /** @param {Message} message */
  encode: (message) => message,
  /** @param {any} value */
  decode: (value) => checkedMessage(value.id, value.payload),
  values: {
    carry: () => ({
      encode: (/** @type {any} */ value) => value,
      decode: (/** @type {any} */ value) => value,
    }),
  },
});

/**
 * @param {LaunchSpec} spec
 * @returns {Promise<{ transport: Transport, codec: Pick<Codec, 'produces' | 'encode' | 'decode' | 'values'>, scenario: Scenario }>}
 */
export async function loadParts({ transportUrl, codecUrl, scenarioUrl }) {
  const [transport, codec, scenario] = await Promise.all([
    loadTransport({ transportUrl }),
    codecUrl === null ? { default: channelCodec } : import(codecUrl),
    import(scenarioUrl),
  ]);
  await codec.default.prepare?.();
  return { transport, codec: codec.default, scenario: scenario.default };
}

/** @param {LaunchSpec} spec @returns null for a launch that counts, which does not load the module */
export async function loadInstruments(spec) {
  if (spec.profileDir === undefined && spec.explained === undefined) return null;
  const { Instruments } = await import('./monitors/instruments.js');
  return new Instruments(spec);
}

/** @param {Pick<LaunchSpec, 'transportUrl'>} spec @returns {Promise<Transport>} */
export async function loadTransport({ transportUrl }) {
  return (await import(transportUrl)).default;
}

/** A transport reads what it needs from the spec itself: no field is listed again. @param {LaunchSpec} spec */
export function endContext(spec) {
  const { codec, workers } = spec.cell;
  return { ...spec, codec, workers, isBrokerOurs: spec.broker !== null };
}

// Errors that only this end can observe; the worker sees a timeout.
const OF_LISTENER = ['PROTOCOL', 'BROKER'];

/** @param {LaunchSpec} spec @param {Endpoint} endpoint   of the process that listens @param {string} role        of the same */
export function hostContext(spec, endpoint, role) {
  const host = {
    rejectedConnections: 0,
    /** @type {((error: Error) => void) | undefined} */
    onTrouble: undefined,
    /** Called after this end hung up on a worker. @type {((workerId: string, error: Error) => void) | undefined} */
    onHangUp: undefined,
    /** @type {HostContext} */
    context: {
      ...endContext(spec),
      onChannel(channel, workerId) {
        endpoint.serve?.(channel, workerId);
        channel.onClose = (reason) => {
          // For any other cause, the report of the worker or its exit code says more.
          if (reason instanceof BenchError && OF_LISTENER.includes(reason.code)) {
            const message = `the ${role} hung up on ${workerId}: ${reason.message}`;
            host.onHangUp?.(parseWorkerId(workerId), new BenchError(reason.code, message, { cause: reason }));
          }
        };
      },
      onRejected() {
        host.rejectedConnections += 1;
      },
      onError: (error) => host.onTrouble?.(error),
    },
  };
  return host;
}
