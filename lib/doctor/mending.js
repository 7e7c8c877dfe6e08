// Commands that differ from system to system: how a package is installed, how a shell or a container gets more.

/** @import { Facts } from './facts.js' */

/** @typedef {Readonly<Record<string, string>>} Packages   what is wanted → how its package is called there */

const COMMON = { utilities: 'util-linux', mqtt: 'mosquitto', rabbitmq: 'rabbitmq-server' };

/** @type {{ of: string[], command: string, packages: Packages }[]} */
const INSTALLERS = [
  {
    of: ['debian', 'ubuntu'],
    command: 'sudo apt-get install',
    packages: { ...COMMON, redis: 'redis-server', nats: 'nats-server' },
  },
  { of: ['fedora', 'rhel', 'centos'], command: 'sudo dnf install', packages: { ...COMMON, redis: 'valkey' } },
  {
    of: ['alpine'],
    command: 'sudo apk add',
    packages: { ...COMMON, redis: 'redis', nats: 'nats-server' },
  },
  {
    of: ['arch'],
    command: 'sudo pacman -S',
    packages: { ...COMMON, redis: 'valkey', rabbitmq: 'rabbitmq', nats: 'nats-server' },
  },
  { of: ['suse', 'opensuse'], command: 'sudo zypper install', packages: { ...COMMON, redis: 'redis' } },
];
/** @type {Packages} */
const HOMEBREW = { redis: 'redis', mqtt: 'mosquitto', rabbitmq: 'rabbitmq', nats: 'nats-server' };

/**
 * @param {Facts} facts
 * @param {string} what     the name of a broker, or 'utilities'
 * @returns {string | null} null: nobody knows how here
 */
export function installCommand({ platform, distributions }, what) {
  const installer =
    platform === 'darwin'
      ? { command: 'brew install', packages: HOMEBREW }
      : INSTALLERS.find(({ of }) => of.some((name) => distributions.includes(name)));
  if (installer === undefined || !Object.hasOwn(installer.packages, what)) return null;
  return `${installer.command} ${installer.packages[what]}`;
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
