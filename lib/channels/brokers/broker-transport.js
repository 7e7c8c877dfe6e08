// Common declarations of transports over a broker: traits, the server program that can be started for a run, and how it is reached.
// The ends are loaded on demand, since every process of a launch imports the file of its transport when it starts.

import { basename, delimiter } from 'node:path';
import { findOnPath } from '../../children/launcher.js';
import { BenchError } from '../../errors.js';

/** @import { Broker, BrokerStart, RunningBroker, Setting, SystemPackages, Traits, Transport } from '../../types/index.js' */
/** @import { OpenTopics } from './over-topics.js' */

/**
 * @type {Pick<Traits, 'class' | 'reach' | 'direction' | 'durability' | 'platforms' |
 *   'messagesPerRoundTrip'>}
 */
export const brokerTraits = Object.freeze({
  class: 'broker',
  reach: 'network',
  direction: 'duplex',
  durability: 'memory',
  reconnects: true,
  platforms: ['linux', 'darwin', 'win32', 'freebsd'],
  messagesPerRoundTrip: 2, // request and response
});

/**
 * A setting of all transports whose broker can also listen on a unix socket. It does not apply to a server that the user gives by URL: see
 * lib/plan/skip-reasons.js.
 * @type {Setting}
 */
export const netSetting = Object.freeze({
  summary:
    'how a private server is reached; unix: unix domain socket; tcp: loopback, with a password. A server given by URL is ' +
    'reached by its URL',
  default: process.platform === 'win32' ? 'tcp' : 'unix',
  choices: ['unix', 'tcp'],
  changesRoute: true,
});

/**
 * @param {string} separator       separates the parts of a topic
 * @param {() => Promise<{ openTopics: OpenTopics }>} load
 * @returns {Pick<Transport, 'listen' | 'connect'>}
 */
export function endsOverTopics(separator, load) {
  const loaded = () => Promise.all([import('./over-topics.js'), load()]);
  return {
    async listen(host) {
      const [{ listenOverTopics }, { openTopics }] = await loaded();
      return listenOverTopics(host, separator, openTopics);
    },
    async connect(guest) {
      const [{ connectOverTopics }, { openTopics }] = await loaded();
      return connectOverTopics(guest, separator, openTopics);
    },
  };
}

/**
 * @param {object} program
 * @param {() => string | undefined} program.find    returns the absolute path; undefined if there is none
 * @param {string} program.missing                   reason and remedy if it is not found
 * @param {number} [program.leastOpenFiles]          lowest sufficient limit of open files
 * @param {(command: string, start: BrokerStart) => Promise<RunningBroker>} program.start
 * @returns {Pick<Broker, 'whyUnavailable' | 'start'>}
 */
export function serverProgram({ find, missing, leastOpenFiles = 0, start }) {
  return {
    async whyUnavailable() {
      const command = find();
      if (command === undefined) return missing;
      if (leastOpenFiles === 0) return null;
      // Loaded on demand, since master and workers import this file too.
      const { readConnectionRoom } = await import('../../machine/limits.js');
      const { openFiles } = readConnectionRoom();
      if (openFiles === null || openFiles >= leastOpenFiles) return null;
      const what = `${basename(command)} needs ${leastOpenFiles} open files, and the limit is ${openFiles}`;
      return `${what}: raise it, as with ulimit -n 1024`;
    },
    async start(options) {
      const command = find();
      if (command === undefined) throw new BenchError('BROKER', missing);
      return start(command, options);
    },
  };
}

// Debian and Homebrew install brokers in sbin, which may be missing from the PATH of a user.
const ADMINISTRATORS_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/opt/homebrew/sbin'];

/**
 * @param {...string} names     the first one that exists is used
 * @returns {string | undefined}   its absolute path; always undefined if PATH is empty
 */
export function findServer(...names) {
  const { PATH = '' } = process.env;
  if (PATH === '') return undefined;
  const folders = [PATH, ...ADMINISTRATORS_FOLDERS].join(delimiter);
  return names.map((name) => findOnPath(name, folders)).find((path) => path !== undefined);
}

/**
 * Returns the commands of the most common package managers; `ipc-bench doctor` prints the command for this machine.
 * @param {SystemPackages} packages
 * @param {NodeJS.Platform} [platform]
 */
export function howToInstall({ apt, brew, winget }, platform = process.platform) {
  if (platform !== 'win32') return `apt install ${apt} / brew install ${brew}`;
  return winget === undefined ? 'start one in WSL' : `winget install ${winget}`;
}
