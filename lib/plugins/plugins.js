// A name, a path or a package → a checked module and its URL, so that every process of a launch runs the same code.
// The folder is the registry of what is built in; anything else is loaded only when it is named.

import { checkedSettings, labelParts, settingsLabel } from '../cell/settings.js';
import { defaultsOf } from '../cell/traits.js';
import { BenchError } from '../errors.js';
import { printable } from '../words/printable.js';
import { builtins, builtinUrl } from './builtins.js';
import { codecFaults } from './codec-faults.js';
import { foreignTurn } from './foreign-turn.js';
import { foreignUrl } from './foreign-url.js';
import { loadFault } from './load-fault.js';
import { faultsIn } from './plugin-faults.js';

/** @import { Kind } from './builtins.js' */
/** @import { Codec, Report, Scenario, Transport } from '../types/index.js' */
/**
 * @template T
 * @typedef {object} Loaded
 * @property {T} plugin
 * @property {string} url
 * @property {string[]} askedAs      as the user wrote it, once or in several ways
 */

/**
 * A transport between what stands in the middle and the master.
 * @typedef {Pick<Loaded<Transport>, 'plugin' | 'url'> & { settings: Record<string, string | number | boolean>, unavailable: string | null }} Onward
 *   settings: what differs from the defaults; unavailable: reason and remedy
 */
/**
 * What a plan is made of, by name.
 * @typedef {object} LoadedPlugins
 * @property {Map<string, Pick<Loaded<Transport>, 'plugin' | 'url'>>} transports
 * @property {Map<string, Pick<Loaded<Codec>, 'plugin' | 'url'>>} codecs
 * @property {Map<string, Pick<Loaded<Scenario>, 'plugin' | 'url'>>} scenarios
 * @property {{ choices: readonly import('../types/runtimes.js').RuntimeChoice[], thisNode: import('../types/runtimes.js').FoundRuntime }} [runtimes]   absent: this Node plays all
 * @property {Map<string, Onward>} [onward]   as settings of scenarios name them; absent: none does
 */

/**
 * @param {string[]} names
 * @param {string} [folder]   from which paths and packages are resolved
 * @param {string} [flag]     by which they were asked for
 * @returns {Promise<Map<string, Loaded<Transport>>>} by the plug-in's own name
 */
export function loadTransports(names, folder, flag) {
  return loadAll('transport', names, folder, { flag });
}

/**
 * @param {string[]} names
 * @param {string} [folder]
 * @returns {Promise<Map<string, Loaded<Codec>>>}
 */
export function loadCodecs(names, folder) {
  return loadAll('codec', names, folder);
}

/**
 * @param {string[]} names
 * @param {string} [folder]
 * @returns {Promise<Map<string, Loaded<Scenario>>>}
 */
export function loadScenarios(names, folder) {
  return loadAll('scenario', names, folder, { change: configured });
}

/**
 * A scenario with settings is another question: it has a name of its own.
 * @param {Scenario} scenario
 * @param {Record<string, string>} written
 * @returns {Scenario}
 */
export function configured(scenario, written) {
  const settings = checkedSettings(scenario, written, '--scenario ');
  const chosen = { ...defaultsOf(scenario), ...settings };
  return {
    ...scenario,
    ...scenario.ofSettings?.(chosen),
    name: settingsLabel(scenario.name, settings),
    chosen,
  };
}

/**
 * @param {string} name
 * @returns {Promise<Report>}
 */
export async function loadReport(name) {
  return (await load('report', name, undefined)).plugin;
}

/**
 * @param {string[]} names
 * @param {string} [folder]
 * @returns {Promise<Map<string, Loaded<Report>>>}
 */
export function loadReports(names, folder) {
  return loadAll('report', names, folder);
}

/**
 * @param {Kind} kind
 * @param {string[]} names
 * @param {string} [folder]
 * @param {object} [how]
 * @param {(plugin: any, written: Record<string, string>) => any} [how.change]   what a name with settings stands for; left out: names have none
 * @param {string} [how.flag]   by which they were asked for
 * @returns {Promise<Map<string, Loaded<any>>>}
 */
async function loadAll(kind, names, folder, { change, flag } = {}) {
  /** @type {Map<string, Loaded<any>>} */
  const loaded = new Map();
  const loading = names.map((name) =>
    change ? loadConfigured(kind, name, folder, change) : load(kind, name, folder, flag),
  );
  // Of several that cannot be loaded the first is told of.
  await Promise.allSettled(loading);
  for (const [index, name] of names.entries()) {
    const one = await loading[index];
    const same = loaded.get(one.plugin.name);
    if (same === undefined) loaded.set(one.plugin.name, { ...one, askedAs: [name] });
    else if (same.url === one.url) same.askedAs.push(name);
    else {
      const what = `two ${kind}s call themselves "${one.plugin.name}": ${same.url} and ${one.url}`;
      throw new BenchError('BAD_PLUGIN', `${what}. Their rows could not be told apart; rename one.`);
    }
  }
  return loaded;
}

/**
 * @param {Kind} kind
 * @param {string} label
 * @param {string | undefined} folder
 * @param {(plugin: any, written: Record<string, string>) => any} change
 * @returns {Promise<{ plugin: any, url: string }>}
 */
async function loadConfigured(kind, label, folder, change) {
  const { name, written } = labelParts(label);
  const { plugin, url } = await load(kind, name, folder);
  try {
    return { plugin: change(plugin, written), url };
  } catch (cause) {
    if (cause instanceof BenchError || isBuiltin(kind, name)) throw cause;
    const why = `its settings cannot be applied: ${loadFault(cause, url)}`;
    throw new BenchError('BAD_PLUGIN', `${kind} ${printable(name)} (${url}) is not usable: ${why}`, {
      cause,
    });
  }
}

/** @param {Kind} kind @param {string} name @returns {boolean} */
function isBuiltin(kind, name) {
  return Object.hasOwn(builtins(kind), name);
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string | undefined} folder
 * @param {string} [flag]
 * @returns {Promise<{ plugin: any, url: string }>}
 */
async function load(kind, name, folder, flag = `--${kind}`) {
  const isOurs = isBuiltin(kind, name);
  const url = isOurs ? builtinUrl(kind, name) : foreignUrl(kind, name, folder ?? process.cwd(), flag);
  const what = `${kind} ${printable(name)} (${url})`;
  const loadIt = () => loadFrom(url, { kind, what, builtinName: isOurs ? name : null });
  return { plugin: await (isOurs ? loadIt() : foreignTurn(what, 'loaded', loadIt)), url };
}

/**
 * @param {string} url
 * @param {{ kind: Kind, what: string, builtinName: string | null }} expected   what: for people; builtinName: null: it is somebody else's
 * @returns {Promise<any>} the plug-in, which has the shape of its kind
 */
async function loadFrom(url, { kind, what, builtinName }) {
  let plugin;
  let faults;
  try {
    ({ default: plugin } = await import(url));
    faults = faultsIn(kind, plugin, builtinName);
    if (kind === 'codec' && builtinName === null && faults.length === 0)
      faults.push(...(await codecFaults(plugin)));
  } catch (cause) {
    throw new BenchError('BAD_PLUGIN', `${what} cannot be loaded: ${loadFault(cause, url)}`, { cause });
  }
  if (faults.length > 0) {
    const list = faults.map((fault) => `\n  - ${fault}`).join('');
    const next = `\ndocs/extending.md has an example of a ${kind}, and ipc-bench/types its type.`;
    throw new BenchError('BAD_PLUGIN', `${what} is not usable:${list}${next}`);
  }
  return plugin;
}
