// Has the workers of a launch make their other connections, and tells what the process that listens grew by meanwhile.

import { WORKER } from '../cell/launch-roles.js';
import { residentBytesOf } from '../machine/process-cost.js';
import { fillYoungGeneration } from './young-generation.js';

/** @import { Assignment } from './assignment.js' */
/** @import { Crew } from './crew.js' */
/** @import { MasterProcess } from './master-process.js' */

/**
 * Each worker makes its other connections, now that all of them have one: first a half, with which processes grow by what they
 * load and by what they will need again, then the rest, with which they grow by what connections take.
 * @param {Assignment} assignment
 * @param {Crew} crew
 * @param {number} connections   of each worker
 * @param {MasterProcess} master
 * @returns {Promise<{ grownBytes: number }>} the master and a broker of ours, with the second half
 */
export async function growConnections({ broker, deadlines }, crew, connections, master) {
  const residentBytes = () =>
    master.residentBytes() + (broker === null ? 0 : (residentBytesOf(broker.pid) ?? Number.NaN));
  let bytesBefore = 0;
  fillYoungGeneration();
  for (const upTo of [Math.ceil(connections / 2), connections]) {
    bytesBefore = residentBytes();
    crew.forget('connected');
    crew.tellAll({ control: 'connect', upTo }, WORKER);
    await crew.allSay('connected', deadlines.connectMs, WORKER);
  }
  return { grownBytes: residentBytes() - bytesBefore };
}
