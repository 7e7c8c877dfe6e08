// Finds the programs that run the roles of a cell, with their versions, for values such as `bun`, `worker:node@22` or
// `node=/opt/node24/bin/node`.

import { realpathSync } from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  EVERY,
  runtimeArgs,
  runtimesByRole,
  runtimeText,
  THIS_NODE,
  withoutFlags,
} from '../cell/launch-roles.js';
import { programOutput } from '../children/child-messages.js';
import { isExecutable } from '../children/launcher.js';
import { readHello } from '../children/peer-process.js';
import { BenchError } from '../errors.js';
import { didYouMean } from '../format/did-you-mean.js';
import { isOwnFile, resolveOwnFile } from '../format/own-file.js';
import { printable, quoted } from '../format/printable.js';
import { builtinNames, builtinUrl } from './builtins.js';

/** @import { FoundRuntime, Peer, Runtime, RuntimeChoice, SearchPaths } from '../types/index.js' */

/**
 * @param {readonly string[]} own   folders of --runtime-path
 * @param {string} [folder]   the working folder
 * @param {string} [path]
 * @returns {SearchPaths}
 */
export function defaultSearchPaths(own = [], folder = process.cwd(), path = process.env.PATH ?? '') {
  return { own, path: path.split(delimiter), packages: [join(folder, 'node_modules')] };
}

/** @param {string} name @returns {Promise<Runtime>} */
export async function loadRuntime(name) {
  const names = builtinNames('runtime');
  if (names.includes(name)) return (await import(builtinUrl('runtime', name))).default;
  const known = `there are ${names.join(', ')}`;
  throw new BenchError(
    'BAD_ARGUMENT',
    `--runtime: no runtime ${printable(name)}; ${known}.${didYouMean(name, names)}`,
  );
}

/** @returns {Promise<FoundRuntime>} */
export async function thisNode() {
  const { execPath: path, versions: own } = process;
  return { runtime: await loadRuntime(THIS_NODE), name: THIS_NODE, path, version: own.node };
}

/**
 * @param {readonly string[]} texts   values of --runtime
 * @param {SearchPaths} [searchPaths]
 * @returns {Promise<RuntimeChoice[]>} without duplicates, since two texts may name one program
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function loadRuntimes(texts, searchPaths = defaultSearchPaths()) {
  /** @type {RuntimeChoice[]} */
  const choices = [];
  for (const text of texts) choices.push(await chosenRuntimes(text, searchPaths));
  return eachOnce(choices);
}

/**
 * @param {readonly RuntimeChoice[]} choices
 * @returns {RuntimeChoice[]} one choice for each name, with the roles of all choices that have this name
 * @throws {BenchError} BAD_ARGUMENT if two programs of the same name are chosen for the same role, or for all roles
 */
function eachOnce(choices) {
  /** @type {Map<string, RuntimeChoice>} */
  const once = new Map();
  for (const choice of choices) {
    const name = choice.runtime ?? THIS_NODE;
    const known = once.get(name);
    assertOneProgram(choice, known);
    const byRole = { ...known?.byRole, ...choice.byRole };
    once.set(name, { ...choice, every: choice.every ?? known?.every ?? null, byRole });
  }
  return [...once.values()];
}

/**
 * @param {RuntimeChoice} choice
 * @param {RuntimeChoice} [known]   choice of the same name
 * @throws {BenchError} BAD_ARGUMENT if both choices name a program for the same role, or for all roles, and these differ
 */
function assertOneProgram({ runtime, every, byRole }, known) {
  /** @param {FoundRuntime | null} one @param {FoundRuntime | null} [other] */
  const isOther = (one, other = one) => one !== null && other !== null && one.path !== other.path;
  const hasOther = Object.entries(byRole).some(([role, program]) => isOther(program, known?.byRole[role]));
  if (!hasOther && !isOther(every, known?.every)) return;
  const why = `two programs are called ${runtime}`;
  throw new BenchError('BAD_ARGUMENT', `--runtime: ${why}: give one of them another name`);
}

/** @param {string} text @param {SearchPaths} searchPaths @returns {Promise<RuntimeChoice>} */
async function chosenRuntimes(text, searchPaths) {
  /** @type {Record<string, FoundRuntime>} */
  const found = {};
  /** @type {Record<string, string>} */
  const names = {};
  /** @type {string[]} */
  const missing = [];
  for (const [role, written] of Object.entries(runtimesByRole(text))) {
    const one = await foundRuntime(written, searchPaths);
    names[role] = one.name;
    if ('missing' in one) missing.push(one.missing);
    else found[role] = one;
  }
  const runtime = runtimeText(names);
  const { [EVERY]: every = null, ...byRole } = found;
  const unavailable = missing.length === 0 ? null : [...new Set(missing)].join('; ');
  return { ...(runtime !== THIS_NODE && { runtime }), every, byRole, unavailable };
}

/**
 * @param {string} text    'bun', 'node@22', 'node=/opt/node24/bin/node'
 * @param {SearchPaths} searchPaths
 * @returns {Promise<FoundRuntime | { name: string, missing: string }>}
 */
async function foundRuntime(text, searchPaths) {
  if (isOwnFile(text)) return ownPeer(text, builtinNames('runtime'));
  const { program, flags } = withoutFlags(text);
  if (flags.length > 0) {
    const one = await foundRuntime(program, searchPaths);
    return 'missing' in one ? { ...one, name: text } : withFlags(one, flags);
  }
  const [, name = '', wanted, path] = /^([^@=]*)(?:@([^=]*))?(?:=(.*))?$/s.exec(text) ?? [];
  const runtime = await loadRuntime(name);
  if (path !== undefined) return namedRuntime(runtime, wanted, resolve(path));
  if (name === THIS_NODE && wanted === undefined) return thisNode();
  const seen = [];
  for (const candidate of await runtime.find(searchPaths)) {
    const { version, peer, why } = await probed(runtime, candidate);
    if (version !== null && isOfVersion(version, wanted))
      return { runtime, name: text, path: candidate, version, ...(peer && { peer }) };
    seen.push(version ?? why);
  }
  const others = seen.length === 0 ? '' : ` (found: ${[...new Set(seen)].join(', ')})`;
  const where = 'on PATH, in node_modules here, or in the folders of --runtime-path';
  const remedy = `${runtime.remedy(wanted)}, or --runtime ${name}=PATH`;
  return { name: text, missing: `there is no ${text} ${where}${others}: ${remedy}` };
}

/**
 * @param {Runtime} runtime
 * @param {string} path
 * @returns {Promise<{ version: string | null, peer?: Peer, why?: string }>}
 */
async function probed(runtime, path) {
  if (runtime.protocol === 'modules') {
    const version = await readProgramVersion(path);
    return version === null ? { version, why: `${path} printed no version with --version` } : { version };
  }
  try {
    const peer = await loadPeer(runtime, path);
    return { version: peer.hello.version, peer };
  } catch (error) {
    return { version: null, why: /** @type {Error} */ (error).message };
  }
}

/**
 * Adds its version to the name of a program that is given by its path, to distinguish it from others.
 * @param {Runtime} runtime
 * @param {string | undefined} wanted   version that the program must have
 * @param {string} path
 * @returns {Promise<FoundRuntime>}
 */
async function namedRuntime(runtime, wanted, path) {
  const flag = `--runtime ${runtime.name}=${printable(path)}`;
  if (!isExecutable(path))
    throw new BenchError('BAD_ARGUMENT', `${flag}: there is no program; check the path`);
  const { version, peer, why } = await probed(runtime, path);
  if (version === null) {
    throw new BenchError('BAD_ARGUMENT', `${flag}: ${why}; is it ${runtime.name}?`);
  }
  if (!isOfVersion(version, wanted)) {
    throw new BenchError('BAD_ARGUMENT', `${flag}: it is version ${version}, not ${wanted}; check the path`);
  }
  const named = `${runtime.name}@${wanted ?? versionNumber(version)}`;
  return { runtime, name: named, path, version, ...(peer && { peer }) };
}

/** @param {readonly RuntimeChoice[]} choices @returns {Record<string, string>} name → version, without this Node */
export function runtimeVersions(choices) {
  const found = choices.flatMap(({ every, byRole }) => [every, ...Object.values(byRole)]);
  return Object.fromEntries(
    found.flatMap((one) => (one === null || one.name === THIS_NODE ? [] : [[one.name, one.version]])),
  );
}

// Peers are programs in other languages that run the master's endpoint. A runtime with protocol 'names' builds them, or the user provides
// them.

/** @type {Map<string, Promise<Peer>>} peers by runtime and path */
const known = new Map();

/**
 * @param {Runtime} runtime   runtime with the protocol 'names'
 * @param {string} path   path of its compiler, interpreter or program
 * @returns {Promise<Peer>}
 * @throws {BenchError}
 */
function loadPeer(runtime, path) {
  const key = `${runtime.name} ${path}`;
  const peer = known.get(key) ?? startPeer(runtime, path);
  known.set(key, peer);
  return peer;
}

/** @param {Runtime} runtime @param {string} path @returns {Promise<Peer>} */
async function startPeer({ name, peer }, path) {
  if (peer === undefined) throw new TypeError(`the runtime ${name} cannot start a peer`);
  const program = { name, ...(await peer(path)) };
  return { program, hello: await readHello(program) };
}

/**
 * @param {string} text
 * @param {readonly string[]} taken   names that runtimes already have
 * @returns {Promise<FoundRuntime>}
 * @throws {BenchError} BAD_ARGUMENT
 */
export async function ownPeer(text, taken) {
  const path = resolveOwnFile(text);
  const name = basename(path, process.platform === 'win32' ? '.exe' : '');
  /** @param {string} why */
  const refused = (why) => new BenchError('BAD_ARGUMENT', `--runtime master:${printable(text)}: ${why}`);
  if (!isExecutable(path)) throw refused('there is no program that may be executed; check the path');
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name) || taken.includes(name)) {
    throw refused(
      'its name is taken, or has other characters than letters, digits and .-_: give it another name',
    );
  }
  /** @type {Runtime} */
  const runtime = {
    name,
    summary: path,
    protocol: 'names',
    remedy: () => 'check the path',
    find: () => [path],
    args: () => [],
    peer: async () => ({ command: path, args: [] }),
  };
  try {
    const peer = await loadPeer(runtime, path);
    return { runtime, name, path, version: `${peer.hello.runtime} ${peer.hello.version}`, peer };
  } catch (cause) {
    throw refused(`${/** @type {Error} */ (cause).message}; docs/extending.md says what a peer is`);
  }
}

// Flags on the command line of a runtime, such as those of V8. The program is started with them before anything is measured, because the
// error of a launch would be less clear.

const DEADLINE_MS = 10_000; // a start takes about 50 ms, and longer on a busy machine
const DOES_NOTHING = fileURLToPath(new URL('../errors.js', import.meta.url)); // a module that only exports

/**
 * @param {FoundRuntime} one
 * @param {string[]} flags   at least one
 * @returns {Promise<FoundRuntime>}
 * @throws {BenchError} BAD_ARGUMENT if the runtime does not start with the flags
 */
async function withFlags(one, flags) {
  const name = [one.name, ...flags].join(' ');
  const flag = `--runtime ${quoted(name)}`;
  if (one.runtime.protocol !== 'modules')
    throw new BenchError('BAD_ARGUMENT', `${flag}: a program in another language takes no flags`);
  const found = { ...one, name, flags };
  const why = await startProblem(found.path, runtimeArgs(found));
  if (why !== null) throw new BenchError('BAD_ARGUMENT', `${flag}: it does not start: ${why}`);
  return found;
}

/**
 * @param {string} path
 * @param {string[]} args   arguments before the module
 * @returns {Promise<string | null>} first line of stderr, or how the program ended if stderr is empty; null if it runs a module with
 *   these arguments
 */
async function startProblem(path, args) {
  const { stderr, how } = await programOutput(path, [...args, DOES_NOTHING], DEADLINE_MS);
  return how === null ? null : printable(stderr.trim().split('\n')[0].replace(`${path}: `, '') || how);
}

/** @typedef {{ name: string, summary: string, unavailable: string | null, found: { version: string, path: string }[] }} ListedRuntime */

/** @param {SearchPaths} [searchPaths] @returns {Promise<ListedRuntime[]>} built-in runtimes with the programs found on this machine */
export function listedRuntimes(searchPaths = defaultSearchPaths()) {
  return Promise.all(
    builtinNames('runtime').map(async (name) => {
      const { summary, find, remedy, versionFlag } = await loadRuntime(name);
      // If several links lead to one program, the first one is used.
      const programs = new Map((await find(searchPaths)).reverse().map((path) => [realpathSync(path), path]));
      const paths = [...programs.values()].reverse();
      const versions = await Promise.all(paths.map((path) => readProgramVersion(path, versionFlag)));
      const found = paths.flatMap((path, index) => {
        const version = versions[index];
        return version === null ? [] : [{ version, path }];
      });
      return { name, summary, unavailable: found.length > 0 ? null : remedy(), found };
    }),
  );
}

const VERSION_DEADLINE_MS = 30_000; // usually a few ms; 10 s were too few for 100 MB on a cold disk and a busy machine
const VERSION = /\d+\.\d+\.\d+[\w.+-]*/;

/** @type {Map<string, Promise<string | null>>} version by command */
const versions = new Map();

/**
 * Runs a program to read its version, once per command.
 * @param {string} path
 * @param {string} [word]   argument that prints the version
 * @returns {Promise<string | null>} the number, such as '12.2.0'; null if the program fails or prints no version
 */
export function readProgramVersion(path, word = '--version') {
  const command = `${path} ${word}`;
  const version = versions.get(command) ?? runForVersion(path, word);
  versions.set(command, version);
  return version;
}

/** @param {string} path @param {string} word */
async function runForVersion(path, word) {
  if (path === process.execPath) return process.versions.node;
  const { stdout, how } = await programOutput(path, [word], VERSION_DEADLINE_MS);
  return how === null ? (VERSION.exec(stdout)?.[0] ?? null) : null;
}

/** @param {string} version   'gcc 12.2.0' @returns {string} '12.2.0' */
export function versionNumber(version) {
  return VERSION.exec(version)?.[0] ?? version;
}

/** @param {string} version @param {string} [wanted]   '22', '22.3' */
export function isOfVersion(version, wanted) {
  const number = versionNumber(version);
  return wanted === undefined || number === wanted || number.startsWith(`${wanted}.`);
}
