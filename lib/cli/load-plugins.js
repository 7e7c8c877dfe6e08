// Options → the plug-ins they name, loaded and checked, with the reasons of those that cannot run here.

import { loadCodecs, loadScenarios, loadTransports, whyUnavailable } from '../plugins.js';

/**
 * @param {import('../types.js').Options} options
 * @param {string} [folder]   from which paths and packages are resolved
 */
export async function loadPlugins(options, folder) {
  const names = options.transports.map(({ name }) => name);
  const transports = await loadTransports(names, folder);
  const codecs = await loadCodecs(options.codecs, folder);
  const scenarios = await loadScenarios(options.scenarios, folder);
  /** @type {Map<string, string>} */
  const unavailable = new Map();
  for (const { plugin } of transports.values()) {
    const reason = await whyUnavailable(plugin, options.redisUrl);
    if (reason !== null) unavailable.set(plugin.name, reason);
  }
  return { transports, codecs, scenarios, unavailable };
}
