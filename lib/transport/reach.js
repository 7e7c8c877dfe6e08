// From where an end of a launch can be reached: the address that it listens at, and what a setting `net` leaves of it.

import { isIPv6 } from 'node:net';

export const LOOPBACK = '127.0.0.1';
const IPV6_LOOPBACK = '::1';

/** @param {string} address   of a host @returns {boolean} nobody beyond that host reaches it */
export const isLoopback = (address) => address.startsWith('127.') || address === IPV6_LOOPBACK;

/** @param {string} host @param {number | string} port @returns {string} as in a URL: 'ip:port', '[ip]:port' of IPv6 */
export const hostAndPort = (host, port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** @param {string} hostname   of a URL @returns {string} as others write it */
export const withoutBrackets = (hostname) => hostname.replace(/^\[|\]$/g, '');

/** @param {{ bindAddress?: string }} host   a listener's, or a broker's place */
export const bindAddressOf = ({ bindAddress = LOOPBACK }) => bindAddress;

/**
 * For `traitsOf` of transports that listen on a port with net=tcp, and in the file system or in memory with any other.
 * @param {Readonly<Record<string, string | number | boolean>>} settings
 * @returns {Partial<import('../types/transports.js').Traits>}
 */
export function reachTraits({ net }) {
  if (net === 'tcp') return { mechanism: 'tcp' };
  return net === 'inproc' ? { reach: 'host' } : { reach: 'host', mechanism: 'unix' };
}

/**
 * @param {string} address     'ip:port', '[ip]:port' of IPv6, or the path of a unix socket
 * @returns {{ path: string } | { host: string, port: number }} for connect() of node:net
 */
export function connectOptions(address) {
  const [, ipv6, host = ipv6, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d+)$/i.exec(address) ?? [];
  return host === undefined ? { path: address } : { host, port: Number(port) };
}
