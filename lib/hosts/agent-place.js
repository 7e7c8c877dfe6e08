// Where an agent lets launches listen, and the folder that it shares with other agents of its machine.

import { once } from 'node:events';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { createServer, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, relative } from 'node:path';
import { LONGEST_PARENT_BYTES } from '../children/run-directory.js';
import { BenchError } from '../errors.js';
import { listed } from '../format/lists.js';
import { hostAndPort, LOOPBACK, withoutBrackets } from '../transport/admission.js';

/** @import { AgentFacts, HostChoice } from '../types/index.js' */

const SSH_SERVER_ADDRESS = 2; // of SSH_CONNECTION: the client and its port, the server and its port
const LINK_LOCAL = /^fe[89ab]/i;

/**
 * @param {string | undefined} bind   as the user gave it
 * @param {Record<string, string | undefined>} environment
 * @returns where none was given: over ssh the one by which the run reaches this host; else nobody beyond it does
 */
export function addressToBind(bind, { SSH_CONNECTION = '' }) {
  const given = bind ?? (SSH_CONNECTION.split(' ')[SSH_SERVER_ADDRESS] || LOOPBACK);
  const address = withoutBrackets(given);
  const refuse = (/** @type {string} */ why) => {
    throw new BenchError('BAD_ARGUMENT', `--bind: ${why}; write the one of this host that the others reach`);
  };
  if (isIP(address) === 0) refuse('this is no IP address');
  // Each host writes its own interface behind it.
  if (LINK_LOCAL.test(address)) refuse('an address of a link means something else on each host');
  // As the system writes it.
  return isIPv6(address) ? withoutBrackets(new URL(`http://${hostAndPort(address, 80)}`).hostname) : address;
}

/** @param {string} address @throws {BenchError} BAD_ARGUMENT: no launch could listen there */
export async function tryToBind(address) {
  const server = createServer();
  try {
    await once(server.listen(0, address), 'listening');
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const own = interfaces.filter(({ internal }) => !internal).map((one) => one.address);
    const usable = own.filter((one) => !LINK_LOCAL.test(one));
    const next =
      usable.length === 0 ? 'it has none that others reach' : `those that it has: ${listed(usable)}`;
    throw new BenchError('BAD_ARGUMENT', `--bind: ${address} is not usable on this host (${code}); ${next}`, {
      cause,
    });
  } finally {
    server.close();
  }
}

// A folder that agents of one machine have in common, as containers of one pod: what a launch makes in it, sockets above all, is
// found by the workers of all of them.
const SAME = 'start its agent with --shared-folder and the folder of the other, at the same path';

/** @param {string | undefined} given   as the user wrote it @returns its path, as the other agent has to write it */
export function sharedFolderGiven(given) {
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
  if (!statSync(path).isDirectory()) throw refuse('this is no folder; name one that can be written');
  if (Buffer.byteLength(path) > LONGEST_PARENT_BYTES)
    throw refuse(`sockets need a path of at most ${LONGEST_PARENT_BYTES} bytes; name a shorter one`);
  return path;
}

/**
 * @param {Map<string, AgentFacts>} met
 * @param {HostChoice} choice
 * @throws {BenchError} HOST: the run counts on a folder that is not there. That it is the same one is seen in each launch
 */
export function refuseOtherFolders(met, { master, workers, sharesFolder }) {
  if (!sharesFolder) return;
  const of = (/** @type {string} */ name) => met.get(name)?.sharedFolder;
  const none = [master, ...workers].find((name) => of(name) === undefined);
  if (none !== undefined) throw new BenchError('HOST', `host ${none} has no shared folder: ${SAME}`);
  const other = workers.find((name) => of(name) !== of(master));
  if (other === undefined) return;
  const both = `${of(other)}, and that of host ${master} is ${of(master)}`;
  throw new BenchError('HOST', `host ${other}: its shared folder is ${both}: ${SAME}`);
}

/**
 * @param {string} folder     of a launch, with a part in its name that is drawn: nobody has it by chance
 * @param {string | undefined} own   the shared one of this agent
 * @throws {BenchError} HOST: its creator uses another folder
 */
export function seeFolder(folder, own) {
  const isInside = own !== undefined && !relative(own, folder).startsWith('..');
  if (isInside && existsSync(join(folder, '.'))) return;
  throw new BenchError(
    'HOST',
    `it does not see what the host of the master has in its shared folder: ${SAME}`,
  );
}
