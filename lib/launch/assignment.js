// What the conductor hands to a master, and the master to its workers: one launch as plain data, and the plug-ins
// behind its URLs.

import { checkedMessage } from '../codec-kit/message.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Cell, Timing } from '../types/plans.js' */
/** @import { Scenario } from '../types/scenarios.js' */
/** @import { Transport } from '../types/transports.js' */

/**
 * @typedef {object} Deadlines
 * @property {number} connectMs             from fork to the first verified round trip
 * @property {number} replyMs               a question unanswered for longer is lost
 * @property {number} finishMs              from the end of the window to the workers' reports
 * @property {number} exitMs                from goodbye to the end of a process
 * @property {number} lifeMs                of the whole launch: a process that is older ends itself
 */

/**
 * @typedef {object} Assignment
 * @property {string} launchId
 * @property {string} token
 * @property {Cell} cell
 * @property {Record<string, string | number | boolean>} settings    all of the transport's, defaults filled in
 * @property {string} transportUrl
 * @property {string | null} codecUrl       null: the channel serialises by itself
 * @property {string} scenarioUrl
 * @property {Record<string, string | number | boolean>} scenarioSettings   all of them, defaults filled in
 * @property {boolean} isPublished          what the master sends goes to all workers at once
 * @property {import('../types/messages.js').WireKind} wireKind
 * @property {number} maxMessageBytes
 * @property {string} scratchDir
 * @property {string | null} brokerUrl
 * @property {{ name: string, pid: number, cpus: number[] | null } | null} broker   null: none, or not ours
 * @property {{ master: number[], workers: number[][] } | null} cpus  null: not pinned
 * @property {number} seed
 * @property {import('../types/plans.js').MessageFile | null} messageFile   null: payloads are made
 * @property {import('../scenario-kit/open-load.js').OpenPlan | null} open   null: closed loops
 * @property {Timing} timing
 * @property {Deadlines} deadlines
 * @property {string} [profileDir]          absent: nobody looks into the processes
 */

/** @param {NonNullable<Assignment['cpus']>} cpus @returns {number[]} that any end of the launch is placed on */
export function allCpus({ master, workers }) {
  return [...new Set([...master, ...workers.flat()])];
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
    import(transportUrl),
    codecUrl === null ? { default: channelCodec } : import(codecUrl),
    import(scenarioUrl),
  ]);
  await codec.default.prepare?.();
  return { transport: transport.default, codec: codec.default, scenario: scenario.default };
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
}) {
  const isBrokerOurs = broker !== null;
  const { codec } = cell;
  return {
    ...{ settings, codec, wireKind, maxMessageBytes, token, launchId, brokerUrl, isBrokerOurs },
    isPublished,
  };
}
