// How a broker of the user's own is reached: its URL alone says so, and the setting `net` is about private ones. A cell whose
// `net` is written and says otherwise is skipped, since its row would bear a name that is not true. So is one with any other
// setting of private servers. Where `net` is left out, the row bears none, and the environment of the results tells how the
// broker was reached.

import { isSocketUrl } from '../format/socket-url.js';

/** @param {string} url @returns {'unix' | 'tcp'} */
export function detectNet(url) {
  return isSocketUrl(url) ? 'unix' : 'tcp';
}

/**
 * @param {Pick<import('../types/transports.js').Transport, 'broker' | 'settings'>} transport
 * @param {Record<string, string>} written    settings, as the user gave them: of a default it matters that it was written
 * @param {Readonly<Record<string, string>>} brokerUrls
 * @returns {string | null} reason and remedy
 */
export function otherNetReason({ broker, settings = {} }, written, brokerUrls) {
  if (broker === undefined || !Object.hasOwn(brokerUrls, broker.name)) return null;
  const idle = Object.keys(written).find((name) => settings[name]?.ofPrivateServer);
  if (idle !== undefined) {
    return `${idle}=${written[idle]} is about a private server, and a URL is given for ${broker.name}: leave out ${idle}, or the URL`;
  }
  const { net } = written;
  const given = detectNet(brokerUrls[broker.name]);
  if (given === net || (net !== 'unix' && net !== 'tcp')) return null;
  const place = { unix: 'a unix socket', tcp: 'a host' };
  return `net=${net} needs ${place[net]}, and the URL given for ${broker.name} names ${place[given]}: leave out net, or give another URL`;
}
