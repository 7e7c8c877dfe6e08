// When a stream that asked to wait takes more.

/** @import { Sink } from './stream-channel.js' */

/** @param {Pick<Sink, 'once' | 'off'>} stream    that needs to drain @returns {Promise<void>} also when it is closed */
export function waitForDrain(stream) {
  return new Promise((resolve) => {
    const settle = () => {
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.once('drain', settle);
    stream.once('close', settle);
  });
}
