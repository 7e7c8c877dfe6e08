// A unix socket whose workers are busy for a known time before each question: the known difference that a self-test must
// find. No transport to choose: it stands outside of transports/.

import { builtinUrl } from '../plugins/builtins.js';

const US_PER_MS = 1e3;
/** @type {import('../types/transports.js').Transport} */
const unix = (await import(builtinUrl('transport', 'unix'))).default;

/** @type {import('../types/transports.js').Transport} */
export default {
  ...unix,
  name: 'slowed-unix',
  look: undefined, // it is not drawn as unix is
  summary: 'unix domain socket, each question later by a busy delay',
  settings: {
    ...unix.settings,
    delayUs: {
      summary: 'busy before each question',
      default: 0,
      ...{ min: 0, max: 1e6, unit: 'µs', takesFractions: true },
    },
  },
  async connect(guest) {
    const channel = await unix.connect(guest);
    const send = channel.send.bind(channel);
    const delayMs = Number(guest.settings.delayUs) / US_PER_MS;
    channel.send = (wire) => {
      const untilMs = performance.now() + delayMs;
      while (performance.now() < untilMs);
      return send(wire);
    };
    return channel;
  },
};
