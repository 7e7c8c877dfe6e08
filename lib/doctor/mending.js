// Commands that differ from system to system: how a package is installed, how a shell or a container gets more.

/** @typedef {import('./facts.js').Facts} Facts */

/** @type {{ of: string[], command: string, redis: string, utilities: string }[]} */
const INSTALLERS = [
  {
    of: ['debian', 'ubuntu'],
    command: 'sudo apt-get install',
    redis: 'redis-server',
    utilities: 'util-linux',
  },
  { of: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install', redis: 'valkey', utilities: 'util-linux' },
  { of: ['alpine'], command: 'sudo apk add', redis: 'redis', utilities: 'util-linux' },
  { of: ['arch'], command: 'sudo pacman -S', redis: 'valkey', utilities: 'util-linux' },
  { of: ['suse', 'opensuse'], command: 'sudo zypper install', redis: 'redis', utilities: 'util-linux' },
];

/**
 * @param {Facts} facts
 * @param {'redis' | 'utilities'} what
 * @returns {string | null} null: nobody knows how here
 */
export function installCommand({ platform, distributions }, what) {
  if (platform === 'darwin') return what === 'redis' ? 'brew install redis' : null;
  const installer = INSTALLERS.find(({ of }) => of.some((name) => distributions.includes(name)));
  return installer === undefined ? null : `${installer.command} ${installer[what]}`;
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
