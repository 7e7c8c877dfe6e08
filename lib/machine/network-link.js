// The network interface that has an address: how much a packet holds there, and its class of bandwidth where the driver tells it.

import { networkInterfaces } from 'node:os';
import { readSystemFile } from './system-file.js';

/** @import { NetworkLink } from '../types/index.js' */

/**
 * @param {string} address
 * @param {ReturnType<typeof networkInterfaces>} [interfaces]
 * @param {import('./system-file.js').SystemFileReader} [read]
 * @returns {NetworkLink | null} null: no interface has the address, or it is the loopback, where nothing limits
 */
export function findNetworkLink(address, interfaces = networkInterfaces(), read = readSystemFile) {
  const all = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses.map((each) => ({ name, ...each })),
  );
  const found = all.find((each) => each.address === address && !each.internal);
  if (found === undefined) return null;
  const numberIn = (/** @type {string} */ file) => {
    const number = Number.parseInt(read(`/sys/class/net/${found.name}/${file}`) ?? '', 10);
    return number > 0 ? number : null; // -1: the link does not know
  };
  return { mtuBytes: numberIn('mtu'), megabitsPerSecond: numberIn('speed') };
}
