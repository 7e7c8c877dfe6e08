// Text and bytes on their way out of the process.

/** @import { Output } from './main.js' */

/**
 * @param {Output} stream
 * @param {string | Uint8Array} content
 * @returns {Promise<void>} once it is on its way; a reader who left is no failure
 */
export function writeOut(stream, content) {
  return new Promise((resolve) => {
    stream.write(content, () => resolve());
  });
}
