// Where what lies in the memory that a launch shares: a word for each end's bell, then two rings for each worker.

import { ringFootprintBytes } from './ring.js';

/** @import { RingPlace } from './ring.js' */

const BELL_BYTES = 128; // a line of the cache for each, and no two of them fetched together
const BELL_WORDS = BELL_BYTES / Int32Array.BYTES_PER_ELEMENT;

export class RingLayout {
  /** @param {number} workers @param {number} ringBytes    a power of two */
  constructor(workers, ringBytes) {
    this.workers = workers;
    this.ringBytes = ringBytes;
    this.bellBytes = BELL_BYTES * (1 + workers);
    /** Of the whole memory: bells and rings. */
    this.bytes = this.bellBytes + 2 * workers * ringFootprintBytes(ringBytes);
  }

  /** @param {ArrayBuffer | SharedArrayBuffer} memory @returns {Int32Array} */
  bells(memory) {
    return new Int32Array(memory, 0, this.bellBytes / Int32Array.BYTES_PER_ELEMENT);
  }

  /** @param {number | 'master'} end */
  wordOf(end) {
    return end === 'master' ? 0 : (1 + end) * BELL_WORDS;
  }

  /** @param {string} workerId @returns {number} from 0; -1: there is no such worker */
  indexOf(workerId) {
    const worker = /^w\d{1,9}$/.test(workerId) ? Number(workerId.slice(1)) : -1;
    return worker < this.workers ? worker : -1;
  }

  /**
   * @param {ArrayBuffer | SharedArrayBuffer} memory
   * @param {number} worker
   * @returns {{ toMaster: RingPlace, toWorker: RingPlace }}
   */
  ringsOf(memory, worker) {
    const { ringBytes } = this;
    const footprint = ringFootprintBytes(ringBytes);
    const byteOffset = this.bellBytes + 2 * worker * footprint;
    return {
      toMaster: { memory, byteOffset, ringBytes },
      toWorker: { memory, byteOffset: byteOffset + footprint, ringBytes },
    };
  }
}
