// Waiting for a word that threads share to change, by JavaScript's own means.

/** @import { WordWaiting } from '../../lib/transport/ring/ring-end.js' */

const LONGEST_BLOCK_MS = 1; // what a timer or the control line has to wait for at most

/**
 * The event loop goes on meanwhile.
 * @param {Int32Array} words   of a SharedArrayBuffer
 * @returns {WordWaiting}
 */
export function waitingAsync(words) {
  return {
    wait(word, seen, whenOver) {
      // ES2024, in Node since 16: the types that are used here do not know it.
      const { async, value } = /** @type {any} */ (Atomics).waitAsync(words, word, seen);
      if (async) value.then(whenOver);
      else setImmediate(whenOver);
    },
    wake: (word) => void Atomics.notify(words, word),
  };
}

/**
 * The thread stands still, again and again for a short while.
 * @param {Int32Array} words   of a SharedArrayBuffer
 * @returns {WordWaiting}
 */
export function waitingBlocked(words) {
  return {
    wait(word, seen, whenOver) {
      setImmediate(() => {
        Atomics.wait(words, word, seen, LONGEST_BLOCK_MS);
        whenOver();
      });
    },
    wake: (word) => void Atomics.notify(words, word),
  };
}
