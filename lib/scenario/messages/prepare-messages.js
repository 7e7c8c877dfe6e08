// What the ends of a launch say, and the codec that they say it with: payloads that are made, or those of a file. Of a file of
// objects a codec that carries objects gets the objects, and any other the text of their lines.

import { parseWorkerId } from '../../cell/connections.js';
import { inferSchema } from '../../codecs/shapes.js';
import { seededRandom, seedFrom, shuffled } from '../../statistics/random.js';
import { CONTENTS } from './contents.js';
import { readMessages } from './message-file.js';
import { valueMessages } from './value-messages.js';

/** @import { Cell, MessageFile, ValueSchema } from '../../types/index.js' */
/** @import { KitCodec } from '../scenario-kit.js' */

/**
 * @template {KitCodec} C
 * @param {{ cell: Cell, seed: number, messageFile?: MessageFile | null }} launch
 * @param {C} codec
 * @returns {{ codec: C, payloadsOf: (workerId: string) => string[] }} any process of the launch has the same
 */
export function prepareMessages({ cell, seed, messageFile = null }, codec) {
  if (messageFile === null || cell.content !== messageFile.content) {
    return { codec, payloadsOf: payloadsIn(seed, cell) };
  }
  const { messages } = readMessages(messageFile);
  // Each worker in an order of its own, and every message as often as the others: the mix is that of the file.
  const inTurn = (/** @type {string[]} */ payloads) => (/** @type {string} */ workerId) =>
    shuffled(payloads, seededRandom(seedFrom(seed, workerId)));
  if (messageFile.format === 'text' || codec.values === undefined) {
    return { codec, payloadsOf: inTurn(messages.map(({ text }) => text)) };
  }
  const values = messages.map(({ value }) => value);
  const { produces = 'value', values: carried } = codec;
  const { names, encode, decode } = valueMessages(values, inferSchema(values), { produces, values: carried });
  return { codec: { ...codec, encode, decode, inPlace: undefined }, payloadsOf: inTurn(names) };
}

/** @param {MessageFile | undefined} file @returns {ValueSchema | null} of its objects; null: it has none */
export function schemaOfFile(file) {
  if (file === undefined || file.format === 'text') return null;
  return inferSchema(readMessages(file).messages.map(({ value }) => value));
}

// What the loops send: different payloads in turn, so that an answer to another question cannot pass for the right one.
const POOL_MAX_BYTES = 33_554_432; // two payloads of 16 MiB: memory must not decide what is measured

/**
 * @param {number} seed
 * @param {Pick<import('../../types/plans.js').Cell, 'payloadBytes' | 'content'>} cell   ascii without a content
 * @param {number} loops   of this worker: each open question should carry a payload of its own
 * @returns {string[]} at least two, different where so few bytes can be, each exactly `payloadBytes` long in UTF-8
 */
export function makePayloads(seed, { payloadBytes, content }, loops) {
  const random = seededRandom(seed);
  const affordable = Math.max(2, Math.floor(POOL_MAX_BYTES / payloadBytes));
  const makePayload =
    CONTENTS[/** @type {import('../../types/plans.js').ContentKind} */ (content ?? 'ascii')];
  const payloads = [];
  for (let i = 0; i < Math.min(affordable, 2 * loops + 1); i += 1)
    payloads.push(makePayload(random, payloadBytes, i));
  return payloads;
}

/**
 * @param {number} seed   of the launch
 * @param {import('../../types/plans.js').Cell} cell
 * @returns {(id: string) => string[]} those of one worker, over whichever of its connections: any process of the launch can
 *   make them
 */
export function payloadsIn(seed, cell) {
  /** @type {Map<string, string[]>} thousands of connections would fill the memory with payloads */
  const made = new Map();
  return (id) => {
    const worker = parseWorkerId(id);
    const payloads = made.get(worker) ?? makePayloads(seedFrom(seed, worker), cell, cell.loops);
    made.set(worker, payloads);
    return payloads;
  };
}
