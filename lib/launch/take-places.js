// Pins what runs the messages of a launch to its place, before the load begins: the main threads, and what a transport has
// started beside them. The helper threads of V8 and libuv keep all CPUs of the launch.

import { BenchError } from '../errors.js';
import { cpusOf } from './assignment.js';
import { nameOf } from './crew-member.js';

/** @import { Crew } from './crew.js' */
/** @import { MasterProcess } from './master-process.js' */
/** @import { Ready } from './protocol.js' */

/** @param {Crew} crew @param {MasterProcess} master @throws {BenchError} PROCESS_DIED, naming who is gone */
export function takePlaces({ cpus, members }, master) {
  if (cpus === null) return;
  pin('the master', () => master.pin(cpus.master));
  for (const member of members) {
    const { id, worker, said } = member;
    const ready = /** @type {Ready | undefined} */ (said.get('ready'));
    pin(`${nameOf(member)} (${worker.identity})`, () => worker.pin(cpusOf(cpus, id), ready?.helpers));
  }
}

/** @param {string} who @param {() => void} move */
function pin(who, move) {
  try {
    move();
  } catch (cause) {
    throw new BenchError('PROCESS_DIED', `${who} could not be pinned`, { cause });
  }
}
