// One axis: what a row of the table says of it, what follows where the row says nothing, and how cells are told by axes.

import { printable } from '../format/printable.js';

/** @import { Cell, Options } from '../types/index.js' */

/**
 * The axes of one part stand side by side wherever a cell is written. `series` is what is compared; the others are the
 * question, which compared cells share.
 * @typedef {'series' | 'scenario' | 'payload' | 'shape' | 'manner' | 'load'} Part
 */

/**
 * `cell` is a cell, or whatever has the same properties as far as the axis needs them.
 * @typedef {object} Axis
 * @property {string} name                  'poll'
 * @property {string} title                 in a comparison
 * @property {Part} part
 * @property {string[]} keys                its properties of a cell
 * @property {string} [usual]               the value of cells that lack the property; it goes without saying
 * @property {string} [unsaid]              a value that headings and titles need not say where all cells have it
 * @property {true} [isQuantity]            tables always say it, and charts show its values side by side
 * @property {true} [isSparse]              CSV has its columns only where a run has another value than the usual one
 * @property {(cell: any) => string} of     its value, short: 'busy', '1000B'
 * @property {(cell: any) => string} text   the same for people, safe to show: '1,000 B'
 * @property {(cell: any) => string} label  in the label of a cell: 'poll=busy'
 * @property {(cell: any) => string} heading   of a chart: 'placement split'
 * @property {(cell: any) => string} place  among what a group shares: 'poll busy'
 * @property {string} glue                  between its place and what stands before it
 * @property {Readonly<Record<string, string>>} explained   what a value means, in a chart's footer
 * @property {(cell: any) => Record<string, string | number>} columns   of CSV, by name
 * @property {string[]} controlKeys         properties that a control has as well
 * @property {string} flag                  on the command line
 * @property {keyof Options} [option]       among the options; absent: it is chosen together with others
 * @property {readonly string[]} [values]   all there are; absent: any that its parser takes
 * @property {(options: any) => Partial<Cell>[]} chosen   its values in the cells of a plan
 */

/** @typedef {Partial<Axis> & Pick<Axis, 'name' | 'part'>} AxisRow */

/** @param {AxisRow} row @returns {Axis} what the row leaves out, it has as most axes do */
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
    place: (cell) => (isNamed ? `${name} ${text(cell)}` : text(cell)),
    columns: (cell) => ({ [key]: of(cell) }),
    chosen: (options) => {
      const values = (option && options[option]) ?? [usual];
      return values.map((/** @type {unknown} */ value) => (value === usual ? {} : { [key]: value }));
    },
    ...own,
  };
}

/** @param {Axis} axis @param {object} cell @returns {boolean} its value goes without saying */
export function isUsual({ usual, of }, cell) {
  return usual !== undefined && of(cell) === usual;
}

/**
 * @template {object} T
 * @param {T} cell
 * @param {string[]} keys
 * @returns {Partial<T>} these of its properties that it has, in this order
 */
export function picked(cell, keys) {
  const values = /** @type {Record<string, any>} */ (cell);
  const present = keys.filter((key) => values[key] !== undefined);
  return /** @type {Partial<T>} */ (Object.fromEntries(present.map((key) => [key, values[key]])));
}

/** @param {object} cell @param {Axis[]} axes @returns {string} '100 B of utf8', 'split, poll busy' */
export function placeText(cell, axes) {
  return axes.map((axis, index) => `${index === 0 ? '' : axis.glue}${axis.place(cell)}`).join('');
}

/** @param {object} cell @param {Axis[]} axes @returns {string} the same without what goes without saying */
export function unusualText(cell, axes) {
  return placeText(
    cell,
    axes.filter((axis) => !isUsual(axis, cell)),
  );
}
