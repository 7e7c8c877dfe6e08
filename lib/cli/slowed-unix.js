// A unix socket whose master busy-waits before each response: the known difference that a self-test must detect. It is in this folder
// because users should not choose it.

import { US_PER_MS } from '../format/units.js';
import { builtinUrl } from '../plugins/builtins.js';

/** @import { Channel } from '../types/index.js' */

/** @type {import('../types/transports.js').Transport} */
const unix = (await import(builtinUrl('transport', 'unix'))).default;

/** @type {import('../types/transports.js').Transport} */
export default {
  ...unix,
  name: 'slowed-unix',
  look: undefined, // drops the colour and the marker of unix
  summary: 'unix domain socket, each response after a busy delay',
  settings: {
    ...unix.settings,
    delayUs: {
      summary: 'busy before each response',
      default: 0,
      min: 0,
      max: 1e6,
      unit: 'µs',
      takesFractions: true,
    },
  },
  listen(host) {
    const onChannel = (/** @type {Channel} */ channel, /** @type {string} */ workerId) =>
      host.onChannel(slowed(channel, Number(host.settings.delayUs)), workerId);
    return unix.listen({ ...host, onChannel });
  },
};

/** @param {Channel} channel @param {number} delayUs */
function slowed(channel, delayUs) {
  const send = channel.send.bind(channel);
  channel.send = (wire) => {
    const untilMs = performance.now() + delayUs / US_PER_MS;
    while (performance.now() < untilMs);
    return send(wire);
  };
  return channel;
}
