// Lets the processes of a launch join role by role: a role joins when the role that it connects to listens. They exit in the opposite
// order, so that no process loses its connection before it exits. The clock of a process on another host or of another runtime is compared
// before it joins.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTROLLER } from '../../cell/launch-roles.js';
import { removeFolder } from '../../children/run-directory.js';
import { sharedNowMs } from '../../machine/clock.js';

/** @import { ClockComparison, Role } from '../../types/index.js' */
/** @import { LaunchSpec } from '../launch-spec.js' */
/** @import { GroupMember, WorkerGroup } from './worker-group.js' */
/** @import { ClockReading } from '../control/protocol.js' */

/**
 * @param {LaunchSpec} spec
 * @param {WorkerGroup} group
 * @param {readonly Role[]} roles   in the order in which they join
 * @param {string} address   address of the controller
 */
export async function awaitStartUp(spec, group, roles, address) {
  const addresses = new Map([[CONTROLLER, address]]);
  const lastMs = performance.now() + spec.deadlines.connectMs;
  for (const { name, listens, connectsTo = CONTROLLER } of roles) {
    const order = {
      control: /** @type {const} */ ('join'),
      role: name,
      spec: specForHop(spec, connectsTo),
      address: String(addresses.get(connectsTo)),
      ...(listens && { listenSpec: specForHop(spec, name) }),
    };
    if (order.listenSpec !== undefined) await mkdir(order.listenSpec.scratchDir, { mode: 0o700 });
    await compareClocks(group, name, lastMs - performance.now());
    for (const { id, send, forkedMs, clock } of group.playing(name)) {
      send({ ...order, id, forkedMs, ...(clock && { clockShiftMs: clock.shiftMs }) });
    }
    const [ready] = await group.receiveAll('ready', lastMs - performance.now(), name);
    if (listens) addresses.set(name, ready.address);
  }
}

/** @param {WorkerGroup} group @param {readonly Role[]} roles @param {number} deadlineMs   for each role */
export async function dismissGroup(group, roles, deadlineMs) {
  group.dismiss();
  for (const { name } of [...roles].reverse()) {
    group.sendAll({ control: 'leave' }, name);
    await group.allGone(deadlineMs, name);
  }
}

/**
 * Removes the scratch folders of hops between roles. To be called when the processes of the roles have ended.
 * @param {LaunchSpec} spec
 * @param {readonly Role[]} roles
 */
export async function removeFolders(spec, roles) {
  for (const { name, listens } of roles) {
    if (listens) await removeFolder(specForHop(spec, name).scratchDir);
  }
}

const EXCHANGES = 25; // between processes of one machine, the fastest of 25 exchanges has an error of at most 20 µs

/**
 * Compares the clock of another process with the clock of this one. Node.js processes of one system share a clock; other hosts and runtimes
 * have separate clocks.
 * @param {() => Promise<number>} readOther   reads the other clock, in ms
 * @returns {Promise<ClockComparison>} from the fastest exchange, assuming that the clock was read in its middle
 */
export async function comparedClock(readOther) {
  let quickest = { shiftMs: 0, boundMs: Infinity };
  for (let exchange = 0; exchange < EXCHANGES; exchange += 1) {
    const sentMs = sharedNowMs();
    const otherMs = await readOther();
    const receivedMs = sharedNowMs();
    const boundMs = (receivedMs - sentMs) / 2;
    if (boundMs < quickest.boundMs) quickest = { shiftMs: sentMs + boundMs - otherMs, boundMs };
  }
  return quickest;
}

/**
 * Compares all clocks that differ from the clock of this process, in parallel, before their processes join.
 * @param {WorkerGroup} group
 * @param {string} role
 * @param {number} deadlineMs   for each response
 */
async function compareClocks(group, role, deadlineMs) {
  const others = group.playing(role).filter(({ worker }) => !worker.sharesClock);
  /** @param {GroupMember} member @param {'hello' | 'clock'} kind @param {string} what */
  const untilSent = (member, kind, what) =>
    group.until(({ messages }) => messages.has(kind), deadlineMs, what, [member]);
  await Promise.all(
    others.map(async (member) => {
      await untilSent(member, 'hello', 'start');
      member.clock = await comparedClock(async () => {
        member.messages.delete('clock');
        member.send({ control: 'clock' });
        await untilSent(member, 'clock', 'send its time');
        return /** @type {ClockReading} */ (member.messages.get('clock')).nowMs;
      });
    }),
  );
}

/**
 * @param {GroupMember[]} members
 * @returns {{ clocks?: Record<string, ClockComparison> }} comparisons with processes that have another clock
 */
export function listClocks(members) {
  const others = members.flatMap(({ id, clock }) => (clock === null ? [] : [[id, clock]]));
  return others.length === 0 ? {} : { clocks: Object.fromEntries(others) };
}

/**
 * @param {Pick<GroupMember, 'clock'>[]} members
 * @returns {number} ms of the fastest exchange with the most distant process; 0 if all processes share a clock, and thus a machine
 */
export function slowestExchangeMs(members) {
  return Math.max(0, ...members.map(({ clock }) => (clock === null ? 0 : 2 * clock.boundMs)));
}

/**
 * A hop to another role than the controller is a separate launch for its transport: names of sockets, topics and queues differ from those
 * of the hop to the controller, which may use another transport.
 * @param {LaunchSpec} spec
 * @param {string} role   the role that listens
 * @returns {LaunchSpec} spec for both ends of the hop
 */
export function specForHop(spec, role) {
  const { launchId, scratchDir, toMaster } = spec;
  if (role === CONTROLLER) return { ...spec, ...toMaster };
  return { ...spec, launchId: `${role}${launchId}`, scratchDir: join(scratchDir, role) };
}
