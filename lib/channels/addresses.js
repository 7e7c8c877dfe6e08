// Addresses of sockets as text: 'ip:port', or the path of a unix socket, which `socketPath` (sockets.js) makes. `listen` of a transport
// returns its address, and `connect` takes it. Transports over a broker use the beginning of their topics as an address
// (brokers/topic-names.js), and those with a presence (request-reply.js) use JSON that contains two addresses.

import { isIPv6 } from 'node:net';

export const LOOPBACK = '127.0.0.1';
const IPV6_LOOPBACK = '::1';

/** @param {string} address @returns {boolean} true if other hosts cannot reach it */
export const isLoopback = (address) => address.startsWith('127.') || address === IPV6_LOOPBACK;

/** @param {string} host @param {number | string} port @returns {string} 'ip:port', or '[ip]:port' for IPv6 */
export const hostAndPort = (host, port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/** Removes the brackets around an IPv6 address of a URL. @param {string} hostname @returns {string} */
export const withoutBrackets = (hostname) => hostname.replace(/^\[|\]$/g, '');

/** @param {{ bindAddress?: string }} host @returns {string} the address to listen on */
export const bindAddressOf = ({ bindAddress = LOOPBACK }) => bindAddress;

/**
 * @param {string} address     'ip:port', '[ip]:port' for IPv6, or the path of a unix socket
 * @returns {{ path: string } | { host: string, port: number }} arguments of connect() of node:net
 */
export function connectOptions(address) {
  const [, ipv6, host = ipv6, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d+)$/i.exec(address) ?? [];
  return host === undefined ? { path: address } : { host, port: Number(port) };
}
