// Notes each write of any socket of this process: for launches that are looked into, which it slows down.

import { Socket } from 'node:net';

/** @param {() => void} note   called after each write, when the kernel has the bytes, or as many as it took */
export function noteSocketWrites(note) {
  const prototype = /** @type {any} */ (Socket.prototype);
  for (const name of ['_write', '_writev']) {
    const write = prototype[name];
    prototype[name] = function (/** @type {any[]} */ ...given) {
      write.apply(this, given);
      note();
    };
  }
}
