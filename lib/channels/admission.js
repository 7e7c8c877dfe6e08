// Admission of a worker to a launch: addresses, the token, the deadline, and the names of connections.

import { timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';

export const LOOPBACK = '127.0.0.1';
const IPV6_LOOPBACK = '::1';

/** @param {string} address @returns {boolean} true if other hosts cannot reach it */
export const isLoopback = (address) => address.startsWith('127.') || address === IPV6_LOOPBACK;

/** @param {string} host @param {number | string} port @returns {string} 'ip:port', or '[ip]:port' for IPv6 */
export const hostAndPort = (host, port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Removes the brackets around an IPv6 address of a URL. @param {string} hostname @returns {string} */
export const withoutBrackets = (hostname) => hostname.replace(/^\[|\]$/g, '');

/** @param {{ bindAddress?: string }} host */
export const bindAddressOf = ({ bindAddress = LOOPBACK }) => bindAddress;

/**
 * @param {string} address     'ip:port', '[ip]:port' for IPv6, or the path of a unix socket
 * @returns {{ path: string } | { host: string, port: number }} arguments of connect() of node:net
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
 * Added to the deadline for each process that starts at the same time. A start takes 0.1 to 0.15 s of CPU time, and on a busy machine only
 * a quarter of a CPU may be free for it. A process that ends is detected at once, so a long deadline does no harm.
 */
export const START_MS_PER_WORKER = 600;
const JOINING_MS = 5_000; // joining usually takes a few milliseconds

/**
 * @returns {number} deadline for the admission of a worker, in ms
 * @param {Pick<import('../types/transports.js').GuestContext, 'workers'>} guest
 */
export function joiningMs({ workers = 0 }) {
  return JOINING_MS + workers * START_MS_PER_WORKER;
}

// The first connection of a worker has the name of the worker, such as 'w0'; further ones are 'w0c1', 'w0c2' and so on.

const FURTHER = /^w\d+c\d+$/;

/** @param {string} connectionId @returns {boolean} true unless it is the first connection of its worker */
export function isFurther(connectionId) {
  return FURTHER.test(connectionId);
}
