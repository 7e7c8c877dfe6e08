// The format of the facts that a recorded process or thread appends to its file, and their reader. A file is a list of blocks. A block has a
// kind, the number of its bytes and the time of its start, and then JSON of one fact, or messages and facts as 32-bit words:
//
//   flags, with the present fields and the changed ones as bits · link · ticks since the start of the block
//   of a sent message also: bytes · duration of sending in ns
//   a hash of each changed field, by which responses are found
//
// A killed process leaves an incomplete last block, which is ignored.

/** In bytes: kind and number of bytes as 32-bit integers, and the time in ms as a double. */
export const HEADER_BYTES = 16;
export const HEADER_WORDS = HEADER_BYTES / 4;
export const TEXT = 1;
export const MESSAGES = 2;

export const RECEIVED = 1;
export const FAILED = 2; // a message that was counted as sent before
export const IS_TEXT = 4;
export const IS_BYTES = 8;
export const WITH_TRANSFER = 16;
export const IS_FACT = 32; // JSON of a fact, whose number of bytes is in place of the link

export const MOST_FIELDS = 12;
export const PRESENT_SHIFT = 8;
export const CHANGED_SHIFT = PRESENT_SHIFT + MOST_FIELDS;
const FIELD_BITS = 2 ** MOST_FIELDS - 1;

export const TICKS_PER_MS = 10_000;
/** In place of the bytes of a message that was not measured, to save time. */
export const UNMEASURED = 0xffff_ffff;
/** In place of the bytes of a message that cannot be measured without running code of the program. */
export const UNSIZABLE = 0xffff_fffe;

/**
 * A message as a reader gets it. The reader uses one object for all messages.
 * @typedef {object} MessageFact
 * @property {number} flags
 * @property {number} link
 * @property {number} ms   on the system's monotonic clock
 * @property {number} bytes   UNMEASURED, UNSIZABLE, or a size; 0 for a received message
 * @property {number} sendNs   0 for a received message
 * @property {number} present   bits of the fields that it has
 * @property {Uint32Array} hashes   by field, of the last message in this direction that had it
 */

/**
 * @param {Buffer} file
 * @param {(text: string) => void} onText
 * @param {(fact: MessageFact) => void} onMessage
 */
export function readFacts(file, onText, onMessage) {
  /** @type {Map<number, Uint32Array>} hashes by link and direction */
  const known = new Map();
  /** @type {MessageFact} */
  const fact = {
    flags: 0,
    link: 0,
    ms: 0,
    bytes: 0,
    sendNs: 0,
    present: 0,
    hashes: new Uint32Array(MOST_FIELDS),
  };
  for (let at = 0; at + HEADER_BYTES <= file.length; ) {
    const kind = file.readUint32LE(at);
    const length = file.readUint32LE(at + 4);
    const baseMs = file.readDoubleLE(at + 8);
    const start = at + HEADER_BYTES;
    at = start + length;
    if (at > file.length) return;
    if (kind === TEXT) onText(file.toString('utf8', start, at));
    // A copy is aligned to words.
    else readMessages(new Uint32Array(new Uint8Array(file.subarray(start, at)).buffer), baseMs);
  }

  /** @param {Uint32Array} words @param {number} baseMs */
  function readMessages(words, baseMs) {
    for (let at = 0; at < words.length; ) {
      const [head, link, ticks] = [words[at], words[at + 1], words[at + 2]];
      at += 3;
      if (head === IS_FACT) {
        onText(Buffer.from(words.buffer, 4 * at, link).toString());
        at += Math.ceil(link / 4);
        continue;
      }
      fact.flags = head & (2 ** PRESENT_SHIFT - 1);
      fact.link = link;
      fact.ms = baseMs + ticks / TICKS_PER_MS;
      fact.present = (head >>> PRESENT_SHIFT) & FIELD_BITS;
      const isReceived = (fact.flags & RECEIVED) !== 0;
      fact.bytes = 0;
      fact.sendNs = 0;
      if ((fact.flags & (RECEIVED | FAILED)) === 0) {
        fact.bytes = words[at];
        fact.sendNs = words[at + 1];
        at += 2;
      }
      const direction = 2 * link + (isReceived ? 1 : 0);
      fact.hashes = known.get(direction) ?? new Uint32Array(MOST_FIELDS);
      known.set(direction, fact.hashes);
      for (let changed = head >>> CHANGED_SHIFT, field = 0; changed !== 0; changed >>>= 1, field += 1) {
        if ((changed & 1) === 0) continue;
        fact.hashes[field] = words[at];
        at += 1;
      }
      onMessage(fact);
    }
  }
}
