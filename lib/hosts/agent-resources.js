// The address at which the launches of an agent listen, and the folder that the agent shares with other agents of its machine.

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, relative } from 'node:path';
import { hostAndPort, LOOPBACK, withoutBrackets } from '../channels/addresses.js';
import { freePort } from '../channels/brokers/private-server.js';
import { MAX_PARENT_BYTES } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { listed } from '../format/lists.js';

/** @import { AgentFacts, HostChoice } from '../types/index.js' */

const SSH_SERVER_ADDRESS = 2; // index in SSH_CONNECTION, which has client address, client port, server address and server port
const LINK_LOCAL = /^fe[89ab]/i;

/**
 * @param {string | undefined} bind   value of --bind
 * @param {Record<string, string | undefined>} environment
 * @returns the address to listen at: --bind, else the address at which ssh reached this host, else the loopback address
 */
export function addressToBind(bind, { SSH_CONNECTION = '' }) {
  const given = bind ?? (SSH_CONNECTION.split(' ')[SSH_SERVER_ADDRESS] || LOOPBACK);
  const address = withoutBrackets(given);
  const refuse = (/** @type {string} */ why) => {
    throw new BenchError('BAD_ARGUMENT', `--bind: ${why}; write the one of this host that the others reach`);
  };
  if (isIP(address) === 0) refuse('this is no IP address');
  // The zone of a link-local address names an interface of one host.
  if (LINK_LOCAL.test(address)) refuse('an address of a link means something else on each host');
  // Writes an IPv6 address in its shortest form, as the system does.
  return isIPv6(address) ? withoutBrackets(new URL(`http://${hostAndPort(address, 80)}`).hostname) : address;
}

/** @param {string} address @throws {BenchError} BAD_ARGUMENT if this host cannot listen there */
export async function tryToBind(address) {
  try {
    await freePort(address);
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const usable = interfaces
      .filter((one) => !one.internal && !LINK_LOCAL.test(one.address))
      .map((one) => one.address);
    const next =
      usable.length === 0 ? 'it has none that others reach' : `those that it has: ${listed(usable)}`;
    throw new BenchError('BAD_ARGUMENT', `--bind: ${address} is not usable on this host (${code}); ${next}`, {
      cause,
    });
  }
}

// A folder that agents of one machine share, such as agents in the containers of a pod. It contains files and sockets of a launch, so that
// workers of all these agents find them.

const SAME = 'start its agent with --shared-folder and the folder of the other, at the same path';

/**
 * @param {string | undefined} given   value of --shared-folder
 * @returns {string | undefined} the real path; undefined without the option
 * @throws {BenchError} BAD_ARGUMENT if it is not a folder that can be written, or if its path is too long for sockets
 */
export function resolveSharedFolder(given) {
  if (given === undefined) return undefined;
  const refuse = (/** @type {string} */ why) => new BenchError('BAD_ARGUMENT', `--shared-folder: ${why}`);
  let path;
  try {
    path = realpathSync(given);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    throw refuse(`this folder cannot be used (${code}); name one that is there, and can be written`);
  }
  if (!statSync(path).isDirectory()) throw refuse('this is not a folder; name one that can be written');
  if (Buffer.byteLength(path) > MAX_PARENT_BYTES)
    throw refuse(`sockets need a path of at most ${MAX_PARENT_BYTES} bytes; name a shorter one`);
  return path;
}

/**
 * Refuses agents without a shared folder, and shared folders with different paths. Each launch also checks that all agents find its own
 * folder there.
 * @param {Map<string, AgentFacts>} facts
 * @param {HostChoice} choice
 * @throws {BenchError} HOST
 */
export function refuseOtherFolders(facts, { master, workers, sharesFolder }) {
  if (!sharesFolder) return;
  const folderOf = (/** @type {string} */ name) => facts.get(name)?.sharedFolder;
  const without = [master, ...workers].find((name) => folderOf(name) === undefined);
  if (without !== undefined) throw new BenchError('HOST', `host ${without} has no shared folder: ${SAME}`);
  const other = workers.find((name) => folderOf(name) !== folderOf(master));
  if (other === undefined) return;
  const both = `${folderOf(other)}, and that of host ${master} is ${folderOf(master)}`;
  throw new BenchError('HOST', `host ${other}: its shared folder is ${both}: ${SAME}`);
}

/**
 * @param {string} folder   folder of a launch; a part of its name is random, so no other folder has this path
 * @param {string | undefined} sharedFolder   value of --shared-folder of this agent
 * @throws {BenchError} HOST if the folder is not there, since the controller's agent uses another shared folder
 */
export function requireFolder(folder, sharedFolder) {
  const isInside = sharedFolder !== undefined && !relative(sharedFolder, folder).startsWith('..');
  if (isInside && existsSync(join(folder, '.'))) return;
  throw new BenchError(
    'HOST',
    `it does not see what the host of the master has in its shared folder: ${SAME}`,
  );
}
