// One launch as plain data: the runner sends it to a master, and the master sends it to its workers. This module also loads the plug-ins of
// a launch and makes the contexts in which its transports connect and listen.

import { parseWorkerId } from '../cell/connections.js';
import { checkedBytes, checkedJsonBytes, checkedMessage } from '../codecs/message.js';
import { BenchError } from '../errors.js';

/** @import { OpenPart } from '../workload/endpoints/request-endpoint.js' */
/** @import { Cell, Codec, Endpoint, HostContext, Message, MessageFile, Options, PeerProgram, Program } from '../types/index.js' */
/** @import { Scenario, SharedQueue, TaskSettings, Timing, Transport, WireKind } from '../types/index.js' */

/**
 * @typedef {object} Deadlines
 * @property {number} connectMs   from fork until all processes have joined, and again for further connections and first tasks
 * @property {number} replyMs   a request counts as lost after this time without a response
 * @property {number} finishMs   from the end of the window to the reports of the workers
 * @property {number} exitMs   from `leave` to the exit of a process
 * @property {number} lifeMs   lifetime of a launch: an older process ends itself
 */

/** @typedef {{ name: string, pid: number, cpus: number[] | null }} AssignedBroker   a private server; cpus: null if it is not pinned */
/** @typedef {Pick<import('../machine/delay-line.js').OpenNetwork, 'beforeWorkers' | 'pid' | 'countersPath' | 'facts'>} LaunchNetwork */

/**
 * @typedef {object} LaunchSpec
 * @property {string} launchId
 * @property {string} token
 * @property {Cell} cell
 * @property {Record<string, string | number | boolean>} settings   settings of the transport, including defaults
 * @property {string} transportUrl
 * @property {Pick<LaunchSpec, 'transportUrl' | 'settings' | 'brokerUrl' | 'broker'> | null} toMaster   transport of the hop to the master;
 *   null if it is that of the cell
 * @property {string | null} codecUrl   null if the channel serialises messages
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} scenarioSettings   including defaults
 * @property {boolean} isPublished   the master sends each message to all workers at once
 * @property {SharedQueue | null} sharedQueue   queue to which the master sends; null without one
 * @property {(TaskSettings & { steps: number }) | null} tasks   tasks that the master sends, or null if it sends none; steps: number of
 *   steps of work per task
 * @property {number} kills   workers that are killed in the middle of the window
 * @property {WireKind} wireKind
 * @property {number} maxMessageBytes
 * @property {string} scratchDir
 * @property {string} bindAddress   address of listeners
 * @property {LaunchNetwork | null} network   emulated network between the controller and its workers; null without one
 * @property {string | null} brokerUrl   null without a broker, or before another host has started it
 * @property {AssignedBroker | null} broker   private broker; null if there is no broker, or the user gives its URL
 * @property {{ master: number[], workers: number[][], others?: Record<string, number[]> } | null} cpus   null if processes are not pinned;
 *   others: CPUs of other roles, by the id of the process in the launch, such as 'relay'
 * @property {number | null} memoryLimitBytes   limit for the growth of all processes; null if their growth is bounded
 * @property {Record<string, string> | null} hosts   names of hosts by worker id; null if all workers are on the host of the controller
 * @property {number} seed
 * @property {MessageFile | null} messageFile   null for generated payloads
 * @property {import('../measure/open-load.js').OpenPlan | null} open   null for closed loops
 * @property {Options['tierUp']} tierUp   applies to all Node.js processes
 * @property {Timing} timing
 * @property {Deadlines} deadlines
 * @property {Record<string, Program>} [programs]   by role; other roles run in this Node.js
 * @property {PeerProgram} [peer]   program that runs the master's endpoint instead of the controller
 * @property {string} [profileDir]   set for a diagnostic launch
 * @property {'iterations' | 'functions'} [explained]   what is recorded to explain the time of a round trip: iterations of the event loop,
 *   or a fine CPU profile, which slows the processes down
 */

const WHOLE = Object.freeze({ workers: 1, worker: 0 });

/** @param {NonNullable<LaunchSpec['cpus']>} cpus @returns {number[]} */
export function allCpus({ master, workers, others = {} }) {
  return [...new Set([...master, ...Object.values(others).flat(), ...workers.flat()])];
}

/** @param {NonNullable<LaunchSpec['cpus']>} cpus @param {string} id   process id in the launch */
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
    ? (await import('../workload/messages/message-file.js')).readGaps(messageFile, seed)
    : null;
  const { OpenLoad } = await import('../measure/open-load.js');
  return { OpenLoad, plan: open, share: { ratePerSecond, ...share, seed, ...(gaps && { gaps }) } };
}

/**
 * @param {Pick<LaunchSpec, 'cell' | 'seed' | 'messageFile' | 'tasks'>} spec
 * @returns {import('../workload/messages/tasks.js').TaskPlan | null} null without tasks
 */
export function planTasks({ cell, seed, messageFile, tasks }) {
  if (!tasks) return null;
  const { payloadBytes, content, loops } = cell;
  return { cell: { payloadBytes, content, loops }, seed, messageFile, ...tasks };
}

/** @param {any} value */
const passOn = (value) => value;

/** The codec of a channel that serialises by itself: messages pass unchanged, and received ones are checked. */
const channelCodec = Object.freeze({
  produces: 'value',
  /** @param {Message} message */
  encode: (message) => message,
  /** @param {any} value */
  decode: (value) => checkedMessage(value.id, value.payload),
  values: { carry: () => ({ encode: passOn, decode: passOn }) },
  bytes: {
    encode: passOn,
    /** @param {any} value */
    decode: (value) => checkedBytes(value.id, value.payload),
  },
});

/** The codec of a channel that serialises by itself as JSON, which turns bytes into lists of numbers. */
const jsonChannelCodec = Object.freeze({
  ...channelCodec,
  bytes: {
    isList: true,
    encode: passOn,
    /** @param {any} value */
    decode: (value) => checkedJsonBytes(value.id, value.payload),
  },
});

/**
 * @param {LaunchSpec} spec
 * @returns {Promise<{ transport: Transport, codec: Pick<Codec, 'produces' | 'encode' | 'decode' | 'values' | 'bytes'>, scenario: Scenario }>}
 */
export async function loadParts({ transportUrl, codecUrl, scenarioUrl, cell }) {
  const codecOfChannel = cell.codec === 'json' ? jsonChannelCodec : channelCodec;
  const [transport, codec, scenario] = await Promise.all([
    loadTransport({ transportUrl }),
    codecUrl === null ? { default: codecOfChannel } : import(codecUrl),
    import(scenarioUrl),
  ]);
  await codec.default.prepare?.();
  return { transport, codec: codec.default, scenario: scenario.default };
}

/** Loads the instruments of a diagnostic launch. @param {LaunchSpec} spec @returns null for any other launch */
export async function loadInstruments(spec) {
  if (spec.profileDir === undefined && spec.explained === undefined) return null;
  const { Instruments } = await import('./monitors/instruments.js');
  return new Instruments(spec);
}

/** @param {Pick<LaunchSpec, 'transportUrl'>} spec @returns {Promise<Transport>} */
export async function loadTransport({ transportUrl }) {
  return (await import(transportUrl)).default;
}

/** Passes the whole spec, from which a transport reads what it needs. @param {LaunchSpec} spec */
export function endContext(spec) {
  const { codec, workers } = spec.cell;
  return { ...spec, codec, workers, isBrokerOurs: spec.broker !== null };
}

// Errors that only the listening process can describe. The worker only reports a closed channel or a timeout.
const OF_LISTENER = ['PROTOCOL', 'BROKER'];

/**
 * @param {LaunchSpec} spec
 * @param {Endpoint} endpoint   endpoint of the listening process
 * @param {string} role   role of the listening process
 */
export function hostContext(spec, endpoint, role) {
  const host = {
    rejectedConnections: 0,
    /** @type {((error: Error) => void) | undefined} */
    onTrouble: undefined,
    /** Called after an error of OF_LISTENER closed a worker's channel. @type {((workerId: string, error: Error) => void) | undefined} */
    onHangUp: undefined,
    /** @type {HostContext} */
    context: {
      ...endContext(spec),
      onChannel(channel, workerId) {
        endpoint.serve?.(channel, workerId);
        channel.onClose = (reason) => {
          // Any other cause is described better by the worker's report or exit code.
          if (reason instanceof BenchError && OF_LISTENER.includes(reason.code)) {
            const message = `the ${role} closed the channel of ${workerId}: ${reason.message}`;
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
