// Which TCP ports a process listens on, as the kernel tells; nothing but Linux tells it without tools.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A'; // TCP_LISTEN of include/net/tcp_states.h
// Addresses are hexadecimal words in the byte order of the machine, which is little-endian wherever Node runs.
const LOOPBACK = /^([0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;

/**
 * @param {number | 'self'} [pid]
 * @returns {{ port: number, isLoopback: boolean }[] | null} null: unknown on this system
 */
export function listeningPorts(pid = 'self') {
  if (process.platform !== 'linux') return null;
  const folder = `/proc/${pid}/fd`;
  const ownInodes = new Set(readdirSync(folder).map((descriptor) => socketInode(`${folder}/${descriptor}`)));
  return ['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((path) =>
    readTable(path)
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && ownInodes.has(inode))
      .map(([, local]) => {
        const [address, port] = local.split(':');
        return { port: Number.parseInt(port, 16), isLoopback: LOOPBACK.test(address) };
      }),
  );
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
    return undefined; // the descriptor of the listing itself is gone by now
  }
}
