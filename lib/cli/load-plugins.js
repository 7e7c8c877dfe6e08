// Options → the plug-ins they name, loaded and checked, with the reasons of those that cannot run here.

import { transportLabel } from '../cell/labels.js';
import { checkedSettings } from '../cell/settings.js';
import { whyOtherNet } from '../plan/broker-net.js';
import { whyCodecUnavailable, whyUnavailable } from '../plugins/availability.js';
import { loadCodecs, loadScenarios, loadTransports } from '../plugins/plugins.js';

/**
 * @param {import('../types/plans.js').Options} options
 * @param {string} [folder]   from which paths and packages are resolved
 */
export async function loadPlugins(options, folder) {
  const names = options.transports.map(({ name }) => name);
  const transports = await loadTransports(names, folder);
  const codecs = await loadCodecs(options.codecs, folder);
  const scenarios = await loadScenarios(options.scenarios, folder);
  /** @type {Map<string, string>} */
  const unavailable = new Map();
  for (const choice of options.transports) {
    const { plugin } =
      /** @type {import('../plugins/plugins.js').Loaded<import('../types/transports.js').Transport>} */ (
        [...transports.values()].find(({ askedAs }) => askedAs.includes(choice.name))
      );
    const settings = checkedSettings(plugin, choice.settings);
    const reason =
      whyOtherNet(plugin, choice.settings, options.brokerUrls) ??
      (await whyUnavailable(plugin, options.brokerUrls, settings));
    if (reason !== null) unavailable.set(transportLabel({ transport: plugin.name, settings }), reason);
  }
  /** @type {Map<string, string>} */
  const unavailableCodecs = new Map();
  for (const { plugin } of codecs.values()) {
    const reason = await whyCodecUnavailable(plugin);
    if (reason !== null) unavailableCodecs.set(plugin.name, reason);
  }
  return { transports, codecs, scenarios, unavailable, unavailableCodecs };
}
