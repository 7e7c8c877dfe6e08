// Whether what was loaded can be used here: the platform, the packages, the server that it needs.

import { defaultsOf } from '../cell/traits.js';

/** @import { Codec } from '../types/messages.js' */
/** @import { Transport } from '../types/transports.js' */

/**
 * @param {Codec} codec
 * @returns {Promise<string | null>} reason and remedy
 */
export async function whyCodecUnavailable({ whyUnavailable }) {
  return (await whyUnavailable?.()) ?? null;
}

/**
 * @param {Transport} transport
 * @param {Readonly<Record<string, string>>} brokerUrls   name of a broker → URL of one of the user's own
 * @param {Readonly<Record<string, string | number | boolean>>} [chosen]   settings that differ from the defaults
 * @returns {Promise<string | null>} reason and remedy
 */
export async function whyUnavailable(transport, brokerUrls, chosen = {}) {
  const { platforms } = transport.traits;
  if (!platforms.includes(process.platform)) {
    return `${transport.name} exists on ${platforms.join(', ')} only, this is ${process.platform}`;
  }
  const settings = { ...defaultsOf(transport), ...chosen };
  const own = await transport.whyUnavailable?.(settings);
  if (own !== undefined) return own;
  const needsServer = transport.broker !== undefined && !Object.hasOwn(brokerUrls, transport.broker.name);
  return (needsServer ? await transport.broker?.whyUnavailable(settings) : undefined) ?? null;
}
