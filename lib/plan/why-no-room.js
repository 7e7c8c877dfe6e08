// Why so many connections are not measured here: this machine has no room for them. What it allows comes in as data.

import { connectingAtOnce, connectionsInAll, loopsInAll } from '../cell/connections.js';
import { traitsOf } from '../cell/traits.js';
import { formatCount } from '../words/numbers.js';

/** @import { ConnectionRoom } from '../machine/connection-room.js' */
/** @import { Cell, Transport } from '../types/index.js' */

const SPARE_FILES = 128; // what a process of Node, or a broker, has open besides
const OWN_FILES = 4; // of a connection in its worker, where a library has sockets and threads of its own
const OR_FEWER = 'or ask for fewer --connections';

/**
 * @param {Transport} transport
 * @param {Cell} cell
 * @param {ConnectionRoom} [room]   absent: it is not looked at
 * @returns {string | null}
 */
export function whyNoRoom(transport, cell, room) {
  if (room === undefined || cell.connections === undefined) return null;
  const { class: ofClass, reach, direction } = traitsOf(transport, cell.settings);
  // One that waits for its answer keeps its socket: each loop has one of its own.
  const further = direction === 'request-reply' ? loopsInAll(cell) : 0;
  const sockets = connectionsInAll(cell) + further;
  const many = `${formatCount(connectionsInAll(cell))} connections need`;
  const files = Math.max(sockets, ofClass === 'brokerless' ? OWN_FILES * cell.connections : 0) + SPARE_FILES;
  if (files > (room.openFiles ?? Infinity)) {
    const limit = formatCount(Number(room.openFiles));
    return `${many} ${formatCount(files)} open files in one process, and ${limit} are allowed: sudo prlimit --pid $$ --nofile=${files}, ${OR_FEWER}`;
  }
  if (reach === 'network' && sockets > (room.ports ?? Infinity)) {
    const limit = formatCount(Number(room.ports));
    return `${many} ${formatCount(sockets)} ports, and this system gives ${limit}: sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535", ${OR_FEWER}`;
  }
  const waiting = connectingAtOnce(cell);
  if (waiting > (room.backlog ?? Infinity)) {
    return `${many} room for ${waiting} that wait to be accepted, and ${room.backlog} may: sudo sysctl -w net.core.somaxconn=4096, ${OR_FEWER}`;
  }
  return null;
}
