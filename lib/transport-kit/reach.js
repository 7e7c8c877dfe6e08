// From where an end of a launch can be reached: the address that it listens at, and what a setting `net` leaves of it.

export const LOOPBACK = '127.0.0.1';

/** @param {{ bindAddress?: string }} host   a listener's, or a broker's place @returns {string} */
export const bindAddressOf = ({ bindAddress = LOOPBACK }) => bindAddress;

/**
 * For `traitsOf` of transports that listen on a port with net=tcp, and in the file system or in memory with any other.
 * @param {Readonly<Record<string, string | number | boolean>>} settings
 * @returns {Partial<import('../types/transports.js').Traits>}
 */
export function reachOf({ net }) {
  if (net === 'tcp') return { mechanism: 'tcp' };
  return net === 'inproc' ? { reach: 'host' } : { reach: 'host', mechanism: 'unix' };
}

/**
 * @param {string} address     'ip:port', or the path of a unix socket
 * @returns {{ path: string } | { host: string, port: number }} for connect() of node:net
 */
export function placeOf(address) {
  const [, host, port] = /^([\d.]+):(\d+)$/.exec(address) ?? [];
  return host === undefined ? { path: address } : { host, port: Number(port) };
}
