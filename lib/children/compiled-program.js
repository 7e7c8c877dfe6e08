// Compiles programs from sources of this package, once per version of sources and compiler, and keeps them in the user's cache folder.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rename } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { BenchError } from '../errors.js';
import { homeFolder } from '../format/own-file.js';
import { printable } from '../format/printable.js';
import { childEnvironment, findOnPath } from './launcher.js';
import { isUnshared } from './own-entries.js';
import { makeFolders, removeFolder } from './run-directory.js';

const COMPILE_DEADLINE_MS = 180_000; // C takes 0.3 s; Go takes 20 s if its cache is empty, and more on a busy machine
const MAX_CHARACTERS = 400;
const ENDING = process.platform === 'win32' ? '.exe' : '';
const run = promisify(execFile);

/**
 * @typedef {object} Sources
 * @property {string} name
 * @property {string} what   name in messages, such as 'the peer go'
 * @property {string} folder   folder of the sources
 * @property {RegExp} sources   matches the names of the source files
 * @property {import('../errors.js').ErrorCode} code   error code of a failure
 * @property {string} [orIn]   a private folder for the program, used if the cache folder cannot be written or is not private
 */
/**
 * @typedef {object} Compiler
 * @property {string} compiler   path of the compiler
 * @property {string} remedy
 * @property {readonly string[]} versionArgs   arguments that make the compiler print its version
 * @property {(files: string[], to: string) => string[]} args
 * @property {Record<string, string>} [environment]   further variables for the compiler
 */

/** @param {NodeJS.ProcessEnv} [environment] @returns {string | null} the folder of compiled programs; null for a user without a home folder */
export function cacheFolder({ XDG_CACHE_HOME: cache = '' } = process.env) {
  const home = homeFolder();
  // The XDG specification requires relative paths to be ignored.
  if (isAbsolute(cache)) return join(cache, 'ipc-bench', 'programs');
  return home === null ? null : join(home, '.cache', 'ipc-bench', 'programs');
}

/**
 * @param {Sources & Compiler} recipe
 * @param {string | null} [keptIn]   folder of compiled programs; if it is null or not private, `orIn` of the recipe is used
 * @returns path of the program, which is compiled unless `keptIn` contains it
 * @throws {BenchError} with the compiler's errors, or if there is no private folder
 */
export async function compiledProgram(recipe, keptIn = cacheFolder()) {
  const { name, what, folder, sources, code, orIn, compiler, remedy, versionArgs, args } = recipe;
  const files = readdirSync(folder)
    .filter((file) => sources.test(file))
    .sort()
    .map((file) => join(folder, file));
  const how = { timeout: COMPILE_DEADLINE_MS, env: childEnvironment(recipe.environment) };
  try {
    const { stdout: version } = await run(compiler, [...versionArgs], how);
    const hash = createHash('sha256').update(version);
    // The hash excludes folders, so installations at different paths share the program.
    const names = files.map((file) => basename(file));
    hash.update(args(names, name).join(' '));
    for (const file of files) hash.update(readFileSync(file));
    const program = `${name}-${hash.digest('hex').slice(0, 16)}${ENDING}`;
    if (keptIn !== null && (await isUnshared(keptIn)) && (await isUnshared(join(keptIn, program))))
      return join(keptIn, program);
    const { parent, path } = await makeBuildFolder(
      [keptIn, orIn ?? null].filter((folder) => folder !== null),
      recipe,
    );
    try {
      const to = join(path, `${name}${ENDING}`);
      await run(compiler, args(files, to), how);
      // Two runs may compile at the same time. The later one replaces the program with an equal one.
      await rename(to, join(parent, program));
      return join(parent, program);
    } finally {
      await removeFolder(path);
    }
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError(
      code,
      `${what} could not be compiled by ${compiler} (${readErrors(cause)}): ${remedy}`,
      {
        cause,
      },
    );
  }
}

/** @param {string[]} parents   candidates; the first that only this user can write to is used @param {Sources} sources */
async function makeBuildFolder([parent, ...others], sources) {
  const { name, what, code } = sources;
  try {
    if (parent === undefined) throw new Error('this user has no home folder');
    await makeFolders(parent, { mode: 0o700 });
    if (!(await isUnshared(parent))) throw new Error(`${parent} is a link, or other users can write to it`);
    return { parent, path: await mkdtemp(join(parent, `${name}-`)) };
  } catch (cause) {
    if (others.length > 0) return makeBuildFolder(others, sources);
    const why = printable(/** @type {Error} */ (cause).message);
    const message = `${what} has no folder to be compiled into (${why}): set XDG_CACHE_HOME to a folder that only you can write to`;
    throw new BenchError(code, message, { cause });
  }
}

/** @param {unknown} error @returns the lines of a compiler's output that contain 'error', or else all lines; shortened */
function readErrors(error) {
  const { stderr = '', message } = /** @type {Error & { stderr?: string }} */ (error);
  const lines = String(stderr || message).split('\n');
  const errors = lines.filter((line) => line.includes('error'));
  return printable((errors.length > 0 ? errors : lines).join(' ').trim()).slice(0, MAX_CHARACTERS);
}

const C_COMPILERS = Object.freeze(['cc', 'gcc', 'clang']);

/** @type {Readonly<Partial<Record<NodeJS.Platform, string>>>} */
const REMEDIES = {
  darwin: 'xcode-select --install',
  freebsd: 'pkg install llvm',
  win32: 'its sources are for Linux and macOS, and WSL is a Linux',
};

/** @returns the command that installs a C compiler with the headers of the system; on Windows, what to do instead */
export function compilerRemedy() {
  return REMEDIES[process.platform] ?? 'apt install gcc libc6-dev';
}

export function findCompiler() {
  return C_COMPILERS.map((name) => findOnPath(name)).find((path) => path !== undefined);
}

/** @param {Sources} sources @param {string} [compiler] @returns path of the program @throws {BenchError} */
export async function compiledC(sources, compiler = findCompiler()) {
  if (compiler === undefined) {
    const message = `${sources.what} needs a C compiler, and none is on PATH: ${compilerRemedy()}`;
    throw new BenchError(sources.code, message);
  }
  return compiledProgram({
    ...sources,
    compiler,
    remedy: compilerRemedy(),
    versionArgs: ['--version'],
    args: (files, to) => ['-O2', '-o', to, ...files.filter((file) => file.endsWith('.c')), '-lm'],
  });
}
