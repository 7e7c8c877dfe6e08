// How many connections this machine allows: files that a process may have open, ports of an address, and connections that
// may wait to be accepted.

import { parseOpenFilesLimit, parseWord } from './kernel-text.js';
import { readSystemFile } from './system-file.js';

/** @typedef {{ openFiles: number | null, ports: number | null, backlog: number | null }} ConnectionRoom   null: not told */

/**
 * Node raises the soft limit of open files to the hard one when it starts: what is read here is what there is.
 * @param {import('./system-file.js').SystemFileReader} [read]
 * @returns {ConnectionRoom}
 */
export function readConnectionRoom(read = readSystemFile) {
  const backlog = parseWord(read('/proc/sys/net/core/somaxconn'));
  const [first, last] = (read('/proc/sys/net/ipv4/ip_local_port_range') ?? '')
    .trim()
    .split(/\s+/)
    .map(Number);
  return {
    openFiles: parseOpenFilesLimit(read('/proc/self/limits')),
    ports: last >= first ? last - first + 1 : null,
    backlog: backlog === null ? null : Number(backlog),
  };
}
