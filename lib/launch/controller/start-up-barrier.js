// Brings the processes of a launch together, one role after the other, each when the one it connects to listens; waits until
// they have handed in; and lets them go in the opposite order, so that nobody is left before it has left by itself.

import { mkdir, rm } from 'node:fs/promises';
import { LEADER, WORKER } from '../../cell/launch-roles.js';
import { onTheWayTo } from '../assignment.js';
import { compareClocks } from '../control/clock-offset.js';

/** @import { Role } from '../../types/index.js' */
/** @import { Assignment } from '../assignment.js' */
/** @import { WorkerGroup } from './worker-group.js' */

/**
 * @param {Assignment} assignment
 * @param {WorkerGroup} crew
 * @param {readonly Role[]} roles   that the crew plays, in the order in which they join
 * @param {string} address          of the leader
 */
export async function awaitStartUp(assignment, crew, roles, address) {
  const addresses = new Map([[LEADER, address]]);
  const lastMs = performance.now() + assignment.deadlines.connectMs;
  for (const { name, listens, connectsTo = LEADER } of roles) {
    const order = {
      control: /** @type {const} */ ('join'),
      role: name,
      assignment: onTheWayTo(assignment, connectsTo),
      address: String(addresses.get(connectsTo)),
      ...(listens && { own: onTheWayTo(assignment, name) }),
    };
    if (order.own !== undefined) await mkdir(order.own.scratchDir, { mode: 0o700 });
    await compareClocks(crew, name, lastMs - performance.now());
    for (const { id, tell, forkedMs, clock } of crew.playing(name)) {
      tell({ ...order, id, forkedMs, ...(clock && { clockShiftMs: clock.shiftMs }) });
    }
    const [ready] = await crew.allSay('ready', lastMs - performance.now(), name);
    if (listens) addresses.set(name, ready.address);
  }
}

/** @param {WorkerGroup} crew @param {number} deadlineMs @returns {Promise<any[]>} the reports of all, in the order of the crew */
export async function handedIn(crew, deadlineMs) {
  await crew.allSay('done', deadlineMs, WORKER);
  for (const { said, tell } of crew.members) if (!said.has('done')) tell({ control: 'over' });
  return crew.allSay('done', deadlineMs);
}

/** @param {WorkerGroup} crew @param {readonly Role[]} roles @param {number} deadlineMs   of each */
export async function part(crew, roles, deadlineMs) {
  crew.dismiss();
  for (const { name } of [...roles].reverse()) {
    crew.tellAll({ control: 'leave' }, name);
    await crew.allGone(deadlineMs, name);
  }
}

/** @param {Assignment} assignment @param {readonly Role[]} roles   whose processes have ended, in good order or not */
export async function removeFolders(assignment, roles) {
  for (const { name, listens } of roles) {
    if (listens) await rm(onTheWayTo(assignment, name).scratchDir, { recursive: true, force: true });
  }
}
