// How far the clock of another process is from this one's, by asking it for the time: between processes of one system Node's
// clocks are the same, between hosts, and in other runtimes, they are not.

import { sharedNowMs } from '../../machine/clock.js';

/** @import { ClockComparison } from '../../types/index.js' */
/** @import { WorkerGroup } from '../controller/worker-group.js' */
/** @import { GroupMember } from '../controller/group-member.js' */
/** @import { ClockAnswer } from './protocol.js' */

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
export async function compareClocks(group, role, deadlineMs) {
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

/** @param {Pick<GroupMember, 'clock'>[]} members @returns {number} how long the farthest of them takes to hear and to answer; 0: all share one clock, and a machine */
export function slowestExchangeMs(members) {
  return Math.max(0, ...members.map(({ clock }) => (clock === null ? 0 : 2 * clock.boundMs)));
}
