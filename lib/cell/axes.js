// Axes are the dimensions of a cell. This module has the table of all axes: how they are written, which values are omitted, and which
// options set them.

import { counted } from '../format/lists.js';
import { formatBytes } from '../format/numbers.js';
import { printable } from '../format/printable.js';
import { THIS_NODE } from './launch-roles.js';

/** @import { Cell, ControlRow, Options } from '../types/index.js' */
/**
 * The axes of one part are adjacent in all texts of a cell. Compared cells differ only in axes of `series`.
 * @typedef {'series' | 'scenario' | 'payload' | 'shape' | 'manner' | 'load'} LabelPart
 */

/**
 * The parameter `cell` is a cell, or an object with the properties that the axis reads.
 * @typedef {object} Axis
 * @property {string} name   'poll'
 * @property {string} title   name in a comparison
 * @property {LabelPart} part
 * @property {string[]} keys   properties of a cell that belong to the axis
 * @property {string} [usual]   short form of the default value, which labels omit
 * @property {string} [unsaid]   a value that headings and titles omit if all cells have it
 * @property {true} [isQuantity]   charts show its values side by side, and tables name it unless all values are usual
 * @property {true} [isSparse]   CSV contains its columns only if a run has another value than the usual one
 * @property {(cell: any) => string} of   returns the value in a short form: 'busy', '1000B'
 * @property {(cell: any) => string} text   returns the value as text for reports, without control characters: '1,000 B'
 * @property {(cell: any) => string} label   returns what the axis adds to the label of a cell: 'poll=busy'
 * @property {(cell: any) => string} heading   returns the heading of a chart: 'placement split'
 * @property {(cell: any) => string} groupHeading   returns what the axis adds to the heading of a group: 'poll busy'
 * @property {string} glue   separator before the axis in the heading of a group, unless the axis comes first
 * @property {Readonly<Record<string, string>>} explained   meanings by value, shown below a chart
 * @property {(cell: any) => Record<string, string | number>} columns   returns CSV columns by name
 * @property {string[]} controlKeys   properties that a calibration shares with its cells
 * @property {string} flag   name on the command line
 * @property {keyof Options} [option]   the option that sets only this axis
 * @property {readonly string[]} [values]   values that the flag accepts; undefined if they are not a fixed list
 * @property {(options: Partial<Options> & Record<string, any>) => Partial<Cell>[]} chosen   returns the properties of the axis for each
 *   value that the options select
 */

/** @typedef {Partial<Axis> & Pick<Axis, 'name' | 'part'>} AxisRow */

/** @param {AxisRow} row @returns {Axis} the row, completed with the defaults of most axes */
export function makeAxis({ name, usual, option, ...own }) {
  const [key] = own.keys ?? [name];
  const of = own.of ?? ((cell) => String(cell[key] ?? usual));
  const text = own.text ?? ((cell) => printable(of(cell)));
  const isNamed = usual !== undefined;
  return {
    name,
    usual,
    option,
    of,
    text,
    title: name,
    keys: [key],
    flag: name,
    glue: ', ',
    explained: {},
    controlKeys: [],
    label: (cell) => (isNamed ? `${name}=${of(cell)}` : of(cell)),
    heading: (cell) => `${name} ${of(cell)}`,
    groupHeading: (cell) => (isNamed ? `${name} ${text(cell)}` : text(cell)),
    columns: (cell) => ({ [key]: of(cell) }),
    chosen: (options) => {
      const values = /** @type {unknown[]} */ ((option && options[option]) ?? [usual]);
      return values.map((value) => (value === usual ? {} : { [key]: value }));
    },
    ...own,
  };
}

/** @param {Axis} axis @param {object} cell @returns {boolean} whether labels omit its value */
export function isUsual({ usual, of }, cell) {
  return usual !== undefined && of(cell) === usual;
}

/**
 * @template {object} T
 * @param {T} cell
 * @param {string[]} keys
 * @returns {Partial<T>} the properties that the cell has, in the order of `keys`
 */
export function picked(cell, keys) {
  const values = /** @type {Record<string, any>} */ (cell);
  const present = keys.filter((key) => values[key] !== undefined);
  return /** @type {Partial<T>} */ (Object.fromEntries(present.map((key) => [key, values[key]])));
}

/** @param {object} cell @param {Axis[]} axes @returns {string} '100 B of utf8', 'split, poll busy' */
export function headingText(cell, axes) {
  return axes.map((axis, index) => `${index === 0 ? '' : axis.glue}${axis.groupHeading(cell)}`).join('');
}

/** @param {object} cell @param {Axis[]} axes @returns {string} like headingText, but without usual values */
export function unusualText(cell, axes) {
  return headingText(
    cell,
    axes.filter((axis) => !isUsual(axis, cell)),
  );
}

// All axes, one per row. Options, plan, labels, groups, matching in a comparison, columns, charts and controls are derived from these rows.
// A new axis needs a row here, an option, a property in types and schemas, and the code that uses its value.

/** @param {Cell['settings']} settings @returns {string[]} ['flush=tick'] */
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
    groupHeading: ({ runtime = THIS_NODE }) => `on ${runtime}`,
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
    values: ['ascii', 'utf8', 'binary', 'json', 'bytes'],
    explained: { bytes: 'payloads are Buffers, not texts' },
    groupHeading: ({ content }) => content ?? 'ascii',
    glue: ' of ',
  },
  {
    name: 'shape',
    title: 'workers x loops',
    part: 'shape',
    keys: ['workers', 'loops'],
    flag: 'workers',
    option: 'shapes',
    controlKeys: ['loops'], // without `workers`: one process calibrates for any number of workers
    isQuantity: true,
    of: ({ workers, loops }) => `${workers}x${loops}`,
    columns: ({ workers, loops }) => ({ workers, loops }),
    chosen: ({ shapes = [] }) => shapes,
  },
  {
    name: 'connections',
    title: 'connections of each worker',
    part: 'shape',
    usual: '1',
    option: 'connections',
    isQuantity: true,
    isSparse: true,
    groupHeading: ({ connections = 1 }) =>
      `${counted(connections, 'connection', 'connections')} of each worker`,
    chosen: ({ connections = [1] }) =>
      connections.map((count) => (count === 1 ? {} : { connections: count })),
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
      free: 'CPUs left to the scheduler',
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
    // Closed loops have no rate, and the rates of a sweep are not known in advance.
    chosen: ({ open }) =>
      open?.ratesPerSecond.length ? open.ratesPerSecond.map((ratePerSecond) => ({ ratePerSecond })) : [{}],
  },
];

/** @type {readonly Axis[]} */
export const AXES = Object.freeze(ROWS.map(makeAxis));

/** Properties that compared cells share. */
export const QUESTION_KEYS = AXES.filter(({ part }) => part !== 'series').flatMap(({ keys }) => keys);

/** Properties that a calibration shares with its cells. */
export const CONTROL_KEYS = /** @type {(keyof Cell & keyof ControlRow)[]} */ (
  AXES.flatMap(({ controlKeys }) => controlKeys)
);

/** @typedef {Omit<ControlRow, 'codecUs' | 'checkUs' | 'nullUs' | 'spread'>} ControlKey */

/** @param {Cell[]} cells @returns {ControlKey[]} one for each calibration of these cells */
export function listControlKeys(cells) {
  const keys = cells.map((cell) => /** @type {ControlKey} */ (picked(cell, CONTROL_KEYS)));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

/** @param {LabelPart[]} parts @param {readonly Axis[]} [axes] @returns {Axis[]} the axes in the order of `parts` */
export function axesIn(parts, axes = AXES) {
  return parts.flatMap((part) => axes.filter((axis) => axis.part === part));
}

/** @param {string} name @param {object} cell @returns {string} short value of the axis: '2x4' */
export function axisValue(name, cell) {
  const axis = AXES.find((each) => each.name === name);
  if (axis === undefined) throw new Error(`there is no axis ${name}`);
  return axis.of(cell);
}

/** @param {string} name @param {object} cell @returns {boolean} whether titles may omit the value of the axis if all cells share it */
export function isUnsaid(name, cell) {
  return AXES.some((axis) => axis.name === name && axis.unsaid === axis.of(cell));
}

/**
 * @param {Cell} cell
 * @param {readonly Axis[]} [axes]
 * @returns {Record<string, string | number>} values by name of their CSV column; axes of the load are left out
 */
export function axisColumns(cell, axes = AXES) {
  const written = axes.filter(({ part }) => part !== 'load');
  return Object.assign({}, ...written.map(({ columns }) => columns(cell)));
}

/** @param {{ ratesPerSecond: readonly number[] } | undefined} open @returns {boolean} whether the run is a search for the rate */
export function isSweep(open) {
  return open !== undefined && open.ratesPerSecond.length === 0;
}
