// Turns argv into { options, plugins, plan } for every command that measures and for measure().

import { randomInt } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve as resolvePath } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transportLabel } from '../cell/labels.js';
import { THIS_NODE, transportToMaster } from '../cell/launch-roles.js';
import { checkedSettings, innerParts, labelParts, settingsLabel } from '../cell/settings.js';
import { BenchError } from '../errors.js';
import { fromHome, isFileUrl } from '../format/own-file.js';
import { printable } from '../format/printable.js';
import { networkProblem } from '../machine/delay-line.js';
import { freeMemoryBytes, readConnectionRoom } from '../machine/limits.js';
import { probePackages } from '../machine/native-packages.js';
import { cpusToPlan } from '../machine/placement.js';
import { NO_NETWORK } from '../options/axis-values.js';
import { refuseStrangeBrokers } from '../options/broker-urls.js';
import { resolve } from '../options/options.js';
import { unique } from '../options/quantities.js';
import { makePlan, namesOfCodecs, planCells, poolCodecs } from '../plan/plan.js';
import { otherNetReason } from '../plan/skip-reasons.js';
import { refuseListedWords, transportChoices, withoutGroups } from '../plan/transport-choices.js';
import { builtinNames, builtins, isBuiltin, isForeign } from '../plugins/builtins.js';
import { defaultSearchPaths, loadRuntimes, thisNode } from '../plugins/find-runtimes.js';
import { callPlugin } from '../plugins/plugin-call.js';
import {
  availabilityProblem,
  codecUnavailableReason,
  loadCodecs,
  loadedPlugins,
  loadScenarios,
  loadTransports,
  neededPackages,
} from '../plugins/plugins.js';
import { schemaOfFile } from '../workload/messages/payloads.js';

/** @import { OptionInputs } from '../options/options.js' */
/** @import { Kind } from '../plugins/builtins.js' */
/** @import { Options, Transport } from '../types/index.js' */
/** @typedef {Awaited<ReturnType<typeof prepared>>} PreparedOptions */
/** @typedef {(options: Options, chosen: ReadonlySet<string>) => Options} Adapt   `chosen`: the flags that the user has set */

/**
 * @param {Record<string, unknown>} argv   known flags only, without dashes
 * @param {OptionInputs} surroundings
 * @param {Adapt} [adapt]
 */
export async function prepared(argv, surroundings, adapt) {
  const [only] = await preparedSides([{ argv, tree: null, adapt }], surroundings);
  return only;
}

/**
 * @typedef {object} SideRequest
 * @property {Record<string, unknown>} argv
 * @property {string | null} tree     folder of the code that is measured; null for this installation
 * @property {Adapt} [adapt]
 * @property {string[]} [controls]   rows that are measured as controls beside those of argv, such as 'unix/json'
 */

/**
 * @param {SideRequest[]} requests   one for each side of the run
 * @param {OptionInputs} surroundings
 */
export async function preparedSides(requests, surroundings) {
  const sides = [];
  for (const request of requests) sides.push(await loadedSide(request, surroundings));
  const transports = sides.flatMap(({ plugins }) => [...plugins.transports.values()]);
  for (const { options } of sides) await refuseStrangeBrokers(options.brokerUrls, transports);
  const isNetworked = sides.some(({ options }) =>
    options.networks?.some((network) => network !== NO_NETWORK),
  );
  const noNetwork = isNetworked ? await networkProblem() : null;
  return sides.map((side) => {
    // The CPUs of other hosts are unknown until their agents report them.
    const cpus =
      side.isForced || side.options.hosts
        ? null
        : {
            ...cpusToPlan(),
            room: readConnectionRoom(),
            freeBytes: freeMemoryBytes(),
            whyNoNetwork: noNetwork,
          };
    const { controls, ...loaded } = side;
    const controlCells = controls.flatMap(({ options, plugins }) => planCells(options, plugins, cpus));
    const plan = makePlan(side.options, side.plugins, cpus, controlCells);
    return { ...withControls(loaded, controls), plan };
  });
}

/** @param {SideRequest} request @param {OptionInputs} surroundings */
async function loadedSide({ argv, tree, adapt = (options) => options, controls = [] }, surroundings) {
  const { options: given, ...resolved } = await resolve(argv, surroundings);
  const written = adapt(given, resolved.chosen);
  await refuseListedWords(written);
  const { options, folder } = optionsOfTree(await withoutGroups(written), tree);
  const side = { ...resolved, options, plugins: await loadPlugins(options, folder) };
  const loaded = [];
  for (const row of controls) loaded.push(await loadedControl(row, { argv, tree }, surroundings));
  return { ...side, controls: loaded };
}

/** @typedef {{ options: Options, plugins: Awaited<ReturnType<typeof loadPlugins>> }} LoadedRows */

/** @param {string} row @param {SideRequest} request @param {OptionInputs} surroundings @returns {Promise<LoadedRows>} */
async function loadedControl(row, { argv, tree }, surroundings) {
  const at = row.lastIndexOf('/');
  const [transport, codec] = [row.slice(0, at), row.slice(at + 1)];
  const { options: written } = await resolve({ ...argv, transport, codec }, surroundings);
  // The combinations of a preset are dropped, because they may exclude the control.
  const { options, folder } = optionsOfTree({ ...written, series: null }, tree, { mayBeIdle: true });
  return { options, plugins: await loadPlugins(options, folder) };
}

/**
 * @template {LoadedRows} T
 * @param {T} side
 * @param {LoadedRows[]} controls
 * @returns {T} with the transports and codecs of the controls
 */
function withControls(side, controls) {
  if (controls.length === 0) return side;
  const all = [side, ...controls];
  const plugins = all.map((one) => one.plugins);
  const transports = all.flatMap(({ options }) => options.transports);
  return {
    ...side,
    options: Object.freeze({
      ...side.options,
      transports: unique(transports, JSON.stringify),
      codecs: unique(all.flatMap(({ options }) => options.codecs)),
    }),
    plugins: {
      ...side.plugins,
      transports: new Map(plugins.flatMap((one) => [...one.transports])),
      codecs: new Map(plugins.flatMap((one) => [...one.codecs])),
      choices: plugins.flatMap(({ choices }) => choices),
      unavailableCodecs: new Map(plugins.flatMap((one) => [...one.unavailableCodecs])),
    },
  };
}

/**
 * @param {PreparedOptions} planned
 * @param {Record<string, any>} argv   names the config file
 * @returns {string[]} paths of the files that the command reads
 */
export function listInputs({ options: { messageFile }, plugins, continues }, { config }) {
  const { transports, codecs, scenarios, onward } = plugins;
  const own = [transports, codecs, scenarios, onward].flatMap((loaded) =>
    [...loaded.values()].filter(isForeign).map(({ url }) => fileURLToPath(url)),
  );
  return [...own, ...[config, continues, messageFile?.path].filter((path) => typeof path === 'string')];
}

/** @param {OptionInputs['environment']} environment @returns {OptionInputs} */
export function readSurroundings(environment) {
  return { environment, now: new Date(), randomSeed: randomInt(2 ** 32) };
}

/**
 * Loads and checks the plug-ins, and finds why some cannot run on this machine.
 * @param {Options} options
 * @param {string} [folder]   base for relative paths and packages
 */
export async function loadPlugins(options, folder) {
  const names = options.transports.map(({ name }) => name);
  const transports = await loadTransports(names, folder);
  const ofTransports = [...transports.values()].flatMap(
    ({ plugin }) => poolCodecs(plugin) ?? namesOfCodecs(plugin, options),
  );
  const codecs = await loadCodecs([...new Set([...options.codecs, ...ofTransports])], folder);
  const scenarios = await loadScenarios(options.scenarios, folder);
  const chosen = transportChoices(options.transports, transports);
  const labelOf = (/** @type {typeof chosen[number]} */ { transport: { name }, settings }) =>
    transportLabel({ transport: name, settings });
  // The checks below run one after the other, so the native packages that they need begin to load here.
  probePackages(
    [...chosen.map(({ transport }) => transport), ...loadedPlugins(codecs)].flatMap(neededPackages),
  );
  /** @type {Map<string, string>} label → reason */
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
    const reason = await callChecked('codec', plugin.name, () => codecUnavailableReason(plugin));
    if (reason !== null) unavailableCodecs.set(plugin.name, reason);
  }
  const onward = await loadOnward(scenarios, options, folder);
  const messageSchema = await schemaOfFile(options.messageFile);
  const { runtimes: named = [THIS_NODE], runtimePath } = options;
  const runtimes = {
    choices: await loadRuntimes(named, defaultSearchPaths(runtimePath)),
    thisNode: await thisNode(),
  };
  return { transports, codecs, scenarios, onward, choices, unavailableCodecs, messageSchema, runtimes };
}

/**
 * @param {Awaited<ReturnType<typeof loadScenarios>>} scenarios
 * @param {Options} options
 * @param {string} [folder]
 * @returns {Promise<Map<string, import('../plugins/plugins.js').Onward>>} transports that settings of scenarios name, such as to=tcp, by
 *   label
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
  const checked = withoutRemoteBroker(transport, options);
  return callChecked('transport', transport.name, () =>
    availabilityProblem(checked, options.brokerUrls, settings),
  );
}

/**
 * Calls a plug-in with a deadline, since third-party code may never return.
 * @param {'transport' | 'codec'} kind
 * @param {string} name
 * @param {() => Promise<string | null>} call
 */
function callChecked(kind, name, call) {
  return callPlugin(`whyUnavailable of ${kind} ${name}`, 'called', call);
}

/** @param {Transport} transport @param {Options} options @returns {Transport} */
function withoutRemoteBroker(transport, { hosts }) {
  // The master's host starts the private broker, and its agent reports what is missing.
  return hosts === undefined ? transport : { ...transport, broker: undefined };
}

// The folder whose code is compared is the base for relative paths and packages. If it is a checkout of ipc-bench, built-in transports,
// codecs and scenarios are loaded from it too. Everything else comes from this installation for both variants.

/**
 * @param {Options} options
 * @param {string | null} tree
 * @param {{ mayBeIdle?: boolean }} [rules]   mayBeIdle: whether the folder may lack measured code
 * @returns {{ options: Options, folder: string | undefined }} `folder` is the base for relative paths and packages
 * @throws {BenchError} BAD_ARGUMENT
 */
export function optionsOfTree(options, tree, { mayBeIdle = false } = {}) {
  if (tree === null) return { options, folder: undefined };
  const folder = resolvePath(fromHome(tree));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BenchError('BAD_ARGUMENT', `--run: there is no folder ${printable(folder)}; check the path`);
  }
  if (!isCheckout(folder)) {
    if (!mayBeIdle) refuseIdleFolder(options, folder);
    return { options, folder };
  }
  const placed = (/** @type {Kind} */ kind, /** @type {string} */ name) => {
    if (!isBuiltin(kind, name)) return name;
    const files = builtins(kind, pathToFileURL(`${folder}/`));
    if (Object.hasOwn(files, name)) return fileURLToPath(files[name]);
    throw new BenchError(
      'BAD_ARGUMENT',
      `--run: ${printable(folder)} has no ${kind} ${name}; choose another`,
    );
  };
  return {
    folder,
    options: Object.freeze({
      ...options,
      transports: options.transports.map((choice) => ({ ...choice, name: placed('transport', choice.name) })),
      codecs: options.codecs.map((name) => placed('codec', name)),
      scenarios: options.scenarios.map((label) => {
        const { name, written } = labelParts(label);
        return settingsLabel(placed('scenario', name), written);
      }),
    }),
  };
}

/**
 * Refuses a folder that provides no measured code.
 * @param {Options} options
 * @param {string} folder
 */
function refuseIdleFolder({ transports, codecs, scenarios }, folder) {
  const named = [
    ...transports.map(({ name }) => ({ name, builtin: builtinNames('transport') })),
    ...codecs.map((name) => ({ name, builtin: builtinNames('codec') })),
    ...scenarios.map((label) => ({ name: labelParts(label).name, builtin: builtinNames('scenario') })),
  ];
  // A setting may name a transport: `relay:to=./mine.js`.
  if (
    scenarios.some((label) =>
      Object.values(labelParts(label).written).some((text) => /^\.\.?[\\/]/.test(text)),
    )
  )
    return;
  if (named.some(({ name, builtin }) => !builtin.includes(name) && !isAbsolute(name) && !isFileUrl(name)))
    return;
  throw new BenchError(
    'BAD_ARGUMENT',
    `--run: @${printable(folder)} has no effect: it is not a checkout of ipc-bench, and all plug-ins of the variant are built in. ` +
      'Name a file of that folder, as in --transport ./mine.js, or leave out the folder',
  );
}

/** @param {string} folder */
function isCheckout(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === 'ipc-bench';
  } catch {
    return false;
  }
}
