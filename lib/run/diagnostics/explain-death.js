// Why a launch has failed, where what was started for it has died: a broker, or the delay line of its network.

import { setTimeout as sleep } from 'node:timers/promises';

/** @import { HopBroker } from '../brokers/broker-pool.js' */
/** @import { NetworkOfLaunch } from '../cell-runner.js' */
/** @typedef {{ code: string, name: string, causeOfDeath: () => string | null }} Server   code: of a launch that fails since it died */

// Of a server that is killed, its connections end first. Then the system ends it, and its supervisor tells us.
const TOLD_WITHIN_MS = 500;
const LOOK_EVERY_MS = 10;

/**
 * @template {{ code: string, message: string }} End
 * @param {End} end            of a launch that has failed
 * @param {HopBroker[]} hops
 * @param {NetworkOfLaunch | null} [network]
 * @returns {Promise<End>} with the death of its servers for the cause, where some have died
 */
export async function explainedByDeath(end, hops, network = null) {
  /** @type {Server[]} */
  const servers = hops.flatMap(({ broker }) => (broker === null ? [] : { ...broker, code: 'BROKER' }));
  if (network !== null)
    servers.push({ code: 'NETWORK', name: 'the delay line', causeOfDeath: network.causeOfDeath });
  const dead = await deadAmong(servers);
  if (dead.length === 0) return end;
  const causes = dead.map(({ name, causeOfDeath }) => `${name} died: ${causeOfDeath()}; `);
  return { ...end, code: dead[0].code, message: `${causes.join('')}${end.message}` };
}

/** @param {Server[]} servers @returns {Promise<Server[]>} once one of them is known to have died, or it is late for that */
async function deadAmong(servers) {
  const dead = () => servers.filter(({ causeOfDeath }) => causeOfDeath() !== null);
  const untilMs = performance.now() + TOLD_WITHIN_MS;
  while (servers.length > 0 && dead().length === 0 && performance.now() < untilMs) await sleep(LOOK_EVERY_MS);
  return dead();
}
