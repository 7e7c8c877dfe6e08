// The jobs of a queue. Payload and receipt follow from the id of a job. An acknowledgement carries the id and the receipt, which is one
// character, so it is never longer than the job.

import { FIRST_ID, idAt } from './message-ids.js';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'; // no codec needs to escape these
/** Returned by `next` if there is no job. */
export const NO_JOB = 0;

/** @param {string[]} payloads @returns {string[]} one for each payload, different from its neighbours */
export function makeReceipts(payloads) {
  return payloads.map((_, index) => LETTERS[index % LETTERS.length]);
}

/** @param {number} id @param {number} payloads   number of payloads @returns {number} index of the payload and of the receipt */
export function payloadIndex(id, payloads) {
  return (id - FIRST_ID) % payloads;
}

/** The jobs that the master offers: first the jobs of dead workers again, then new jobs. */
export class Jobs {
  /** @param {{ readonly isOver: boolean }} meter */
  constructor(meter) {
    this.meter = meter;
    this.offered = 0;
    /** @type {number[]} ids of jobs whose worker has died */
    this.again = [];
  }

  /** @returns {number} id, or NO_JOB when the load is over */
  next() {
    if (this.again.length > 0) return /** @type {number} */ (this.again.shift());
    if (this.meter.isOver) return NO_JOB;
    const id = idAt(this.offered);
    this.offered += 1;
    return id;
  }
}
