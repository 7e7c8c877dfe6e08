// How a cell is written for people: 'unix:flush=tick/string'. One spelling for tables, charts, words and --reference.

/** @typedef {import('./types.js').Cell} Cell */

/**
 * @param {Pick<Cell, 'transport' | 'settings'>} cell
 * @returns {string} 'unix' or 'unix:flush=tick,noDelay=false'
 */
export function transportLabel(cell) {
  const settings = Object.entries(cell.settings).map(([key, value]) => `${key}=${value}`);
  return settings.length === 0 ? cell.transport : `${cell.transport}:${settings.join(',')}`;
}

/**
 * @param {Pick<Cell, 'transport' | 'settings' | 'codec'>} cell
 * @returns {string} 'unix/json': names a row among cells that share payload, shape, placement and scenario
 */
export function seriesLabel(cell) {
  return `${transportLabel(cell)}/${cell.codec}`;
}

/**
 * @param {Pick<Cell, 'workers' | 'loops'>} cell
 * @returns {string} '2x4'
 */
export function shapeLabel(cell) {
  return `${cell.workers}x${cell.loops}`;
}

/**
 * @param {Cell} cell
 * @returns {string} 'round-trip 2x4 1000 B split': the group within which cells are compared
 */
export function groupLabel(cell) {
  return `${cell.scenario} ${shapeLabel(cell)} ${cell.payloadBytes} B ${cell.placement}`;
}

/**
 * @param {Cell} cell
 * @returns {string} unique within a run
 */
export function cellLabel(cell) {
  return `${seriesLabel(cell)} ${groupLabel(cell)}`;
}
