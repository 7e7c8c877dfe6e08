// What is wrong with a codec that has the right shape: whether it gives back what it was given. The suite of codecs asks far more;
// this much is asked before a launch, which would wait for an answer in vain.

import { bufferView } from '../codec-kit/buffer-view.js';
import { printable } from '../words/printable.js';

/** @import { Codec, Message } from '../types/index.js' */

/** @type {Readonly<Message>} */
const QUESTION = Object.freeze({ id: 1_234_567_890, payload: 'what comes back?' });
const CHARACTERS_SHOWN = 80;

/**
 * @param {Codec} codec   of somebody else
 * @returns {Promise<string[]>} every fault; none where it cannot be asked, for want of a package
 */
export async function codecFaults(codec) {
  if ((await codec.whyUnavailable?.(true)) !== undefined) return [];
  try {
    await codec.prepare?.();
  } catch {
    return []; // the launch says why
  }
  try {
    const wire = codec.encode({ ...QUESTION });
    if (!isOfKind(wire, codec.produces))
      return [`encode gives ${shown(wire)}, but produces is '${codec.produces}'`];
    const answer = codec.decode(wire instanceof Uint8Array ? bufferView(wire) : wire);
    if (answer?.id === QUESTION.id && answer.payload === QUESTION.payload) return [];
    return [`decode(encode(message)) gives ${shown(answer)} for ${shown(QUESTION)}`];
  } catch (error) {
    return [`it throws for ${shown(QUESTION)}: ${shown(error instanceof Error ? error.message : error)}`];
  }
}

/** @param {unknown} wire @param {import('../types/index.js').WireKind} kind @returns {boolean} */
function isOfKind(wire, kind) {
  if (kind === 'value') return true;
  return kind === 'text' ? typeof wire === 'string' : wire instanceof Uint8Array;
}

/** @param {unknown} value */
function shown(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return printable(text).slice(0, CHARACTERS_SHOWN);
}
