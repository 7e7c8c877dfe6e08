// What the two ends of a message channel tell each other beside the data. Every note carries the launch's token: on a
// shared broker anybody may write to us.

import { isSameToken } from './token.js';

/** @typedef {{ workerId: string, verb: 'join' | 'joined' | 'read' | 'bye', bytes: number }} Note */

const NOTE_MAX_BYTES = 1_024;
const VERBS = ['join', 'joined', 'read', 'bye'];

/**
 * @param {string} token
 * @param {string} workerId     whose channel it is about
 * @param {Note['verb']} verb
 * @param {number} bytes        with 'read': how many more
 */
export function encodeControlFrame(token, workerId, verb, bytes) {
  return `${token} ${workerId} ${verb} ${bytes}`;
}

/**
 * Where notes and data go the same way: a note is what begins with the token, which no message knows.
 * @param {Buffer} bytes
 * @param {Buffer} token
 */
export function beginsLikeControlFrame(bytes, token) {
  return (
    bytes[0] === token[0] && // of most messages that is all there is to look at
    bytes.length > token.length &&
    bytes.length <= NOTE_MAX_BYTES &&
    token.compare(bytes, 0, token.length) === 0
  );
}

/** @param {Uint8Array} text @param {string} token @returns {Note | null} null: from a stranger */
export function readControlFrame(text, token) {
  if (text.length > NOTE_MAX_BYTES) return null;
  const [given, workerId, verb, bytes, ...rest] = Buffer.from(text).toString('latin1').split(' ');
  const isWellFormed = rest.length === 0 && VERBS.includes(verb) && /^\d{1,15}$/.test(bytes);
  if (!isSameToken(given, token) || !isWellFormed) return null;
  return { workerId, verb: /** @type {Note['verb']} */ (verb), bytes: Number(bytes) };
}
