// Options → the plug-ins they name, loaded and checked, with the reasons of those that cannot run here.

import { transportLabel } from '../cell/labels.js';
import { transportToMaster } from '../cell/launch-roles.js';
import { THIS_NODE } from '../cell/runtime-text.js';
import { checkedSettings, innerParts } from '../cell/settings.js';
import { otherNetReason } from '../plan/skip-reasons.js';
import { transportChoices } from '../plan/transport-choices.js';
import { codecUnavailableReason, whyUnavailable } from '../plugins/availability.js';
import { hopedForRuntimes, loadRuntimes, searchPlaces, thisNode } from '../plugins/find-runtimes.js';
import { callPlugin } from '../plugins/plugin-call.js';
import { loadCodecs, loadScenarios, loadTransports } from '../plugins/plugins.js';
import { schemaOfFile } from '../scenario/messages/payloads.js';

/** @import { Options, Transport } from '../types/index.js' */

/**
 * @param {Options} options
 * @param {string} [folder]   from which paths and packages are resolved
 */
export async function loadPlugins(options, folder) {
  const names = options.transports.map(({ name }) => name);
  const transports = await loadTransports(names, folder);
  const codecs = await loadCodecs(options.codecs, folder);
  const scenarios = await loadScenarios(options.scenarios, folder);
  const chosen = transportChoices(options.transports, transports);
  const labelOf = (/** @type {typeof chosen[number]} */ { transport: { name }, settings }) =>
    transportLabel({ transport: name, settings });
  /** @type {Map<string, string>} by label, however often and in whatever way one was written */
  const unavailable = new Map();
  for (const choice of chosen) {
    const { transport, settings, written } = choice;
    const reason =
      otherNetReason(transport, written, options.brokerUrls) ??
      (await findSkipReason(transport, options, settings));
    if (reason !== null) unavailable.set(labelOf(choice), reason);
  }
  const choices = chosen.map((choice) => ({
    transport: choice.transport,
    settings: choice.settings,
    unavailable: unavailable.get(labelOf(choice)) ?? null,
  }));
  /** @type {Map<string, string>} */
  const unavailableCodecs = new Map();
  for (const { plugin } of codecs.values()) {
    const reason = await askPlugin('codec', plugin.name, () => codecUnavailableReason(plugin));
    if (reason !== null) unavailableCodecs.set(plugin.name, reason);
  }
  const onward = await loadOnward(scenarios, options, folder);
  const messageSchema = schemaOfFile(options.messageFile);
  const { hosts, runtimes: asked = [THIS_NODE], runtimePath } = options;
  const runtimes = {
    choices: await (hosts ? hopedForRuntimes(asked) : loadRuntimes(asked, searchPlaces(runtimePath))),
    thisNode: await thisNode(),
  };
  return { transports, codecs, scenarios, onward, choices, unavailableCodecs, messageSchema, runtimes };
}

/**
 * @param {Awaited<ReturnType<typeof loadScenarios>>} scenarios
 * @param {Options} options
 * @param {string} [folder]
 * @returns {Promise<Map<string, import('../plugins/plugins.js').Onward>>} what their settings name, by how it was written
 */
async function loadOnward(scenarios, options, folder) {
  const onward = new Map();
  for (const { plugin: scenario } of scenarios.values()) {
    const label = transportToMaster(scenario);
    if (label === null || onward.has(label)) continue;
    const flag = `--scenario ${scenario.name}`;
    const { name, written } = innerParts(label);
    const [{ plugin, url }] = (await loadTransports([name], folder, flag)).values();
    const settings = checkedSettings(plugin, written, `${flag}: `);
    onward.set(label, {
      plugin,
      url,
      settings,
      unavailable:
        otherNetReason(plugin, written, options.brokerUrls) ??
        (await findSkipReason(plugin, options, settings)),
    });
  }
  return onward;
}

/** @param {Transport} transport @param {Options} options @param {Readonly<Record<string, string | number | boolean>>} settings */
function findSkipReason(transport, options, settings) {
  const served = servedHere(transport, options);
  return askPlugin('transport', transport.name, () => whyUnavailable(served, options.brokerUrls, settings));
}

/**
 * It may be code of somebody else, which never answers.
 * @param {'transport' | 'codec'} kind
 * @param {string} name
 * @param {() => Promise<string | null>} ask
 * @returns {Promise<string | null>}
 */
function askPlugin(kind, name, ask) {
  return callPlugin(`whyUnavailable of ${kind} ${name}`, 'called', ask);
}

/** @param {Transport} transport @param {Options} options @returns {Transport} as far as this host has to have something for it */
function servedHere(transport, { hosts }) {
  // Its private broker is started on the master's host, which tells what it lacks.
  return hosts === undefined ? transport : { ...transport, broker: undefined };
}
