// Formats a cell for people: 'unix:flush=tick/string'. Tables, charts, sentences and --reference use the same format. Also formats limits
// of response times.

import { AXES, axesIn, axisValue, isUsual, unusualText } from './axes.js';

/** @import { Cell, Question, Slo } from '../types/index.js' */

/** @import { Axis } from './axes.js' */

/** @param {Pick<Cell, 'transport' | 'settings'>} cell @returns {string} 'unix' or 'unix:flush=tick,noDelay=false' */
export function transportLabel(cell) {
  const settings = axisValue('settings', cell);
  return settings === '' ? cell.transport : `${cell.transport}:${settings}`;
}

/**
 * @param {Pick<Cell, 'transport' | 'settings' | 'codec' | 'runtime'>} cell
 * @returns {string} 'unix/json', 'unix/json on bun': unique within a group of compared cells
 */
export function seriesLabel(cell) {
  const row = `${transportLabel(cell)}/${cell.codec}`;
  return cell.runtime === undefined ? row : `${row} on ${cell.runtime}`;
}

/** @param {string} label   of a row @returns {string} a key that is equal for all orders of the settings */
export function sortedLabel(label) {
  const [, transport, settings = '', codec] = /^([^:/]*):?(.*)\/([^/]*)$/.exec(label) ?? [];
  return JSON.stringify([transport, settings.split(',').sort(), codec]);
}

/** @param {Cell} cell @param {string} row   'unix/json', which also names 'unix/json on bun' @returns {boolean} */
export function isOfRow(cell, row) {
  const labels = [cell, { ...cell, runtime: undefined }].map(seriesLabel);
  return labels.some((label) => sortedLabel(label) === sortedLabel(row));
}

/** @param {Pick<Cell, 'workers' | 'loops' | 'connections'>} cell @returns {string} '2x4', '2x4, 16 connections of each worker' */
export function shapeLabel(cell) {
  return unusualText(cell, axesIn(['shape']));
}

/** @param {Cell} cell @returns {string} a shorter form for the heading of a panel: '2x4', '2x4, 16 connections' */
export function shapeTitle(cell) {
  const shape = axisValue('shape', cell);
  return cell.connections === undefined ? shape : `${shape}, ${cell.connections} connections`;
}

/**
 * @typedef {object} Labels
 * @property {(cell: Question) => string} groupLabel   'round-trip 2x4 1000 B split': label of a group, whose cells are compared. Under open
 *   load it includes the rate
 * @property {(cell: Question) => string} tableLabel   like groupLabel, but without the rate. Open and closed load never share a table
 * @property {(cell: Question) => string} unheadedLabel   'round-trip 2x4 1000 B': like groupLabel, but without the placement
 * @property {(cell: Cell) => string} cellLabel   unique within a run
 */

/** @param {readonly Axis[]} axes */
export function makeLabels(axes) {
  const questionAxes = axesIn(['scenario', 'shape', 'payload', 'manner'], axes);
  const placeless = questionAxes.filter(({ name }) => name !== 'placement');
  /** @param {Axis[]} some @param {Question} cell */
  const labelled = (some, cell) => {
    const unusual = some.filter((axis) => !isUsual(axis, cell));
    return unusual.map((axis) => axis.label(cell)).join(' ');
  };
  /** @param {Question} cell @param {string} word */
  const rateText = ({ ratePerSecond }, word) =>
    ratePerSecond === undefined ? '' : ` ${word} ${ratePerSecond}/s`;
  /** @type {Labels} */
  const labels = {
    tableLabel: (cell) => labelled(questionAxes, cell) + (cell.ratePerSecond === undefined ? '' : ' open'),
    groupLabel: (cell) => labelled(questionAxes, cell) + rateText(cell, 'open'),
    unheadedLabel: (cell) => labelled(placeless, cell) + rateText(cell, 'at'),
    cellLabel: (cell) => `${seriesLabel(cell)} ${labels.groupLabel(cell)}`,
  };
  return labels;
}

export const { groupLabel, tableLabel, unheadedLabel, cellLabel } = makeLabels(AXES);

/** @param {Slo} slo @param {string} [less] @returns {string} 'p99<5ms', the syntax of --slo */
export function sloLabel({ percentile, us }, less = '<') {
  const name = percentile === 'p999' ? 'p99.9' : percentile;
  if (us % 1e6 === 0) return `${name}${less}${us / 1e6}s`;
  return us % 1e3 === 0 ? `${name}${less}${us / 1e3}ms` : `${name}${less}${us}us`;
}
