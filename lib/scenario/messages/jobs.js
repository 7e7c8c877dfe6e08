// The jobs of a queue, as both its ends know them: each has a number of its own, a payload that follows from the number, and a
// receipt that follows from it as well. An acknowledgement carries the number and the receipt: one character, so that it is never
// longer than the job was.

import { FIRST_ID, idAt } from './sequence.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
/** What `next` gives when there is no job. */
export const NO_JOB = 0;

/** @param {string[]} payloads @returns {string[]} one for each of them, not the same as its neighbours' */
export function makeReceipts(payloads) {
  return payloads.map((_, index) => LETTERS[index % LETTERS.length]);
}

/** @param {number} id   of a job @param {number} payloads   that there are @returns {number} the place of its own, and of its receipt */
export function payloadIndex(id, payloads) {
  return (id - FIRST_ID) % payloads;
}

/** Those that the master has to offer: new ones without end, and first of all those that are offered again. */
export class Jobs {
  /** @param {{ readonly isOver: boolean }} meter   of the load */
  constructor(meter) {
    this.meter = meter;
    this.offered = 0;
    /** @type {number[]} numbers of jobs whose worker is gone */
    this.again = [];
  }

  /** @returns {number} its number; NO_JOB: no more are offered */
  next() {
    if (this.again.length > 0) return /** @type {number} */ (this.again.shift());
    if (this.meter.isOver) return NO_JOB;
    const id = idAt(this.offered);
    this.offered += 1;
    return id;
  }
}
