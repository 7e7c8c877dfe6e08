// The addresses of sockets as text, which `listen` of a transport returns and `connect` gets: 'ip:port', or the path of a unix socket, made by
// `socketPath` (sockets.js). Over a broker an address is the beginning of topics (brokers/topic-names.js), and that of a server of requests
// is JSON with several addresses (http/request-server.js).

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
