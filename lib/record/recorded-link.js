// One end of a channel in a recorded program: writes a fact for each message, and keeps a uniform sample of the sent ones.

import { DefaultSerializer } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { MAX_LEVELS, nestsDeeper } from '../types/shape-limits.js';
import { ChangingFields } from './changing-fields.js';
import {
  BY_PORT,
  FAILED,
  IS_BYTES,
  IS_TEXT,
  RECEIVED,
  UNMEASURED,
  UNSIZABLE,
  WITH_TRANSFER,
} from './fact-format.js';
import { isInert, readShape } from './message-shape.js';

/** @import { FactWriter } from './fact-writer.js' */
/** @import { NameReplacer } from './message-shape.js' */

/** @typedef {'process.send' | 'postMessage' | 'MessagePort'} Mechanism */
/** @typedef {[link: number, nth: number]} PortPlace   a port, as the nth that was transferred over a link; those of workerData are -1, -2 ... */
/**
 * The other end of a link. Of a port that was sent, it is the thread that uses that port; of one that was received, it is the thread that
 * uses the other port of its channel.
 * @typedef {{ sent: PortPlace } | { received: PortPlace }} PortPeer
 * @typedef {{ pid: number } | { parentProcess: true } | { thread: number } | { parentThread: true } | { thisThread: true } | PortPeer} LinkPeer
 */
/** @typedef {{ link: number, number: number }} SentRequest   a request that has a port for its response */
/** @typedef {{ mechanism: Mechanism, serialisation: 'json' | 'v8', peer: LinkPeer }} LinkFacts */
/**
 * What Node.js writes to the channel of a process for a message.
 * @typedef {{ bytes: number, text: string }} WrittenMessage   text: empty unless it is JSON
 */
/**
 * @typedef {object} Recording   what all links of a process or thread share
 * @property {FactWriter} writer
 * @property {() => number} now   returns ms of the system's monotonic clock
 * @property {MeasureBudget} budget
 * @property {NameReplacer} names
 * @property {boolean} keepsContents
 */

/** Number of the ports sent over a link that have a link each. Those after them share one. */
export const MAX_PLACES = 64;

const { random } = Math;
const MAX_SAMPLED = isMainThread ? 100 : 32; // sampled messages of a link; fewer in threads, which often exist for a few messages
const MIN_SAMPLED = 8; // of a link: samples are smaller with many links, and are halved after SAMPLE_CHARACTERS, but not below this number
const SAMPLED_LINKS = 8; // number of links with samples of full size
const MAX_CHARACTERS = 2 ** 18; // in the JSON of a sampled message; longer messages are left out
const SAMPLE_CHARACTERS = 2 ** 21; // whenever a link has written this many characters of its sample, it halves the sample

// Structured clones, and JSON that Node.js writes later, are measured by serialising them again: all until this has taken
// MEASURE_START_MS, then for about MEASURE_SHARE of the time.
const MEASURE_SHARE = 0.002;
const MEASURE_START_MS = 2;
// A measurement counts as at most MEASURE_MS + bytes × MEASURE_MS_PER_BYTE, because a longer one may include a wait for the CPU.
const MEASURE_MS = 1;
const MEASURE_MS_PER_BYTE = 1e-5;

/** Also serialises ports and shared memory, which v8.serialize() rejects. Only the size of its result is of use. */
class SizeSerializer extends DefaultSerializer {
  /** @param {any} object */
  _writeHostObject(object) {
    if (ArrayBuffer.isView(object))
      /** @type {any} */ (DefaultSerializer.prototype)._writeHostObject.call(this, object);
    else this.writeUint32(0);
  }

  _getSharedArrayBufferId() {
    return 0;
  }
}

/** @param {unknown} message @returns {number} bytes of its structured clone */
function sizeOfClone(message) {
  const serializer = new SizeSerializer();
  serializer.writeHeader();
  serializer.writeValue(message);
  return serializer.releaseBuffer().length;
}

/** Limits the time that a process or thread spends on measuring messages. */
export class MeasureBudget {
  constructor() {
    this.spentMs = 0;
    this.nextMs = 0;
  }

  /** @param {number} ms @returns {boolean} whether a message may be measured now */
  allows(ms) {
    return this.spentMs < MEASURE_START_MS || ms >= this.nextMs;
  }

  /** @param {number} ms   current time @param {number} tookMs @param {number} bytes   size of the message */
  spend(ms, tookMs, bytes) {
    const costMs = Math.min(tookMs, MEASURE_MS + bytes * MEASURE_MS_PER_BYTE);
    this.spentMs += costMs;
    // A random pause, because the messages of many programs repeat in a pattern.
    this.nextMs = ms + (costMs / MEASURE_SHARE) * (0.5 + random());
  }
}

export class RecordedLink {
  /** @param {number} number   unique in the process or thread @param {LinkFacts} facts @param {Recording} recording */
  constructor(number, facts, recording) {
    this.number = number;
    this.facts = facts;
    this.recording = recording;
    this.isJson = facts.serialisation === 'json';
    const { writer } = recording;
    writer.write({ link: { number, ...facts } });
    this.sentFields = new ChangingFields((bit, name) => writer.write({ field: { link: number, bit, name } }));
    this.receivedFields = new ChangingFields(() => {});
    const { peer } = facts;
    const [, nth] = 'sent' in peer ? peer.sent : 'received' in peer ? peer.received : [0, 0];
    const isShared = nth >= MAX_PLACES || nth < -MAX_PLACES; // those of workerData have negative numbers, from -1 on
    const share = isShared ? MAX_SAMPLED : Math.floor((SAMPLED_LINKS * MAX_SAMPLED) / (number + 1));
    this.sampled = Math.max(MIN_SAMPLED, Math.min(MAX_SAMPLED, share));
    /** @type {number[]} keys of the sample, in ascending order */
    this.keys = [];
    this.characters = 0;
    // Numbers of the next port over the link. Those over several ports arrive in any order, so they are not distinguished.
    this.portsSent = isShared ? MAX_PLACES : 0;
    this.portsReceived = this.portsSent;
    this.requests = 0; // that have a port for their response
  }

  /**
   * @param {any} message
   * @param {number} ms   start of sending
   * @param {number} endMs
   * @param {WrittenMessage | null} wire   what Node.js has written; null if that is not known
   * @param {number} [bytesBefore]   size of a message with a transfer list, measured before its memory was transferred
   * @param {number} [request]   number of a request that has a port for its response
   */
  onSent(message, ms, endMs, wire, bytesBefore, request) {
    const { writer } = this.recording;
    let flags = bytesBefore === undefined ? 0 : WITH_TRANSFER;
    let bytes = bytesBefore ?? UNMEASURED;
    if (typeof message === 'string') {
      flags |= IS_TEXT;
      bytes = Buffer.byteLength(message);
    } else if (isBytes(message)) {
      flags |= IS_BYTES;
      if (bytesBefore === undefined) bytes = message.byteLength;
    } else if (bytesBefore === undefined) bytes = wire === null ? this.measure(message, ms) : wire.bytes;
    this.sentFields.read(flags & IS_BYTES ? null : message, false);
    if (request !== undefined) flags |= BY_PORT;
    let at = writer.begin(flags | this.sentFields.bits(), this.number, ms);
    writer.words[at] = bytes;
    writer.words[at + 1] = Math.min(2 ** 32 - 1, (endMs - ms) * 1e6);
    at += 2;
    if (request !== undefined) {
      writer.words[at] = request;
      at += 1;
    }
    this.commit(at, this.sentFields);
    if (bytesBefore === undefined) this.sample(message, bytes, wire);
  }

  /** @param {any} message @param {SentRequest | null} [request]   the request, if the message came at a port for one response */
  onReceived(message, request = null) {
    const { writer, now } = this.recording;
    this.receivedFields.read(isBytes(message) ? null : message, true);
    const flags = request === null ? RECEIVED : RECEIVED | BY_PORT;
    let at = writer.begin(flags | this.receivedFields.bits(), this.number, now());
    if (request !== null) {
      writer.words[at] = request.number;
      writer.words[at + 1] = request.link;
      at += 2;
    }
    this.commit(at, this.receivedFields);
  }

  /** @param {number} at   position of the first hash @param {ChangingFields} fields */
  commit(at, { hashes, count }) {
    const { writer } = this.recording;
    for (let index = 0; index < count; index += 1) writer.words[at + index] = hashes[index];
    writer.commit(at + count);
  }

  /** A message that was counted as sent could not be sent. */
  onFailed() {
    const { writer, now } = this.recording;
    writer.commit(writer.begin(FAILED, this.number, now()));
  }

  /**
   * Measures and samples a message with a transfer list before it is sent, because its transferred memory is empty afterwards.
   * @param {any} message
   * @returns {number} its size, UNMEASURED or UNSIZABLE
   */
  beforeTransfer(message) {
    const bytes = isBytes(message) ? message.byteLength : this.measure(message, this.recording.now());
    this.sample(message, bytes, null);
    return bytes;
  }

  /** @param {any} message @param {number} ms @returns {number} size of the JSON or the clone, UNMEASURED or UNSIZABLE */
  measure(message, ms) {
    const { budget, now } = this.recording;
    if (!budget.allows(ms)) return UNMEASURED;
    const beganMs = now();
    let bytes = UNSIZABLE;
    try {
      if (isInert(message, this.isJson))
        bytes = this.isJson ? Buffer.byteLength(JSON.stringify(message)) : sizeOfClone(message);
    } catch {} // the message cannot be serialised
    const endMs = now();
    budget.spend(endMs, endMs - beganMs, bytes === UNSIZABLE ? 0 : bytes);
    return bytes;
  }

  /**
   * Keeps the messages with the lowest random keys (bottom-k sampling). Up to the lowest of the highest keys of several links, their
   * samples together are a sample of all their messages.
   * @param {any} message
   * @param {number} bytes
   * @param {WrittenMessage | null} wire
   */
  sample(message, bytes, wire) {
    const key = random();
    const { keys } = this;
    if (keys.length >= this.sampled && key >= keys[keys.length - 1]) return;
    const { writer, names, keepsContents } = this.recording;
    let content;
    let characters = Infinity;
    try {
      const value = wire === null || wire.text === '' ? message : JSON.parse(wire.text);
      if (value === message && !isInert(message, this.isJson)) return;
      content = keepsContents
        ? { value: JSON.parse(JSON.stringify(value)) }
        : { shape: readShape(value, this.isJson, names) };
      if (!('value' in content) || !nestsDeeper(content.value, MAX_LEVELS))
        characters = JSON.stringify(content).length;
    } catch {} // the message has too many values, a cycle, or a value that cannot be written as JSON
    if (characters > MAX_CHARACTERS) return;
    let index = keys.length;
    while (index > 0 && keys[index - 1] > key) index -= 1;
    keys.splice(index, 0, key);
    this.characters += characters;
    if (this.characters > SAMPLE_CHARACTERS) {
      this.sampled = Math.max(MIN_SAMPLED, this.sampled >> 1);
      this.characters = 0;
    }
    if (keys.length > this.sampled) keys.length = this.sampled;
    writer.write({ sample: { link: this.number, key, of: this.sampled, bytes, ...content } });
  }
}

/** @param {unknown} value @returns {value is ArrayBufferView | ArrayBuffer} */
function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}
