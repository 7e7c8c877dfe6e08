// A launch as it travels between hosts: a spec without the plug-in URLs, paths, CPUs and programs of the host that made it. Each host fills
// in its own values, and rejects a spec that contains such values.

import { checkedValues } from '../cell/settings.js';
import { BenchError } from '../errors.js';

/** @import { MessageFile, Scenario, Transport } from '../types/index.js' */
/** @import { LaunchSpec } from './launch-spec.js' */

const OF_ONE_HOST = /** @type {const} */ ([
  'transportUrl',
  'codecUrl',
  'scenarioUrl',
  'scratchDir',
  'bindAddress',
  'cpus',
  'network',
  'programs',
  'peer',
  'profileDir',
  'path', // of the message file
]);

/** @typedef {(typeof OF_ONE_HOST)[number]} OfOneHost */
/** @typedef {Omit<LaunchSpec, OfOneHost | 'toMaster' | 'messageFile'> & {
 *   toMaster: Omit<NonNullable<LaunchSpec['toMaster']>, OfOneHost> | null, messageFile: Omit<MessageFile, OfOneHost> | null }} PortableSpec */
/**
 * The plug-ins of a launch in the installation of a host.
 * @typedef {object} HostPlugins
 * @property {{ url: string, plugin: Transport }} transport
 * @property {string | null} codecUrl   null if the channel serialises messages
 * @property {{ url: string, plugin: Scenario }} scenario
 * @property {{ url: string, plugin: Transport } | null} toMaster   transport of the last hop; null if it is that of the cell
 */

/** @param {object} fields @returns {any} fields that are equal on every host */
export function withoutHost(fields) {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !OF_ONE_HOST.includes(/** @type {any} */ (name))),
  );
}

/** @param {LaunchSpec} spec @returns {PortableSpec} */
export function makePortable({ toMaster, messageFile, ...spec }) {
  return {
    ...withoutHost(spec),
    toMaster: toMaster && withoutHost(toMaster),
    messageFile: messageFile && withoutHost(messageFile),
  };
}

/**
 * Fills in the paths and URLs of this host, and checks the settings.
 * @param {PortableSpec} spec   made by another host
 * @param {object} host   facts of this host
 * @param {HostPlugins} host.plugins
 * @param {string} host.scratchDir
 * @param {string} host.bindAddress
 * @param {(file: Omit<MessageFile, 'path'>) => MessageFile | null} host.messageFileOf   returns null if the command has no
 *   messages
 * @param {string} [host.profileDir]
 * @returns {LaunchSpec}
 * @throws {BenchError} HOST if the spec names code or files of another host; BAD_ARGUMENT for a setting that the plug-in does not have
 */
export function localise(spec, { plugins, messageFileOf, ...local }) {
  const { transport, codecUrl, scenario, toMaster } = plugins;
  for (const part of [spec, spec.toMaster, spec.messageFile]) refuseOtherHost(part);
  if ((spec.toMaster === null) !== (toMaster === null))
    throw new BenchError('HOST', 'the command and its launch differ in their last hop to the master');
  return {
    ...spec,
    ...local,
    cpus: null,
    network: null,
    transportUrl: transport.url,
    settings: checkedValues(transport.plugin, spec.settings),
    codecUrl,
    scenarioUrl: scenario.url,
    scenarioSettings: checkedValues(scenario.plugin, spec.scenarioSettings, '--scenario '),
    toMaster: toMaster && {
      .../** @type {NonNullable<PortableSpec['toMaster']>} */ (spec.toMaster),
      transportUrl: toMaster.url,
      settings: checkedValues(toMaster.plugin, spec.toMaster?.settings ?? {}),
    },
    messageFile: spec.messageFile && messageFileOf(spec.messageFile),
  };
}

/** @param {object | null} fields   made by another host @throws {BenchError} HOST */
export function refuseOtherHost(fields) {
  const foreign = OF_ONE_HOST.find((name) => Object.hasOwn(fields ?? {}, name));
  if (foreign === undefined) return;
  const why = 'a host takes plug-ins, files and programs from its own installation only';
  throw new BenchError('HOST', `it was sent a launch with "${foreign}" of another host: ${why}`);
}
