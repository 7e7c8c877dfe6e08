// Which code a launch runs, by name and hash: an agent runs what is installed on its host, and only where that is the same.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROTOCOL_VERSION } from '../launch/protocol.js';
import { TOOL } from '../machine/own-package.js';
import { builtins } from '../plugins/builtins.js';

/** @import { CodeFact, OrderBase, Plugins, ProgramVersion } from '../types/index.js' */
/** @typedef {'transport' | 'codec' | 'scenario'} PluginKind */

const HASH_CHARACTERS = 12;
const SOURCE = /\.(?:c?js|c|h|go|py)$/; // a host compiles the programs that it plays in other languages
const LIB = fileURLToPath(new URL('../', import.meta.url));

/** @type {ProgramVersion} */
export const PROGRAM = Object.freeze({ version: TOOL.version, protocol: PROTOCOL_VERSION });

/** @param {string} path   of a file or a folder @returns {string} hash of all code in it */
export function hashOf(path) {
  const hash = createHash('sha256');
  const names = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => SOURCE.test(name))
        .sort()
    : [''];
  for (const name of names) hash.update(`${name}\0`).update(readFileSync(join(path, name)));
  return hash.digest('hex').slice(0, HASH_CHARACTERS);
}

/** @param {PluginKind} kind @param {string} name @returns {CodeFact | null} null: there is none of this name */
function pluginFact(kind, name) {
  const own = builtins(kind);
  if (!Object.hasOwn(own, name)) return null;
  const file = fileURLToPath(own[name]);
  const folder = dirname(file);
  return { kind, name, hash: hashOf(basename(folder) === name ? folder : file) };
}

/** @type {CodeFact | undefined} */
let ownProgram;

/** @returns {CodeFact} what all plug-ins share */
function programFact() {
  ownProgram ??= { kind: 'program', name: 'ipc-bench', hash: hashOf(LIB) };
  return ownProgram;
}

/** @param {Partial<Plugins>} plugins @returns {OrderBase} what an order says of the code that it is about */
export function codeOf({ transport, codec, scenario, toMaster }) {
  /** @param {PluginKind} kind @param {string | null} [name] */
  const factOf = (kind, name = null) => (name === null ? null : pluginFact(kind, name));
  const facts = [
    programFact(),
    factOf('transport', transport),
    factOf('codec', codec),
    factOf('scenario', scenario),
    factOf('transport', toMaster),
  ];
  return { program: PROGRAM, code: facts.filter((fact) => fact !== null) };
}

/** @returns {OrderBase} of an order that runs no plug-in */
export function ownCode() {
  return codeOf({});
}

/**
 * @param {OrderBase} order
 * @returns {string | null} why it is refused here; null: it is not
 */
export function whyOtherCode({ program, code }) {
  const [own, asked] = [PROGRAM, program].map(
    ({ version, protocol }) => `ipc-bench ${version} with control messages ${protocol}`,
  );
  if (own !== asked) return `it is ${own}, and the run is ${asked}: install one version on all hosts`;
  for (const { kind, name, hash } of code) {
    const own = kind === 'program' ? programFact() : pluginFact(kind, name);
    const what = kind === 'program' ? 'code' : `${kind} ${name}`;
    if (own === null) return `it has no ${what}, and runs nothing but what comes with its own version`;
    if (own.hash !== hash) {
      return `its ${what} has the hash ${own.hash}, and that of the run ${hash}: install one version on all hosts`;
    }
  }
  return null;
}
