// Helpers of endpoints for a channel: which codec applies, waiting for room, and waiting for open messages after the load.

import { BenchError } from '../../errors.js';

/** @import { Channel, Codec, Message, MessageCodec } from '../../types/index.js' */

const messages = Object.freeze({
  /** @param {Message} message */
  encode: (message) => message,
  /** @param {Message | null} message */
  decode(message) {
    if (message === null) throw new Error('not a message');
    return message;
  },
});

/**
 * @param {Pick<Channel, 'carry'>} channel
 * @param {MessageCodec} codec
 * @returns {Pick<Codec, 'encode' | 'decode'>} `codec`, or one that passes messages through if the channel encodes in place
 */
export function effectiveCodec(channel, codec) {
  return codec.inPlace !== undefined && channel.carry?.(codec) ? messages : codec;
}

/**
 * @param {Pick<Channel, 'drained'>} channel
 * @param {string} [transport]
 * @returns {Promise<void>} resolves when the channel has room
 * @throws {BenchError} TRANSPORT if `drained()`, which may belong to a plug-in, throws or rejects
 */
export async function waitForRoom(channel, transport = 'the transport') {
  try {
    await channel.drained();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BenchError('TRANSPORT', `drained() of ${transport} failed: ${why}`, { cause: error });
  }
}

/** @param {number} ms */
export function keepBusy(ms) {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

// After the load, both ends wait for messages in flight, with a limit.

const CHECK_EVERY_MS = 10;
const SILENCE_MS = 500; // after a longer silence, a lossy transport delivers nothing more
const QUIET_MS = 50; // on one host a message arrives within a few ms

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * @param {() => number} progress   returns the number of messages so far
 * @param {number} mostMs
 * @returns {Promise<void>} resolves after QUIET_MS without a message, or after about `mostMs`
 */
export async function untilQuiet(progress, mostMs) {
  const lastMs = performance.now() + mostMs;
  for (let seen = -1; seen !== progress() && performance.now() < lastMs; ) {
    seen = progress();
    await pause(QUIET_MS);
  }
}

/**
 * @param {object} load
 * @param {() => boolean} load.isComplete
 * @param {() => number} load.progress   returns the number of messages so far
 * @param {number} load.replyMs          limit of the whole wait; a silence of half of it, plus `handleMs`, ends the wait earlier
 * @param {boolean} [load.mayLose]       true if the transport may lose messages: a silence of SILENCE_MS plus `handleMs` ends the wait
 * @param {number} load.handleMs         time for which a message keeps its receiver busy
 * @returns {Promise<'complete' | 'silent' | 'under way'>} 'silent' if the missing messages are lost, 'under way' if they
 *   still arrive after `replyMs`
 */
export async function untilSettled({ isComplete, progress, replyMs, mayLose, handleMs }) {
  const silenceMs = (mayLose ? SILENCE_MS : replyMs / 2) + handleMs;
  const lastMs = performance.now() + replyMs;
  for (let [seen, sinceMs] = [-1, 0]; !isComplete(); await pause(CHECK_EVERY_MS)) {
    const sofar = progress();
    if (sofar !== seen) [seen, sinceMs] = [sofar, performance.now()];
    else if (performance.now() - sinceMs > silenceMs) return 'silent';
    if (performance.now() > lastMs) return 'under way';
  }
  return 'complete';
}
