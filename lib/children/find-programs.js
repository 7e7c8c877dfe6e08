// Finds the programs of a runtime in folders that the user names, on PATH and in installed packages. Also returns the command that installs
// a runtime on this machine.

import { isAbsolute, join, resolve } from 'node:path';
import { isExecutable } from './launcher.js';
import { namesIn } from './run-directory.js';

/** @import { Machine, SearchPaths } from '../types/index.js' */

/**
 * @param {SearchPaths} paths
 * @param {string} name   name of the program without `.exe`
 * @param {string[]} inPackages   paths of the program in a node_modules folder; * matches any folder
 * @returns {string[]} absolute paths of executable files: first from `own`, then from `path`, then from `packages`
 */
export function findPrograms({ own, path, packages }, name, inPackages) {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const files = inPackages.map((pattern) => (file === name ? pattern : `${pattern}.exe`));
  // The user's folder may contain the program, one or several installations, or packages.
  const inOwn = [
    file,
    `bin/${file}`,
    `*/bin/${file}`,
    ...files,
    ...files.map((pattern) => `node_modules/${pattern}`),
  ];
  const found = [
    ...own.flatMap((folder) => inOwn.flatMap((pattern) => matching(resolve(folder), pattern.split('/')))),
    // With a relative entry, the working directory would determine the program.
    ...path.filter((folder) => isAbsolute(folder)).map((folder) => join(folder, file)),
    ...packages.flatMap((folder) => files.flatMap((pattern) => matching(folder, pattern.split('/')))),
  ];
  return [...new Set(found)].filter(isExecutable);
}

/** @param {string} folder @param {string[]} steps @returns {string[]} */
function matching(folder, [step, ...rest]) {
  if (step === undefined) return [folder];
  if (step !== '*') return matching(join(folder, step), rest);
  return namesIn(folder).flatMap((name) => matching(join(folder, name), rest));
}

/** @returns {Machine} */
export function thisMachine() {
  const { platform, arch } = process;
  if (platform !== 'linux') return { platform, arch };
  const { header } = /** @type {any} */ (process.report.getReport());
  return { platform, arch, isMusl: header.glibcVersionRuntime === undefined };
}

/**
 * @param {Readonly<Record<string, string>>} packages   names by machine: 'linux-x64', 'linux-x64-musl', 'darwin-arm64'
 * @param {string} site   website for machines without a package
 * @param {(name: string) => string} asWord   returns the argument of npm i for a package
 * @param {Machine} machine
 * @returns 'npm i @oven/bun-linux-x64', or 'install it as <site> says' without a package
 */
export function installCommand(packages, site, asWord, { platform, arch, isMusl = false }) {
  const key = `${platform}-${arch}${isMusl ? '-musl' : ''}`;
  return Object.hasOwn(packages, key) ? `npm i ${asWord(packages[key])}` : `install it as ${site} says`;
}
