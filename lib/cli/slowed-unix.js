// A unix socket whose master is busy for a known time before each answer: the known difference that a self-test must find.
// All messages pass the master, which has little else to do than to wait for its CPU. No transport to choose: it stands outside of transports/.

import { US_PER_MS } from '../format/units.js';
import { builtinUrl } from '../plugins/builtins.js';

/** @import { Channel } from '../types/index.js' */

/** @type {import('../types/transports.js').Transport} */
const unix = (await import(builtinUrl('transport', 'unix'))).default;

/** @type {import('../types/transports.js').Transport} */
export default {
  ...unix,
  name: 'slowed-unix',
  look: undefined, // it is not drawn as unix is
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

/** @param {Channel} channel @param {number} delayUs @returns {Channel} the same, busy for so long before each message that it sends */
function slowed(channel, delayUs) {
  const send = channel.send.bind(channel);
  channel.send = (wire) => {
    const untilMs = performance.now() + delayUs / US_PER_MS;
    while (performance.now() < untilMs);
    return send(wire);
  };
  return channel;
}
