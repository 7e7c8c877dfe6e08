// What an endpoint says over a channel: messages, where channel and codec do without a wire in between, or else what the codec makes of them.

/** @import { Channel, Codec, Message } from '../../types/index.js' */

const messages = Object.freeze({
  encode: (/** @type {Message} */ message) => message,
  decode(/** @type {Message | null} */ message) {
    if (message === null) throw new Error('not a message');
    return message;
  },
});

/**
 * @param {Pick<Channel, 'carry'>} channel
 * @param {Pick<Codec, 'encode' | 'decode' | 'inPlace'>} codec
 * @returns {Pick<Codec, 'encode' | 'decode'>} for this channel, both ways
 */
export function effectiveCodec(channel, codec) {
  return codec.inPlace !== undefined && channel.carry?.(codec) ? messages : codec;
}
