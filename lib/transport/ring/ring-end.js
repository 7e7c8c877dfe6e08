// What a process, or a thread, makes of the memory that a launch shares: a channel to each other end, and one bell.

import { RingChannel } from './ring-channel.js';

/** @import { EndContext } from '../../types/index.js' */
/** @import { RingLayout } from './ring.js' */

export class RingEnd {
  /**
   * @param {EndContext} end
   * @param {object} parts
   * @param {RingLayout} parts.layout
   * @param {ArrayBuffer | SharedArrayBuffer} parts.memory
   * @param {number | 'master'} parts.self
   * @param {WordWaiting | null} [parts.waiting]   null: ends are woken in another way, or never sleep
   * @param {() => void} [parts.yieldCpu]
   */
  constructor(end, { layout, memory, self, waiting = null, yieldCpu }) {
    this.end = end;
    this.layout = layout;
    this.memory = memory;
    this.self = self;
    this.waiting = { yieldCpu, spinner: end.settings.wake === 'spin' ? new Spinner() : null };
    this.bell = waiting && new Doorbell(layout.bells(memory), layout.wordOf(self), waiting);
  }

  /** @param {number} worker @returns {{ channel: RingChannel, bell: Bell | null, leave: () => void }} */
  open(worker) {
    const { bell, layout, self } = this;
    const { toMaster, toWorker } = layout.ringsOf(this.memory, worker);
    const isMaster = self === 'master';
    const places = {
      incoming: isMaster ? toMaster : toWorker,
      outgoing: isMaster ? toWorker : toMaster,
    };
    const channel = new RingChannel(this.end, places, this.waiting);
    const peerWord = layout.wordOf(isMaster ? worker : 'master');
    return { channel, bell: bell?.between(channel, peerWord) ?? null, leave: () => bell?.leave(channel) };
  }
}

// A bell made of shared words: to ring, a process increments the word of the other end and wakes its waiter, so that a ring
// between the last look and the sleep is never lost. An end has one word and one wait for all its channels.

/**
 * @typedef {object} Bell
 * @property {() => void} ring        wakes the other end, which may have left
 * @property {() => void} sleep       the channel sleeps until its `wake` is called, which may happen without need
 */
/**
 * How to wait for a word without holding up the event loop, or not for long.
 * @typedef {object} WordWaiting
 * @property {(word: number, seen: number, whenOver: () => void) => void} wait   until the word is no longer `seen`, or time
 *                                       is up; `whenOver` is called in a later turn, also when it was another from the start
 * @property {(word: number) => void} wake       all who wait for it
 */

export class Doorbell {
  /** @param {Int32Array} words @param {number} ownWord @param {WordWaiting} waiting */
  constructor(words, ownWord, waiting) {
    this.words = words;
    this.ownWord = ownWord;
    this.waiting = waiting;
    this.seen = Atomics.load(words, ownWord);
    /** @type {Set<RingChannel>} */
    this.sleepers = new Set();
    this.isWaiting = false;
    this.stopWaiting = this.stopWaiting.bind(this);
  }

  /** @param {RingChannel} channel @param {number} peerWord */
  between(channel, peerWord) {
    return {
      ring: () => this.ring(peerWord),
      sleep: () => {
        this.sleepers.add(channel);
        this.wait();
      },
    };
  }

  /** @param {number} word */
  ring(word) {
    Atomics.add(this.words, word, 1);
    this.waiting.wake(word);
  }

  wait() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.waiting.wait(this.ownWord, this.seen, this.stopWaiting);
  }

  stopWaiting() {
    this.isWaiting = false;
    const now = Atomics.load(this.words, this.ownWord);
    if (now === this.seen) {
      if (this.sleepers.size > 0) this.wait();
      return;
    }
    this.seen = now; // before anybody looks: what is rung from here on ends the next wait
    const sleepers = [...this.sleepers];
    this.sleepers.clear();
    for (const channel of sleepers) channel.wake();
  }

  /** @param {RingChannel} channel   which is closed; with the last one the wait ends, so that a process can */
  leave(channel) {
    this.sleepers.delete(channel);
    if (this.isWaiting && this.sleepers.size === 0) this.ring(this.ownWord);
  }
}

// Looks at the rings of ends that never sleep, again and again. A turn of the event loop takes longer than a message, so there
// are many looks in one turn: between two of them run the promises that a message has settled, and nothing else. Signals,
// timers and other sockets wait for the end of the turn.
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
