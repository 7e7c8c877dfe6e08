// Checks the loopback address and its ports, on which transports over IP and private brokers listen, and describes remedies.

import { networkInterfaces } from 'node:os';
import { readConnectionRoom } from './limits.js';

const ADDRESS = '127.0.0.1';
export const WIDEN_PORTS = 'sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"';
// An error message of Node contains no port if a free one was requested.
const NO_PORT = /EADDRNOTAVAIL[^;]*127\.0\.0\.1|EADDRINUSE[^;]*127\.0\.0\.1(?!:\d)/;

/** @param {string} [platform] @returns {string} a command */
export function raiseLoopback(platform = process.platform) {
  return platform === 'linux' ? 'sudo ip link set lo up' : 'sudo ifconfig lo0 up';
}

/** @param {ReturnType<typeof networkInterfaces>} [interfaces]   those that are up */
export function hasLoopback(interfaces = networkInterfaces()) {
  return Object.values(interfaces).some((addresses) => addresses?.some(({ address }) => address === ADDRESS));
}

/**
 * @param {string} message   of a failed launch
 * @param {{ isUp?: boolean, ports?: number | null }} [facts]   ports: number of ports for connections; null if unknown
 * @returns {string | null} cause and remedy, if the loopback address is missing or its ports are used up
 */
export function describeLoopbackFault(
  message,
  { isUp = hasLoopback(), ports = readConnectionRoom().ports } = {},
) {
  if (!isUp) return `no interface that is up has the address ${ADDRESS}: ${raiseLoopback()}`;
  if (!NO_PORT.test(message)) return null;
  const which = ports === null ? 'all ports' : `all ${ports} ports of net.ipv4.ip_local_port_range`;
  const why = 'in use, or still kept for a minute after their connection (TIME_WAIT)';
  return `${which} are ${why}. Measure fewer rows at a time, or have more ports: ${WIDEN_PORTS}`;
}
