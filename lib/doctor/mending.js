// Commands that differ from system to system: how a package is installed, how a shell or a container gets more.

/** @import { Facts } from './facts.js' */

/** @import { SystemPackages } from '../types/index.js' */

/** @type {{ name: keyof SystemPackages, of: string[], command: string }[]} what installs packages on a system */
const INSTALLERS = [
  { name: 'apt', of: ['debian', 'ubuntu'], command: 'sudo apt-get install' },
  { name: 'dnf', of: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install' },
  { name: 'apk', of: ['alpine'], command: 'sudo apk add' },
  { name: 'pacman', of: ['arch'], command: 'sudo pacman -S' },
  { name: 'zypper', of: ['suse', 'opensuse'], command: 'sudo zypper install' },
  { name: 'brew', of: ['darwin'], command: 'brew install' },
];

/** Those of Linux, with taskset and setpriv. @type {SystemPackages} */
export const UTILITIES = Object.freeze({
  apt: 'util-linux',
  dnf: 'util-linux',
  apk: 'util-linux',
  pacman: 'util-linux',
  zypper: 'util-linux',
});

/** @param {Facts} facts @param {SystemPackages} packages @returns {string | null} null: nobody knows how here */
export function installCommand({ platform, distributions }, packages) {
  const systems = platform === 'darwin' ? [platform] : distributions;
  const installer = INSTALLERS.find(({ of }) => of.some((name) => systems.includes(name)));
  const wanted = installer && packages[installer.name];
  return wanted === undefined ? null : `${installer?.command} ${wanted}`;
}

/**
 * @param {Pick<Facts, 'container'>} facts
 * @param {string} limit    an option of docker run
 * @param {string} otherwise    the command outside of containers
 * @returns {string | null} null: in a container that is not of docker or podman its own configuration says it
 */
export function outsideCommand({ container }, limit, otherwise) {
  if (container === null) return otherwise;
  return ['docker', 'podman'].includes(container) ? `${container} update ${limit} CONTAINER` : null;
}
