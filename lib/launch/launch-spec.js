// What the runner hands to a master, and the master to its workers: one launch as plain data, and the plug-ins behind its URLs.

import { parseWorkerId } from '../cell/connections.js';
import { checkedMessage } from '../codecs/message.js';
import { BenchError } from '../errors.js';

/** @import { OpenPart } from '../scenario/endpoints/request-endpoint.js' */
/** @import { Cell, Codec, Endpoint, HostContext, Message, MessageFile, Options, PeerProgram, Program, Scenario, SharedQueue, Timing, Transport, WireKind } from '../types/index.js' */

/**
 * @typedef {object} Deadlines
 * @property {number} connectMs             from fork to the first verified round trip
 * @property {number} replyMs               a question unanswered for longer is lost
 * @property {number} finishMs              from the end of the window to the workers' reports
 * @property {number} exitMs                from goodbye to the end of a process
 * @property {number} lifeMs                of the whole launch: a process that is older ends itself
 */

/** @typedef {{ name: string, pid: number, cpus: number[] | null }} AssignedBroker   a private server */
/** @typedef {Pick<import('../machine/delay-line.js').OpenNetwork, 'beforeWorkers' | 'pid' | 'countersPath' | 'facts'>} LaunchNetwork */

/**
 * @typedef {object} LaunchSpec
 * @property {string} launchId
 * @property {string} token
 * @property {Cell} cell
 * @property {Record<string, string | number | boolean>} settings    all of the transport's, defaults filled in
 * @property {string} transportUrl
 * @property {Pick<LaunchSpec, 'transportUrl' | 'settings' | 'brokerUrl' | 'broker'> | null} toMaster   the last hop, where it goes over
 *                                          another transport; null: over the same
 * @property {string | null} codecUrl       null: the channel serialises by itself
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} scenarioSettings   all of them, defaults filled in
 * @property {boolean} isPublished          what the master sends goes to all workers at once
 * @property {SharedQueue | null} sharedQueue   null: the master sends to each worker
 * @property {(import('../types/scenarios.js').TaskSettings & { steps: number }) | null} tasks   what the master sends are tasks with so many steps of work; null: they are none
 * @property {number} kills                 workers that are killed in the middle of the window
 * @property {WireKind} wireKind
 * @property {number} maxMessageBytes
 * @property {string} scratchDir
 * @property {string} bindAddress           that those who listen bind to
 * @property {LaunchNetwork | null} network   between the controller and its workers; null: they share a host
 * @property {string | null} brokerUrl
 * @property {AssignedBroker | null} broker   null: none, or not ours
 * @property {{ master: number[], workers: number[][], others?: Record<string, number[]> } | null} cpus  null: not pinned; others: by the
 *                                          id of a process that is neither
 * @property {number | null} memoryLimitBytes   that its processes may grow by; null: nothing in it can grow without end
 * @property {Record<string, string> | null} hosts   of each worker, by its id; null: all are on the controller's
 * @property {number} seed
 * @property {MessageFile | null} messageFile   null: payloads are made
 * @property {import('../scenario/load/open-load.js').OpenPlan | null} open   null: closed loops
 * @property {Options['tierUp']} tierUp   of all of its processes that are a Node
 * @property {Timing} timing
 * @property {Deadlines} deadlines
 * @property {Record<string, Program>} [programs]   by role, where not all of them are this Node; absent: they are
 * @property {PeerProgram} [peer]   that plays the master's endpoint; absent: the controller does
 * @property {string} [profileDir]          absent: nobody looks into the processes
 * @property {'turns' | 'functions'} [explained]   they record of that where the time of a round trip goes: turns of their event loop, or a
 *                                         finer profile, which slows them down
 */

const WHOLE = Object.freeze({ workers: 1, worker: 0 });

/** @param {NonNullable<LaunchSpec['cpus']>} cpus @returns that any end of the launch is placed on */
export function allCpus({ master, workers, others = {} }) {
  return [...new Set([...master, ...Object.values(others).flat(), ...workers.flat()])];
}

/** @param {NonNullable<LaunchSpec['cpus']>} cpus @param {string} id   of a process that the controller starts @returns its own */
export function assignedCpus({ workers, others = {} }, id) {
  return others[id] ?? workers[Number(id.slice(1))];
}

/** @param {Pick<LaunchSpec, 'broker' | 'toMaster'>} spec @returns of all its hops */
export function assignedBrokers({ broker, toMaster }) {
  return [broker, toMaster?.broker ?? null].filter((own) => own !== null);
}

/**
 * @param {Pick<LaunchSpec, 'cell' | 'open' | 'seed'> & Partial<Pick<LaunchSpec, 'messageFile'>>} spec
 * @param {string} [workerId]   absent: who sends is the master alone
 * @returns {Promise<OpenPart | null>} what this process does of the open load, where it is the one that sends; null: closed loops
 */
export async function planOpenPart({ cell, open, seed, messageFile = null }, workerId) {
  const { ratePerSecond, workers } = cell;
  if (ratePerSecond === undefined || open === null) return null;
  const share = workerId === undefined ? WHOLE : { workers, worker: Number(workerId.slice(1)) };
  const isRecorded = open.arrivals === 'recorded' && messageFile !== null;
  const gaps = isRecorded
    ? (await import('../scenario/messages/message-file.js')).readGaps(messageFile)
    : null;
  const { OpenLoad } = await import('../scenario/load/open-load.js');
  return { OpenLoad, plan: open, share: { ratePerSecond, ...share, seed, ...(gaps && { gaps }) } };
}

/** @param {Pick<LaunchSpec, 'cell' | 'seed' | 'messageFile' | 'tasks'>} spec @returns {import('../scenario/messages/tasks.js').TaskPlan | null} null: there are none */
export function planTasks({ cell, seed, messageFile, tasks }) {
  if (!tasks) return null;
  const { payloadBytes, content, loops } = cell;
  return { cell: { payloadBytes, content, loops }, seed, messageFile, ...tasks };
}

/** The channel's own serialisation is the codec: the message itself is what travels. */
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

/** @param {LaunchSpec} spec @returns null: nobody looks into this launch, and nothing of it is loaded */
export async function loadInstruments(spec) {
  if (spec.profileDir === undefined && spec.explained === undefined) return null;
  const { Instruments } = await import('./monitors/instruments.js');
  return new Instruments(spec);
}

/** @param {Pick<LaunchSpec, 'transportUrl'>} spec @returns {Promise<Transport>} */
export async function loadTransport({ transportUrl }) {
  return (await import(transportUrl)).default;
}

/** A transport finds what it needs in the spec itself: no field is listed again. @param {LaunchSpec} spec */
export function endContext(spec) {
  const { codec, workers } = spec.cell;
  return { ...spec, codec, workers, isBrokerOurs: spec.broker !== null };
}

// What a worker sent, and what a broker refused to this end: the worker only misses an answer.
const TOLD_HERE_ONLY = ['PROTOCOL', 'BROKER'];

/** @param {LaunchSpec} spec @param {Endpoint} endpoint   of the process that listens @param {string} role        that it plays */
export function hostContext(spec, endpoint, role) {
  const host = {
    rejectedConnections: 0,
    /** @type {((error: Error) => void) | undefined} */
    onTrouble: undefined,
    /** Told why this end hung up on a worker. @type {((workerId: string, error: Error) => void) | undefined} */
    onHangUp: undefined,
    /** @type {HostContext} */
    context: {
      ...endContext(spec),
      onChannel(channel, workerId) {
        endpoint.serve?.(channel, workerId);
        channel.onClose = (reason) => {
          // For any other cause the worker’s own report, or its exit code, says more than we could.
          if (reason instanceof BenchError && TOLD_HERE_ONLY.includes(reason.code)) {
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
