// Which npm package has a program for a platform and a CPU: those of runtimes are one for each, with the binary inside and no
// install script.

/** @import { Machine } from '../types/index.js' */

/** @returns {Machine} */
export function thisMachine() {
  const { platform, arch } = process;
  if (platform !== 'linux') return { platform, arch };
  const { header } = /** @type {any} */ (process.report.getReport());
  return { platform, arch, isMusl: header.glibcVersionRuntime === undefined };
}

/**
 * @param {Readonly<Record<string, string>>} packages   'linux-x64', 'linux-x64-musl', 'darwin-arm64' → name
 * @param {string} site                                where it is for all others
 * @param {(name: string) => string} asWord            as npm i takes it
 * @param {Machine} machine
 * @returns {string} an order: 'npm i @oven/bun-linux-x64'
 */
export function installCommand(packages, site, asWord, { platform, arch, isMusl = false }) {
  const key = `${platform}-${arch}${isMusl ? '-musl' : ''}`;
  return Object.hasOwn(packages, key) ? `npm i ${asWord(packages[key])}` : `install it as ${site} says`;
}
