// What one send takes to several workers, over a message system: each of them says how much it has read, as of what is sent to
// it alone, so that nothing is published faster than the slowest of them reads.

/** @import { Channel } from '../types/index.js' */
/** @import { MessageChannel } from './message-channel.js' */

/**
 * @param {MessageChannel[]} channels   of the workers
 * @param {(wire: string | Uint8Array) => void} publish   to all of them
 * @returns {Pick<Channel, 'send' | 'drained'>}
 */
export function publishedTo(channels, publish) {
  return {
    send(/** @type {string | Uint8Array} */ wire) {
      publish(wire);
      let hasRoom = true;
      for (const channel of channels) hasRoom = channel.countSent(wire) && hasRoom;
      return hasRoom;
    },
    async drained() {
      for (const channel of channels) await channel.drained();
    },
  };
}
