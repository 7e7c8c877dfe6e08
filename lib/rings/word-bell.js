// A bell made of shared words: who rings counts the word of the other end up and wakes whoever waits for it, so that a
// ring between the last look and the sleep is never lost. An end has one word and one wait for all its channels.

/** @import { RingChannel } from './ring-channel.js' */
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

export class WordBell {
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

  /** @param {RingChannel} channel @param {number} peerWord @returns {Bell} */
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
