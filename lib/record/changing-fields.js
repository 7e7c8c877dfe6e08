// Finds the fields of messages that may contain ids: numbers and short strings that change from message to message. By the hashes of their
// values, the reader of the facts finds the response to a request. A field that repeats its previous value in at least half of the first
// LEARNED messages is ignored from then on.

import { isProxy } from 'node:util/types';
import { CHANGED_SHIFT, MAX_FIELDS, PRESENT_SHIFT } from './fact-format.js';

const { getOwnPropertyDescriptor, keys } = Object;
const LEARNED = 256; // messages
const MAX_ID = 64;
const bits = new Uint32Array(2);
const double = new Float64Array(bits.buffer);

/** @param {number | string} value */
function hashOf(value) {
  if (typeof value === 'number') {
    if ((value | 0) === value) return Math.imul(value, 0x9e3779b1) >>> 0;
    double[0] = value;
    return Math.imul(bits[0] ^ Math.imul(bits[1], 0x9e3779b1), 0x85ebca6b) >>> 0;
  }
  let hash = 0x811c9dc5;
  for (let at = 0; at < value.length; at += 1) hash = Math.imul(hash ^ value.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** @param {unknown} value @returns {value is number | string} */
function mayBeId(value) {
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && value.length <= MAX_ID);
}

/** @typedef {{ bit: number, name: string, last: unknown, seen: number, changes: number }} ChangingField */

/** The fields of the messages in one direction of a link. */
export class ChangingFields {
  /** @param {(bit: number, name: string) => void} onField   called for each new field */
  constructor(onField) {
    this.onField = onField;
    this.messages = 0;
    /** @type {ChangingField[]} */
    this.fields = [];
    this.present = 0;
    this.changed = 0;
    /** Hashes of the changed fields, in the order of their bits. */
    this.hashes = new Uint32Array(MAX_FIELDS);
    this.count = 0;
  }

  /**
   * Sets `present`, `changed`, `hashes` and `count`.
   * @param {any} message   a value that is no object has no fields
   * @param {boolean} isData   whether the message has no getters and is no proxy
   */
  read(message, isData) {
    this.present = 0;
    this.changed = 0;
    this.count = 0;
    if (typeof message !== 'object' || message === null) return;
    const isLearning = this.messages <= LEARNED;
    if ((!isLearning && this.fields.length === 0) || (!isData && isProxy(message))) return;
    if (isLearning) this.learn(message);
    this.messages += 1;
    for (const field of this.fields) {
      const value = isData ? message[field.name] : getOwnPropertyDescriptor(message, field.name)?.value;
      if (!mayBeId(value)) continue;
      this.present |= 1 << field.bit;
      field.seen += 1;
      if (value === field.last) continue;
      field.last = value;
      field.changes += 1;
      this.changed |= 1 << field.bit;
      this.hashes[this.count] = hashOf(value);
      this.count += 1;
    }
  }

  /** @returns {number} bits for the first word of a fact: which fields the last message has, and which of them changed */
  bits() {
    return (this.present << PRESENT_SHIFT) | (this.changed << CHANGED_SHIFT);
  }

  /** @param {any} message */
  learn(message) {
    if (this.messages === LEARNED) {
      this.fields = this.fields.filter(({ seen, changes }) => 2 * changes > seen);
      return;
    }
    let index = 0;
    for (const name of keys(message)) {
      index += 1;
      if (index > MAX_FIELDS || this.fields.length === MAX_FIELDS) return;
      if (this.fields.some((field) => field.name === name)) continue;
      if (!mayBeId(getOwnPropertyDescriptor(message, name)?.value)) continue;
      const bit = this.fields.length;
      this.fields.push({ bit, name, last: undefined, seen: 0, changes: 0 });
      this.onField(bit, name);
    }
  }
}
