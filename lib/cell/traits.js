// What a transport is with the settings of a cell: a durable queue is another thing than one in memory, though one file
// makes both.

/** @import { Traits, Transport } from '../types/index.js' */

/**
 * @param {Pick<Transport, 'traits' | 'traitsOf' | 'settings'>} transport
 * @param {Readonly<Record<string, string | number | boolean>>} chosen   settings; what is missing has its default
 * @returns {Traits}
 */
export function resolveTraits(transport, chosen) {
  if (transport.traitsOf === undefined) return transport.traits;
  return { ...transport.traits, ...transport.traitsOf({ ...settingDefaults(transport), ...chosen }) };
}

/**
 * @param {Pick<Transport, 'settings'>} plugin   a transport or a scenario
 * @returns {Record<string, string | number | boolean>}
 */
export function settingDefaults({ settings = {} }) {
  return Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, setting.default]));
}
