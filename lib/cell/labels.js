// How a cell is written for people: 'unix:flush=tick/string'. One spelling for tables, charts, words and --reference.

/** @import { Cell, Question } from '../types/plans.js' */

/**
 * @param {Pick<Cell, 'transport' | 'settings'>} cell
 * @returns {string} 'unix' or 'unix:flush=tick,noDelay=false'
 */
export function transportLabel(cell) {
  const settings = settingsLabel(cell.settings);
  return settings === '' ? cell.transport : `${cell.transport}:${settings}`;
}

/**
 * @param {Cell['settings']} settings
 * @returns {string} 'flush=tick,noDelay=false', or '' where all are the defaults
 */
export function settingsLabel(settings) {
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
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
 * @param {Pick<Cell, 'content'>} cell
 * @returns {import('../types/plans.js').ContentKind}
 */
export function contentOf({ content }) {
  return content ?? 'ascii';
}

/**
 * @param {Question} cell
 * @returns {string} 'round-trip 2x4 1000 B split': the group within which cells are compared, at one rate if it is open
 */
export function groupLabel(cell) {
  return cell.ratePerSecond === undefined ? tableLabel(cell) : `${tableLabel(cell)} ${cell.ratePerSecond}/s`;
}

/**
 * @param {Question} cell
 * @returns {string} the same without the rate: what stands in one table. Open and closed load never share one
 */
export function tableLabel(cell) {
  const model = cell.ratePerSecond === undefined ? '' : ' open';
  return `${askedLabel(cell)} ${cell.placement}${pollLabel(cell)}${model}`;
}

/**
 * @param {Question} cell
 * @returns {string} 'round-trip 2x4 1000 B': what is asked, and how it is waited for, wherever the processes are placed
 */
export function placelessLabel(cell) {
  const load = cell.ratePerSecond === undefined ? '' : ` at ${cell.ratePerSecond}/s`;
  return `${askedLabel(cell)}${pollLabel(cell)}${load}`;
}

/** @param {Question} cell */
function askedLabel(cell) {
  const content = cell.content === undefined ? '' : ` content=${cell.content}`;
  return `${cell.scenario} ${shapeLabel(cell)} ${cell.payloadBytes} B${content}`;
}

/** @param {Question} cell */
function pollLabel({ poll }) {
  return poll === undefined ? '' : ` poll=${poll}`;
}

/**
 * @param {Cell} cell
 * @returns {string} unique within a run
 */
export function cellLabel(cell) {
  return `${seriesLabel(cell)} ${groupLabel(cell)}`;
}

/**
 * @param {import('../types/plans.js').Slo} slo
 * @param {string} [less]
 * @returns {string} 'p99<5ms', as --slo takes it
 */
export function sloLabel({ percentile, us }, less = '<') {
  const name = percentile === 'p999' ? 'p99.9' : percentile;
  if (us % 1e6 === 0) return `${name}${less}${us / 1e6}s`;
  return us % 1e3 === 0 ? `${name}${less}${us / 1e3}ms` : `${name}${less}${us}us`;
}
