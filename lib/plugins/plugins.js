// A name, a path or a package → a checked module and its URL, so that every process of a launch runs the same code.
// The folder is the registry of what is built in; anything else is loaded only when it is named.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checkedSettings, labelParts, settingsLabel } from '../cell/settings.js';
import { defaultsOf } from '../cell/traits.js';
import { GROUP_NAMES } from '../cell/transport-classes.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../words/did-you-mean.js';
import { printable } from '../words/printable.js';
import { builtinNames, builtins } from './builtins.js';
import { faultsIn } from './plugin-faults.js';

/** @import { Kind } from './builtins.js' */
/** @import { Codec } from '../types/messages.js' */
/** @import { Report, Scenario } from '../types/scenarios.js' */
/** @import { Transport } from '../types/transports.js' */
/**
 * @template T
 * @typedef {object} Loaded
 * @property {T} plugin
 * @property {string} url
 * @property {string[]} askedAs      as the user wrote it, once or in several ways
 */

/**
 * What a plan is made of, by name.
 * @typedef {object} LoadedPlugins
 * @property {Map<string, Pick<Loaded<Transport>, 'plugin' | 'url'>>} transports
 * @property {Map<string, Pick<Loaded<Codec>, 'plugin' | 'url'>>} codecs
 * @property {Map<string, Pick<Loaded<Scenario>, 'plugin' | 'url'>>} scenarios
 */

/**
 * @param {string[]} names
 * @param {string} [folder]   from which paths and packages are resolved
 * @returns {Promise<Map<string, Loaded<Transport>>>} by the plug-in's own name
 */
export function loadTransports(names, folder) {
  return loadAll('transport', names, folder);
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
  return loadAll('scenario', names, folder, configured);
}

/**
 * A scenario with settings is another question: it has a name of its own.
 * @param {Scenario} scenario
 * @param {Record<string, string>} written
 * @returns {Scenario}
 */
export function configured(scenario, written) {
  const settings = checkedSettings(scenario, written, 'scenario');
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
  return (await load('report', name, process.cwd())).plugin;
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
 * @param {(plugin: any, written: Record<string, string>) => any} [change]   what a name with settings stands for; left out: names have none
 * @returns {Promise<Map<string, Loaded<any>>>}
 */
async function loadAll(kind, names, folder = process.cwd(), change) {
  /** @type {Map<string, Loaded<any>>} */
  const loaded = new Map();
  for (const name of names) {
    const one = await loadOne(kind, name, folder, change);
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
 * @param {string} folder
 * @param {(plugin: any, written: Record<string, string>) => any} [change]
 * @returns {Promise<{ plugin: any, url: string }>}
 */
async function loadOne(kind, label, folder, change) {
  if (change === undefined) return load(kind, label, folder);
  const { name, written } = labelParts(label);
  const { plugin, url } = await load(kind, name, folder);
  return { plugin: change(plugin, written), url };
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string} folder
 * @returns {Promise<{ plugin: any, url: string }>}
 */
async function load(kind, name, folder) {
  const own = builtins(kind);
  const isBuiltin = Object.hasOwn(own, name);
  const url = isBuiltin ? own[name] : foreignUrl(kind, name, folder);
  let module;
  try {
    module = await import(url);
  } catch (cause) {
    const why = printable(cause instanceof Error ? cause.message : String(cause));
    throw new BenchError('BAD_PLUGIN', `${kind} ${printable(name)} (${url}) cannot be loaded: ${why}`, {
      cause,
    });
  }
  const faults = faultsIn(kind, module.default, isBuiltin ? name : null);
  if (faults.length > 0) {
    const list = faults.map((fault) => `\n  - ${fault}`).join('');
    const next = `\nSee lib/types/ (ipc-bench/types) for what a ${kind} is.`;
    throw new BenchError('BAD_PLUGIN', `${kind} ${printable(name)} (${url}) is not usable:${list}${next}`);
  }
  return { plugin: module.default, url };
}

/**
 * @param {Kind} kind
 * @param {string} name
 * @param {string} folder
 * @returns {string}
 */
function foreignUrl(kind, name, folder) {
  if (/^[./]/.test(name)) {
    const path = resolve(folder, name);
    if (existsSync(path)) return pathToFileURL(path).href;
    throw new BenchError('BAD_ARGUMENT', `--${kind}: there is no file ${printable(path)}; check the path`);
  }
  const url = packageUrl(name, folder);
  if (url !== null) return url;
  const builtin = builtinNames(kind);
  const groups = kind === 'transport' ? GROUP_NAMES : [];
  const what = `--${kind}: no ${kind} "${printable(name)}" is built in, nor is a package of that name installed here`;
  const group = groups.length === 0 ? '' : `; groups: ${groups.join(', ')}`;
  const next = `Built in: ${builtin.join(', ')}${group}; your own file starts with ./ or /`;
  throw new BenchError('BAD_ARGUMENT', `${what}. ${next}.${didYouMean(name, [...builtin, ...groups])}`);
}

/**
 * Node itself is asked, from the user's folder: `require.resolve` would miss packages for `import` only, and
 * `import.meta.resolve` resolves from this file.
 * @param {string} name
 * @param {string} folder
 * @returns {string | null}
 */
function packageUrl(name, folder) {
  if (!/^(@[\w.-]+\/)?\w[\w.-]*(\/[\w./-]+)?$/.test(name)) return null;
  const script = 'try { process.stdout.write(import.meta.resolve(process.argv[1])) } catch {}';
  const flags = ['--input-type=module', '--eval', script, '--', name];
  const url = execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8' });
  // A name such as `fs` resolves to a part of Node, which is nobody's plug-in.
  return url.startsWith('file:') && existsSync(fileURLToPath(url)) ? url : null;
}
