// What a cell is made of, one row for each axis. Options, plan, labels, groups, matching in a comparison, columns, charts
// and controls follow from these rows. A new axis is one row here, its entry among the options, its property in types and
// schemas, and the code that uses its value.

import { counted } from '../format/lists.js';
import { formatBytes } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { makeAxis } from './axis.js';
import { THIS_NODE } from './runtime-text.js';

/** @import { Cell, ControlRow } from '../types/index.js' */
/** @import { Axis, AxisRow, Part } from './axis.js' */

/** @param {Cell['settings']} settings @returns {string[]} 'flush=tick' */
function settingTexts(settings) {
  return Object.entries(settings).map(([key, value]) => `${key}=${value}`);
}

/** @type {AxisRow[]} */
const ROWS = [
  { name: 'transport', part: 'series', option: 'transports' },
  {
    name: 'settings',
    title: 'transport settings',
    part: 'series',
    usual: '',
    of: ({ settings }) => settingTexts(settings).join(','),
    text: ({ settings }) => printable(settingTexts(settings).sort().join(',') || 'none'),
  },
  { name: 'codec', part: 'series', option: 'codecs', controlKeys: ['codec'] },
  {
    name: 'runtime',
    part: 'series',
    usual: THIS_NODE,
    option: 'runtimes',
    controlKeys: ['runtime'],
    isSparse: true,
    place: ({ runtime = THIS_NODE }) => `on ${runtime}`,
  },
  {
    name: 'scenario',
    part: 'scenario',
    option: 'scenarios',
    controlKeys: ['scenario'],
    heading: ({ scenario }) => scenario,
    unsaid: 'round-trip',
  },
  {
    name: 'payload',
    part: 'payload',
    keys: ['payloadBytes'],
    option: 'payloadBytes',
    controlKeys: ['payloadBytes'],
    isQuantity: true,
    of: ({ payloadBytes }) => `${payloadBytes}B`,
    text: ({ payloadBytes }) => formatBytes(payloadBytes),
    label: ({ payloadBytes }) => `${payloadBytes} B`,
    columns: ({ payloadBytes }) => ({ payloadBytes }),
  },
  {
    name: 'content',
    part: 'payload',
    usual: 'ascii',
    option: 'contents',
    controlKeys: ['content'],
    values: ['ascii', 'utf8', 'binary', 'json'],
    place: ({ content }) => content ?? 'ascii',
    glue: ' of ',
  },
  {
    name: 'shape',
    title: 'workers x loops',
    part: 'shape',
    keys: ['workers', 'loops'],
    flag: 'workers',
    option: 'shapes',
    controlKeys: ['loops'], // a worker is one process at any number of workers
    isQuantity: true,
    of: ({ workers, loops }) => `${workers}x${loops}`,
    columns: ({ workers, loops }) => ({ workers, loops }),
    chosen: ({ shapes }) => shapes,
  },
  {
    name: 'connections',
    title: 'connections of each worker',
    part: 'shape',
    usual: '1',
    option: 'connections',
    isQuantity: true,
    isSparse: true,
    place: ({ connections = 1 }) => `${counted(connections, 'connection', 'connections')} of each worker`,
    chosen: ({ connections = [1] }) =>
      connections.map((/** @type {number} */ count) => (count === 1 ? {} : { connections: count })),
    columns: ({ connections = 1 }) => ({ connections }),
  },
  {
    name: 'placement',
    part: 'manner',
    option: 'placements',
    values: ['split', 'same', 'free'],
    explained: {
      split: 'master on its own CPU',
      same: 'all processes on one CPU',
      free: 'left to the scheduler',
    },
  },
  {
    name: 'poll',
    part: 'manner',
    usual: 'event',
    option: 'polls',
    values: ['event', 'busy'],
    explained: { busy: 'processes never sleep' },
  },
  {
    name: 'hosts',
    part: 'manner',
    usual: 'one',
    flag: 'master-on',
    isSparse: true,
    heading: ({ hosts = 'one' }) => `hosts ${hosts}`,
    chosen: ({ hosts }) => [
      hosts === undefined ? {} : { hosts: `${hosts.master}:${hosts.workers.join('+')}` },
    ],
  },
  {
    name: 'network',
    part: 'manner',
    usual: 'none',
    option: 'networks',
    isSparse: true,
  },
  {
    name: 'rate',
    title: 'load model',
    part: 'load',
    keys: ['ratePerSecond'],
    usual: 'closed',
    isQuantity: true,
    text: ({ ratePerSecond }) =>
      ratePerSecond === undefined ? 'closed loops' : `open, ${ratePerSecond} per second`,
    // One where there is nothing to choose: closed loops, or rates still to be found.
    chosen: ({ open }) =>
      open?.ratesPerSecond.length
        ? open.ratesPerSecond.map((/** @type {number} */ ratePerSecond) => ({ ratePerSecond }))
        : [{}],
  },
];

/** @type {readonly Axis[]} */
export const AXES = Object.freeze(ROWS.map(makeAxis));

/** What cells share that are compared with each other. */
export const QUESTION_KEYS = AXES.filter(({ part }) => part !== 'series').flatMap(({ keys }) => keys);

/** What a calibration shares with the cells that it belongs to. */
export const CONTROL_KEYS = /** @type {(keyof Cell & keyof ControlRow)[]} */ (
  AXES.flatMap(({ controlKeys }) => controlKeys)
);

/** @param {Part[]} parts @param {readonly Axis[]} [axes] @returns {Axis[]} of these parts, part by part */
export function axesIn(parts, axes = AXES) {
  return parts.flatMap((part) => axes.filter((axis) => axis.part === part));
}

/** @param {string} name   of an axis @param {object} cell @returns {string} its value, short: '2x4' */
export function axisValue(name, cell) {
  const axis = AXES.find((each) => each.name === name);
  if (axis === undefined) throw new Error(`there is no axis ${name}`);
  return axis.of(cell);
}

/** @param {string} name   of an axis @param {object} cell @returns {boolean} titles need not say its value where all cells have it */
export function isUnsaid(name, cell) {
  return AXES.some((axis) => axis.name === name && axis.unsaid === axis.of(cell));
}

/**
 * @param {Cell} cell
 * @param {readonly Axis[]} [axes]
 * @returns {Record<string, string | number>} column → value, but for the load, which has columns of its own
 */
export function axisColumns(cell, axes = AXES) {
  const written = axes.filter(({ part }) => part !== 'load');
  return Object.assign({}, ...written.map(({ columns }) => columns(cell)));
}
