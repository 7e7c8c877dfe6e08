// How a worker reaches the master and is admitted to a launch: addresses, the token, the time to join, and the names of connections.

import { timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';

export const LOOPBACK = '127.0.0.1';
const IPV6_LOOPBACK = '::1';

/** @param {string} address @returns {boolean} true if other hosts cannot reach it */
export const isLoopback = (address) => address.startsWith('127.') || address === IPV6_LOOPBACK;

/** @param {string} host @param {number | string} port @returns {string} as in a URL: 'ip:port', '[ip]:port' of IPv6 */
export const hostAndPort = (host, port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** @param {string} hostname   of a URL @returns {string} without the brackets of IPv6 */
export const withoutBrackets = (hostname) => hostname.replace(/^\[|\]$/g, '');

/** @param {{ bindAddress?: string }} host   a HostContext or a BrokerPlace */
export const bindAddressOf = ({ bindAddress = LOOPBACK }) => bindAddress;

/**
 * @param {string} address     'ip:port', '[ip]:port' of IPv6, or the path of a unix socket
 * @returns {{ path: string } | { host: string, port: number }} for connect() of node:net
 */
export function connectOptions(address) {
  const [, ipv6, host = ipv6, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d+)$/i.exec(address) ?? [];
  return host === undefined ? { path: address } : { host, port: Number(port) };
}

/** @param {string} given @param {string} expected */
export function isSameToken(given, expected) {
  const givenBytes = Buffer.from(given);
  const expectedBytes = Buffer.from(expected);
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}

/**
 * Added to the deadline for each process that starts at the same time. A start takes 0.1 to 0.15 s of CPU time, and a busy machine may
 * leave a quarter of its CPUs; the death of a process is noticed at once, whatever the deadline.
 */
export const START_MS_PER_WORKER = 600;
const JOINING_MS = 5_000; // it takes some milliseconds

/** @returns {number} milliseconds within which the master has to admit a worker @param {Pick<import('../types/transports.js').GuestContext, 'workers'>} guest */
export function joiningMs({ workers = 0 }) {
  return JOINING_MS + workers * START_MS_PER_WORKER;
}

// The first connection of a worker bears its name, 'w0'; further ones are 'w0c1', 'w0c2' and so on.

const FURTHER = /^w\d+c\d+$/;

/** @param {string} connectionId @returns {boolean} true if its worker has another connection already */
export function isFurther(connectionId) {
  return FURTHER.test(connectionId);
}
