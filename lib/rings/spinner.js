// Looks at the rings of ends that never sleep, again and again. A turn of the event loop takes longer than a message, so there
// are many looks in one turn: between two of them run the promises that a message has settled, and nothing else. Signals,
// timers and other sockets wait for the end of the turn.

/** @import { RingChannel } from './ring-channel.js' */

// How long others wait at most. A turn takes 1 to 2 µs itself.
const TURN_MS = 0.1;
const ROUNDS_PER_READING = 8; // of the clock
const LOOKS_PER_ROUND = 4; // where nothing comes; then promises have their turn

export class Spinner {
  constructor() {
    /** @type {Set<RingChannel>} all of this process: one that spun alone would keep the others waiting for a turn each */
    this.channels = new Set();
    this.isTurning = false;
    this.turn = this.turn.bind(this);
  }

  /** @param {RingChannel} channel */
  join(channel) {
    this.channels.add(channel);
    if (!this.isTurning) setImmediate(this.turn);
    this.isTurning = true;
  }

  /** @param {RingChannel} channel */
  leave(channel) {
    this.channels.delete(channel);
  }

  async turn() {
    const endMs = performance.now() + TURN_MS;
    do {
      for (let rounds = 0; rounds < ROUNDS_PER_READING; rounds += 1) {
        for (let looks = 0; looks < LOOKS_PER_ROUND && !this.look(); looks += 1);
        await undefined;
      }
    } while (performance.now() < endMs);
    this.isTurning = this.channels.size > 0;
    if (this.isTurning) setImmediate(this.turn);
  }

  /** @returns {boolean} something came */
  look() {
    let came = false;
    for (const channel of this.channels) came = channel.look() || came;
    return came;
  }
}
