// The one way to a program in C: which compiler there is, what to do where there is none, and how it is called.

import { BenchError } from '../errors.js';
import { compiledProgram } from './compiled-program.js';
import { findOnPath } from './launcher.js';

/** @import { Sources } from './compiled-program.js' */

/** Names under which a compiler of C is found. */
export const C_COMPILERS = Object.freeze(['cc', 'gcc', 'clang']);

/** @type {Partial<Record<NodeJS.Platform, string>>} */
const REMEDIES = { darwin: 'xcode-select --install', freebsd: 'pkg install llvm' };

/** @returns {string} how to come by one, with the headers of the system */
export function compilerRemedy() {
  return REMEDIES[process.platform] ?? 'apt install gcc libc6-dev';
}

/** @returns {string | undefined} the path of the first one on PATH */
export function findCompiler() {
  return C_COMPILERS.map((name) => findOnPath(name)).find((path) => path !== undefined);
}

/**
 * @param {Sources} sources
 * @param {string} [compiler]
 * @returns {Promise<string>} path of the program
 * @throws {BenchError} there is no compiler, or what it said
 */
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
