// The end of a process or thread in the shared memory of a launch: a channel to each peer, and one doorbell that wakes them or one spinner
// that keeps them awake.

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
   * @param {WordWaiting | null} [parts.waiting]   null if ends are woken in another way, or never sleep
   * @param {() => void} [parts.yieldCpu]
   */
  constructor(end, { layout, memory, self, waiting = null, yieldCpu }) {
    this.end = end;
    this.layout = layout;
    this.memory = memory;
    this.self = self;
    this.waiting = { yieldCpu, spinner: end.settings.wake === 'spin' ? new Spinner() : null };
    this.notifier = waiting && new Doorbell(layout.doorbells(memory), layout.wordOf(self), waiting);
  }

  /** @param {number} worker @returns {{ channel: RingChannel, notifier: Notifier | null, leave: () => void }} notifier: null without `waiting` */
  open(worker) {
    const { notifier, layout, self } = this;
    const { toMaster, toWorker } = layout.ringsOf(this.memory, worker);
    const isMaster = self === 'master';
    const rings = {
      incoming: isMaster ? toMaster : toWorker,
      outgoing: isMaster ? toWorker : toMaster,
    };
    const channel = new RingChannel(this.end, rings, this.waiting);
    const peerWord = layout.wordOf(isMaster ? worker : 'master');
    return {
      channel,
      notifier: notifier?.between(channel, peerWord) ?? null,
      leave: () => notifier?.leave(channel),
    };
  }
}

/**
 * @typedef {object} Notifier
 * @property {() => void} notify      wakes the other end, which may have disconnected
 * @property {() => void} sleep       the channel sleeps until its `wake` is called, which may be spurious
 */
/**
 * Waits for a change of a shared word, without blocking the event loop for long.
 * @typedef {object} WordWaiting
 * @property {(word: number, seen: number, whenOver: () => void) => void} wait   waits for another value than `seen`, or a timeout;
 *                                       `whenOver` is called in a later iteration of the event loop, even if the word differs
 *                                       from the start
 * @property {(word: number) => void} wake       ends all waits for this word
 */

/**
 * To notify, a process increments the word of the other end and wakes its wait, so that a notification between the last poll and the
 * sleep is not lost. An end has one word and one wait for all its channels.
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
      notify: () => this.notify(peerWord),
      sleep: () => {
        this.sleepers.add(channel);
        this.wait();
      },
    };
  }

  /** @param {number} word */
  notify(word) {
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
    this.seen = now; // before any channel polls: a later notification ends the next wait
    const sleepers = [...this.sleepers];
    this.sleepers.clear();
    for (const channel of sleepers) channel.wake();
  }

  /** Ends the wait if no other channel sleeps, since a wait keeps the process alive. @param {RingChannel} channel */
  leave(channel) {
    this.sleepers.delete(channel);
    if (this.isWaiting && this.sleepers.size === 0) this.notify(this.ownWord);
  }
}

// Time for which the rings are polled in each iteration of the event loop, which spends 1 to 2 µs per iteration on itself.
const ITERATION_MS = 0.1;
const ROUNDS_PER_READING = 8; // rounds per reading of the clock
const POLLS_PER_ROUND = 4; // polls of empty rings before pending promises run

/**
 * Polls the rings of ends that never sleep. An iteration of the event loop takes longer than a message, so each iteration polls
 * many times and runs only promises in between. Signals, timers and other sockets wait for the end of the iteration.
 */
export class Spinner {
  constructor() {
    /** @type {Set<RingChannel>} all channels of a RingEnd, since separate spinners would wait for each other */
    this.channels = new Set();
    this.isPolling = false;
    this.busyPoll = this.busyPoll.bind(this);
  }

  /** @param {RingChannel} channel */
  join(channel) {
    this.channels.add(channel);
    if (!this.isPolling) setImmediate(this.busyPoll);
    this.isPolling = true;
  }

  /** @param {RingChannel} channel */
  leave(channel) {
    this.channels.delete(channel);
  }

  async busyPoll() {
    const endMs = performance.now() + ITERATION_MS;
    do {
      for (let rounds = 0; rounds < ROUNDS_PER_READING; rounds += 1) {
        for (let polls = 0; polls < POLLS_PER_ROUND && !this.poll(); polls += 1);
        await undefined;
      }
    } while (performance.now() < endMs);
    this.isPolling = this.channels.size > 0;
    if (this.isPolling) setImmediate(this.busyPoll);
  }

  /** @returns {boolean} true if something was read */
  poll() {
    let came = false;
    for (const channel of this.channels) came = channel.poll() || came;
    return came;
  }
}
