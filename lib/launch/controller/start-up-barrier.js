// Lets the processes of a launch join, one role after the other, each when the role that it connects to listens, and leave in the opposite
// order, so that no process loses its connection before it has left by itself.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTROLLER } from '../../cell/launch-roles.js';
import { removeFolder } from '../../children/run-directory.js';
import { sharedNowMs } from '../../machine/clock.js';

/** @import { ClockComparison, Role } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { GroupMember, WorkerGroup } from './worker-group.js' */
/** @import { ClockAnswer } from '../control/protocol.js' */

/**
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {readonly Role[]} roles   that the group plays, in the order in which they join
 * @param {string} address          of the controller
 */
export async function awaitStartUp(spec, group, roles, address) {
  const addresses = new Map([[CONTROLLER, address]]);
  const lastMs = performance.now() + spec.deadlines.connectMs;
  for (const { name, listens, connectsTo = CONTROLLER } of roles) {
    const order = {
      control: /** @type {const} */ ('join'),
      role: name,
      spec: onTheWayTo(spec, connectsTo),
      address: String(addresses.get(connectsTo)),
      ...(listens && { own: onTheWayTo(spec, name) }),
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

/** @param {WorkerGroup} group @param {readonly Role[]} roles @param {number} deadlineMs   of each */
export async function dismissGroup(group, roles, deadlineMs) {
  group.dismiss();
  for (const { name } of [...roles].reverse()) {
    group.tellAll({ control: 'leave' }, name);
    await group.allGone(deadlineMs, name);
  }
}

/** @param {LaunchSpec} spec @param {readonly Role[]} roles   whose processes have ended, in good order or not */
export async function removeFolders(spec, roles) {
  for (const { name, listens } of roles) {
    if (listens) await removeFolder(onTheWayTo(spec, name).scratchDir);
  }
}

// How far the clock of another process is from this one's, by asking it for the time: between processes of one system Node's
// clocks are the same, between hosts, and in other runtimes, they are not.
const EXCHANGES = 25; // the quickest of them is within 20 µs of the truth between processes of one machine

/**
 * @param {() => Promise<number>} ask   what the other clock shows, in ms
 * @returns {Promise<ClockComparison>} of the quickest exchange: the answer was given within it, in the middle as far as anybody knows
 */
export async function comparedClock(ask) {
  let quickest = { shiftMs: 0, boundMs: Infinity };
  for (let exchange = 0; exchange < EXCHANGES; exchange += 1) {
    const askedMs = sharedNowMs();
    const theirsMs = await ask();
    const heardMs = sharedNowMs();
    const boundMs = (heardMs - askedMs) / 2;
    if (boundMs < quickest.boundMs) quickest = { shiftMs: askedMs + boundMs - theirsMs, boundMs };
  }
  return quickest;
}

/**
 * Compares the clocks that are not this process's with it, all at once, before their processes join.
 * @param {WorkerGroup} group
 * @param {string} role
 * @param {number} deadlineMs   of each answer
 */
async function compareClocks(group, role, deadlineMs) {
  const others = group.playing(role).filter(({ worker }) => !worker.sharesClock);
  /** @param {GroupMember} member @param {'hello' | 'clock'} kind @param {string} what */
  const says = (member, kind, what) => group.until(({ said }) => said.has(kind), deadlineMs, what, [member]);
  await Promise.all(
    others.map(async (member) => {
      await says(member, 'hello', 'start');
      member.clock = await comparedClock(async () => {
        member.said.delete('clock');
        member.tell({ control: 'clock' });
        await says(member, 'clock', 'tell the time');
        return /** @type {ClockAnswer} */ (member.said.get('clock')).nowMs;
      });
    }),
  );
}

/** @param {GroupMember[]} members @returns {{ clocks?: Record<string, ClockComparison> }} of those whose clock is not this process's */
export function listClocks(members) {
  const others = members.flatMap(({ id, clock }) => (clock === null ? [] : [[id, clock]]));
  return others.length === 0 ? {} : { clocks: Object.fromEntries(others) };
}

/** @param {Pick<GroupMember, 'clock'>[]} members @returns how long the farthest of them takes to hear and to answer; 0: all share one clock, and a machine */
export function slowestExchangeMs(members) {
  return Math.max(0, ...members.map(({ clock }) => (clock === null ? 0 : 2 * clock.boundMs)));
}

/**
 * What joins a role that is not the controller has a launch of its own, as far as its transport can see: no name of a socket, a
 * topic or a queue is the same as on the way to the controller, which may go over another transport.
 * @param {LaunchSpec} spec
 * @param {string} role     that listens
 * @returns {LaunchSpec} as the two ends of the way to it have it
 */
export function onTheWayTo(spec, role) {
  const { launchId, scratchDir, toMaster } = spec;
  if (role === CONTROLLER) return { ...spec, ...toMaster };
  return { ...spec, launchId: `${role}${launchId}`, scratchDir: join(scratchDir, role) };
}
