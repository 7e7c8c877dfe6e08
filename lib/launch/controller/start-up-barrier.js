// Brings the processes of a launch together, one role after the other, each when the one it connects to listens; waits until
// they have handed in; and lets them go in the opposite order, so that nobody is left before it has left by itself.

import { mkdir, rm } from 'node:fs/promises';
import { CONTROLLER, WORKER } from '../../cell/launch-roles.js';
import { onTheWayTo } from '../assignment.js';
import { compareClocks } from '../control/clock-offset.js';

/** @import { Role } from '../../types/index.js' */
/** @import { Assignment } from '../assignment.js' */
/** @import { WorkerGroup } from './worker-group.js' */

/**
 * @param {Assignment} assignment
 * @param {WorkerGroup} group
 * @param {readonly Role[]} roles   that the group plays, in the order in which they join
 * @param {string} address          of the controller
 */
export async function awaitStartUp(assignment, group, roles, address) {
  const addresses = new Map([[CONTROLLER, address]]);
  const lastMs = performance.now() + assignment.deadlines.connectMs;
  for (const { name, listens, connectsTo = CONTROLLER } of roles) {
    const order = {
      control: /** @type {const} */ ('join'),
      role: name,
      assignment: onTheWayTo(assignment, connectsTo),
      address: String(addresses.get(connectsTo)),
      ...(listens && { own: onTheWayTo(assignment, name) }),
    };
    if (order.own !== undefined) await mkdir(order.own.scratchDir, { mode: 0o700 });
    await compareClocks(group, name, lastMs - performance.now());
    for (const { id, tell, forkedMs, clock } of group.playing(name)) {
      tell({ ...order, id, forkedMs, ...(clock && { clockShiftMs: clock.shiftMs }) });
    }
    const [ready] = await group.allSay('ready', lastMs - performance.now(), name);
    if (listens) addresses.set(name, ready.address);
  }
}

/** @param {WorkerGroup} group @param {number} deadlineMs @returns {Promise<any[]>} the reports of all, in the order of the group */
export async function handedIn(group, deadlineMs) {
  await group.allSay('done', deadlineMs, WORKER);
  for (const { said, tell } of group.members) if (!said.has('done')) tell({ control: 'over' });
  return group.allSay('done', deadlineMs);
}

/** @param {WorkerGroup} group @param {readonly Role[]} roles @param {number} deadlineMs   of each */
export async function part(group, roles, deadlineMs) {
  group.dismiss();
  for (const { name } of [...roles].reverse()) {
    group.tellAll({ control: 'leave' }, name);
    await group.allGone(deadlineMs, name);
  }
}

/** @param {Assignment} assignment @param {readonly Role[]} roles   whose processes have ended, in good order or not */
export async function removeFolders(assignment, roles) {
  for (const { name, listens } of roles) {
    if (listens) await rm(onTheWayTo(assignment, name).scratchDir, { recursive: true, force: true });
  }
}
