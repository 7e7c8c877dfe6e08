// The TCP and UDP ports on which a process listens, on Linux, as other systems do not report them without tools.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

// States of include/net/tcp_states.h: TCP_LISTEN, and TCP_CLOSE for unconnected UDP sockets.
const LISTENING = { tcp: '0A', udp: '07' };
// Addresses are hexadecimal words in the byte order of the machine, which is little-endian wherever Node runs.
const IPV4 = /^(?:0{16}FFFF0000)?(..)(..)(..)(..)$/;
const IPV6_LOOPBACK = `${'0'.repeat(24)}01000000`;

/**
 * @param {number | 'self'} [pid]
 * @returns {{ port: number, address: string, isLoopback: boolean }[] | null} null: unknown on this system
 */
export function listeningPorts(pid = 'self') {
  if (process.platform !== 'linux') return null;
  const folder = `/proc/${pid}/fd`;
  const ownInodes = new Set(readdirSync(folder).map((descriptor) => socketInode(`${folder}/${descriptor}`)));
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((table) =>
    readTable(`/proc/${pid}/net/${table}`)
      .filter(
        ([, , , state, , , , , , inode]) => state === LISTENING[protocolOf(table)] && ownInodes.has(inode),
      )
      .map(([, local]) => {
        const [address, port] = local.split(':');
        return { port: Number.parseInt(port, 16), ...readAddress(address) };
      }),
  );
}

/** @param {string} table */
const protocolOf = (table) => (table.startsWith('tcp') ? 'tcp' : 'udp');

/** @param {string} hexadecimal */
function readAddress(hexadecimal) {
  const [, ...bytes] = IPV4.exec(hexadecimal) ?? [];
  if (bytes.length === 0) return { address: hexadecimal, isLoopback: hexadecimal === IPV6_LOOPBACK };
  const address = bytes
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
  return { address, isLoopback: address.startsWith('127.') };
}

/** @param {string} path */
function readTable(path) {
  try {
    return readFileSync(path, 'latin1')
      .split('\n')
      .slice(1)
      .filter((row) => row !== '')
      .map((row) => row.trim().split(/\s+/));
  } catch {
    return []; // a kernel without IPv6 has no tcp6
  }
}

/** @param {string} path   of a descriptor */
function socketInode(path) {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
  } catch {
    return undefined; // the descriptor used for listing them is closed
  }
}
