// The format of the facts that a recorded process or thread appends to its file, and their reader. A file is a list of 32-bit words:
//
//   BASE · two words of a double: the time in ms from which the ticks of messages count
//   FACT · number of bytes · JSON
//   flags of a message, with its present fields and the changed ones as bits · link · ticks
//     and, if it is sent: bytes · duration of sending in ns
//     and, if it is the request or the response of a port that was sent for one response: number of the request, and of a response also
//       the link of the request
//     and a hash of each changed field, by which responses are found
//
// The end of the file of a killed process may be incomplete, and is ignored.

export const RECEIVED = 1;
export const FAILED = 2; // sending failed for a message that an earlier fact counts as sent
export const IS_TEXT = 4;
export const IS_BYTES = 8;
export const WITH_TRANSFER = 16;
const BASE = 32;
const FACT = 64;
export const BY_PORT = 128; // a request that has a port for its response, or such a response

export const MAX_FIELDS = 12;
export const PRESENT_SHIFT = 8;
export const CHANGED_SHIFT = PRESENT_SHIFT + MAX_FIELDS;
const FIELD_BITS = 2 ** MAX_FIELDS - 1;

export const TICKS_PER_MS = 10_000;
/** In a fact, replaces the size of a message that was not measured, to save time. */
export const UNMEASURED = 0xffff_ffff;
/** In a fact, replaces the size of a message that cannot be measured without running code of the program, such as a getter. */
export const UNSIZABLE = 0xffff_fffe;

/** Why a recording ended before its program: its facts reached their limit. */
export const CAP = 'cap';

/** @param {number} ms @returns {Uint32Array} */
export function encodeBase(ms) {
  const words = new Uint32Array(3);
  words[0] = BASE;
  words.set(new Uint32Array(new Float64Array([ms]).buffer), 1);
  return words;
}

/** @param {object} fact @returns {Uint8Array} */
export function encodeFact(fact) {
  const text = Buffer.from(JSON.stringify(fact));
  const words = new Uint32Array(2 + Math.ceil(text.length / 4));
  words[0] = FACT;
  words[1] = text.length;
  const bytes = new Uint8Array(words.buffer);
  bytes.set(text, 8);
  return bytes;
}

/**
 * A message of a file. `readFacts` passes the same object for all messages.
 * @typedef {object} MessageFact
 * @property {number} flags
 * @property {number} link
 * @property {number} ms   on the system's monotonic clock
 * @property {number} bytes   UNMEASURED, UNSIZABLE, or a size; 0 for a received message
 * @property {number} sendNs   0 for a received message
 * @property {number} request   number of the request, if the message is BY_PORT
 * @property {number} requestLink   link of the request, if the message is BY_PORT and received
 * @property {number} present   bits of the fields that the message has
 * @property {Uint32Array} hashes   by field: hash of its latest value in this direction of the link
 */

/**
 * @param {Buffer} file
 * @param {(text: string) => void} onText   called with the JSON of each fact that is not a message
 * @param {(fact: MessageFact) => void} onMessage
 */
export function readFacts(file, onText, onMessage) {
  // The bytes are copied, because a Buffer need not be aligned to words.
  const words = new Uint32Array(new Uint8Array(file.subarray(0, 4 * Math.floor(file.length / 4))).buffer);
  /** @type {Map<number, Uint32Array>} hashes by link and direction */
  const known = new Map();
  /** @type {MessageFact} */
  const fact = {
    flags: 0,
    link: 0,
    ms: 0,
    bytes: 0,
    sendNs: 0,
    request: 0,
    requestLink: 0,
    present: 0,
    hashes: new Uint32Array(),
  };
  let baseMs = 0;
  for (let at = 0; at + 1 < words.length; ) {
    const [head, link] = [words[at], words[at + 1]];
    if (head === BASE) {
      if (at + 2 < words.length) [baseMs] = new Float64Array(words.slice(at + 1, at + 3).buffer);
      at += 3;
      continue;
    }
    if (head === FACT) {
      const end = at + 2 + Math.ceil(link / 4);
      if (end <= words.length) onText(Buffer.from(words.buffer, 4 * (at + 2), link).toString());
      at = end;
      continue;
    }
    fact.flags = head & (2 ** PRESENT_SHIFT - 1);
    fact.link = link;
    fact.ms = baseMs + words[at + 2] / TICKS_PER_MS;
    fact.present = (head >>> PRESENT_SHIFT) & FIELD_BITS;
    at += 3;
    const isReceived = (fact.flags & RECEIVED) !== 0;
    const hasSize = !isReceived && (fact.flags & FAILED) === 0;
    fact.bytes = hasSize ? words[at] : 0;
    fact.sendNs = hasSize ? words[at + 1] : 0;
    if (hasSize) at += 2;
    if (fact.flags & BY_PORT) {
      fact.request = words[at];
      fact.requestLink = words[at + 1];
      at += isReceived ? 2 : 1;
    }
    const direction = 2 * link + (isReceived ? 1 : 0);
    fact.hashes = known.get(direction) ?? new Uint32Array(MAX_FIELDS);
    known.set(direction, fact.hashes);
    for (let changed = head >>> CHANGED_SHIFT, field = 0; changed !== 0; changed >>>= 1, field += 1) {
      if ((changed & 1) === 0) continue;
      fact.hashes[field] = words[at];
      at += 1;
    }
    if (at <= words.length) onMessage(fact);
  }
}
