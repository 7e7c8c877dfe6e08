// Pins what runs the messages of a launch to its place, before the load begins: the main threads, and what a transport has
// started beside them. The helper threads of V8 and libuv keep all CPUs of the launch.

import { BenchError } from '../errors.js';
import { movePinned, movePinnedThread } from '../processes/launcher.js';
import { cpusOf } from './assignment.js';
import { nameOf } from './crew-member.js';

/** @import { Crew } from './crew.js' */
/** @import { Ready } from './protocol.js' */

/** @param {Crew} crew @throws {BenchError} PROCESS_DIED, naming who is gone */
export function takePlaces({ cpus, areThreads, helpers, members }) {
  if (cpus === null) return;
  pin('the master', () => {
    // Workers that are threads of it have places of their own; the main thread has the id of its process.
    if (areThreads) movePinnedThread(process.pid, cpus.master);
    else movePinned(process.pid, cpus.master, helpers);
  });
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
