// What the runner hands to a master, and the master to its workers: one launch as plain data, and the plug-ins
// behind its URLs.

import { join } from 'node:path';
import { CONTROLLER } from '../cell/launch-roles.js';
import { checkedMessage } from '../codecs/message.js';

/** @import { OpenPart } from '../scenario/endpoints/request-endpoint.js' */
/** @import { Cell, Codec, Program, Scenario, Timing, Transport } from '../types/index.js' */

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
 * @typedef {object} Assignment
 * @property {string} launchId
 * @property {string} token
 * @property {Cell} cell
 * @property {Record<string, string | number | boolean>} settings    all of the transport's, defaults filled in
 * @property {string} transportUrl
 * @property {Pick<Assignment, 'transportUrl' | 'settings' | 'brokerUrl' | 'broker'> | null} toMaster   the last hop, where it goes over
 *                                          another transport; null: over the same
 * @property {string | null} codecUrl       null: the channel serialises by itself
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} scenarioSettings   all of them, defaults filled in
 * @property {boolean} isPublished          what the master sends goes to all workers at once
 * @property {import('../types/transports.js').SharedQueue | null} sharedQueue   null: the master sends to each worker
 * @property {number} kills                 workers that are killed in the middle of the window
 * @property {import('../types/messages.js').WireKind} wireKind
 * @property {number} maxMessageBytes
 * @property {string} scratchDir
 * @property {string} bindAddress           that those who listen bind to
 * @property {LaunchNetwork | null} network   between the controller and its workers; null: they share a host
 * @property {string | null} brokerUrl
 * @property {AssignedBroker | null} broker   null: none, or not ours
 * @property {{ master: number[], workers: number[][], others?: Record<string, number[]> } | null} cpus  null: not pinned; others: by the
 *                                          id of a process that is neither
 * @property {number | null} memoryLimitBytes   that its processes may grow by; null: nothing in it can grow without end
 * @property {Record<string, string> | null} hosts   of each worker, by its id; null: all are on the leader's
 * @property {number} seed
 * @property {import('../types/plans.js').MessageFile | null} messageFile   null: payloads are made
 * @property {import('../scenario/load/open-load.js').OpenPlan | null} open   null: closed loops
 * @property {import('../types/plans.js').Options['tierUp']} tierUp   of all of its processes that are a Node
 * @property {Timing} timing
 * @property {Deadlines} deadlines
 * @property {Record<string, Program>} [programs]   by role, where not all of them are this Node; absent: they are
 * @property {import('../types/peers.js').PeerProgram} [peer]   that plays the master's endpoint; absent: the controller does
 * @property {string} [profileDir]          absent: nobody looks into the processes
 * @property {'turns' | 'functions'} [explained]   they record of that where the time of a round trip goes: turns of their event loop, or a
 *                                         finer profile, which slows them down
 */

const WHOLE = Object.freeze({ workers: 1, worker: 0 });

/** @param {NonNullable<Assignment['cpus']>} cpus @returns {number[]} that any end of the launch is placed on */
export function allCpus({ master, workers, others = {} }) {
  return [...new Set([...master, ...Object.values(others).flat(), ...workers.flat()])];
}

/** @param {NonNullable<Assignment['cpus']>} cpus @param {string} id   of a process that the controller starts @returns {number[]} its own */
export function assignedCpus({ workers, others = {} }, id) {
  return others[id] ?? workers[Number(id.slice(1))];
}

/** @param {Pick<Assignment, 'broker' | 'toMaster'>} assignment @returns {AssignedBroker[]} of all its hops */
export function assignedBrokers({ broker, toMaster }) {
  return [broker, toMaster?.broker ?? null].filter((own) => own !== null);
}

/**
 * @param {Pick<Assignment, 'cell' | 'open' | 'seed'>} assignment
 * @param {string} [workerId]   absent: who sends is the master alone
 * @returns {OpenPart | null} what this process does of the open load, where it is the one that sends; null: closed loops
 */
export function planOpenPart({ cell, open, seed }, workerId) {
  const { ratePerSecond, workers } = cell;
  if (ratePerSecond === undefined || open === null) return null;
  const share = workerId === undefined ? WHOLE : { workers, worker: Number(workerId.slice(1)) };
  return { plan: open, share: { ratePerSecond, ...share, seed } };
}

/**
 * What joins a role that is not the controller has a launch of its own, as far as its transport can see: no name of a socket, a
 * topic or a queue is the same as on the way to the controller, which may go over another transport.
 * @param {Assignment} assignment
 * @param {string} role     that listens
 * @returns {Assignment} as the two ends of the way to it have it
 */
export function onTheWayTo(assignment, role) {
  const { launchId, scratchDir, toMaster } = assignment;
  if (role === CONTROLLER) return { ...assignment, ...toMaster };
  return { ...assignment, launchId: `${role}${launchId}`, scratchDir: join(scratchDir, role) };
}

/** The channel's own serialisation is the codec: the message itself is what travels. */
const channelCodec = Object.freeze({
  produces: /** @type {const} */ ('value'),
  /** @param {import('../types/messages.js').Message} message */
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
 * @param {Assignment} assignment
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

/** @param {Assignment} assignment @returns {Promise<import('./monitors/instruments.js').Instruments | null>} null: nobody looks into this launch, and nothing of it is loaded */
export async function loadInstruments(assignment) {
  if (assignment.profileDir === undefined && assignment.explained === undefined) return null;
  const { Instruments } = await import('./monitors/instruments.js');
  return new Instruments(assignment);
}

/** @param {Pick<Assignment, 'transportUrl'>} assignment @returns {Promise<Transport>} */
export async function loadTransport({ transportUrl }) {
  return (await import(transportUrl)).default;
}

/** @param {Assignment} assignment @returns {import('../types/transports.js').EndContext} */
export function endContext({
  settings,
  cell,
  wireKind,
  maxMessageBytes,
  token,
  launchId,
  brokerUrl,
  broker,
  isPublished,
  sharedQueue,
}) {
  const isBrokerOurs = broker !== null;
  const { codec } = cell;
  return {
    settings,
    codec,
    wireKind,
    maxMessageBytes,
    token,
    launchId,
    brokerUrl,
    isBrokerOurs,
    isPublished,
    sharedQueue,
  };
}
