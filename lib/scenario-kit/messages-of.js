// What the ends of a launch say, and the codec that they say it with: payloads that are made, or those of a file. Of a file of
// objects a codec that carries objects gets the objects, and any other the text of their lines.

import { schemaOf } from '../codec-kit/shapes.js';
import { seededRandom, seedFrom, shuffled } from '../statistics/random.js';
import { readMessages } from './message-file.js';
import { payloadsIn } from './payloads.js';
import { valueMessages } from './value-messages.js';

/** @import { Cell, MessageFile, ValueSchema } from '../types/index.js' */
/** @import { KitCodec } from './scenario-kit.js' */

/**
 * @template {KitCodec} C
 * @param {{ cell: Cell, seed: number, messageFile?: MessageFile | null }} launch
 * @param {C} codec
 * @returns {{ codec: C, payloadsOf: (workerId: string) => string[] }} any process of the launch has the same
 */
export function messagesOf({ cell, seed, messageFile = null }, codec) {
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
  const { names, encode, decode } = valueMessages(values, schemaOf(values), { produces, values: carried });
  return { codec: { ...codec, encode, decode, inPlace: undefined }, payloadsOf: inTurn(names) };
}

/** @param {MessageFile | undefined} file @returns {ValueSchema | null} of its objects; null: it has none */
export function schemaOfFile(file) {
  if (file === undefined || file.format === 'text') return null;
  return schemaOf(readMessages(file).messages.map(({ value }) => value));
}
