// Whether what was loaded can be used here: the platform, the packages, the server that it needs.

import { settingDefaults } from '../cell/traits.js';

/** @import { Codec, Transport } from '../types/index.js' */

/**
 * @param {Codec} codec
 * @param {boolean} [isGlance]   as of a transport
 * @returns {Promise<string | null>} reason and remedy
 */
export async function codecUnavailableReason({ whyUnavailable: transportUnavailableReason }, isGlance) {
  return (await transportUnavailableReason?.(isGlance)) ?? null;
}

/**
 * @param {Transport} transport
 * @param {Readonly<Record<string, string>>} brokerUrls   name of a broker → URL of one of the user's own
 * @param {Readonly<Record<string, string | number | boolean>>} [chosen]   settings that differ from the defaults
 * @param {boolean} [isGlance]   nothing is measured with it: what can be seen without loading a package is enough
 * @returns {Promise<string | null>} reason and remedy
 */
export async function whyUnavailable(transport, brokerUrls, chosen = {}, isGlance = false) {
  const { platforms } = transport.traits;
  if (!platforms.includes(process.platform)) {
    return `${transport.name} exists on ${platforms.join(', ')} only, this is ${process.platform}`;
  }
  const settings = { ...settingDefaults(transport), ...chosen };
  const own = await transport.whyUnavailable?.(settings, isGlance);
  if (own !== undefined) return own;
  const needsServer = transport.broker !== undefined && !Object.hasOwn(brokerUrls, transport.broker.name);
  return (needsServer ? await transport.broker?.whyUnavailable(settings, isGlance) : undefined) ?? null;
}
