// A folder that agents of one machine have in common, as containers of one pod: what a launch makes in it, sockets above all, is
// found by the workers of all of them.

import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { LONGEST_PARENT_BYTES } from '../children/run-directory.js';
import { BenchError } from '../errors.js';

/** @import { AgentFacts, HostChoice } from '../types/index.js' */

const SAME = 'start its agent with --shared-folder and the folder of the other, at the same path';

/** @param {string | undefined} given   as the user wrote it @returns {string | undefined} its path, as the other agent has to write it */
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
