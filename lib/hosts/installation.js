// Finds the plug-ins that are installed on a host, and hashes their code. An agent runs only these plug-ins, and only if the hashes are
// equal to those of the run.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { TOOL } from '../machine/packages.js';
import { builtins } from '../plugins/builtins.js';

/** @import { HostPlugins } from '../launch/portable-spec.js' */
/** @import { CodeFact, CommandBase, Plugins } from '../types/index.js' */
/** @typedef {'transport' | 'codec' | 'scenario'} PluginKind */
/** @typedef {{ kind: PluginKind, name: string, url: string }} InstalledPlugin */
/** @typedef {{ transportUrl?: string, codecUrl: string | null, scenarioUrl: string, toMaster?: { transportUrl: string } | null }} PluginUrls */

const HASH_CHARACTERS = 12;
const SOURCE = /\.(?:c?js|c|h|go)$/; // includes programs in other languages, which hosts compile
const LIB = fileURLToPath(new URL('../', import.meta.url));

/** @param {string} path   a file, or a folder with all code in it */
export function hashCode(path) {
  const hash = createHash('sha256');
  const names = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => SOURCE.test(name))
        .map((name) => ({ name: name.replaceAll('\\', '/'), file: join(path, name) })) // so that the hash is the same on every system
        .sort((one, other) => (one.name < other.name ? -1 : 1))
    : [{ name: '', file: path }];
  for (const { name, file } of names) hash.update(`${name}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, HASH_CHARACTERS);
}

/** @param {InstalledPlugin} part @returns {CodeFact} */
function describePart({ kind, name, url }) {
  const file = fileURLToPath(url);
  const folder = dirname(file);
  return { kind, name, hash: hashCode(basename(folder) === name ? folder : file) };
}

/** @type {CodeFact | undefined} */
let program;

/** @returns facts about the code that all plug-ins share; hashed once per process */
function describeProgram() {
  program ??= { kind: 'program', name: 'ipc-bench', hash: hashCode(LIB) };
  return program;
}

/** @param {readonly InstalledPlugin[]} [parts] @returns {CommandBase} */
export function describeCode(parts = []) {
  return { version: TOOL.version, code: [describeProgram(), ...parts.map(describePart)] };
}

/** @param {Partial<Plugins>} plugins @returns {{ kind: PluginKind, name: string }[]} */
function listPlugins({ transport, codec, scenario, toMaster }) {
  const all = /** @type {const} */ ([
    ['transport', transport],
    ['codec', codec],
    ['scenario', scenario],
    ['transport', toMaster],
  ]);
  return all.flatMap(([kind, name]) => (typeof name === 'string' ? [{ kind, name }] : []));
}

export class Installation {
  /** @param {readonly InstalledPlugin[]} [userParts]   plug-ins of the user, besides the built-in ones */
  constructor(userParts = []) {
    this.userParts = userParts;
  }

  /** @param {PluginKind} kind @param {string} name @throws {BenchError} HOST if it is not installed */
  findUrl(kind, name) {
    const found = this.userParts.find((part) => part.kind === kind && part.name === name);
    if (found !== undefined) return found.url;
    const builtIn = builtins(kind);
    if (Object.hasOwn(builtIn, name)) return builtIn[name];
    const next = `where it is your own, start its agent with --${kind} FILE`;
    throw new BenchError('HOST', `it has no ${kind} ${name}, and runs only what is installed there: ${next}`);
  }

  /** @param {PluginKind} kind @param {string} url @returns {string} @throws {BenchError} HOST if it does not belong to this installation */
  findName(kind, url) {
    const found = this.userParts.find((part) => part.kind === kind && part.url === url);
    const [name] = Object.entries(builtins(kind)).find(([, one]) => one === url) ?? [found?.name];
    if (name !== undefined) return name;
    throw new BenchError('HOST', `agents run no ${kind} of ${url}: only those that they have by name`);
  }

  /**
   * @param {PluginUrls} urls
   * @returns names of the plug-ins, and the facts about their code for a command
   * @throws {BenchError} HOST if one of them does not belong to this installation
   */
  describe({ transportUrl, codecUrl, scenarioUrl, toMaster }) {
    const plugins = {
      ...(transportUrl !== undefined && { transport: this.findName('transport', transportUrl) }),
      codec: codecUrl === null ? null : this.findName('codec', codecUrl),
      scenario: this.findName('scenario', scenarioUrl),
      toMaster: toMaster ? this.findName('transport', toMaster.transportUrl) : null,
    };
    const parts = listPlugins(plugins).map(({ kind, name }) => ({
      kind,
      name,
      url: this.findUrl(kind, name),
    }));
    return { ...describeCode(parts), plugins: /** @type {Plugins} */ (plugins) };
  }

  /** @param {Plugins} plugins @returns {Promise<HostPlugins>} @throws {BenchError} HOST if one of them is not installed */
  async load({ transport, codec, scenario, toMaster }) {
    return {
      transport: await this.loadOne('transport', transport),
      codecUrl: codec === null ? null : this.findUrl('codec', codec),
      scenario: await this.loadOne('scenario', scenario),
      toMaster: toMaster === null ? null : await this.loadOne('transport', toMaster),
    };
  }

  /** @param {PluginKind} kind @param {string} name @returns {Promise<{ url: string, plugin: any }>} @throws {BenchError} HOST */
  async loadOne(kind, name) {
    const url = this.findUrl(kind, name);
    return { url, plugin: (await import(url)).default };
  }

  /**
   * @param {CommandBase & { plugins?: Partial<Plugins> }} command
   * @throws {BenchError} HOST if this host does not have the code of the command
   */
  requireCode({ version, code, plugins = {} }) {
    const next = 'install one version on all hosts';
    if (version !== TOOL.version)
      throw new BenchError(
        'HOST',
        `it is ipc-bench ${TOOL.version}, and the run is ipc-bench ${version}: ${next}`,
      );
    for (const { kind, name, hash } of code) {
      const found =
        kind === 'program' ? describeProgram() : describePart({ kind, name, url: this.findUrl(kind, name) });
      if (found.hash === hash) continue;
      const what = kind === 'program' ? 'code' : `${kind} ${name}`;
      throw new BenchError(
        'HOST',
        `its ${what} has the hash ${found.hash}, and that of the run ${hash}: ${next}`,
      );
    }
    const unhashed = listPlugins(plugins).find(
      ({ kind, name }) => !code.some((fact) => fact.kind === kind && fact.name === name),
    );
    if (unhashed !== undefined)
      throw new BenchError('HOST', `the command has no hash of the ${unhashed.kind} ${unhashed.name}`);
  }
}
