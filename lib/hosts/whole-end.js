// What the agents of a launch tell, each of its own host → one end of the launch, as if it had been on one.

import { keepProfiles } from './order-files.js';

/** @import { LaunchEnd } from '../conductor/launch.js' */
/** @import { Assignment } from '../launch/assignment.js' */
/** @import { Calls, HostNoise, OrderEnd, ProcessCost } from '../types/index.js' */
/** @typedef {Extract<OrderEnd, { status: 'led' }>} Led */
/** @typedef {Extract<OrderEnd, { status: 'worked' }>} Worked */
/**
 * @template T
 * @typedef {T & { host: string }} OfHost
 */

/** @param {HostNoise[]} all   of each host @returns {HostNoise} of the one that was disturbed most, reading by reading */
function worstOf(all) {
  const most = (/** @type {keyof HostNoise} */ key) => {
    const known = all.map((noise) => noise[key]).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    othersShare: most('othersShare'),
    stealShare: most('stealShare'),
    pressureShare: most('pressureShare'),
    throttledPeriods: most('throttledPeriods'),
    spinRatio: Number(most('spinRatio')),
  };
}

/** @param {ProcessCost} cost @param {Record<string, number[] | null>} cpus   of workers on other hosts @returns {ProcessCost} */
function withCpus(cost, cpus) {
  if (!Object.hasOwn(cpus, cost.name)) return cost;
  const { helperCpus: _ofTheLeader, ...own } = cost;
  return { ...own, cpus: cpus[cost.name] };
}

/** @param {Calls} counted @param {number} operations @returns {Calls} */
function perOperation({ name, calls }, operations) {
  const each = Object.entries(calls).map(([call, count]) => [call, count / operations]);
  return { name, calls: Object.fromEntries(each) };
}

/**
 * @param {OfHost<Led>} led
 * @param {OfHost<Worked>[]} worked   those that had something to say in time
 * @param {{ hosts: Record<string, string>, assignment: Assignment }} launch   hosts: of each worker, by its id
 * @returns {Promise<LaunchEnd>}
 */
export async function wholeEnd(led, worked, { hosts, assignment }) {
  const { end } = led;
  if (end.kind === 'failed') {
    return { ...end, stderr: [...end.stderr, ...worked.flatMap(({ stderr }) => stderr)] };
  }
  const all = [led, ...worked];
  const { profileDir } = assignment;
  for (const { host, profiles = {} } of profileDir === undefined ? [] : all) {
    // What is no worker, is on the leader's host.
    await keepProfiles(profiles, String(profileDir), (id) => (hosts[id] ?? led.host) === host);
  }
  const cpus = Object.assign({}, ...worked.map((each) => each.cpus));
  const calls = all.flatMap((each) => each.calls ?? []);
  return {
    ...end,
    fields: {
      ...end.fields,
      costs: end.fields.costs.map((/** @type {ProcessCost} */ cost) => withCpus(cost, cpus)),
      toLeader: Object.fromEntries(worked.map(({ host, roundTripUs }) => [host, { roundTripUs }])),
      ...(calls.length > 0 && { calls: calls.map((one) => perOperation(one, end.fields.operations)) }),
    },
    noise: {
      ...worstOf(all.map(({ noise }) => noise)),
      hosts: Object.fromEntries(all.map(({ host, noise }) => [host, noise])),
    },
  };
}
