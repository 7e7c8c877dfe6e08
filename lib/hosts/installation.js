// What is installed on a host: the plug-ins that it has by name, and the hash of their code. An agent runs nothing else, and only
// where the run has the same.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../errors.js';
import { PROTOCOL_VERSION } from '../launch/control/protocol.js';
import { TOOL } from '../machine/packages.js';
import { builtins } from '../plugins/builtins.js';

/** @import { HostPlugins } from '../launch/portable-spec.js' */
/** @import { CodeFact, OrderBase, Plugins, ProgramVersion } from '../types/index.js' */
/** @typedef {'transport' | 'codec' | 'scenario'} PluginKind */
/** @typedef {{ kind: PluginKind, name: string }} Named */
/** @typedef {Named & { url: string }} Part */

const HASH_CHARACTERS = 12;
const SOURCE = /\.(?:c?js|c|h|go)$/; // a host compiles the programs that it plays in other languages
const LIB = fileURLToPath(new URL('../', import.meta.url));

/** @type {ProgramVersion} */
export const PROGRAM = Object.freeze({ version: TOOL.version, protocol: PROTOCOL_VERSION });

/** @param {string} path   of a file or a folder @returns hash of all code in it */
export function hashCode(path) {
  const hash = createHash('sha256');
  const names = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => SOURCE.test(name))
        .map((name) => ({ name: name.replaceAll('\\', '/'), file: join(path, name) })) // the same on every system
        .sort((one, other) => (one.name < other.name ? -1 : 1))
    : [{ name: '', file: path }];
  for (const { name, file } of names) hash.update(`${name}\0`).update(readFileSync(file));
  return hash.digest('hex').slice(0, HASH_CHARACTERS);
}

/** @param {Part} part @returns {CodeFact} */
function partFact({ kind, name, url }) {
  const file = fileURLToPath(url);
  const folder = dirname(file);
  return { kind, name, hash: hashCode(basename(folder) === name ? folder : file) };
}

/** @type {CodeFact | undefined} */
let ownProgram;

/** @returns what all plug-ins share */
function programFact() {
  ownProgram ??= { kind: 'program', name: 'ipc-bench', hash: hashCode(LIB) };
  return ownProgram;
}

/** @param {readonly Part[]} [parts] @returns {OrderBase} what an order says of the code that it runs */
export function describeCode(parts = []) {
  return { program: PROGRAM, code: [programFact(), ...parts.map(partFact)] };
}

/** @param {Partial<Plugins>} plugins @returns {Named[]} */
function namedIn({ transport, codec, scenario, toMaster }) {
  /** @param {PluginKind} kind @param {string | null} [name] @returns {Named[]} */
  const named = (kind, name = null) => (name === null ? [] : [{ kind, name }]);
  return [
    ...named('transport', transport),
    ...named('codec', codec),
    ...named('scenario', scenario),
    ...named('transport', toMaster),
  ];
}

export class Installation {
  /** @param {readonly Part[]} [own]   plug-ins of the user's own, beside those that are built in */
  constructor(own = []) {
    this.own = own;
  }

  /** @param {PluginKind} kind @param {string} name @returns URL; null: there is none of this name */
  urlOf(kind, name) {
    const own = this.own.find((part) => part.kind === kind && part.name === name);
    if (own !== undefined) return own.url;
    const builtIn = builtins(kind);
    return Object.hasOwn(builtIn, name) ? builtIn[name] : null;
  }

  /**
   * @param {PluginKind} kind
   * @param {string} url
   * @returns by which other hosts know it
   * @throws {BenchError} HOST: it is none of this installation
   */
  nameOf(kind, url) {
    const own = this.own.find((part) => part.kind === kind && part.url === url);
    const [name] = Object.entries(builtins(kind)).find(([, one]) => one === url) ?? [own?.name];
    if (name !== undefined) return name;
    throw new BenchError('HOST', `agents run no ${kind} of ${url}: only those that they have by name`);
  }

  /** @param {Partial<Plugins>} plugins @returns {Part[]} @throws {BenchError} HOST: one of them is not installed */
  partsOf(plugins) {
    return namedIn(plugins).map((named) => ({ ...named, url: this.existing(named) }));
  }

  /** @param {Plugins} plugins @returns {Promise<HostPlugins>} @throws {BenchError} HOST: one of them is not installed */
  async load({ transport, codec, scenario, toMaster }) {
    return {
      transport: await this.loadOne('transport', transport),
      codecUrl: codec === null ? null : this.existing({ kind: 'codec', name: codec }),
      scenario: await this.loadOne('scenario', scenario),
      toMaster: toMaster === null ? null : await this.loadOne('transport', toMaster),
    };
  }

  /** @param {PluginKind} kind @param {string} name @returns {Promise<{ url: string, plugin: any }>} @throws {BenchError} HOST */
  async loadOne(kind, name) {
    const url = this.existing({ kind, name });
    return { url, plugin: (await import(url)).default };
  }

  /** @param {Named} named @returns its URL @throws {BenchError} HOST */
  existing({ kind, name }) {
    const url = this.urlOf(kind, name);
    if (url !== null) return url;
    const next = `where it is your own, start its agent with --${kind} FILE`;
    throw new BenchError('HOST', `it has no ${kind} ${name}, and runs nothing but what it has: ${next}`);
  }

  /** @param {OrderBase & { plugins?: Partial<Plugins> }} order @returns why it is refused here; null: it is not */
  whyOtherCode({ program, code, plugins = {} }) {
    const [own, asked] = [PROGRAM, program].map(
      ({ version, protocol }) => `ipc-bench ${version} with control messages ${protocol}`,
    );
    if (own !== asked) return `it is ${own}, and the run is ${asked}: install one version on all hosts`;
    for (const { kind, name, hash } of code) {
      const what = kind === 'program' ? 'code' : `${kind} ${name}`;
      const found = kind === 'program' ? programFact() : this.factOf({ kind, name });
      if (typeof found === 'string') return found;
      if (found.hash !== hash) {
        return `its ${what} has the hash ${found.hash}, and that of the run ${hash}: install one version on all hosts`;
      }
    }
    const isTold = (/** @type {Named} */ { kind, name }) =>
      code.some((fact) => fact.kind === kind && fact.name === name);
    const untold = namedIn(plugins).find((named) => !isTold(named));
    return untold === undefined ? null : `the order has no hash of the ${untold.kind} ${untold.name}`;
  }

  /** @param {Named} named @returns {CodeFact | string} or why there is none */
  factOf(named) {
    try {
      return partFact({ ...named, url: this.existing(named) });
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
  }
}
