// Counts the connections and loops of a launch, and makes ids of connections. A worker has one connection by default. Each connection has
// all the loops of the cell.

/** @import { Cell } from '../types/index.js' */

/** @param {Pick<Cell, 'workers' | 'connections'>} cell @returns {number} connections of all workers */
export function connectionsInAll({ workers, connections = 1 }) {
  return workers * connections;
}

/** @param {Pick<Cell, 'workers' | 'loops' | 'connections'>} cell @returns {number} loops of all connections */
export function loopsInAll(cell) {
  return connectionsInAll(cell) * cell.loops;
}

/** @param {Pick<Cell, 'workers' | 'connections'>} cell @returns {number} connections beyond the first one of each worker */
export function furtherConnections(cell) {
  return connectionsInAll(cell) - cell.workers;
}

// Most connections that all workers together open at once. With more than eight workers, each opens one at a time. Eight is below the
// smallest backlog of any listener, which is ten for mosquitto on a unix socket.
const CONNECTING_AT_ONCE = 8;

/** @param {Pick<Cell, 'workers'>} cell @returns {number} greatest number of connections that a worker opens at once */
export function connectingPerWorker({ workers }) {
  return Math.max(1, Math.floor(CONNECTING_AT_ONCE / workers));
}

/** @param {Pick<Cell, 'workers' | 'connections'>} cell @returns {number} connections that all workers open at once */
export function connectingAtOnce(cell) {
  return Math.min(connectionsInAll(cell), connectingPerWorker(cell) * cell.workers);
}

/** @param {string} workerId @param {number} index   1 for the second connection of the worker @returns {string} 'w0c1' */
export function furtherId(workerId, index) {
  return `${workerId}c${index}`;
}

/** @param {string} id   id of a connection @returns {string} 'w0' */
export function parseWorkerId(id) {
  return id.replace(/c\d+$/, '');
}
